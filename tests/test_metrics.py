import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.meek import cpdag_of
from ml4c.metrics import Scores, edge_f1, shd, skeleton_scores, triple_f1

EMPTY = np.zeros((3, 3), dtype=np.int8)
COLLIDER = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]], dtype=np.int8)  # 0 -> 1 <- 2
CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.int8)  # 0 -> 1 -> 2
LINE = CHAIN | CHAIN.T  # 0 - 1 - 2
METRICS = (shd, edge_f1, triple_f1, skeleton_scores)


@st.composite
def two_graphs(draw):
    a = draw(naive.pdags(max_nodes=6))
    b = draw(naive.pdags(max_nodes=6).filter(lambda b: len(b) >= len(a)))
    return a, b[: len(a), : len(a)]


def arrows(a):
    nodes = range(len(a))
    return {(i, j) for i in nodes for j in nodes if naive.arrow(a, i, j)}


def joined_pairs(a):
    nodes = range(len(a))
    return {(i, j) for i in nodes for j in nodes if i < j and naive.joined(a, i, j)}


@pytest.mark.parametrize(
    ("found", "distance", "edge", "triple"),
    [
        (COLLIDER, 0, 1.0, 1.0),
        (CHAIN, 1, 0.5, 0.0),
        (LINE, 2, 0.0, 0.0),
        (EMPTY, 2, 0.0, 0.0),
        (COLLIDER.T, 2, 0.0, 0.0),
    ],
)
def test_by_hand_against_a_collider(found, distance, edge, triple):
    assert shd(COLLIDER, found) == distance
    assert edge_f1(COLLIDER, found) == edge
    assert triple_f1(COLLIDER, found) == triple


def test_one_when_there_is_nothing_to_find_and_nothing_is_claimed():
    assert edge_f1(LINE, EMPTY) == edge_f1(EMPTY, LINE) == 1.0
    assert triple_f1(CHAIN, LINE) == 1.0
    assert skeleton_scores(EMPTY, EMPTY) == Scores(precision=1.0, recall=1.0, f1=1.0)


def test_precision_and_recall_are_not_swapped():
    one_edge = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    assert skeleton_scores(LINE, one_edge) == Scores(precision=1.0, recall=0.5, f1=2 / 3)
    assert skeleton_scores(one_edge, LINE) == Scores(precision=0.5, recall=1.0, f1=2 / 3)
    assert skeleton_scores(LINE, EMPTY) == Scores(precision=1.0, recall=0.0, f1=0.0)


def test_only_triples_of_the_true_skeleton_count():
    triangle = np.triu(np.ones((3, 3), dtype=np.int8), 1)
    assert triple_f1(triangle, COLLIDER) == 1.0  # 0, 2 are adjacent in truth: an error of the skeleton
    shielded = COLLIDER.copy()
    shielded[0, 2] = 1
    assert triple_f1(COLLIDER, shielded) == 0.0  # arrows agree, but the found graph has no v-structure


@given(two_graphs())
def test_metrics_equal_their_twins(graphs):
    a, b = graphs
    assert shd(a, b) == naive.shd(a, b)
    assert edge_f1(a, b) == pytest.approx(naive.f1(arrows(a), arrows(b)))
    called = naive.v_structures(b) & naive.unshielded_triples(a)
    assert triple_f1(a, b) == pytest.approx(naive.f1(naive.v_structures(a), called))
    assert skeleton_scores(a, b).f1 == pytest.approx(naive.f1(joined_pairs(a), joined_pairs(b)))


@given(two_graphs(), st.data())
def test_metrics_do_not_depend_on_the_order_of_nodes(graphs, data):
    a, b = graphs
    order = np.ix_(*[data.draw(st.permutations(range(len(a))))] * 2)
    assert [metric(a[order], b[order]) for metric in METRICS] == [metric(a, b) for metric in METRICS]


@given(naive.dags())
def test_a_dag_and_its_cpdag_have_the_same_triples(dag):
    assert triple_f1(dag, cpdag_of(dag)) == triple_f1(cpdag_of(dag), dag) == 1.0


@pytest.mark.parametrize("metric", METRICS)
def test_graphs_of_different_size_do_not_compare(metric):
    with pytest.raises(GraphError, match="3 and 2 nodes"):
        metric(LINE, LINE[:2, :2])
    with pytest.raises(GraphError, match=r"cell \[0, 1\] is 2"):
        metric(LINE, 2 * LINE)


def test_arrows_among_some_nodes_are_those_of_the_graph_without_the_others():
    true = np.array([[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=np.int8)  # 0 -> 1 <- 2, 0 -> 3
    found = true.copy()
    found[0, 3], found[3, 0] = 0, 1
    assert edge_f1(true, found) == pytest.approx(4 / 6)
    assert edge_f1(true, found, among=[0, 1, 2]) == 1.0
    assert edge_f1(true, found, among=[0, 3]) == 0.0
