"""Probabilities of directions: against all orientations of small graphs, and against the CPDAG of random DAGs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml4c._kernels import equivalence
from ml4c.errors import GraphError
from ml4c.graph import directed, is_dag, skeleton, unshielded_triples
from ml4c.knowledge import Knowledge
from ml4c.meek import cpdag_of, with_arrows
from ml4c.orientation import orient_globally
from ml4c.orientation.weighing import evidence
from ml4c.search import directions as drawing
from ml4c.search.components import all_triples, components_of
from ml4c.search.directions import draw_directions
from ml4c.search.orientations import best_orientation

NOTHING = np.empty((0, 2), np.intp)


def random_skeleton(rng, nodes, density):
    upper = np.triu(rng.random((nodes, nodes)) < density, 1).astype(np.int8)
    return upper + upper.T


def random_dag(rng, nodes, density):
    order = rng.permutation(nodes)
    return np.triu(rng.random((nodes, nodes)) < density, 1).astype(np.int8)[np.ix_(order, order)]


def shares_by_enumeration(a, triples, worth, fixed):
    """Weigh every acyclic orientation, and read the arrows of its CPDAG."""
    pairs, total, found = np.argwhere(np.triu(a)), 0.0, np.zeros(a.shape)
    x, t, y = triples.T
    for ways in product((False, True), repeat=len(pairs)):
        dag = np.zeros_like(a)
        for (i, j), way in zip(pairs, ways, strict=True):
            dag[(i, j) if way else (j, i)] = 1
        if is_dag(dag) and all(dag[i, j] for i, j in fixed):
            weight = np.exp(worth[(dag[x, t] & dag[y, t]) == 1].sum())
            total += weight
            found += weight * directed(with_arrows(cpdag_of(dag), fixed))
    return found / total


def as_matrix(found, nodes):
    matrix = np.zeros((nodes, nodes))
    matrix[tuple(found.arrows.T)] = found.share
    return matrix


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("known", [False, True])
def test_shares_are_those_of_all_orientations(seed, known, monkeypatch):
    monkeypatch.setattr(drawing, "LOOKS", 2_000 if known else 20_000)
    rng = np.random.default_rng(seed)
    a = random_skeleton(rng, 6, 0.45)
    triples = unshielded_triples(a)
    worth = rng.normal(0, 1.5, len(triples))
    fixed = np.argwhere(a)[[rng.integers(a.sum())]] if known else NOTHING
    best = best_orientation(a, triples, worth, fixed=fixed).dag
    found = draw_directions(a, triples, worth, best, fixed=fixed)
    gap = np.abs(as_matrix(found, 6) - shares_by_enumeration(a, triples, worth, fixed))
    assert gap.max() < (0.06 if known else 0.02)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12), st.floats(0.1, 0.9))
def test_compelled_edges_are_the_arrows_of_the_cpdag(seed, nodes, density):
    dag = random_dag(np.random.default_rng(seed), nodes, density)
    a, marked = skeleton(dag), np.zeros_like(dag)
    for component in components_of(a, all_triples(a, np.empty((0, 3), np.intp), np.empty(0)), NOTHING):
        state = drawing._state(component, dag, np.random.default_rng(0))
        marks = np.zeros(len(component.objective.owner), np.int8)
        equivalence.compelled(component.objective, state, marks)
        inward = (state.inward == 1) & (marks == equivalence.COMPELLED)
        q, names = component.objective, component.nodes
        marked[names[q.neighbours[inward]], names[q.owner[inward]]] = 1
    assert (marked == directed(cpdag_of(dag))).all()


def test_opposite_rows_are_found():
    a = random_skeleton(np.random.default_rng(3), 8, 0.4)
    found = draw_directions(a, *_nothing_judged(), _any_dag(a), fixed=NOTHING)
    assert (found.arrows[found.opposite] == found.arrows[:, ::-1]).all()
    assert (found.share + found.share[found.opposite] <= 1).all()


def test_many_triples_at_one_node_weigh_less_each():
    star = np.zeros((9, 9), np.int8)
    star[0, 1:] = star[1:, 0] = 1
    few = np.zeros((9, 9), np.int8)
    few[0, 1:3] = few[1:3, 0] = 1
    triple = np.array([[1, 0, 2]])
    assert 0 < evidence(star, triple, np.array([0.9]))[0] < evidence(few, triple, np.array([0.9]))[0]


def _nothing_judged():
    return np.empty((0, 3), np.intp), np.empty(0)


def _any_dag(a):
    return np.triu(a)


def judged(seed, nodes=10, density=0.3):
    rng = np.random.default_rng(seed)
    a = random_skeleton(rng, nodes, density)
    triples = unshielded_triples(a)
    return a, triples, rng.beta(0.5, 1.0, len(triples))


def expected_wrong(found, shares):
    """Sum up how improbable the state of every edge is."""
    arrows = directed(found.cpdag)
    lines = np.triu(skeleton(found.cpdag) & ~(arrows | arrows.T) & 1)
    return (skeleton(found.cpdag).sum() / 2) - (arrows * shares).sum() - (lines * (1 - shares - shares.T)).sum()


@pytest.mark.jit
def test_least_expected_shd_is_no_more_than_that_of_the_best_orientation():
    gained = 0
    for seed in range(12):
        problem = judged(seed)
        best, least = (orient_globally(*problem, decision=decision) for decision in ("best", "shd"))
        shares = as_matrix(best.directions, 10)
        assert least.certificate.valid
        assert expected_wrong(least, shares) <= expected_wrong(best, shares) + 1e-9
        gained += expected_wrong(least, shares) < expected_wrong(best, shares) - 1e-9
    assert gained


@pytest.mark.jit
def test_f1_draws_more_arrows_than_confidence():
    counts = {"f1": 0, "sure": 0}
    for seed in range(12):
        problem = judged(seed)
        bold, sure = orient_globally(*problem, decision="f1"), orient_globally(*problem, confidence=0.9)
        assert bold.certificate.valid
        assert sure.certificate.valid
        counts["f1"] += int(directed(bold.cpdag).sum())
        counts["sure"] += int(directed(sure.cpdag).sum())
    assert counts["sure"] < counts["f1"]


def test_on_a_tree_no_arrow_is_less_probable_than_asked_for():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        a = np.zeros((10, 10), np.int8)
        for child in range(1, 10):
            parent = rng.integers(child)
            a[parent, child] = a[child, parent] = 1
        triples = unshielded_triples(a)
        found = orient_globally(a, triples, rng.beta(0.5, 1.0, len(triples)), confidence=0.8)
        arrows = directed(found.cpdag) == 1
        assert (as_matrix(found.directions, 10)[arrows] >= 0.8).all()


def test_knowledge_holds_whatever_the_decision():
    names = [f"c{k}" for k in range(10)]
    for seed in range(6):
        a, triples, p = judged(seed)
        i, j = np.argwhere(np.triu(a))[0]
        constraints = Knowledge(required=[(names[j], names[i])]).bind(names)
        for options in ({"decision": "f1"}, {"decision": "shd"}, {"confidence": 0.9}):
            found = orient_globally(a, triples, p, constraints=constraints, **options)
            assert (found.cpdag[j, i], found.cpdag[i, j]) == (1, 0)
            assert found.certificate.valid
            assert found.directions.by_arrow()[j, i] == 1.0


@pytest.mark.parametrize("options", [{"confidence": 1.0}, {"confidence": 0.0}, {"decision": "both"}])
def test_options_that_mean_nothing_are_refused(options):
    with pytest.raises(GraphError, match=r"confidence|decision"):
        orient_globally(*judged(0), **options)


def test_a_confidence_claims_nothing_that_the_best_orientation_does_not():
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], np.int8)
    best = orient_globally(path, [[0, 1, 2]], [0.2])
    assert (orient_globally(path, [[0, 1, 2]], [0.2], confidence=0.1).cpdag == best.cpdag).all()


def test_a_confidence_sees_what_follows_from_knowledge():
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], np.int8)
    constraints = Knowledge(required=[("a", "b")]).bind(["a", "b", "c"])
    found = orient_globally(path, [[0, 1, 2]], [0.97], constraints=constraints, confidence=0.98)
    assert found.directions.by_arrow()[2, 1] > 0.5
    assert (found.cpdag[2, 1], found.cpdag[1, 2]) == (1, 0)  # the other way is the only other, and less probable
