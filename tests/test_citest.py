"""The counting engine against its naive twins, the reference's numbers, scipy, and itself."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive
from conftest import JIT
from ml4c._kernels.pairs import AUTOMATIC, DIRECT, PLANES, SORTED_CODES, SORTED_PLANES
from ml4c.bif import load_network
from ml4c.citest import CITest, DataTest, FrozenTest, OracleTest, questions
from ml4c.errors import DataError, GraphError
from ml4c.graph import d_separated
from tables import code_tables, dataset, questions_about, trusted

ROUTES = [AUTOMATIC, PLANES, DIRECT, SORTED_PLANES, SORTED_CODES]
GOLDEN = Path(__file__).parent / "data" / "golden.npz"


def check_against_twins(codes, asked, test):
    rows = questions(asked)
    dependence, association = test.dependence(rows), test.association(rows)
    for i, (x, y, given_) in enumerate(asked):
        assert dependence.severity[i] == pytest.approx(naive.severity(codes, x, y, given_), rel=1e-12, abs=1e-12)
        g2, chi2, dof = naive.association(codes, x, y, given_)
        assert association.g2[i] == pytest.approx(g2, rel=1e-9, abs=1e-8)
        assert association.chi2[i] == pytest.approx(chi2, rel=1e-9, abs=1e-8)
        assert association.dof[i] == dof
        present = naive.n_present(codes, (x, y, *given_))
        assert dependence.n[i] == association.n[i] == present


@given(st.data())
def test_engine_equals_naive_twins(data):
    codes = data.draw(code_tables())
    asked = data.draw(questions_about(codes.shape[1]))
    check_against_twins(codes, asked, DataTest(dataset(codes), n_jobs=1))


@given(st.data())
def test_engine_equals_naive_twins_where_values_are_missing(data):
    codes = data.draw(code_tables(most_rows=300, missing=True))
    asked = data.draw(questions_about(codes.shape[1]))
    check_against_twins(codes, asked, DataTest(dataset(codes), n_jobs=1))


@given(st.data())
def test_every_route_and_thread_count_gives_the_same_bits(data):
    codes = data.draw(code_tables(missing=data.draw(st.booleans()), most_rows=1500 if JIT else 100))
    rows = questions(data.draw(questions_about(codes.shape[1], most=100)))
    table = dataset(codes)
    answers = []
    for route in ROUTES:
        for n_jobs in (1, 3):
            test = DataTest(table, n_jobs=n_jobs, route=route)
            dependence, association = test.dependence(rows), test.association(rows)
            answers.append([dependence.severity, dependence.n, association.g2, association.chi2, association.dof])
    for other in answers[1:]:
        np.testing.assert_array_equal(answers[0], other)


@given(st.data())
def test_relabelling_and_permuting_change_no_bit(data):
    codes = data.draw(code_tables(most_rows=1500 if JIT else 100))
    asked = data.draw(questions_about(codes.shape[1]))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    order = rng.permutation(codes.shape[1])
    shuffled = rng.permutation(codes)[:, order]
    for j in range(shuffled.shape[1]):
        shuffled[:, j] = rng.permutation(shuffled[:, j].max() + 1)[shuffled[:, j]]
    place = np.argsort(order)
    moved = [(place[y], place[x], tuple(place[list(reversed(s))])) for x, y, s in asked]
    one, other = DataTest(dataset(codes)), DataTest(dataset(shuffled))
    for ask in ("dependence", "association"):
        a, b = getattr(one, ask)(questions(asked)), getattr(other, ask)(questions(moved))
        for field in a.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(a, field), getattr(b, field))


@pytest.mark.parametrize("network", ["asia", "child", "alarm", "insurance", "barley"])
@pytest.mark.parametrize("route", ROUTES if JIT else [AUTOMATIC])
def test_severity_equals_the_reference(network, route):
    with np.load(GOLDEN) as golden:
        codes, rows, results = (golden[f"{network}_{part}"] for part in ("data", "queries", "results"))
    some = slice(None) if JIT else slice(0, 20)
    dependence = DataTest(trusted(codes), route=route).dependence(rows[some])
    np.testing.assert_allclose(dependence.severity, results[some, 1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(dependence.p_value, results[some, 0], rtol=0, atol=4e-4)


def test_association_equals_scipy():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, [4, 7, 3], (500, 3))
    codes[:, 1] = (codes[:, 1] + codes[:, 0]) % 7
    test = DataTest(trusted(codes))
    strata = [codes[codes[:, 2] == z][:, :2] for z in range(3)]
    for kind, statistic in (("log-likelihood", "g2"), ("pearson", "chi2")):
        tables = [stats.contingency.crosstab(*s.T).count for s in [codes[:, :2], *strata]]
        marginal, *conditional = [stats.chi2_contingency(t, correction=False, lambda_=kind) for t in tables]
        answer = test.association([[0, 1, -1], [0, 1, 2]])
        expected = [marginal.statistic, sum(c.statistic for c in conditional)]
        dof = [marginal.dof, sum(c.dof for c in conditional)]
        np.testing.assert_allclose(getattr(answer, statistic), expected, rtol=1e-10)
        np.testing.assert_array_equal(answer.dof, dof)
        p_value = getattr(answer, f"{statistic}_p_value")
        np.testing.assert_allclose(p_value, stats.chi2.sf(expected, dof), rtol=1e-6, atol=1e-300)


def test_constant_column_depends_on_nothing():
    codes = np.column_stack([np.zeros(50, int), np.arange(50) % 2])
    test = DataTest(trusted(codes))
    assert test.dependence([[0, 1]]).severity[0] == 0.0
    assert test.association([[0, 1]]).dof[0] == 0
    assert test.association([[0, 1]]).g2_p_value[0] == 1.0


@pytest.mark.parametrize("seed", range(6))
def test_pairs_that_share_what_was_counted_are_answered_as_if_alone(seed):
    """Narrow and wide columns under one set, which depend in rare configurations only, some in rarer ones than others.

    So the worst cell comes late, and pairs of the same column look more or less far into the sorted rows.
    """
    rng, rows = np.random.default_rng(seed), 4000 if JIT else 200
    given_ = np.column_stack([rng.choice(12, rows, p=rng.dirichlet(np.ones(12))) for _ in range(2)])
    _, configuration, size = np.unique(given_ @ (12, 1), return_inverse=True, return_counts=True)
    rank = np.argsort(np.argsort(-size))[configuration]
    cards, since = [30, 60, 3, 40, 2, 25, 50], [0, 0, 99, 15, 30, 25, 30]
    common, mine = rng.random(rows) < 0.5, rng.random((len(cards), rows)) < 0.5
    others = [
        np.where(np.where(rank > first, common, own), 0, rng.integers(1, k, size=rows))
        for own, k, first in zip(mine, cards, since, strict=True)
    ]
    test = DataTest(dataset(np.column_stack([given_, *others])), n_jobs=1, route=SORTED_CODES)
    asked = [(x, y, (0, 1)) for x, y in itertools.combinations(range(2, 2 + len(cards)), 2)]
    fresh = [DataTest(test.packed, n_jobs=1, route=SORTED_CODES) for _ in asked]
    alone = [one.dependence(questions([pair])).severity[0] for one, pair in zip(fresh, asked, strict=True)]
    np.testing.assert_array_equal(test.dependence(questions(asked)).severity, alone)


def test_memo_gives_the_same_answers_however_questions_come():
    data = load_network("asia").sample(2000 if JIT else 100, seed=3)
    rng = np.random.default_rng(1)
    asked = []
    for _ in range(3000 if JIT else 100):
        order = rng.permutation(8)
        asked.append((order[0], order[1], tuple(order[2 : 2 + rng.integers(4)])))
    rows = questions(asked)
    at_once = DataTest(data).dependence(rows).severity
    assert len({(min(x, y), max(x, y), tuple(sorted(s))) for x, y, s in asked}) < len(asked), "no repeats"
    piecemeal = DataTest(data)
    answers = np.concatenate([piecemeal.dependence(part).severity for part in np.array_split(rows, 37)])
    np.testing.assert_array_equal(at_once, answers)
    np.testing.assert_array_equal(at_once, piecemeal.dependence(rows).severity)


def test_memo_counts_a_question_once(monkeypatch):
    test = DataTest(load_network("asia").sample(100, seed=3))
    test.dependence([[0, 1, 2]])
    monkeypatch.setattr("ml4c.citest.data.answer", None)
    assert test.dependence([[1, 0, 2], [1, 0, 2]]).severity.shape == (2,)
    with pytest.raises(TypeError):
        test.dependence([[0, 1, 3]])
    monkeypatch.undo()
    assert test.dependence([[0, 1, 3]]).severity[0] == DataTest(test.packed).dependence([[0, 1, 3]]).severity[0]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[0, 0]], "question 0"),
        ([[0, 1], [1, 2]], r"question 1 is \[1, 2\]"),
        ([[0, 1, 0]], "must differ"),
        ([[-1, 1]], "from 0 to 1"),
        ([[0, 1, -2]], "question 0"),
        ([[0.5, 1.0]], "matrix of integers"),
        ([[0]], "2 columns or more"),
    ],
)
def test_wrong_questions_are_refused(rows, reason):
    test = DataTest(trusted(np.array([[0, 0], [1, 1], [0, 1]])))
    with pytest.raises(DataError, match=reason):
        test.dependence(rows)


def test_no_question_no_answer():
    test = DataTest(trusted(np.array([[0, 0], [1, 1]])))
    assert test.dependence(np.empty((0, 2), int)).severity.shape == (0,)


def test_ask_by_name():
    test = DataTest(load_network("asia").sample(1000 if JIT else 100, seed=1))
    finding = test.ask("smoke", "bronc", given=["lung"])
    row = [test.names.index(name) for name in ("smoke", "bronc", "lung")]
    assert finding.severity == test.dependence([row]).severity[0]
    assert finding.given == ("lung",)
    assert "smoke ~ bronc | lung: severity" in str(finding)
    with pytest.raises(DataError, match="no column 'smok'; near matches: 'smoke'"):
        test.ask("smok", "bronc")
    with pytest.raises(DataError, match="no column number 8"):
        test.ask(8, "bronc")


def test_oracle_answers_by_d_separation():
    net = load_network("asia")
    oracle = OracleTest(net.dag, net.names)
    rng = np.random.default_rng(0)
    asked = []
    for _ in range(200):
        order = rng.permutation(8)
        asked.append((order[0], order[1], tuple(order[2 : 2 + rng.integers(5)])))
    rows = questions(asked)
    separated = np.array([d_separated(net.dag, x, y, given_) for x, y, given_ in asked])
    assert 0 < separated.sum() < len(asked)
    np.testing.assert_array_equal(oracle.dependence(rows).severity == 0, separated)
    np.testing.assert_array_equal(oracle.dependence(rows).p_value, separated.astype(float))
    np.testing.assert_array_equal(oracle.association(rows).g2_p_value, separated.astype(float))
    with pytest.raises(GraphError, match="2 names for a graph of 8 nodes"):
        OracleTest(net.dag, ["a", "b"])


def test_frozen_repeats_what_it_recorded_and_nothing_else():
    test: CITest = DataTest(load_network("asia").sample(500 if JIT else 60, seed=1))
    rows = questions([(0, 1, ()), (2, 3, (4, 5)), (6, 7, (1,))])
    frozen = FrozenTest.record(test, rows)
    swapped = rows[:, [1, 0, 3, 2]]
    for ask in ("dependence", "association"):
        a, b = getattr(test, ask)(rows), getattr(frozen, ask)(swapped)
        for field in a.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(a, field), getattr(b, field))
    with pytest.raises(DataError, match="no answer was recorded for asia ~ smoke given tub"):
        frozen.dependence([[0, 2, 1]])
    with pytest.raises(DataError, match="no answer was recorded for asia ~ smoke given tub"):
        frozen.dependence([[0, 2, 1]])
