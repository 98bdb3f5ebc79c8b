"""Methods that search over orders, and DAG-GNN: none of them takes a skeleton."""

import itertools
import math
import random
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ml4c
import naive
from conftest import JIT
from ml4c._kernels.asobs import Place, select_acyclic, select_by_order, shift_block
from ml4c.baselines import Problem, blip, dag_gnn, grasp, read_as_cpdag
from ml4c.baselines.blip.exploration import bic_star, explore
from ml4c.baselines.blip.orders import ParentSets, join, search_orders
from ml4c.errors import DataError, WorkError
from ml4c.graph import is_dag
from ml4c.scores import LocalScores, families
from tables import code_tables, dataset

ROWS = 400 if JIT else 60
FEWER = settings(max_examples=30 if JIT else 5)


def score_of(scores, dag):
    return float(scores.score(families((j, np.flatnonzero(dag[:, j]).tolist()) for j in range(len(dag)))).sum())


def best_of_all_orders(local, nodes):
    """The largest sum of local(node, parents) over all DAGs: over all orders, every node takes its best set."""
    best = {
        (node, before): max(
            local(node, p) for size in range(len(before) + 1) for p in itertools.combinations(before, size)
        )
        for node in range(nodes)
        for size in range(nodes)
        for before in itertools.combinations([other for other in range(nodes) if other != node], size)
    }
    orders = itertools.permutations(range(nodes))
    return max(sum(best[x, tuple(sorted(order[:i]))] for i, x in enumerate(order)) for order in orders)


@st.composite
def scored_lists(draw, most_nodes=5):
    """Some parent sets of every node with scores that tie now and then, best first, the empty set last."""
    nodes = draw(st.integers(2, most_nodes))
    lists = []
    for node in range(nodes):
        others = [other for other in range(nodes) if other != node]
        sets = draw(st.lists(st.sets(st.sampled_from(others), min_size=1, max_size=3).map(frozenset), unique=True))
        scores = sorted(draw(st.lists(st.integers(1, 20), min_size=len(sets), max_size=len(sets))), reverse=True)
        rows = [[*sorted(s), -1, -1, -1][:3] for s in [*sets, ()]]
        lists.append(ParentSets(np.array(rows), np.array([*scores, 0.0])))
    return lists


def best_choice(lists):
    """The largest score of an acyclic choice of sets, over all choices."""

    def local(node, parents):
        allowed = ({*row} - {-1} <= {*parents} for row in lists[node].members.tolist())
        return float(lists[node].scores[next(i for i, fits in enumerate(allowed) if fits)])

    return best_of_all_orders(local, len(lists))


@FEWER
@given(codes=code_tables(most_rows=ROWS, most_columns=5, least_columns=3))
def test_bic_star_is_bic_less_the_interaction_of_the_parts(codes):
    n, x, a, b = len(codes), 0, (1,), tuple(range(2, codes.shape[1]))
    states = [math.prod(naive.cardinality(codes, c) for c in part) for part in (a, b)]
    unit = math.log(n) / 2 * (naive.cardinality(codes, x) - 1)
    star = bic_star(naive.bic(codes, x, a), naive.bic(codes, x, b), *states, naive.bic(codes, x, ()), unit)

    def information(given):  # n I(X; A | given), of which 2 is G2
        merged = np.unique(codes[:, list(a)], axis=0, return_inverse=True)[1].ravel()
        return naive.association(np.column_stack([codes, merged]), x, codes.shape[1], given)[0] / 2

    assert star + information(b) - information(()) == pytest.approx(naive.bic(codes, x, a + b), abs=1e-6)


@FEWER
@given(codes=code_tables(most_rows=ROWS, most_columns=5))
def test_exploring_everything_leaves_what_no_subset_beats(codes):
    nodes = codes.shape[1]
    scores = LocalScores(dataset(codes), "bic", n_jobs=1)
    for node, found in enumerate(explore(scores)):
        others = [other for other in range(nodes) if other != node]
        every = {s: scores.of(node, s) for size in range(nodes) for s in itertools.combinations(others, size)}
        worth = {
            s
            for s in every
            if all(every[t] < every[s] for size in range(len(s)) for t in itertools.combinations(s, size))
        }
        listed = [tuple(m for m in row if m >= 0) for row in found.members.tolist()]
        # The bounds leave out sets that could tie at best, and rounding decides which of those remain.
        assert {s for s in worth if all(every[s] > every[t] + 1e-6 for t in every if {*t} < {*s})} <= {*listed} <= worth
        assert found.scores.tolist() == [every[s] for s in listed]
        assert (np.diff(found.scores) <= 0).all()
        assert listed[-1] == ()


