import os
import string

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.interop import (
    Edge,
    from_edges,
    from_networkx,
    read_graph,
    to_edges,
    to_networkx,
    to_tetrad,
    write_graph,
)

NAMES = ("rain", "sprinkler", "wet", "cold")
# rain -> wet <- sprinkler, rain - sprinkler, cold alone
GRAPH = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=np.int8)
EDGES = [
    Edge("rain", "sprinkler", "undirected"),
    Edge("rain", "wet", "directed"),
    Edge("sprinkler", "wet", "directed"),
]


@st.composite
def named_graphs(draw):
    a = draw(naive.pdags(max_nodes=6))
    name = st.text(string.ascii_letters + ' ,;"-<>éß', min_size=1, max_size=6)
    return a, draw(st.lists(name, min_size=len(a), max_size=len(a), unique=True))


def assert_same(named, matrix, names):
    assert named.matrix.dtype == np.int8
    assert np.array_equal(named.matrix, matrix)
    assert named.names == tuple(names)


# Edge lists


def test_edges_of_the_example():
    assert to_edges(GRAPH, NAMES) == EDGES
    assert [str(edge) for edge in EDGES] == ["rain - sprinkler", "rain -> wet", "sprinkler -> wet"]


@given(named_graphs())
def test_edges_there_and_back(graph):
    assert_same(from_edges(to_edges(*graph), graph[1]), *graph)


def test_pairs_are_undirected_unless_said_otherwise():
    pairs = [("rain", "wet"), ["sprinkler", "wet"]]
    expected = np.zeros((4, 4), dtype=np.int8)
    expected[[0, 1], 2] = 1
    assert_same(from_edges(pairs, NAMES, directed=True), expected, NAMES)
    assert_same(from_edges(pairs, NAMES), expected | expected.T, NAMES)


@pytest.mark.parametrize("text", ["rain -> wet", "rain->wet", "wet <- rain", " rain --> wet ", "wet<--rain"])
def test_strings_with_an_arrow(text):
    assert to_edges(from_edges([text], NAMES).matrix, NAMES) == [Edge("rain", "wet", "directed")]


@pytest.mark.parametrize("text", ["rain - wet", "wet-rain", "rain -- wet", "rain --- wet"])
def test_strings_without_an_arrow(text):
    assert to_edges(from_edges([text], NAMES).matrix, NAMES) == [Edge("rain", "wet", "undirected")]


def test_names_may_contain_dashes():
    names = ["l-dopa", "l", "dopa", "x->y"]
    assert to_edges(from_edges(["l-dopa->l"], names).matrix, names) == [Edge("l-dopa", "l", "directed")]
    assert to_edges(from_edges(["x->y - l"], names).matrix, names) == [Edge("l", "x->y", "undirected")]
    with pytest.raises(GraphError, match="'l-dopa-l' can be read in 2 ways"):
        from_edges(["l-dopa-l"], ["l", "l-dopa", "dopa-l"])


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("rain", "snow")], "'snow' is not a node; the nodes are 'rain', 'sprinkler', 'wet', 'cold'"),
        (["snow -> wet"], "'snow' is not a node"),
        (["wet <- snow"], "'snow' is not a node"),
        ([Edge("snow", "wet", "directed")], "'snow' is not a node"),
        (["rain - rain"], "rain - rain joins a node with itself"),
        (["rain wet"], "'rain wet' is not an edge"),
        ([("rain", "wet", "cold")], "is not an edge"),
        (["rain <-> wet"], "'rain <-> wet' is bidirected"),
        (["rain -> wet", "wet -> rain"], "wet -> rain contradicts"),
        (["rain -> wet", "rain - wet"], "rain - wet contradicts"),
        (["rain - wet", "wet -> rain"], "wet -> rain contradicts"),
    ],
)
def test_edges_that_cannot_be_drawn(edges, message):
    with pytest.raises(GraphError, match=message):
        from_edges(edges, NAMES)


def test_an_edge_given_twice_is_one_edge():
    twice = ["rain -> wet", "wet <- rain", "rain - cold", "cold - rain"]
    assert len(to_edges(from_edges(twice, NAMES).matrix, NAMES)) == 2


def test_names_must_fit_and_differ():
    with pytest.raises(GraphError, match="4 nodes needs as many names, but 2 are given"):
        to_edges(GRAPH, ["a", "b"])
    with pytest.raises(GraphError, match="'a' is given to two nodes"):
        to_networkx(GRAPH, ["a", "b", "c", "a"])
    with pytest.raises(GraphError, match=r"12 in all"):
        from_edges(["x - y"], [str(i) for i in range(12)])


