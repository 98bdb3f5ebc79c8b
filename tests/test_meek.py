from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.graph import Adjacency, directed, edges, is_dag, skeleton, v_structures
from ml4c.meek import (
    applicable_rule,
    consistent_extension,
    cpdag_from_v_structures,
    cpdag_of,
    meek_closure,
    rule_1,
    rule_2,
    rule_3,
    rule_4,
)

RULES = {1: rule_1, 2: rule_2, 3: rule_3, 4: rule_4}
CLASSES = {1: 1, 2: 2, 3: 11, 4: 185, 5: 8782}  # number of equivalence classes (OEIS A007984)
DAGS = {1: 1, 2: 3, 3: 25, 4: 543, 5: 29281}  # number of labelled DAGs (OEIS A003024)


def rng(seed=0):
    return np.random.default_rng(seed)


# Rules and closure

PATTERNS = {
    1: naive.graph(3, "2>0", "0-1"),
    2: naive.graph(3, "0-1", "0>2", "2>1"),
    3: naive.graph(4, "0-1", "0-2", "0-3", "2>1", "3>1"),
    4: naive.graph(4, "0-1", "0-2", "0-3", "2>3", "3>1"),
}


@pytest.mark.parametrize("number", PATTERNS)
def test_each_rule_applies_to_its_own_pattern_alone(number):
    g = Adjacency(PATTERNS[number])
    assert [n for n, rule in RULES.items() if rule(g, 0, 1)] == [number]
    assert applicable_rule(g, 0, 1) == number
    assert applicable_rule(g, 1, 0) is None
    assert meek_closure(PATTERNS[number])[1, 0] == 0


@pytest.mark.parametrize("number", PATTERNS)
def test_rules_equal_their_twins_when_one_edge_of_a_pattern_changes(number):
    a = PATTERNS[number]
    for i, j in combinations(range(len(a)), 2):
        for state in naive.STATES:
            changed = a.copy()
            changed[i, j], changed[j, i] = state
            if naive.line(changed, 0, 1):
                g = Adjacency(changed)
                assert [n for n, rule in RULES.items() if rule(g, 0, 1)] == naive.meek_rules(changed, 0, 1)


@given(naive.pdags(max_nodes=6))
def test_rules_equal_their_twins(a):
    g = Adjacency(a)
    for pair in edges(a).undirected.tolist():
        for i, j in (pair, pair[::-1]):
            assert [n for n, rule in RULES.items() if rule(g, i, j)] == naive.meek_rules(a, i, j)


@pytest.mark.parametrize("seed", range(4))
def test_closure_equals_the_naive_fixpoint_on_any_graph(seed):
    random = rng(seed)
    changed = 0
    for _ in range(60):
        a = naive.random_pdag(random, int(random.integers(3, 10)), weights=(0.5, 0.08, 0.08, 0.34))
        closed = meek_closure(a)
        assert np.array_equal(closed, naive.closure_in_rounds(a))
        changed += not np.array_equal(closed, a)
    assert changed > 20


def test_closure_of_consistent_knowledge_does_not_depend_on_the_order_of_rules():
    random = rng(3)
    by_rule_4 = 0
    for _ in range(200):
        dag = naive.moral_dag(random, 10)
        a = cpdag_of(dag)
        a[(random.random(a.shape) < 0.3) & (dag.T == 1)] = 0  # more arrows than v-structures give
        closed = meek_closure(a)
        assert np.array_equal(closed, naive.closure_one_by_one(a, random))
        assert (closed >= dag).all()
        by_rule_4 += any(naive.meek_rules(a, i, j) == [4] for i, j in naive.implied_arrows(a))
    assert by_rule_4 > 5


def test_closure_directs_exactly_what_all_extensions_agree_on():
    for a in naive.every_pdag(4):
        extensions = naive.extensions(a)
        if len(extensions):
            assert np.array_equal(meek_closure(a), np.bitwise_or.reduce(extensions))


def test_an_edge_wanted_in_both_directions_stays_undirected():
    conflict = naive.graph(4, "0>1", "1-2", "3>2")
    assert np.array_equal(meek_closure(conflict), conflict)


def test_closure_looks_again_at_an_edge_that_only_rule_4_relates_to_a_new_arrow():
    a = naive.graph(6, "0-2", "0-3", "0-4", "0-5", "1-2", "1-4", "1-5", "3>1", "3-4", "4-5")
    assert np.array_equal(meek_closure(a), naive.closure_in_rounds(a))


def test_closure_reaches_along_a_chain_and_leaves_its_argument_alone():
    chain = np.eye(300, k=1, dtype=np.int8) + np.eye(300, k=-1, dtype=np.int8)
    chain[1, 0] = 0
    before = chain.copy()
    assert np.array_equal(meek_closure(chain), np.eye(300, k=1))
    assert np.array_equal(chain, before)


