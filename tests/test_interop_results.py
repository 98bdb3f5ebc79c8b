"""Files of a result, drawings, and pairs of graphs to compare."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ml4c
import naive_graphs as naive
from ml4c.errors import GraphError, NetworkError
from ml4c.interop import (
    FoundEdge,
    FoundTriple,
    GraphDocument,
    printable,
    read_document,
    read_graph,
    read_pair,
    to_dot,
    to_tetrad,
    write_document,
    write_graph,
    write_results,
)

NAMES = ("rain", "sprinkler", "wet", "cold")
# rain -> wet <- sprinkler, wet - cold
GRAPH = naive.graph(4, "0>2", "1>2", "2-3")
EDGES = [
    FoundEdge("rain", "wet", "directed", 0.9),
    FoundEdge("sprinkler", "wet", "directed"),
    FoundEdge("wet", "cold", "undirected"),
]
TRIPLES = [
    FoundTriple("rain", "wet", "sprinkler", 0.1 + 0.2, "accepted"),
    FoundTriple("rain", "wet", "cold", 0.25, "lost", ("cold", "wet", "sprinkler")),
]
FILES = ["cpdag.txt", "edges.csv", "graph.dot", "graph.graphml", "graph.json", "triples.csv"]


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


# Names for the eye


@given(st.text())
def test_printable_names_are_printable_and_others_are_untouched(name):
    assert printable(name).isprintable()
    assert printable(name) == name or not name.isprintable()


def test_escapes_can_be_read():
    assert printable("a\nb\x1b[31mé\u202e") == "a\\nb\\x1b[31mé\\u202e"


# Graphviz


def test_dot_of_the_example():
    assert to_dot(GRAPH, NAMES, {(0, 2): "0.90"}).splitlines() == [
        "digraph {",
        '  0 [label="rain"];',
        '  1 [label="sprinkler"];',
        '  2 [label="wet"];',
        '  3 [label="cold"];',
        '  0 -> 2 [label="0.90"];',
        "  1 -> 2;",
        "  2 -> 3 [dir=none];",
        "}",
    ]


@pytest.mark.parametrize(
    "name", ['"]; evil -> x; "', "ends in \\", '\\"', "\\N\\G", "two\nlines", "<b>html</b>", "node"]
)
def test_no_name_leaves_its_label(name):
    line = to_dot([[0]], [name]).splitlines()[1]
    inside = re.fullmatch(r'  0 \[label="((?:[^"\\]|\\\\|\\")*)"\];', line)
    assert inside
    assert re.sub(r"\\(.)", r"\1", inside[1]) == printable(name)


# Files of a result


def test_results_are_written_with_all_digits(tmp_path):
    written = write_results(tmp_path, GRAPH, NAMES, EDGES, TRIPLES)
    assert sorted(path.name for path in written) == listing(tmp_path) == FILES
    assert (tmp_path / "edges.csv").read_text() == (
        "source,target,type,probability\nrain,wet,directed,0.9\nsprinkler,wet,directed,\nwet,cold,undirected,\n"
    )
    assert (tmp_path / "triples.csv").read_text() == (
        "x,t,y,probability,verdict,lost_to,reason\n"
        "rain,wet,sprinkler,0.30000000000000004,accepted,,\n"
        "rain,wet,cold,0.25,lost,cold -> wet <- sprinkler,\n"
    )
    assert np.array_equal(read_graph(tmp_path / "cpdag.txt", NAMES).matrix, GRAPH)
    assert '0 -> 2 [label="0.90"]' in (tmp_path / "graph.dot").read_text()


def test_names_with_commas_quotes_and_breaks_are_read_back(tmp_path):
    names = ["a,b", 'say "x"', "two\nlines", "cr\rlf\r\n"]
    edges = [FoundEdge(names[0], names[2], "directed", 1.0), FoundEdge(names[1], names[3], "undirected")]
    write_results(tmp_path, naive.graph(4, "0>2", "1-3"), names, edges, [])
    assert np.array_equal(read_graph(tmp_path / "edges.csv", names).matrix, naive.graph(4, "0>2", "1-3"))
    with (tmp_path / "triples.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["x", "t", "y", "probability", "verdict", "lost_to", "reason"]]


def test_every_file_tells_the_same_graph(tmp_path):
    write_results(tmp_path, GRAPH, NAMES, EDGES, TRIPLES)
    for name in ("cpdag.txt", "edges.csv", "graph.graphml", "graph.json"):
        named = read_graph(tmp_path / name, NAMES)
        assert np.array_equal(named.matrix, GRAPH), name
        assert named.names == NAMES


def test_evidence_has_a_column_when_some_edge_has_it(tmp_path):
    edges = [replace(EDGES[0], strength=12.5), replace(EDGES[1], forward=0.25, adjacency=1.0), EDGES[2]]
    write_results(tmp_path, GRAPH, NAMES, edges, [])
    assert (tmp_path / "edges.csv").read_text().splitlines() == [
        "source,target,type,probability,strength,adjacency,forward",
        "rain,wet,directed,0.9,12.5,,",
        "sprinkler,wet,directed,,,1.0,0.25",
        "wet,cold,undirected,,,,",
    ]
    assert np.array_equal(read_graph(tmp_path / "edges.csv", NAMES).matrix, GRAPH)
    assert list(read_document(tmp_path / "graph.json").edges) == edges


def test_records_that_contradict_the_matrix_are_refused(tmp_path):
    with pytest.raises(GraphError, match="disagree about 'sprinkler' and 'wet'"):
        write_results(tmp_path / "out", GRAPH, NAMES, [EDGES[0], EDGES[2]], TRIPLES)
    assert not (tmp_path / "out").exists()


def test_what_is_known_of_the_columns_and_the_run_is_kept(tmp_path):
    columns = {"rain": {"categories": ["no", "yes"], "missing": 3}}
    facts = {"model": "paper", "rows": 1000, "seconds": 0.25}
    document = GraphDocument(NAMES, tuple(EDGES), tuple(TRIPLES), ml4c.certify(GRAPH, NAMES), columns, facts)
    written = write_document(tmp_path, document)
    assert sorted(path.name for path in written) == listing(tmp_path) == FILES
    assert read_document(tmp_path / "graph.json") == document


def test_a_failure_leaves_the_earlier_result_whole(tmp_path, monkeypatch):
    write_results(tmp_path, GRAPH, NAMES, EDGES, TRIPLES)
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    write_text = Path.write_text

    def disk_full(path, *arguments, **options):
        if "graph.json" in path.name:  # the last of them
            raise OSError(28, "No space left on device")
        return write_text(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", disk_full)
    with pytest.raises(GraphError, match=r"graph\.json: cannot be written \(No space left"):
        write_results(tmp_path, naive.graph(4), NAMES, [], [])
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def test_places_that_cannot_be_folders(tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(GraphError, match="taken: a file with this name exists"):
        write_results(tmp_path / "taken", GRAPH, NAMES, EDGES, TRIPLES)
    with pytest.raises(GraphError, match="cannot make this folder"):
        write_results(tmp_path / "taken" / "below", GRAPH, NAMES, EDGES, TRIPLES)
    assert (tmp_path / "taken").read_text() == "mine"


# Pairs of graphs


def saved(path, matrix, names=NAMES):
    write_graph(path, matrix, names)
    return path


def test_edge_lists_are_aligned_by_name(tmp_path):
    order = [3, 1, 0, 2]
    truth = saved(tmp_path / "a.csv", GRAPH)
    found = saved(tmp_path / "b.csv", GRAPH[np.ix_(order, order)], [NAMES[i] for i in order])
    pair = read_pair(truth, found)
    assert np.array_equal(pair.truth, pair.found)
    assert pair.truth.sum() == GRAPH.sum()
    assert pair.note == ""


def test_nodes_in_one_edge_list_only_are_isolated_in_the_other_and_told(tmp_path):
    truth = saved(tmp_path / "a.csv", naive.graph(2, "0>1"), ["a", "b"])
    found = saved(tmp_path / "b.csv", naive.graph(2, "0>1"), ["b", "c"])
    pair = read_pair(truth, found)
    assert np.array_equal(pair.truth, naive.graph(3, "0>1"))
    assert np.array_equal(pair.found, naive.graph(3, "1>2"))
    assert pair.note == "without an edge in the true graph: 'c'; without an edge in the found graph: 'a'"


@pytest.mark.parametrize("name", ["a.json", "a.graphml", "a.txt"])
def test_files_with_all_names_are_aligned_by_name(tmp_path, name):
    order = [3, 1, 0, 2]
    moved, names = GRAPH[np.ix_(order, order)], [NAMES[i] for i in order]
    file = tmp_path / name
    if name == "a.txt":
        file.write_text(to_tetrad(moved, names))
    else:
        write_graph(file, moved, names)
    for pair in (read_pair(file, saved(tmp_path / "b.csv", GRAPH)), read_pair(tmp_path / "b.csv", file)):
        assert np.array_equal(pair.truth, pair.found)
        assert pair.truth.sum() == GRAPH.sum()
    pair = read_pair(file, saved(tmp_path / "b.txt", moved))
    assert (np.array_equal(pair.truth, pair.found), "by position" in pair.note) == (True, True)


def test_matrices_are_compared_by_position(tmp_path):
    truth, found = saved(tmp_path / "a.txt", GRAPH), saved(tmp_path / "b.txt", GRAPH.T)
    pair = read_pair(truth, found)
    assert (np.array_equal(pair.truth, GRAPH), np.array_equal(pair.found, GRAPH.T)) == (True, True)
    assert "by position" in pair.note
    small = saved(tmp_path / "c.txt", naive.graph(2), ["a", "b"])
    with pytest.raises(GraphError, match="4 nodes and the found one 2"):
        read_pair(truth, small)


def test_a_network_is_the_truth_by_name_and_by_position(tmp_path):
    net = ml4c.load_network("cancer")
    moved = net.permuted(3)
    assert moved.names != net.names
    by_name = read_pair("cancer", saved(tmp_path / "a.csv", moved.dag, moved.names))
    assert np.array_equal(by_name.found, net.dag)
    assert np.array_equal(by_name.truth, net.dag)
    by_position = read_pair("cancer", saved(tmp_path / "a.txt", net.dag, net.names))
    assert np.array_equal(by_position.found, net.dag)
    ml4c.write_bif(net, tmp_path / "net.bif.gz")
    assert np.array_equal(read_pair(tmp_path / "net.bif.gz", tmp_path / "a.csv").truth, net.dag)


def test_pairs_that_cannot_be_compared(tmp_path):
    matrix, edges = saved(tmp_path / "a.txt", GRAPH), saved(tmp_path / "a.csv", GRAPH)
    for pair in [(matrix, edges), (edges, matrix)]:
        with pytest.raises(GraphError, match="a matrix has no names"):
            read_pair(*pair)
    with pytest.raises(GraphError, match="names 'rain', 'wet', 'sprinkler', 'cold', which the true graph"):
        read_pair("cancer", edges)
    with pytest.raises(NetworkError, match="no network is called"):
        read_pair("canser", edges)
    with pytest.raises(GraphError, match="graph file ends in"):
        read_pair("cancer", "asia")