@FEWER
@given(lists=scored_lists(), seed=st.integers(0, 99))
def test_the_search_over_orders_returns_a_dag_of_listed_sets_and_the_best_on_few_nodes(lists, seed):
    found = search_orders(lists, np.random.default_rng(seed), starts=30)
    assert is_dag(found.dag)
    total = 0.0
    for sets, column in zip(lists, found.dag.T, strict=True):
        rows = [{*row} - {-1} for row in sets.members.tolist()]
        total += sets.scores[rows.index({*np.flatnonzero(column).tolist()})]
    assert found.score == pytest.approx(total)
    assert found.score == pytest.approx(best_choice(lists))


def place_of(joined, order):
    """An order in which every node has taken its set."""
    place = Place(*(np.array(order, np.int64) for _ in range(3)))
    select_by_order(joined, place)
    return place


def total_of(lists, order):
    """The sum over nodes of the best set whose members come before it."""
    fits = [
        [{*row} - {-1} <= {*order[: order.index(x)]} for row in lists[x].members.tolist()] for x in range(len(lists))
    ]
    return sum(float(sets.scores[which.index(True)]) for sets, which in zip(lists, fits, strict=True))


@given(lists=scored_lists(), seed=st.integers(0, 99), width=st.integers(1, 4))
def test_a_block_is_shifted_to_where_it_gains_most(lists, seed, width):
    rng, nodes = np.random.default_rng(seed), len(lists)
    order, width = rng.permutation(nodes).tolist(), min(width, nodes - 1)
    first = int(rng.integers(nodes - width + 1))
    block, rest = order[first : first + width], order[:first] + order[first + width :]
    best = max(total_of(lists, rest[:i] + block + rest[i:]) for i in range(len(rest) + 1))
    place, joined = place_of(join(lists), order), join(lists)
    assert joined.scores[place.chosen].sum() == total_of(lists, order)
    gain = shift_block(joined, place, place_of(joined, order), np.array([first, width]), 1e-6)
    assert gain == best - total_of(lists, order)
    assert joined.scores[place.chosen].sum() == best == total_of(lists, place.order.tolist())
    assert (place.order[place.rank] == np.arange(nodes)).all()
    assert [x for x in place.order.tolist() if x not in block] == rest


@given(lists=scored_lists(), seed=st.integers(0, 99))
def test_acyclic_selection_is_never_worse_than_the_order_alone_and_closes_no_cycle(lists, seed):
    nodes = len(lists)
    order = np.random.default_rng(seed).permutation(nodes)
    joined = join(lists)
    place = place_of(joined, order)
    chosen = np.empty(nodes, np.int64)
    select_acyclic(joined, order, np.zeros((nodes, nodes), np.uint8), chosen)
    assert (joined.scores[chosen] >= joined.scores[place.chosen]).all()
    for sets in (chosen, place.chosen):
        dag = np.zeros((nodes, nodes), np.int8)
        for node, row in enumerate(joined.members[sets].tolist()):
            dag[[m for m in row if m >= 0], node] = 1
        assert is_dag(dag)


@pytest.mark.jit
@pytest.mark.parametrize("name", ["child", "alarm"])
def test_blip_reaches_the_score_of_the_true_graph(name):
    network = ml4c.load_network(name)
    scores = LocalScores(network.sample(10_000, seed=1), "bic")
    found = blip.search(scores, np.random.default_rng(0), budget=500, starts=20)
    assert found.score >= score_of(scores, network.dag) - 1e-6
    assert found.score == pytest.approx(score_of(scores, found.dag))


@pytest.mark.parametrize("name", ["cancer", "earthquake", "survey"])
def test_blip_and_grasp_find_the_best_dag_of_a_small_network(name):
    network = ml4c.load_network(name)
    data = network.sample(2000 if JIT else 100, seed=1)
    for kind, search in (
        ("bic", lambda scores: blip.search(scores, np.random.default_rng(0)).dag),
        ("bdeu", lambda scores: grasp.search(scores, np.random.default_rng(0))),
    ):
        scores = LocalScores(data, kind, n_jobs=1)
        assert score_of(scores, search(scores)) == pytest.approx(best_of_all_orders(scores.of, network.n_nodes))


