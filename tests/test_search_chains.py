"""Walks over orientations against the enumeration of all of them."""

from itertools import combinations, product
from math import comb, exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import JIT
from ml4c.graph import is_dag, unshielded_triples
from ml4c.search.chains import MOST_PARENTS, parent_sets, walk_orientations
from ml4c.search.subsets import set_counts, unrank

SKELETON = np.zeros((5, 5), np.int8)
for i, j in [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (1, 4)]:
    SKELETON[i, j] = SKELETON[j, i] = 1


def all_orientations(skeleton):
    edges = np.argwhere(np.triu(skeleton))
    for turned in product((0, 1), repeat=len(edges)):
        dag = np.zeros_like(skeleton)
        for (i, j), back in zip(edges, turned, strict=True):
            dag[(j, i) if back else (i, j)] = 1
        if is_dag(dag):
            yield dag


def value_of(sets, scores, dag):
    """The sum of the scores of a DAG's families, looked up by members."""
    score_of = {(row[0], frozenset(row[row >= 0][1:])): s for row, s in zip(sets.families, scores, strict=True)}
    return sum(score_of[v, frozenset(np.flatnonzero(dag[:, v]))] for v in range(len(dag)))


def test_frequencies_and_the_best_are_those_of_all_acyclic_orientations():
    sets = parent_sets(SKELETON, np.full(5, 2), 1_000)
    scores = np.random.default_rng(3).normal(scale=2.0, size=len(sets.families))
    triples = unshielded_triples(SKELETON)
    x, t, y = triples.T
    temperatures = (4.0, 1.0)
    dags = list(all_orientations(SKELETON))
    values = np.array([value_of(sets, scores, dag) for dag in dags])
    colliders = np.array([dag[x, t] & dag[y, t] for dag in dags])
    walks = [walk_orientations(sets, scores, triples, temperatures, seed) for seed in range(15 if JIT else 1)]
    for row, temperature in enumerate(temperatures):
        weight = np.array([exp((v - values.max()) / temperature) for v in values])
        expected = weight @ colliders / weight.sum()
        found = np.mean([walk.frequency[row] for walk in walks], axis=0)
        assert found == pytest.approx(expected, abs=0.04 if JIT else 0.2)
    best = max(walks, key=lambda walk: walk.value)
    assert best.value == pytest.approx(values.max())
    assert best.best.tolist() == (colliders[values.argmax()] == 1).tolist()


def test_a_walk_is_the_same_again_and_ends_in_a_dag():
    sets = parent_sets(SKELETON, np.full(5, 2), 1_000)
    scores = np.random.default_rng(0).normal(size=len(sets.families))
    triples = unshielded_triples(SKELETON)
    first, again = (walk_orientations(sets, scores, triples, (1.0,), seed=7) for _ in range(2))
    assert first.frequency.tobytes() == again.frequency.tobytes()
    assert (first.inward == again.inward).all()
    dag = np.zeros_like(SKELETON)
    dag[sets.layout.neighbours[first.inward == 1], sets.layout.owner[first.inward == 1]] = 1
    assert is_dag(dag)
    assert first.value == pytest.approx(value_of(sets, scores, dag))


def test_every_set_of_neighbours_is_listed_once_where_its_number_says():
    sets = parent_sets(SKELETON, np.full(5, 2), 1_000)
    for v in range(5):
        near = np.flatnonzero(SKELETON[v])
        mine = [frozenset(row[row >= 0][1:]) for row in sets.families[sets.families[:, 0] == v]]
        assert len(mine) == len(set(mine)) == 2 ** len(near)
        for size in range(len(near) + 1):
            for members in combinations(range(len(near)), size):
                at = sets.first[v, size] + sum(comb(m, k + 1) for k, m in enumerate(members))
                assert sets.families[at].tolist()[: size + 1] == [v, *near[list(members)].tolist()]
    assert sets.scored.all()


def test_hubs_have_bounded_sets_and_walks_leave_what_is_forbidden():
    hub = np.zeros((41, 41), np.int8)
    hub[0, 1:] = hub[1:, 0] = 1
    sets = parent_sets(hub, np.full(41, 2), 1_000)
    assert (sets.largest[0], len(sets.families)) == (2, 1 + 40 + comb(40, 2) + 40 * 2)
    walk = walk_orientations(sets, np.zeros(len(sets.families)), unshielded_triples(hub), (1.0,), seed=0)
    assert walk.value > -1.0
    assert walk.inward[sets.layout.owner == 0].sum() <= 2


def test_sets_with_far_more_configurations_than_rows_are_left_out():
    star = np.zeros((5, 5), np.int8)
    star[0, 1:] = star[1:, 0] = 1
    sets = parent_sets(star, np.array([2, 50, 50, 2, 2]), 1_000)
    sizes = (sets.families[:, 1:] >= 0).sum(axis=1)
    assert sets.scored[sizes <= 2].all()
    left_out = {frozenset(row[row >= 0][1:].tolist()) for row in sets.families[~sets.scored]}
    assert left_out == {frozenset(s) for s in ({1, 2, 3}, {1, 2, 4}, {1, 2, 3, 4})}
    assert MOST_PARENTS >= 4


@given(st.integers(1, 5), st.lists(st.integers(0, 10_000), min_size=1, max_size=20))
def test_a_set_and_its_number_say_the_same(size, ranks):
    members = unrank(np.array(ranks), size)
    assert (np.diff(members, axis=1) > 0).all()
    again = sum(set_counts(k + 1)[members[:, k]] for k in range(size))
    assert again.tolist() == ranks
