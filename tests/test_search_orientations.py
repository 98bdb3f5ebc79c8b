"""The best acyclic orientation: against all orientations of small skeletons, and against a solver on larger ones."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.graph import edges, find_cycle, is_dag, skeleton, unshielded_triples, v_structures
from ml4c.search.orientations import Effort, best_orientation

ANNEALED = Effort(exact_nodes=0, starts=4, runs=2, moves=100)
TINY = Effort(exact_nodes=0, starts=3, runs=2, moves=20)
NO_ARROWS = np.empty((0, 2), np.intp)


def orientations(a, fixed=()):
    """All acyclic orientations of a skeleton that have the fixed arrows."""
    pairs = edges(a).undirected.tolist()
    for turned in product([False, True], repeat=len(pairs)):
        dag = np.zeros_like(a)
        for (i, j), turn in zip(pairs, turned, strict=True):
            dag[(j, i) if turn else (i, j)] = 1
        if naive.is_acyclic(dag) and all(dag[i, j] for i, j in fixed):
            yield dag


def colliders(dag, triples):
    return tuple(k for k, (x, t, y) in enumerate(triples.tolist()) if dag[x, t] and dag[y, t])


def worth_of(dag, triples, worth):
    return sum(worth[k] for k in colliders(dag, triples))


@st.composite
def problems(draw, max_nodes=6, max_edges=9):
    """A skeleton, a worth for every triple with many ties, and arrows that some order allows."""
    a = draw(naive.pdags(max_nodes, states=((0, 0), (1, 1))))
    for i, j in edges(a).undirected.tolist()[max_edges:]:
        a[i, j] = a[j, i] = 0
    triples = unshielded_triples(a)
    worth = np.array([draw(st.sampled_from([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0])) for _ in triples])
    order = draw(st.permutations(range(len(a))))
    fixed = [
        (i, j) if order[i] < order[j] else (j, i)
        for i, j in edges(a).undirected.tolist()
        if draw(st.sampled_from([False, False, True]))
    ]
    return a, triples, worth, np.array(fixed, np.intp).reshape(-1, 2)


def assert_consistent(found, a, triples, worth, fixed):
    """It is an acyclic orientation with the fixed arrows, and worth what it says."""
    assert is_dag(found.dag)
    assert np.array_equal(skeleton(found.dag), a)
    assert all(found.dag[i, j] for i, j in fixed)
    assert sum(part.value for part in found.parts) == pytest.approx(worth_of(found.dag, triples, worth))


@given(problems())
def test_exact_search_finds_the_best_and_the_second_best(problem):
    a, triples, worth, fixed = problem
    found = best_orientation(a, triples, worth, fixed=fixed)
    assert_consistent(found, *problem)
    assert all(part.exact for part in found.parts)
    values = {colliders(dag, triples): worth_of(dag, triples, worth) for dag in orientations(a, fixed)}
    mine = colliders(found.dag, triples)
    best = max(values.values())
    assert values[mine] == best
    assert len(mine) == min(len(c) for c, value in values.items() if value == best)
    others = [value for c, value in values.items() if c != mine]
    gaps = [part.gap for part in found.parts if part.gap is not None]
    assert bool(others) == bool(gaps)
    if others:
        assert min(gaps) == pytest.approx(best - max(others))


@given(problems())
def test_annealing_finds_the_best_of_small_problems(problem):
    a, triples, worth, fixed = problem
    found = best_orientation(a, triples, worth, fixed=fixed, effort=ANNEALED)
    assert_consistent(found, *problem)
    every = [(worth_of(dag, triples, worth), -len(v_structures(dag))) for dag in orientations(a, fixed)]
    assert (worth_of(found.dag, triples, worth), -len(v_structures(found.dag))) == max(every)
    values = {colliders(dag, triples): worth_of(dag, triples, worth) for dag in orientations(a, fixed)}
    others = [value for c, value in values.items() if c != colliders(found.dag, triples)]
    gaps = [part.gap for part in found.parts if part.gap is not None]
    assert not gaps or min(gaps) >= max(every)[0] - max(others) - 1e-9


@given(problems(), st.data())
def test_the_tie_rule_does_not_depend_on_the_search(problem, data):
    """Exact search and a permutation of equal rows: the same colliders, whatever the order of the rows."""
    a, triples, worth, fixed = problem
    order = data.draw(st.permutations(range(len(triples))))
    first = best_orientation(a, triples, worth, fixed=fixed)
    again = best_orientation(a, triples[order][:, ::-1], worth[order], fixed=fixed[::-1])
    assert np.array_equal(v_structures(first.dag), v_structures(again.dag))


def random_problem(seed, d=30, n_edges=42, spread=3.0):
    rng = np.random.default_rng(seed)
    a = skeleton(naive.sparse_dag(rng, d, n_edges))
    triples = unshielded_triples(a)
    return a, triples, rng.normal(-1, spread, len(triples))


def best_by_solver(a, triples, worth):
    """The best value by integer programming; cycles are excluded as they turn up."""
    pairs = edges(a).undirected.tolist()
    place = {(i, j): k for k, (i, j) in enumerate(pairs)}
    m, n = len(pairs), len(triples)

    def points(i, j):
        """The row and constant of "i -> j"."""
        row = np.zeros(m + n)
        row[place[min(i, j), max(i, j)]] = 1 if i < j else -1
        return row, 0 if i < j else 1

    rows, upper = [], []
    for k, (x, t, y) in enumerate(triples.tolist()):
        (one, c), (two, d) = points(x, t), points(y, t)
        for row, constant in ((one, c), (two, d)):
            both = -row
            both[m + k] = 1
            rows, upper = [*rows, both], [*upper, constant]
        joint = one + two
        joint[m + k] = -1
        rows, upper = [*rows, joint], [*upper, 1 - c - d]
    while True:
        constraint = LinearConstraint(np.array(rows), -np.inf, np.array(upper))
        answer = milp(
            -np.concatenate([np.zeros(m), worth]),
            integrality=np.ones(m + n),
            bounds=Bounds(0, 1),
            constraints=constraint,
        )
        dag = np.zeros_like(a)
        for k, (i, j) in enumerate(pairs):
            dag[(i, j) if answer.x[k] > 0.5 else (j, i)] = 1
        cycle = find_cycle(dag)
        if cycle is None:
            return worth_of(dag, triples, worth)
        around = [points(i, j) for i, j in zip(cycle, cycle[1:] + cycle[:1], strict=True)]
        rows.append(sum(row for row, _ in around))
        upper.append(len(cycle) - 1 - sum(constant for _, constant in around))


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(6))
def test_annealing_agrees_with_integer_programming(seed):
    a, triples, worth = random_problem(seed)
    found = best_orientation(a, triples, worth)
    assert_consistent(found, a, triples, worth, NO_ARROWS)
    assert worth_of(found.dag, triples, worth) == pytest.approx(best_by_solver(a, triples, worth), abs=0.01)
    assert all(part.agreeing >= 2 for part in found.parts if part.starts)


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(4))
def test_annealing_agrees_with_exact_search(seed):
    a, triples, worth = random_problem(seed, d=16, n_edges=26)
    exact = best_orientation(a, triples, worth, effort=Effort(exact_nodes=16))
    other = best_orientation(a, triples, worth, effort=Effort(exact_nodes=0))
    assert np.array_equal(v_structures(exact.dag), v_structures(other.dag))


@pytest.mark.parametrize("effort", [TINY, Effort(exact_nodes=10)])
def test_the_seed_decides_all(effort):
    a, triples, worth = random_problem(9, d=10, n_edges=16)
    first, again = (best_orientation(a, triples, worth, seed=5, effort=effort) for _ in range(2))
    assert np.array_equal(first.dag, again.dag)
    assert [part.gap for part in first.parts] == [part.gap for part in again.parts]


@pytest.mark.jit
def test_without_colliders_to_gain_a_tree_has_none_and_a_ring_one():
    path = np.eye(400, k=1, dtype=np.int8)
    path |= path.T
    triples = unshielded_triples(path)
    found = best_orientation(path, triples, np.full(len(triples), -5.0))
    assert len(v_structures(found.dag)) == 0
    ring = path.copy()
    ring[0, -1] = ring[-1, 0] = 1
    triples = unshielded_triples(ring)
    found = best_orientation(ring, triples, np.full(len(triples), -5.0))
    assert len(v_structures(found.dag)) == 1
    assert [(part.value, part.gap) for part in found.parts] == [(-5.0, 0.0)]


def test_triples_that_are_not_given_are_worth_nothing_but_still_avoided():
    star = naive.graph(4, "0-1", "0-2", "0-3")
    found = best_orientation(star, np.array([[1, 0, 2]]), np.array([2.0]))
    assert v_structures(found.dag).tolist() == [[1, 0, 2]]
    assert found.parts[0].gap == 0.0  # 3 -> 0 would make two more v-structures, each worth nothing


def test_components_are_told_apart():
    a = naive.graph(8, "0-2", "2-4", "1-3", "6-7")
    found = best_orientation(a, np.array([[0, 2, 4]]), np.array([1.5]))
    assert [part.nodes.tolist() for part in found.parts] == [[0, 2, 4], [1, 3], [6, 7]]
    assert [part.value for part in found.parts] == [1.5, 0.0, 0.0]
    assert [part.gap for part in found.parts] == [1.5, None, None]
    assert best_orientation(np.zeros((3, 3), np.int8), np.empty((0, 3), np.intp), np.empty(0)).parts == ()


def test_fixed_arrows_in_a_cycle_are_refused():
    triangle = naive.graph(3, "0-1", "1-2", "0-2")
    with pytest.raises(GraphError, match="the fixed arrows form a cycle"):
        best_orientation(triangle, np.empty((0, 3), np.intp), np.empty(0), fixed=np.array([[0, 1], [1, 2], [2, 0]]))


def test_a_component_of_complete_graphs_has_one_answer():
    complete = (1 - np.eye(6)).astype(np.int8)
    for effort in (Effort(), TINY):
        found = best_orientation(complete, np.empty((0, 3), np.intp), np.empty(0), effort=effort)
        assert is_dag(found.dag)
        assert found.parts[0].gap is None
