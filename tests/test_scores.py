"""Local scores against their naive twins, and the invariances that they promise."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from conftest import JIT
from ml4c._kernels.terms import TALL
from ml4c.errors import DataError
from ml4c.scores import JointScores, LocalScores, families
from tables import code_tables, dataset, trusted

KINDS = ["bic", "bdeu", "mix", "poe"]


@st.composite
def families_of(draw, n_columns, most=20):
    asked = []
    for _ in range(draw(st.integers(1, most))):
        order = draw(st.permutations(range(n_columns)))
        asked.append((order[0], tuple(order[1 : 1 + draw(st.integers(0, min(4, n_columns - 1)))])))
    return asked


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [False, True])
@given(data=st.data())
def test_scores_equal_naive_twins(kind, missing, data):
    codes = data.draw(code_tables(most_rows=1000 if JIT else 80, missing=missing))
    asked = data.draw(families_of(codes.shape[1]))
    scores = LocalScores(dataset(codes), kind, n_jobs=1).score(families(asked))
    twin = getattr(naive, kind)
    for (node, parents), score in zip(asked, scores, strict=True):
        assert score == pytest.approx(twin(codes, node, parents), rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_configurations_of_many_rows_equal_naive_twins(kind):
    """Rows about as many as the tables of terms have, and more."""
    rng = np.random.default_rng(0)
    parent = np.repeat(np.arange(6), [63, 64, 65, TALL - 1, TALL, 2 * TALL])
    codes = np.column_stack([rng.integers(3, size=len(parent)), parent, rng.integers(2, size=len(parent))])
    scores = LocalScores(dataset(codes), kind, n_jobs=1)
    for node, parents in [(0, ()), (0, (1,)), (2, (1,)), (2, (0, 1)), (1, (2,))]:
        assert scores.of(node, parents) == pytest.approx(getattr(naive, kind)(codes, node, parents), rel=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_relabelling_permuting_and_threads_change_no_bit(kind, data):
    codes = data.draw(code_tables(most_rows=1000 if JIT else 80))
    asked = data.draw(families_of(codes.shape[1], most=100))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    order = rng.permutation(codes.shape[1])
    shuffled = rng.permutation(codes)[:, order]
    for j in range(shuffled.shape[1]):
        shuffled[:, j] = rng.permutation(shuffled[:, j].max() + 1)[shuffled[:, j]]
    place = np.argsort(order)
    moved = [(place[node], tuple(place[list(reversed(parents))])) for node, parents in asked]
    one = LocalScores(dataset(codes), kind, n_jobs=1).score(families(asked))
    other = LocalScores(dataset(shuffled), kind, n_jobs=3).score(families(moved))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", ["bic", "bdeu"])
@given(data=st.data())
def test_bic_and_bdeu_are_score_equivalent(kind, data):
    codes = data.draw(code_tables(most_rows=500 if JIT else 80, least_columns=3))
    scores = LocalScores(dataset(codes), kind)
    forwards = scores.score([[0, -1, -1], [1, 0, -1], [2, 0, 1]]).sum()
    backwards = scores.score([[2, -1, -1], [1, 2, -1], [0, 1, 2]]).sum()
    assert forwards == backwards  # to the last bit, so that searches see the tie


def test_mix_accepts_the_parents_of_a_wide_column_that_the_others_refuse():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 12, (2, 3000 if JIT else 400))
    z = np.where(rng.random(len(x)) < 0.6, (x + y) % 12, rng.integers(0, 12, len(x)))
    table = trusted(np.column_stack([x, y, z]))
    gain = {kind: np.diff(LocalScores(table, kind).score([[2, -1, -1], [2, 0, 1]]))[0] for kind in KINDS}
    assert gain["mix"] > 0
    assert gain["bic"] < 0


def test_one_family_by_name_and_wrong_ones():
    table = trusted(np.array([[0, 0], [1, 1], [0, 1], [0, 0]]), ["a", "b"])
    scores = LocalScores(table, "bdeu", ess=2.0)
    assert scores.of("b", ["a"]) == scores.score([[1, 0]])[0]
    assert scores.of("b", ["a"]) == pytest.approx(naive.bdeu(table.codes.astype(int), 1, (0,), ess=2.0))
    with pytest.raises(DataError, match="no column 'c'"):
        scores.of("c")
    with pytest.raises(DataError, match=r"question 0 is \[1, 1\]"):
        scores.score([[1, 1]])
    with pytest.raises(DataError, match="no score 'aic'; choose one of bdeu, bic, mix, poe"):
        LocalScores(table, "aic")
    with pytest.raises(DataError, match="ess must be positive"):
        LocalScores(table, "bdeu", ess=0)


def test_poe_asks_less_of_additive_parents_than_of_those_that_act_together():
    """Two parents that add up are what the experts expect; only what they do together is left to pay for."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (2, 4000 if JIT else 600))
    together = np.where(rng.random(len(x)) < 0.9, x ^ y, 1 - (x ^ y))
    apart = (x + y + (rng.random(len(x)) < 0.2) > 1).astype(int)
    table = trusted(np.column_stack([x, y, together, apart]))
    scores = LocalScores(table, "poe")
    assert scores.of(2, [0, 1]) - max(scores.of(2, [0]), scores.of(2, [1])) > 100
    assert scores.of(3, [0, 1]) > max(scores.of(3, [0]), scores.of(3, [1]))


@given(data=st.data(), missing=st.booleans())
def test_scores_counted_together_are_those_counted_alone(data, missing):
    codes = data.draw(code_tables(most_rows=500 if JIT else 80, missing=missing))
    asked = families(data.draw(families_of(codes.shape[1])))
    table = dataset(codes)
    joint = JointScores(table, KINDS, n_jobs=1)
    together = joint.score(asked)
    for kind, scores in zip(KINDS, together.T, strict=True):
        np.testing.assert_array_equal(scores, LocalScores(table, kind, n_jobs=1).score(asked))
        np.testing.assert_array_equal(scores, joint.only(kind).score(asked))


def test_one_of_several_scores_is_one_of_them():
    joint = JointScores(trusted(np.array([[0, 1], [1, 0], [1, 1]])), ("mix", "bdeu"))
    assert (joint.only("bdeu").kind, joint.only("bdeu").names) == ("bdeu", joint.packed.names)
    with pytest.raises(DataError, match="the scores are mix, bdeu; 'poe' is not among them"):
        joint.only("poe")


@pytest.mark.jit
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_configurations_of_one_row_count_alike_in_any_order_of_parents(missing):
    """Under a node of many states rows are sorted; whether its lone rows had a label depended on who came last."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        first = rng.integers(10, size=1000)
        second = np.where(rng.random(1000) < 0.95, first, rng.integers(10, size=1000))
        codes = np.column_stack([rng.integers(250, size=1000), first, second, rng.integers(2, size=1000)])
        codes[rng.random(1000) < missing, 0] = -1
        found = set()
        for order in permutations([1, 2, 3]):
            columns = [0, *order]
            found.add(LocalScores(dataset(codes[:, columns]), "poe", n_jobs=1).of(0, [1, 2, 3]))
        assert len(found) == 1
