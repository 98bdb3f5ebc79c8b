"""Tabu search over DAGs: valid, as good as it says, and never worse than hill climbing."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import JIT
from ml4c.errors import GraphError
from ml4c.graph import is_dag
from ml4c.scores import LocalScores, families
from ml4c.search.dags import best_dag
from ml4c.skeleton.hybrid import MIN_GAIN
from tables import code_tables, dataset

ROWS = 400 if JIT else 60


def score_of(scores, dag):
    return float(scores.score(families((j, np.flatnonzero(dag[:, j]).tolist()) for j in range(len(dag)))).sum())


def all_dags(n):
    arcs = list(itertools.permutations(range(n), 2))
    for present in itertools.product([0, 1], repeat=len(arcs)):
        dag = np.zeros((n, n), np.int8)
        for (i, j), here in zip(arcs, present, strict=True):
            dag[i, j] = here
        if not (dag & dag.T).any() and is_dag(dag):
            yield dag


def hill_climb(scores, candidates):
    """Greedy search, every neighbour of the DAG scored in full."""
    n = len(candidates)
    dag = np.zeros((n, n), np.int8)
    best = score_of(scores, dag)
    while True:
        found = None
        for i, j in np.argwhere(candidates).tolist():
            for change in ([(i, j)], [(i, j), (j, i)]):
                new = dag.copy()
                for cell in change:
                    new[cell] ^= 1
                usable = not (new & ~candidates).any() and not (new & new.T).any() and is_dag(new)
                if usable and score_of(scores, new) > best + 1e-9:
                    best, found = score_of(scores, new), new
        if found is None:
            return best
        dag = found


@given(st.data())
def test_a_dag_within_candidates_with_the_score_that_it_says(data):
    codes = data.draw(code_tables(most_rows=ROWS, most_columns=6))
    n = codes.shape[1]
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    candidates = (rng.random((n, n)) < 0.7).astype(np.int8) * (1 - np.eye(n, dtype=np.int8))
    scores = LocalScores(dataset(codes), "mix", n_jobs=1)
    found = best_dag(scores, candidates)
    assert is_dag(found.dag)
    assert not (found.dag & ~candidates).any()
    assert found.complete
    assert found.score == pytest.approx(score_of(scores, found.dag), abs=1e-6)
    assert found.score >= score_of(scores, np.zeros((n, n), np.int8))
    for (i, j), gain, legal in zip(found.arcs.tolist(), found.gain, found.legal, strict=True):
        other = found.dag.copy()
        other[i, j] ^= 1
        change = score_of(scores, other) - found.score
        assert gain == pytest.approx(-change if found.dag[i, j] else change, abs=1e-6)
        assert legal == (found.dag[i, j] == 1 or (found.dag[j, i] == 0 and is_dag(other)))


@given(codes=code_tables(most_rows=ROWS, most_columns=4))
def test_never_worse_than_hill_climbing(codes):
    n = codes.shape[1]
    scores = LocalScores(dataset(codes), "bic", n_jobs=1)
    candidates = (1 - np.eye(n)).astype(np.int8)
    assert best_dag(scores, candidates).score >= hill_climb(scores, candidates) - 1e-6


def test_within_the_worth_of_an_edge_of_the_best_of_all_dags():
    """A heuristic: on four nodes it misses the optimum now and then, by a nat or so, never by what an edge is worth."""
    rng = np.random.default_rng(3)
    gaps = []
    for _ in range(10):
        a = rng.integers(3, size=ROWS)
        b = np.where(rng.random(ROWS) < 0.7, a, rng.integers(3, size=ROWS))
        c = rng.integers(2, size=ROWS)
        d = np.where(rng.random(ROWS) < 0.8, (b + c) % 3, rng.integers(3, size=ROWS))
        scores = LocalScores(dataset(np.stack([d, c, b, a], axis=1)), "mix", n_jobs=1)
        best = max(score_of(scores, dag) for dag in all_dags(4))
        gaps.append(best - best_dag(scores, (1 - np.eye(4)).astype(np.int8)).score)
    assert min(gaps) > -1e-6
    assert max(gaps) < MIN_GAIN
    assert np.median(gaps) < 1e-6


@given(codes=code_tables(most_rows=ROWS, least_columns=4), most=st.integers(0, 2))
def test_required_arcs_and_degrees_are_kept(codes, most):
    n = codes.shape[1]
    scores = LocalScores(dataset(codes), "mix", n_jobs=1)
    required = np.zeros((n, n), np.int8)
    required[0, 1] = required[1, 2] = 1
    candidates = (1 - np.eye(n)).astype(np.int8)
    found = best_dag(scores, candidates, required=required, max_degree=most)
    degree = (found.dag | found.dag.T).sum(axis=1)
    assert (found.dag & required == required).all()
    assert (degree <= np.maximum(most, (required | required.T).sum(axis=1))).all()


def test_a_start_a_stop_and_cycles():
    rng = np.random.default_rng(0)
    scores = LocalScores(dataset(rng.integers(2, size=(50, 3))), "mix", n_jobs=1)
    candidates = (1 - np.eye(3)).astype(np.int8)
    start = np.zeros((3, 3), np.int8)
    start[0, 1] = start[0, 2] = 1
    stopped = best_dag(scores, candidates, start=start, stop=lambda: True)
    assert stopped.steps == 1
    assert not stopped.complete
    assert best_dag(scores, candidates, start=start).score >= score_of(scores, start)
    start[1, 0] = 1
    with pytest.raises(GraphError):
        best_dag(scores, candidates, required=start)


def test_no_candidates_is_the_empty_dag():
    scores = LocalScores(dataset(np.array([[0, 1], [1, 0]])), "mix", n_jobs=1)
    found = best_dag(scores, np.zeros((2, 2), np.int8))
    assert found.dag.sum() == 0
    assert len(found.arcs) == 0