# networkx


def test_networkx_of_the_example():
    g = to_networkx(GRAPH, NAMES)
    assert list(g.nodes) == list(NAMES)
    assert {(i, j, kind) for i, j, kind in g.edges(data="kind")} == {
        ("rain", "sprinkler", "undirected"),
        ("sprinkler", "rain", "undirected"),
        ("rain", "wet", "directed"),
        ("sprinkler", "wet", "directed"),
    }


@given(named_graphs(), st.data())
def test_networkx_there_and_back(graph, data):
    a, names = graph
    g = to_networkx(a, names)
    assert_same(from_networkx(g), a, names)
    order = data.draw(st.permutations(range(len(a))))
    permuted = [names[i] for i in order]
    assert_same(from_networkx(g, permuted), a[np.ix_(order, order)], permuted)


def test_an_undirected_networkx_graph_is_a_skeleton():
    named = from_networkx(nx.path_graph(3), ["2", "1", "0", "3"])
    assert_same(named, [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], ["2", "1", "0", "3"])


def test_networkx_graphs_that_cannot_be_read():
    with pytest.raises(GraphError, match="'2' of the networkx graph is not among the names"):
        from_networkx(nx.path_graph(3), ["0", "1"])
    with pytest.raises(GraphError, match="'a' with itself"):
        from_networkx(nx.DiGraph([("a", "a")]))
    with pytest.raises(GraphError, match="'1' is given to two nodes"):
        from_networkx(nx.Graph([(1, "1")]))


def test_arcs_that_contradict_their_kind_are_refused():
    g = to_networkx(GRAPH, NAMES)
    g.remove_edge("sprinkler", "rain")
    with pytest.raises(GraphError, match="one arc of kind 'undirected' between 'rain' and 'sprinkler'"):
        from_networkx(g)
    g = to_networkx(GRAPH, NAMES)
    g.add_edge("wet", "rain")
    with pytest.raises(GraphError, match="two arcs of kind 'directed' between 'rain' and 'wet'"):
        from_networkx(g)


# Files


@given(named_graphs())
@pytest.mark.parametrize("ending", [".txt", ".csv", ".CSV", ".json", ".graphml"])
def test_files_there_and_back(tmp_path_factory, ending, graph):
    file = tmp_path_factory.getbasetemp() / f"graph{ending}"
    write_graph(file, *graph)
    assert_same(read_graph(str(file), graph[1]), *graph)


def test_what_is_written(tmp_path):
    write_graph(tmp_path / "a.txt", GRAPH, NAMES)
    assert (tmp_path / "a.txt").read_text() == "0 1 1 0\n1 0 1 0\n0 0 0 0\n0 0 0 0\n"
    write_graph(tmp_path / "a.csv", GRAPH, NAMES)
    assert (tmp_path / "a.csv").read_text() == (
        "source,target,type\nrain,sprinkler,undirected\nrain,wet,directed\nsprinkler,wet,directed\n"
    )


@pytest.mark.parametrize("ending", [".json", ".graphml"])
def test_files_that_name_every_node(tmp_path, ending):
    file = tmp_path / f"a{ending}"
    write_graph(file, GRAPH, NAMES)
    assert_same(read_graph(file), GRAPH, NAMES)
    assert_same(read_graph(file, [*NAMES[::-1], "snow"]), np.pad(GRAPH[::-1, ::-1], (0, 1)), [*NAMES[::-1], "snow"])


def test_a_text_of_tetrad_is_known_by_its_first_line(tmp_path):
    (tmp_path / "a.txt").write_text(to_tetrad(GRAPH, NAMES))
    assert_same(read_graph(tmp_path / "a.txt"), GRAPH, NAMES)


def test_half_a_character_is_refused_before_anything_is_written(tmp_path):
    write_graph(tmp_path / "a.json", [[0]], ["\ud800"])
    assert read_graph(tmp_path / "a.json").names == ("\ud800",)
    with pytest.raises(GraphError, match=r"a.csv: cannot be written, a name has '.ud800'"):
        write_graph(tmp_path / "a.csv", [[0, 1], [0, 0]], ["\ud800", "b"])
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_names_without_a_list_of_names(tmp_path):
    write_graph(tmp_path / "a.txt", GRAPH, NAMES)
    assert_same(read_graph(tmp_path / "a.txt"), GRAPH, "0123")
    write_graph(tmp_path / "a.csv", GRAPH, NAMES)
    assert_same(read_graph(tmp_path / "a.csv"), GRAPH[:3, :3], NAMES[:3])


