"""Graphs in causal-learn, pgmpy, igraph and networkx themselves: what those libraries say about what we give them."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.interop import (
    FoundEdge,
    from_causallearn,
    from_pgmpy,
    from_tetrad,
    to_causallearn,
    to_edges,
    to_graphml,
    to_pgmpy,
    to_tetrad,
)
from ml4c.meek import cpdag_of

NAMES = ("rain", "sprinkler", "wet", "cold")
# rain -> wet <- sprinkler, rain - sprinkler, cold alone
GRAPH = naive.graph(4, "0>2", "1>2", "0-1")
PAIRS = [(i, j) for i in range(4) for j in range(4) if i != j]


def numbered(a):
    return [f"x{i}" for i in range(len(a))]


def assert_same(named, a, names):
    assert np.array_equal(named.matrix, a)
    assert named.names == tuple(names)


# causal-learn


@pytest.fixture
def causallearn():
    return pytest.importorskip("causallearn")


def general_graph(names, *edges):
    """A graph drawn by causal-learn: edges such as ("a", "TAIL", "ARROW", "b")."""
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    nodes = {name: GraphNode(name) for name in names}
    g = GeneralGraph(list(nodes.values()))
    for a, at_a, at_b, b in edges:
        g.add_edge(Edge(nodes[a], nodes[b], Endpoint[at_a], Endpoint[at_b]))
    return g


def test_causallearn_answers_about_the_example(causallearn):
    g = to_causallearn(GRAPH, NAMES)
    nodes = g.get_nodes()
    assert [node.get_name() for node in nodes] == list(NAMES)
    assert {(i, j) for i, j in PAIRS if g.is_directed_from_to(nodes[i], nodes[j])} == {(0, 2), (1, 2)}
    assert {(i, j) for i, j in PAIRS if g.is_undirected_from_to(nodes[i], nodes[j])} == {(0, 1), (1, 0)}
    assert g.get_adjacent_nodes(nodes[3]) == []
    assert [node.get_name() for node in g.get_parents(nodes[2])] == ["rain", "sprinkler"]
    assert g.is_ancestor_of(nodes[0], nodes[2])


def test_the_matrix_of_causallearn_as_its_manual_has_it(causallearn):
    # causal-learn's manual, PC: cg.G.graph[j,i]=1 and cg.G.graph[i,j]=-1 indicate i --> j; both -1 indicate i --- j
    graph = to_causallearn(GRAPH, NAMES).graph
    assert (graph[2, 0], graph[0, 2]) == (1, -1)
    assert (graph[0, 1], graph[1, 0]) == (-1, -1)
    assert not graph[3].any()


@given(a=naive.pdags())
def test_causallearn_there_and_back(a):
    pytest.importorskip("causallearn")
    g = to_causallearn(a, numbered(a))
    assert_same(from_causallearn(g), a, numbered(a))
    backwards = numbered(a)[::-1]
    assert_same(from_causallearn(g, backwards), a[::-1, ::-1], backwards)


def test_a_graph_that_causallearn_drew(causallearn):
    g = general_graph("abc", ("b", "ARROW", "TAIL", "a"), ("b", "TAIL", "TAIL", "c"))
    assert_same(from_causallearn(g), naive.graph(3, "0>1", "1-2"), "abc")
    assert_same(from_causallearn(g, "dcba"), naive.graph(4, "3>2", "2-1"), "dcba")
    with pytest.raises(GraphError, match="names 'c', which"):
        from_causallearn(g, "ab")


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (("ARROW", "ARROW"), "an arrowhead at the one and an arrowhead at the other"),
        (("CIRCLE", "ARROW"), "a circle at the one and an arrowhead at the other"),
        (("CIRCLE", "CIRCLE"), "a circle at the one and a circle"),
        (("TAIL", "CIRCLE"), "a tail at the one and a circle"),
    ],
)
def test_edges_of_causallearn_that_no_cpdag_has(causallearn, marks, message):
    with pytest.raises(GraphError, match=f"between 'a' and 'b' there is {message}"):
        from_causallearn(general_graph("ab", ("a", *marks, "b")))


def test_two_edges_between_two_nodes_are_refused(causallearn):
    g = general_graph("ab", ("a", "TAIL", "ARROW", "b"), ("a", "ARROW", "ARROW", "b"))
    with pytest.raises(GraphError, match="a tail and an arrowhead at the one and two arrowheads at the other"):
        from_causallearn(g)


def test_the_result_of_a_search_of_causallearn(causallearn):
    from causallearn.search.ConstraintBased.PC import pc

    rng = np.random.default_rng(0)
    x, y = rng.integers(2, size=(2, 2000))
    t = x + y
    found = pc(np.column_stack([x, t, y]), indep_test="chisq", node_names=["x", "t", "y"], show_progress=False)
    assert_same(from_causallearn(found), naive.graph(3, "0>1", "2>1"), ["x", "t", "y"])


@given(a=naive.pdags())
def test_causallearn_writes_and_reads_the_text_of_tetrad(a, tmp_path_factory):
    pytest.importorskip("causallearn")
    from causallearn.utils.TXT2GeneralGraph import txt2generalgraph

    assert_same(from_tetrad(str(to_causallearn(a, numbered(a)))), a, numbered(a))
    file = tmp_path_factory.getbasetemp() / "tetrad.txt"
    file.write_text(to_tetrad(a, numbered(a)))
    assert_same(from_causallearn(txt2generalgraph(str(file))), a, numbered(a))


# pgmpy


@pytest.fixture
def base():
    return pytest.importorskip("pgmpy.base")


def test_pgmpy_answers_about_the_example(base):
    pdag = to_pgmpy(GRAPH, NAMES)
    assert isinstance(pdag, base.PDAG)
    assert list(pdag.nodes) == list(NAMES)
    assert pdag.directed_edges == {("rain", "wet"), ("sprinkler", "wet")}
    assert pdag.undirected_edges == {("rain", "sprinkler")}
    assert pdag.directed_parents("wet") == {"rain", "sprinkler"}
    assert pdag.undirected_neighbors("rain") == {"sprinkler"}
    assert pdag.all_neighbors("cold") == set()


@given(a=naive.pdags())
def test_pgmpy_there_and_back(a):
    pytest.importorskip("pgmpy")
    pdag = to_pgmpy(a, numbered(a))
    assert_same(from_pgmpy(pdag), a, numbered(a))
    assert_same(from_pgmpy(pdag.copy(), numbered(a)), a, numbered(a))


@settings(max_examples=25)
@given(dag=naive.dags(max_nodes=6))
def test_the_dag_that_pgmpy_makes_of_a_cpdag_is_of_its_class(dag):
    pytest.importorskip("pgmpy")
    cpdag = cpdag_of(dag)
    member = from_pgmpy(to_pgmpy(cpdag, numbered(dag)).to_dag(), numbered(dag))
    assert np.array_equal(cpdag_of(member.matrix), cpdag)


def test_other_graphs_of_pgmpy(base):
    from pgmpy.models import DiscreteBayesianNetwork

    assert_same(from_pgmpy(base.DAG([("b", "a")]), "abc"), naive.graph(3, "1>0"), "abc")
    assert_same(from_pgmpy(DiscreteBayesianNetwork([("a", "b")])), naive.graph(2, "0>1"), "ab")
    assert_same(from_pgmpy(base.UndirectedGraph([("a", "b")])), naive.graph(2, "0-1"), "ab")
    drawn = base.PDAG(directed_ebunch=[("a", "b")], undirected_ebunch=[("c", "b")])
    assert_same(from_pgmpy(drawn, "abc"), naive.graph(3, "0>1", "1-2"), "abc")


def test_graphs_of_pgmpy_that_are_refused(base):
    with pytest.raises(GraphError, match="a ADMG is not read, its edges may be bidirected"):
        from_pgmpy(base.ADMG(directed_ebunch=[("a", "b")]))
    changed = to_pgmpy(GRAPH, NAMES)
    changed.remove_edge("rain", "sprinkler")
    with pytest.raises(GraphError, match="disagree about 'rain' and 'sprinkler'"):
        from_pgmpy(changed)
    changed.calibrate_directed_undirected_edges()
    assert_same(from_pgmpy(changed), naive.graph(4, "0>2", "1>2", "1>0"), NAMES)


# GraphML in igraph and networkx

EDGES = [
    FoundEdge("rain", "sprinkler", "undirected", adjacency=1.0, forward=0.25, backward=0.5),
    FoundEdge("rain", "wet", "directed", 0.1 + 0.2),
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "graph.graphml"
    path.write_text(to_graphml(GRAPH, NAMES, EDGES), encoding="utf-8")
    return path


def test_igraph_reads_names_edges_and_evidence(file):
    igraph = pytest.importorskip("igraph")
    g = igraph.Graph.Read_GraphML(str(file))
    assert g.is_directed()
    assert g.vs["name"] == list(NAMES)
    arcs = {(g.vs[arc.source]["name"], g.vs[arc.target]["name"]): arc.attributes() for arc in g.es}
    assert {pair: arc["kind"] for pair, arc in arcs.items()} == {
        ("rain", "sprinkler"): "undirected",
        ("sprinkler", "rain"): "undirected",
        ("rain", "wet"): "directed",
        ("sprinkler", "wet"): "directed",
    }
    assert arcs["rain", "wet"]["probability"] == 0.1 + 0.2
    assert np.isnan(arcs["sprinkler", "wet"]["probability"])
    assert (arcs["rain", "sprinkler"]["forward"], arcs["sprinkler", "rain"]["forward"]) == (0.25, 0.5)


def test_networkx_reads_names_edges_and_evidence(file):
    g = nx.read_graphml(file)
    assert isinstance(g, nx.DiGraph)
    assert dict(g.nodes(data="name")) == dict(zip(["n0", "n1", "n2", "n3"], NAMES, strict=True))
    assert g.edges["n0", "n2"] == {"kind": "directed", "probability": 0.1 + 0.2}
    assert g.edges["n1", "n2"] == {"kind": "directed"}
    assert g.edges["n1", "n0"] == {"kind": "undirected", "adjacency": 1.0, "forward": 0.5, "backward": 0.25}


@pytest.mark.parametrize("name", ["<script>", "a\r\nb", "\t", "]]>", '"', "😀", "", "  ", "\\x07"])
def test_names_that_xml_can_hold_are_read_by_igraph_as_they_are(tmp_path, name):
    igraph = pytest.importorskip("igraph")
    (tmp_path / "a.graphml").write_bytes(to_graphml([[0]], [name]).encode())
    assert igraph.Graph.Read_GraphML(str(tmp_path / "a.graphml")).vs["name"] == [name]


def test_names_that_xml_cannot_hold_say_that_they_are_escaped(tmp_path):
    (tmp_path / "a.graphml").write_bytes(to_graphml(np.zeros((2, 2)), ["\x07\\", "plain"]).encode())
    nodes = nx.read_graphml(tmp_path / "a.graphml").nodes
    assert nodes["n0"] == {"name": "\\x07\\\\", "escaped": True}
    assert nodes["n1"] == {"name": "plain"}


def test_every_edge_is_in_the_file():
    rng = np.random.default_rng(4)
    a = naive.random_pdag(rng, 30)
    text = to_graphml(a, numbered(a))
    assert text.count("<edge ") == a.sum()
    assert text.count("undirected") == 2 * sum(edge.type == "undirected" for edge in to_edges(a, numbered(a)))
