import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.graph import (
    Adjacency,
    DSeparation,
    adjacent,
    as_graph,
    children,
    d_separated,
    directed,
    edges,
    find_cycle,
    is_dag,
    neighbours,
    parents,
    skeleton,
    topological_order,
    undirected,
    unshielded_triples,
    v_structures,
)

# 0 -> 1 <- 2 - 3, 4 alone
EXAMPLE = np.array([[0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 1, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]], dtype=np.int8)

pdags, dags = naive.pdags(), naive.dags()


def rows(triples):
    return [tuple(row) for row in triples.tolist()]


def rng(seed=0):
    return np.random.default_rng(seed)


# The border


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, float])
def test_as_graph_takes_any_kind_of_number(kind):
    graph = as_graph(EXAMPLE.astype(kind))
    assert graph.dtype == np.int8
    assert np.array_equal(graph, EXAMPLE)


def test_as_graph_takes_lists_and_does_not_copy_a_graph():
    assert np.array_equal(as_graph(EXAMPLE.tolist()), EXAMPLE)
    assert as_graph(EXAMPLE) is EXAMPLE


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([0, 1], r"shape \(2,\)"),
        ([[0, 1, 0], [0, 0, 0]], r"shape \(2, 3\)"),
        ([[0, 1], [0]], "differ in length"),
        ([["0", "1"], ["0", "0"]], "type <U1"),
        ([[0, 0, 0], [0, 0, 2], [0, 0, 0]], r"cell \[1, 2\] is 2"),
        ([[0, 0], [-1, 0]], r"cell \[1, 0\] is -1"),
        ([[0, 0.5], [0, 0]], r"cell \[0, 1\] is 0.5"),
        ([[0, np.nan], [0, 0]], r"cell \[0, 1\] is nan"),
        ([[0, 0], [0, 1]], r"cell \[1, 1\] is 1.*itself"),
    ],
)
def test_as_graph_names_the_offending_cell(matrix, message):
    with pytest.raises(GraphError, match=message):
        as_graph(matrix)


# Parts and sets


def test_sets_of_the_example():
    assert (parents(EXAMPLE, 1), children(EXAMPLE, 2)) == ({0, 2}, {1})
    assert (neighbours(EXAMPLE, 2), adjacent(EXAMPLE, 2)) == ({3}, {1, 3})
    assert edges(EXAMPLE).directed.tolist() == [[0, 1], [2, 1]]
    assert edges(EXAMPLE).undirected.tolist() == [[2, 3]]


@given(pdags)
def test_sets_are_the_definition(a):
    nodes = range(len(a))
    for i in nodes:
        assert parents(a, i) == {j for j in nodes if naive.arrow(a, j, i)}
        assert children(a, i) == {j for j in nodes if naive.arrow(a, i, j)}
        assert neighbours(a, i) == {j for j in nodes if naive.line(a, i, j)}
        assert adjacent(a, i) == {j for j in nodes if naive.joined(a, i, j)}


@given(pdags)
def test_parts_and_edges_rebuild_the_graph(a):
    assert np.array_equal(directed(a) + undirected(a), a)
    assert np.array_equal(skeleton(a), directed(a) + directed(a).T + undirected(a))
    drawn = np.zeros_like(a)
    found = edges(a)
    for i, j in found.directed:
        assert naive.arrow(a, i, j)
        drawn[i, j] += 1
    for i, j in found.undirected:
        assert i < j
        drawn[[i, j], [j, i]] += 1
    assert np.array_equal(drawn, a)


def sets_of(g):
    return g.parents, g.children, g.neighbours, g.adjacent


@given(pdags)
def test_adjacency_holds_the_sets_of_every_node(a):
    expected = [[of(a, i) for i in range(len(a))] for of in (parents, children, neighbours, adjacent)]
    assert sets_of(Adjacency(a)) == tuple(expected)


@given(pdags, st.data())
def test_adjacency_follows_changes(a, data):
    g = Adjacency(a)
    a = a.copy()
    lines = edges(a).undirected.tolist()
    if lines:
        i, j = data.draw(st.sampled_from(lines))
        g.orient(i, j)
        a[j, i] = 0
        assert sets_of(g) == sets_of(Adjacency(a))
    gone = data.draw(st.integers(0, len(a) - 1))
    g.remove(gone)
    a[gone, :] = a[:, gone] = 0
    rest = [i for i in range(len(a)) if i != gone]
    for changed, fresh in zip(sets_of(g), sets_of(Adjacency(a)), strict=True):
        assert [changed[i] for i in rest] == [fresh[i] for i in rest]


# Order and cycles


@given(dags)
def test_topological_order_is_the_smallest_one(dag):
    expected = nx.lexicographical_topological_sort(nx.DiGraph(dag))
    assert topological_order(dag).tolist() == list(expected)


@given(pdags)
def test_a_cycle_is_found_exactly_when_there_is_one(a):
    cycle = find_cycle(a)
    assert (cycle is None) == naive.is_acyclic(a)
    if cycle is not None:
        assert len(set(cycle)) == len(cycle)
        assert all(naive.arrow(a, i, j) for i, j in zip(cycle, cycle[1:] + cycle[:1], strict=True))


