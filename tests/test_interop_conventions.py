"""The matrices of pcalg and Tetrad and the text of Tetrad, against examples from their own documentation."""

import numpy as np
import pytest
from hypothesis import given

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.interop import (
    from_edges,
    from_pcalg,
    from_tetrad,
    from_tetrad_matrix,
    to_edges,
    to_pcalg,
    to_tetrad,
    to_tetrad_matrix,
)
from ml4c.meek import certify

NAMES = ("rain", "sprinkler", "wet", "cold")
# rain -> wet <- sprinkler, rain - sprinkler, cold alone
GRAPH = naive.graph(4, "0>2", "1>2", "0-1")


def numbered(a):
    return [str(i + 1) for i in range(len(a))]


def edges_of(named):
    return [str(edge) for edge in to_edges(named.matrix, named.names)]


def in_r(numbers, size):
    """R's matrix(c(...), n, n): columns first."""
    return np.array(numbers).reshape(size, size, order="F")


# pcalg. Source: pcalg 2.7, man/amatType.Rd, "Coding for type amat.cpdag" and Examples.


@pytest.mark.parametrize(
    ("a_b", "b_a", "implies"), [(0, 1, ["a -> b"]), (1, 0, ["b -> a"]), (0, 0, []), (1, 1, ["a - b"])]
)
def test_the_four_lines_of_amat_cpdag(a_b, b_a, implies):
    named = from_pcalg([[0, a_b], [b_a, 0]], ["a", "b"])
    assert edges_of(named) == implies
    assert to_pcalg(named.matrix, named.names).matrix.tolist() == [[0, a_b], [b_a, 0]]


def test_the_dag_of_the_manual():
    m1 = in_r([0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1] + [0] * 18, 6)
    assert edges_of(from_pcalg(m1, numbered(m1))) == ["1 -> 2", "1 -> 4", "2 -> 3", "2 -> 5", "3 -> 6"]


def test_the_cpdag_of_the_manual_is_one_only_when_read_in_the_right_direction():
    columns = [0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1] + [0] * 6
    m2 = in_r(columns, 6)
    named = from_pcalg(m2, numbered(m2))
    assert edges_of(named) == [
        *("1 - 2", "1 -> 3", "2 -> 3", "2 - 4", "2 - 5", "3 -> 6", "4 -> 3", "4 - 5", "4 -> 6", "5 -> 6")
    ]
    assert certify(named.matrix).valid
    assert not certify(m2).valid


@given(naive.pdags())
def test_pcalg_there_and_back(a):
    amat = to_pcalg(a, numbered(a))
    assert np.array_equal(amat.matrix, a.T)
    back = from_pcalg(amat.matrix, amat.names)
    assert np.array_equal(back.matrix, a)
    assert back.names == amat.names == tuple(numbered(a))


def test_weights_are_not_an_amat():
    with pytest.raises(GraphError, match=r"cell \[1, 0\] is 0.5"):
        from_pcalg([[0, 0], [0.5, 0]], ["a", "b"])


# Tetrad's matrix of endpoints. Sources: pcalg 2.7, man/amatType.Rd, "Coding for type amat.pag" and its m3, and
# tests/test_dsepAM.R, for the same coding; causalDisco, examples of tetrad_graph(), for what Tetrad returns.


@pytest.mark.parametrize(
    ("a_b", "b_a", "implies"), [(2, 3, ["a -> b"]), (3, 2, ["b -> a"]), (0, 0, []), (3, 3, ["a - b"])]
)
def test_the_marks_of_endpoints(a_b, b_a, implies):
    named = from_tetrad_matrix([[0, a_b], [b_a, 0]], ["a", "b"])
    assert edges_of(named) == implies
    assert to_tetrad_matrix(named.matrix, named.names).matrix.tolist() == [[0, a_b], [b_a, 0]]


def test_the_mag_of_the_manual_without_bidirected_edges():
    m3 = in_r([0, 2, 0, 0, 3, 0, 3, 3, 0, 2, 0, 3, 0, 2, 2, 0], 4)
    assert edges_of(from_tetrad_matrix(m3, numbered(m3))) == ["2 -> 1", "2 -> 3", "2 -> 4", "3 -> 4"]


def test_the_y_structure():
    amat = [[0, 0, 2, 0], [0, 0, 2, 0], [3, 3, 0, 2], [0, 0, 3, 0]]
    assert edges_of(from_tetrad_matrix(amat, ["X1", "X2", "X3", "X4"])) == ["X1 -> X3", "X2 -> X3", "X3 -> X4"]


def test_a_pag_is_refused_by_its_marks():
    with pytest.raises(GraphError, match="between 'B' and 'C' there is a tail at the one and a circle at the other"):
        from_tetrad_matrix([[0, 2, 0], [3, 0, 1], [0, 3, 0]], ["A", "B", "C"])


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ([[0, 2], [2, 0]], "an arrowhead at the one and an arrowhead at the other"),
        ([[0, 3], [0, 0]], "nothing at the one and a tail at the other"),
        ([[0, 7], [3, 0]], "the unknown mark 7"),
        ([[3, 0], [0, 0]], r"cell \[0, 0\] is 1"),
        ([[0, 2, 0], [3, 0, 0]], r"2 names need a matrix of 2 rows and columns, but this one has shape \(2, 3\)"),
        ([], "shape"),
    ],
)
def test_matrices_of_endpoints_that_are_no_graph(ends, message):
    with pytest.raises(GraphError, match=message):
        from_tetrad_matrix(ends, ["a", "b"])