# CPDAGs


@pytest.mark.parametrize("d", CLASSES)
def test_cpdag_of_every_small_dag_is_the_union_of_its_class(d):
    classes = naive.markov_classes(d)
    assert (len(naive.all_dags(d)), len(classes)) == (DAGS[d], CLASSES[d])
    for members in classes.values():
        union = np.bitwise_or.reduce(members)
        for dag in members:
            assert np.array_equal(cpdag_of(dag), union)


def test_cpdag_of_needs_a_dag():
    with pytest.raises(GraphError, match="1 -> 2 -> 0 -> 1 is a cycle"):
        cpdag_of(naive.graph(3, "0>1", "1>2", "2>0"))
    with pytest.raises(GraphError, match="0 - 1 is undirected"):
        cpdag_of(naive.graph(2, "0-1"))
    with pytest.raises(GraphError, match="square"):
        cpdag_of([[0, 1, 0]])


def test_cpdag_from_v_structures_of_a_dag_is_its_cpdag():
    random = rng(5)
    for _ in range(50):
        dag = naive.random_dag(random, 10, 0.3)
        assert np.array_equal(cpdag_from_v_structures(dag, v_structures(dag).tolist()), cpdag_of(dag))


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        ([[0, 1, 3]], r"\(0, 1, 3\) is not an unshielded triple"),
        ([[0, 1, 0]], r"\(0, 1, 0\) is not an unshielded triple"),
        ([[4, 5, 6]], r"\(4, 5, 6\) names a node that is not in this skeleton of 6"),
        ([[0, 1, -4]], r"\(0, 1, -4\) names a node"),
        ([0, 1, 2], r"rows \(x, t, y\), but this array has shape \(3,\)"),
        ([[0, 1], [1, 2], [2, 3]], r"shape \(3, 2\)"),
        ([[3, 4, 5]], r"\(3, 4, 5\) is not an unshielded triple"),
        ([[0, 1, 2], [1, 2, 3]], "both 2 -> 1 and 1 -> 2|both 1 -> 2 and 2 -> 1"),
    ],
)
def test_cpdag_from_v_structures_rejects_what_it_cannot_draw(triples, message):
    with pytest.raises(GraphError, match=message):
        cpdag_from_v_structures(naive.graph(6, "0-1", "1-2", "2-3", "3-4", "4-5", "3-5"), triples)


# Extensions


def assert_extension_is_right(a):
    found, existing = consistent_extension(a), naive.extensions(a)
    assert (found is None) == (len(existing) == 0)
    assert found is None or any(np.array_equal(found, dag) for dag in existing)
    return found is not None


def test_extension_of_every_graph_of_four_nodes():
    assert 0 < sum(map(assert_extension_is_right, naive.every_pdag(4))) < 4**6


def test_extension_of_random_graphs_of_five_nodes():
    random = rng(6)
    graphs = [naive.random_pdag(random, 5, weights=(0.4, 0.1, 0.1, 0.4)) for _ in range(2000)]
    assert 400 < sum(map(assert_extension_is_right, graphs)) < 1600


def test_extension_of_larger_graphs_keeps_skeleton_arrows_and_v_structures():
    random = rng(7)
    for _ in range(50):
        a = cpdag_of(naive.random_dag(random, 25, 0.25))
        dag = consistent_extension(a)
        assert is_dag(dag)
        assert np.array_equal(skeleton(dag), skeleton(a))
        assert (dag >= directed(a)).all()
        assert np.array_equal(v_structures(dag), v_structures(a))


# Invariance and size


@given(naive.pdags(), st.data())
def test_closure_and_extension_follow_a_permutation_of_the_nodes(a, data):
    order = np.ix_(*[data.draw(st.permutations(range(len(a))))] * 2)
    assert np.array_equal(meek_closure(a[order]), meek_closure(a)[order])
    assert (consistent_extension(a[order]) is None) == (consistent_extension(a) is None)


@given(naive.dags(), st.data())
def test_cpdag_follows_a_permutation_of_the_nodes(dag, data):
    order = np.ix_(*[data.draw(st.permutations(range(len(dag))))] * 2)
    assert np.array_equal(cpdag_of(dag[order]), cpdag_of(dag)[order])


def test_five_thousand_nodes_with_ten_thousand_edges():
    dag = naive.sparse_dag(rng(11), 5000, 10_000)
    a = cpdag_of(dag)
    assert np.array_equal(skeleton(a), skeleton(dag))
    assert np.array_equal(v_structures(a), v_structures(dag))
    assert 0 < len(edges(a).undirected) < 10_000
    assert np.array_equal(cpdag_of(consistent_extension(a)), a)