@given(pdags)
def test_is_dag(a):
    assert is_dag(a) == (naive.is_acyclic(a) and not undirected(a).any())


def test_topological_order_names_the_cycle():
    a = np.zeros((6, 6), dtype=np.int8)
    a[[5, 0, 1, 4, 2], [0, 1, 4, 2, 1]] = 1
    with pytest.raises(GraphError, match="not a DAG: 4 -> 2 -> 1 -> 4 is a cycle"):
        topological_order(a)


def test_topological_order_names_the_undirected_edge():
    with pytest.raises(GraphError, match="2 - 3 is undirected"):
        topological_order(EXAMPLE)


# Triples


@given(pdags)
def test_unshielded_triples_equal_the_cubic_twin(a):
    found = rows(unshielded_triples(a))
    assert len(found) == len(set(found))
    assert set(found) == naive.unshielded_triples(a)


@given(pdags)
def test_v_structures_equal_the_cubic_twin(a):
    found = rows(v_structures(a))
    assert len(found) == len(set(found))
    assert set(found) == naive.v_structures(a)


def test_triples_are_sorted_by_middle_then_ends():
    a = naive.random_pdag(rng(), 12)
    for found in (unshielded_triples(a), v_structures(a)):
        assert len(found) > 1
        assert found.flags.c_contiguous
        assert rows(found) == sorted(rows(found), key=lambda row: (row[1], row[0], row[2]))


@pytest.mark.parametrize("d", [0, 1, 2])
def test_no_triples_without_three_nodes(d):
    complete = np.ones((d, d), dtype=np.int8) - np.eye(d, dtype=np.int8)
    assert unshielded_triples(complete).shape == v_structures(complete).shape == (0, 3)


# d-separation


def questions(dag, data):
    nodes = data.draw(st.permutations(range(len(dag))))
    return nodes[0], nodes[1], nodes[2 : data.draw(st.integers(2, len(nodes)))]


@given(naive.dags(max_nodes=6).filter(lambda dag: len(dag) > 1), st.data())
def test_d_separation_is_the_definition_path_by_path(dag, data):
    x, y, given_set = questions(dag, data)
    assert d_separated(dag, x, y, given_set) == (not naive.d_connected(dag, x, y, given_set))


def test_d_separation_equals_networkx_on_larger_graphs():
    reference = getattr(nx, "is_d_separator", None) or nx.d_separated
    random = rng(1)
    answers = []
    for _ in range(60):
        dag = naive.random_dag(random, int(random.integers(5, 25)), random.uniform(0.05, 0.3))
        oracle, g = DSeparation(dag), nx.DiGraph(dag)
        for _ in range(5):
            x, *given_set = random.permutation(len(dag))[: random.integers(1, 5)].tolist()
            connected = oracle.connected(x, given_set)
            assert not connected[[x, *given_set]].any()
            for y in set(range(len(dag))) - {x, *given_set}:
                answers.append(bool(connected[y]))
                assert connected[y] != reference(g, {x}, {y}, set(given_set))
    assert 0.2 < np.mean(answers) < 0.8  # both answers are exercised


@pytest.mark.parametrize(
    ("x", "y", "given_set", "message"),
    [
        (0, 0, [], "node 0 is asked about twice"),
        (0, 1, [2, 1], "node 1 .* given"),
        (1, 0, [2, 1], "node 1 .* given"),
        (0, 5, [], "node 5 does not exist"),
        (0, 1, [-1], "node -1 does not exist"),
    ],
)
def test_d_separation_rejects_overlapping_or_unknown_nodes(x, y, given_set, message):
    with pytest.raises(GraphError, match=message):
        d_separated(directed(EXAMPLE), x, y, given_set)


def test_d_separation_needs_a_dag():
    with pytest.raises(GraphError, match="2 - 3 is undirected"):
        DSeparation(EXAMPLE)


# Invariance


@given(dags.filter(lambda dag: len(dag) > 1), st.data())
def test_answers_follow_a_permutation_of_the_nodes(dag, data):
    order = data.draw(st.permutations(range(len(dag))))
    permuted = dag[np.ix_(order, order)]  # node i of the permuted graph is node order[i] of the other
    for triples in (unshielded_triples, v_structures):
        renamed = [[order[x], order[t], order[y]] for x, t, y in triples(permuted)]
        assert sorted((*sorted([x, y]), t) for x, t, y in renamed) == sorted(
            (x, y, t) for x, t, y in triples(dag).tolist()
        )
    x, _, given_set = questions(dag, data)
    place = {node: i for i, node in enumerate(order)}
    connected = DSeparation(permuted).connected(place[x], [place[s] for s in given_set])
    assert np.array_equal(connected, DSeparation(dag).connected(x, given_set)[order])


def test_five_thousand_nodes():
    dag = naive.sparse_dag(rng(2), 5000, 10_000)
    position = np.argsort(topological_order(dag))
    source, target = edges(dag).directed.T
    assert len(source) == 10_000
    assert (position[source] < position[target]).all()
    degree = skeleton(dag).sum(axis=0, dtype=int)
    triangles = sum(len(adjacent(dag, i) & adjacent(dag, j)) for i, j in edges(dag).directed.tolist()) // 3
    assert len(unshielded_triples(dag)) == (degree * (degree - 1) // 2).sum() - 3 * triangles
