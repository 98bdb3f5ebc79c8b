"""Verdicts of tests where rows are few for the number of values."""

import itertools

import numpy as np
import pytest

from ml4c.citest import DataTest
from ml4c.skeleton import learn_skeleton
from ml4c.skeleton.verdicts import ROWS_FOR_G2, SparseVerdicts, by_g2, permutation_moments
from tables import dataset


def inverse(column):
    counts = np.bincount(column)
    return float((len(column) / counts[counts > 0]).sum())


def pearson(x, y):
    table = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(table, (x, y), 1)
    expected = np.outer(table.sum(1), table.sum(0)) / len(x)
    return float(((table - expected) ** 2 / expected).sum())


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([0, 0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2, 0]),
        ([0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 2, 3]),
        ([0, 1, 2, 3], [0, 0, 1, 1]),
    ],
)
def test_the_moments_of_chi2_are_those_over_all_permutations(x, y):
    x, y = np.array(x), np.array(y)
    every = [pearson(x, y[list(order)]) for order in itertools.permutations(range(len(y)))]
    mean, variance = permutation_moments(
        *(np.array([float(v)]) for v in (len(x), x.max() + 1, y.max() + 1, inverse(x), inverse(y)))
    )
    assert mean[0] == pytest.approx(np.mean(every))
    assert variance[0] == pytest.approx(np.var(every), abs=1e-12)


def wide_table(rows, values, share, seed=0):
    """Two columns of many values that agree in a share of the rows, and one that has nothing to do with them."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.integers(values, size=(3, rows))
    return dataset(np.column_stack([a, np.where(rng.random(rows) < share, a, b), c]))


def test_columns_of_hundreds_of_values_are_joined_when_they_mostly_agree_and_not_otherwise():
    found = learn_skeleton(wide_table(3_000, 300, share=0.9), n_jobs=1)
    assert np.argwhere(np.triu(found.matrix)).tolist() == [[0, 1]]


def test_p_values_of_sparse_pairs_are_uniform_under_independence():
    p_values = []
    for seed in range(200):
        data = wide_table(300, 60, share=0.0, seed=seed)
        test = DataTest(data, n_jobs=1)
        pairs = np.array([[0, 1], [0, 2], [1, 2]], np.int32)
        found = test.association(pairs)
        assert (found.n < ROWS_FOR_G2 * found.dof).all()
        p_values.extend(SparseVerdicts(test.packed)(pairs, found)[0])
    shares = [np.mean(np.array(p_values) <= level) for level in (0.05, 0.25, 0.5, 0.75)]
    assert shares == pytest.approx([0.05, 0.25, 0.5, 0.75], abs=0.06)


def test_a_question_without_power_separates_nobody_and_others_are_judged_by_g2():
    test = DataTest(wide_table(300, 60, share=0.9), n_jobs=1)
    asked = np.array([[0, 1, 2]], np.int32)
    p_value, z = SparseVerdicts(test.packed)(asked, test.association(asked))
    assert (p_value[0], z[0]) == (0.0, np.inf)
    narrow = DataTest(wide_table(3_000, 3, share=0.5), n_jobs=1)
    asked = np.array([[0, 1, 2], [0, 1, -1]], np.int32)
    found = narrow.association(asked)
    for ours, plain in zip(SparseVerdicts(narrow.packed)(asked, found), by_g2(asked, found), strict=True):
        assert ours.tolist() == plain.tolist()


def test_columns_without_any_repeated_value_tell_nothing():
    rng = np.random.default_rng(0)
    test = DataTest(dataset(np.column_stack([rng.permutation(40), rng.permutation(40)])), n_jobs=1)
    asked = np.array([[0, 1]], np.int32)
    assert SparseVerdicts(test.packed)(asked, test.association(asked))[0][0] == 1.0