def test_csv_with_other_columns_or_without_type(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("source,probability,type,target\r\nrain,0.9,directed,wet\r\n", encoding="utf-8-sig")
    assert to_edges(read_graph(file, NAMES).matrix, NAMES) == [Edge("rain", "wet", "directed")]
    file.write_text("source,target\nwet,rain\n\n")
    assert to_edges(read_graph(file, NAMES).matrix, NAMES) == [Edge("rain", "wet", "undirected")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", "a.txt: empty"),
        ("a.txt", "0 1\n\n0 x\n", "a.txt, line 3: 'x' is not 0 or 1"),
        ("a.txt", "0 1\n0 2\n", "a.txt, line 2: '2' is not 0 or 1"),
        ("a.txt", "0 1\n0 0 0\n", "a.txt, line 2: 3 numbers, but the file has 2 rows"),
        ("a.txt", "0 1 0\n0 0 0\n", "a.txt, line 1: 3 numbers, but the file has 2 rows"),
        ("a.txt", "0 1\n0 1\n", r"a.txt: cell \[1, 1\] is 1"),
        ("a.txt", "0 1\n0 0\n", "a.txt: a graph of 2 nodes needs as many names, but 4 are given"),
        ("a.csv", "", "a.csv, line 1: the header must name"),
        ("a.csv", "from,to\nrain,wet\n", "a.csv, line 1: the header must name the columns source, target"),
        (
            "a.csv",
            "source,target,type\nrain,wet,directed\nrain,snow,directed\n",
            "line 3: 'snow' is not a node",
        ),
        ("a.csv", "source,target,type\nrain,wet,causes\n", "a.csv, line 2: the type is 'causes'"),
        ("a.csv", f"{'s' * 200_000},target\n", "a.csv, line 1: field larger"),
        ("a.csv", "source,target,type\nrain\n", "a.csv, line 2: source or target is empty"),
        ("a.csv", "source,target,type\nrain,wet\n", "a.csv, line 2: the type is ''"),
        ("a.csv", "source,target\nrain,wet\nwet,wet\n", "a.csv, line 3: wet - wet joins a node with itself"),
        ("a.csv", f"source,target\nrain,{'w' * 200_000}\n", "a.csv, line 2: field larger"),
        ("a.xml", "<a/>", r"a.xml: a graph file ends in .txt .*, .csv .*, .json or .graphml"),
        ("a.json", "{}", r"a.json: not a graph of ml4c: it does not say"),
        ("a.json", '{"format": "ml4c graph", "version": 1, "names": ["snow"]}', "a.json: the graph names 'snow'"),
        ("a.graphml", "<a/>", "a.graphml: not GraphML that can be read"),
        ("a.graphml", "rain -> wet", "a.graphml: not GraphML that can be read"),
        ("a.txt", "Graph Nodes:\nrain;wet\n\nGraph Edges:\n1. rain o-> wet\n", "a.txt: line 5: rain o-> wet is not"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(GraphError, match=message):
        read_graph(tmp_path / name, NAMES)


def test_files_that_are_missing_or_not_text(tmp_path):
    with pytest.raises(GraphError, match=r"none.txt: cannot be read \(No such file"):
        read_graph(tmp_path / "none.txt")
    (tmp_path / "a.csv").write_bytes(b"source,target\n\xff\xfe")
    with pytest.raises(GraphError, match=r"a.csv: not a text file in UTF-8 \(byte 14\)"):
        read_graph(tmp_path / "a.csv")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    file = tmp_path / "a.txt"
    write_graph(file, GRAPH, NAMES)
    before = file.read_text()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(GraphError, match=r"a.txt: cannot be written \(No space left"):
        write_graph(file, GRAPH.T, NAMES)
    assert file.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_writing_names_the_problem(tmp_path):
    with pytest.raises(GraphError, match="cannot be written"):
        write_graph(tmp_path / "no" / "a.txt", GRAPH, NAMES)
    with pytest.raises(GraphError, match="ends in"):
        write_graph(tmp_path / "a", GRAPH, NAMES)
    with pytest.raises(GraphError, match="4 nodes needs as many names"):
        write_graph(tmp_path / "a.txt", GRAPH, NAMES[:3])
    assert list(tmp_path.iterdir()) == []