class OurScores:
    """What causal-learn's GRaSP asks a score for."""

    def __init__(self, scores):
        self.data = np.empty((1, len(scores.names)))
        self.score = self.score_nocache = scores.of


def causallearn_grasp(scores, seed):
    """The score that one start of causal-learn's search reaches."""
    from causallearn.search.PermutationBased.GRaSP import Order, dfs
    from causallearn.search.PermutationBased.gst import GST

    random.seed(seed)
    ours, nodes = OurScores(scores), len(scores.names)
    trees, order = [GST(node, ours) for node in range(nodes)], Order(nodes, OurScores(scores))
    for i, y in enumerate(order.order):
        order.set_local_score(y, trees[y].trace(order.order[:i], order.get_parents(y)))
    while dfs(grasp.DEPTH - 1, set(), [], order, trees):
        pass
    return sum(order.local_scores.values())


@pytest.mark.jit
@pytest.mark.parametrize("name", ["asia", "sachs", "child"])
def test_grasp_reaches_the_score_that_causal_learn_reaches(name):
    scores = LocalScores(ml4c.load_network(name).sample(2000, seed=2), "bdeu", ess=1.0)
    theirs = max(causallearn_grasp(scores, seed) for seed in range(grasp.STARTS))
    assert score_of(scores, grasp.search(scores, np.random.default_rng(0))) == pytest.approx(theirs)


@FEWER
@given(codes=code_tables(most_rows=ROWS, most_columns=5), seed=st.integers(0, 99))
def test_grasp_returns_a_dag_that_no_single_arc_improves_from_a_better_order(codes, seed):
    scores = LocalScores(dataset(codes), "bdeu", n_jobs=1)
    dag = grasp.search(scores, np.random.default_rng(seed), starts=1)
    assert is_dag(dag)
    assert score_of(scores, dag) >= score_of(scores, np.zeros_like(dag)) - 1e-6
    for i, j in np.argwhere(dag).tolist():
        fewer = dag.copy()
        fewer[i, j] = 0
        assert score_of(scores, fewer) <= score_of(scores, dag) + 1e-6


@pytest.mark.parametrize("method", [*blip.METHODS, *grasp.METHODS], ids=lambda method: method.name)
def test_the_order_of_columns_means_nothing_and_a_seed_repeats(method):
    asia = ml4c.load_network("asia")
    problem = Problem(asia.sample(500, seed=1), seed=3)
    order = np.random.default_rng(0).permutation(asia.n_nodes)
    found = method(problem)
    shuffled = method(replace(problem, data=problem.data.select(order.tolist())))
    assert (shuffled == found[np.ix_(order, order)]).all()
    assert is_dag(found)


@pytest.mark.jit
@pytest.mark.parametrize("method", [*blip.METHODS, *grasp.METHODS], ids=lambda method: method.name)
def test_many_rows_of_a_small_network_give_its_class(method):
    network = ml4c.load_network("sachs")
    found = read_as_cpdag(method(Problem(network.sample(20_000, seed=1))))
    assert ml4c.shd(ml4c.cpdag_of(network.dag), found) == 0


def test_dag_gnn_repeats_and_says_what_it_cannot_take():
    pytest.importorskip("torch", reason="torch is in the extra `bench`")
    pytest.importorskip("castle", reason="gcastle is in the extra `bench`")
    data = ml4c.load_network("cancer").sample(100, seed=1)
    found = [dag_gnn.train(data, 0, epochs=1) for _ in range(2)]
    assert (found[0] == found[1]).all()
    assert found[0].shape == (5, 5)
    assert found[0].dtype == np.int8
    assert not found[0].diagonal().any()
    holed = ml4c.Dataset.from_array([["a", "b"], ["b", None], ["a", "a"], ["b", "b"]], ["x", "y"], missing="available")
    with pytest.raises(DataError, match="complete tables"):
        dag_gnn.train(holed, 0, epochs=1)


def test_rounds_of_dag_gnn_are_capped_by_steps():
    assert [dag_gnn.epochs_for(rows) for rows in (1, 1000, 2000, 2001, 10_000, 10**7)] == [300, 300, 300, 285, 60, 1]
    assert "6,000 steps" in dag_gnn.METHODS[0].made


def test_dag_gnn_names_what_is_to_be_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(WorkError, match=r"pip install 'ml4c\[bench\]'"):
        dag_gnn.METHODS[0](Problem(ml4c.load_network("cancer").sample(10, seed=0)))
