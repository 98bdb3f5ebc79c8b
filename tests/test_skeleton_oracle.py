"""PC with the d-separation oracle is exact; and the parts that write its questions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import JIT
from ml4c.citest import OracleTest
from ml4c.graph import d_separated
from ml4c.search.subsets import unrank
from ml4c.skeleton import pc_skeleton, separation
from ml4c.skeleton.pairs import all_pairs, number_of
from test_triples import random_dag


@given(st.integers(0, 10**6), st.integers(2, 12 if JIT else 8))
def test_the_true_skeleton_with_sets_that_separate(seed, nodes):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, nodes, int(rng.integers(0, 2 * nodes)))
    found = pc_skeleton(OracleTest(dag))
    assert (found.matrix == (dag | dag.T)).all()
    for i, j in found.absent.pairs.tolist():
        assert d_separated(dag, i, j, found.absent.separator(i, j))
    assert found.absent.p_value.min(initial=1.0) == 1.0
    assert found.present.p_value.max(initial=0.0) == 0.0


@given(st.integers(0, 10**6))
def test_order_of_columns_and_size_of_batches_change_nothing(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 8, 12)
    names = [f"n{i}" for i in range(8)]
    order = rng.permutation(8)
    first = pc_skeleton(OracleTest(dag, names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(separation, "BATCH", 3)
        second = pc_skeleton(OracleTest(dag[np.ix_(order, order)], [names[i] for i in order]))
    assert (second.matrix == first.matrix[np.ix_(order, order)]).all()
    for i, j in itertools.combinations(range(8), 2):
        here, there = second.absent.separator(i, j), first.absent.separator(order[i], order[j])
        assert (here is None) == (there is None)
        if here is not None:
            assert {int(order[c]) for c in here} == set(there)


@given(st.integers(1, 5), st.integers(0, 9))
def test_ranks_give_all_sets_in_colexicographic_order(size, n):
    sets = sorted(itertools.combinations(range(n), size), key=lambda s: s[::-1])
    assert [tuple(row) for row in unrank(np.arange(len(sets)), size).tolist()] == sets


def test_numbers_of_pairs():
    pairs = all_pairs(7)
    assert number_of(pairs[:, 1], pairs[:, 0], 7).tolist() == list(range(21))