@given(naive.pdags())
def test_endpoints_there_and_back(a):
    ends = to_tetrad_matrix(a, numbered(a))
    back = from_tetrad_matrix(ends.matrix, ends.names)
    assert np.array_equal(back.matrix, a)
    assert back.names == ends.names == tuple(numbered(a))


# Tetrad's text. Source: Tetrad 7.6, GraphUtils.graphToText, which writes it, and GraphSaveLoadUtils.readerToGraphTxt,
# which reads it; PUBLISHED is from cmu-phil/py-tetrad, fges_notebook/fges_results/graph_string.txt, some lines of it.

PUBLISHED = """Graph Nodes:
churn;churn2;commit;file;file2;nv-churn;silence2

Graph Edges:
1. churn2 --> file2 [churn2 --> file2 dd nl]:1.0000;[edge]:1.0000 dd nl
15. commit --> churn [commit --> churn dd nl]:0.9608;[commit <-- churn dd nl]:0.0392;[edge]:1.0000 dd nl
16. commit --> file [commit --> file pd nl]:0.9412;[commit <-- file dd nl]:0.0588;[edge]:1.0000 pd nl
78. silence2 --> churn [silence2 --> churn]:0.5686;[silence2 <-- churn]:0.4314;[edge]:1.0000

"""


def test_a_graph_published_by_tetrad():
    named = from_tetrad(PUBLISHED)
    assert named.names == ("churn", "churn2", "commit", "file", "file2", "nv-churn", "silence2")
    assert edges_of(named) == ["churn2 -> file2", "commit -> churn", "commit -> file", "silence2 -> churn"]


def test_the_text_of_the_example():
    text = (
        "Graph Nodes:\nrain;sprinkler;wet;cold\n\n"
        "Graph Edges:\n1. rain --- sprinkler\n2. rain --> wet\n3. sprinkler --> wet\n"
    )
    assert to_tetrad(GRAPH, NAMES) == text
    assert np.array_equal(from_tetrad(text).matrix, GRAPH)


def test_other_ways_to_write_the_same():
    nodes = "\r\nGraph Nodes:\r\nrain,sprinkler, wet\r\ncold\r\n"
    edges = "\r\nGraph Edges:\r\n1. wet <-- rain\r\n2.sprinkler  --- cold nl\r\n"
    text = nodes + edges + "\r\nGraph Attributes:\r\nScore: -12.5\r\n"
    assert edges_of(from_tetrad(text)) == ["rain -> wet", "sprinkler - cold"]
    permuted = from_tetrad(text, ["snow", "wet", "cold", "rain", "sprinkler"])
    assert np.array_equal(permuted.matrix, from_edges(["rain -> wet", "sprinkler - cold"], permuted.names).matrix)


@given(naive.pdags())
def test_text_there_and_back(a):
    back = from_tetrad(to_tetrad(a, numbered(a)))
    assert np.array_equal(back.matrix, a)
    assert back.names == tuple(numbered(a))


def test_a_graph_without_nodes():
    assert from_tetrad(to_tetrad(np.zeros((0, 0)), [])).names == ()


HEAD = "Graph Nodes:\na;b;c\n\nGraph Edges:\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a graph of Tetrad: it has no line 'Graph Nodes:'"),
        ("Graph Nodes:\na;b\n", "not a graph of Tetrad: it has no line 'Graph Edges:'"),
        (HEAD + "1. a o-> b", "line 5: a o-> b is not an edge of a CPDAG"),
        (HEAD + "1. a <-> b", "line 5: a <-> b is not an edge of a CPDAG"),
        (HEAD + "1. a --> b\n2. a --> ", "line 6: '2. a -->' is not an edge of Tetrad"),
        (HEAD + "a --> b", "line 5: 'a --> b' is not an edge of Tetrad"),
        (HEAD + "1. a --> d", "line 5: 'd' is not a node"),
        (HEAD + "1. a --> a", "line 5: a -> a joins a node with itself"),
        (HEAD + "1. a --> b\n2. b --> a", "line 6: b -> a contradicts an earlier edge"),
        ("Graph Nodes:\na;b;a\n\nGraph Edges:\n", "'a' is given to two nodes"),
        ("Graph Nodes:\na;;b\n\nGraph Edges:\n", "empty name"),
        ("Graph Nodes:\na;(L1)\n\nGraph Edges:\n", r"'\(L1\)' is in brackets"),
        ("Graph Nodes:\na;[S]\n\nGraph Edges:\n", "is in brackets"),
    ],
)
def test_texts_that_cannot_be_read(text, message):
    with pytest.raises(GraphError, match=message):
        from_tetrad(text)
