"""The preset `accurate`: features against slow twins, decisions, invariances, knowledge, limits."""

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import JIT
from ml4c.bif import load_network
from ml4c.citest import DataTest
from ml4c.dataset import Dataset
from ml4c.errors import ModelError
from ml4c.learner import load_learner
from ml4c.scores import JointScores, LocalScores
from ml4c.search.orders import MOST_CANDIDATES, TEMPERATURES, walk_orders
from ml4c.skeleton import (
    EDGE_FEATURE_NAMES,
    Reason,
    best_threshold,
    hybrid,
    learn_skeleton,
    load_judge,
    pairs_to_judge,
    pc_skeleton,
    usual_method,
)
from ml4c.skeleton import accurate as accurate_module
from ml4c.skeleton import sights as sights_module
from ml4c.skeleton.accurate import see
from ml4c.skeleton.copies import Least
from ml4c.skeleton.edge_features import FEWEST_VOTES, LARGEST, POOLS, edge_features
from ml4c.skeleton.rules import Rules
from ml4c.skeleton.sights import LIKELY, _strongest
from ml4c.skeleton.watch import Watch
from tables import code_tables, dataset, trusted
from test_skeleton import by_names, check, constraints, edges_of

ROWS = 400 if JIT else 60
SOME = settings(max_examples=25 if JIT else 4)


@dataclass(frozen=True)
class Believer:
    """Stands in for the learner: the more votes the more probable, and a little more with the dependence."""

    threshold: float = 0.5

    def probability(self, matrix, *, n_jobs=None):  # noqa: ARG002
        named = dict(zip(EDGE_FEATURE_NAMES, matrix.T.astype(float), strict=True))
        return 1 / (1 + np.exp(2.5 - named["votes"] - np.clip(named["z"], -10, 100) / 1000))

    def least(self, probability):  # noqa: ARG002
        return Least(self.threshold)


def seen(codes):
    """The test, what was seen, and the features by name, of a table without constants."""
    test = DataTest(dataset(codes), n_jobs=1)
    sights, fast = see(test, Rules.of(None, codes.shape[1]), Watch())
    matrix = edge_features(test, sights)
    return test, sights, fast, dict(zip(EDGE_FEATURE_NAMES, matrix.T, strict=True))


def chain(n=8, rows=2000, seed=0):
    """Columns that copy their predecessor three times out of four; column 4 starts anew."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(3, size=rows)]
    for j in range(1, n):
        kept = rng.random(rows) < (0.75 if j != 4 else 0)
        columns.append(np.where(kept, columns[-1], rng.integers(3, size=rows)))
    return np.stack(columns, axis=1)


# --- features


def test_features_are_finite_or_missing_and_have_different_names():
    _, sights, _, found = seen(chain())
    matrix = np.column_stack([found[name] for name in EDGE_FEATURE_NAMES])
    assert len(set(EDGE_FEATURE_NAMES)) == len(EDGE_FEATURE_NAMES)
    assert matrix.shape == (len(sights.pairs), len(EDGE_FEATURE_NAMES))
    assert matrix.dtype == np.float32
    assert not np.isinf(matrix).any()
    for name in ("z", "votes", "gain wide hi", "alone gain lo", "rank z hi"):
        assert not np.isnan(found[name]).any(), name


def test_features_of_the_pair_are_those_of_the_definition():
    codes = chain()
    test, sights, fast, found = seen(codes)
    scores = LocalScores(test.packed, "mix", n_jobs=1)
    adjacent = {tuple(pair) for pair in fast.pairs[fast.reason == Reason.DEPENDENT].tolist()}
    for k, (i, j) in enumerate(sights.pairs.tolist()):
        table = np.zeros((3, 3))
        np.add.at(table, (codes[:, i], codes[:, j]), 1 / len(codes))
        expected = np.outer(table.sum(axis=1), table.sum(axis=0))
        information = (table * np.log(table / expected)).sum()
        assert found["information"][k] == pytest.approx(information, rel=1e-4)
        gains = [scores.of(a, [b]) - scores.of(a) for a, b in ((i, j), (j, i))]
        assert found["alone gain hi"][k] == pytest.approx(max(gains), rel=1e-4)
        assert found["alone gain lo"][k] == pytest.approx(min(gains), rel=1e-4)
        assert found["fast"][k] == ((i, j) in adjacent)
        assert found["bic gain"][k] == pytest.approx(information * len(codes) - 2 * np.log(len(codes)), rel=1e-3)


def test_gains_are_those_of_toggling_the_arc():
    test, sights, _, found = seen(chain())
    scores = LocalScores(test.packed, "mix", n_jobs=1)
    dag = sights.dags["wide"].dag
    for k, (i, j) in enumerate(sights.pairs.tolist()):
        gains = []
        for tail, head in ((i, j), (j, i)):
            others = [p for p in np.flatnonzero(dag[:, head]).tolist() if p != tail]
            gains.append(scores.of(head, [*others, tail]) - scores.of(head, others))
        assert found["gain wide hi"][k] == pytest.approx(max(gains), rel=1e-4, abs=1e-3)
        assert found["gain wide lo"][k] == pytest.approx(min(gains), rel=1e-4, abs=1e-3)


def test_sets_are_those_of_the_likeliest_neighbours():
    test, sights, _, found = seen(chain())
    votes, z = sights.votes, sights.marginals.z

    def pool(end, other, most):
        near = [c for c in range(len(votes)) if c not in (end, other) and votes[end, c] > 0]
        return sorted(near, key=lambda c: (-votes[end, c], -z[end, c]))[:most]

    for k, (i, j) in enumerate(sights.pairs.tolist()):
        for size, most in enumerate(POOLS, 1):
            ends = [
                [test.ask(i, j, given) for given in combinations(pool(a, b, most), size)] for a, b in ((i, j), (j, i))
            ]
            told = [answer.g2 / 2 / answer.n for answers in ends for answer in answers]
            if not told or votes[i, j] < FEWEST_VOTES[size - 1]:
                assert np.isnan(found[f"information | {size}"][k])
                continue
            assert found[f"information | {size}"][k] == pytest.approx(min(told), rel=1e-3, abs=1e-6)
    assert (found["least information"] <= found["information"]).all()
    assert np.isnan(found["information | 2"]).any()
    assert not np.isnan(found["information | 2"][found["votes"] > 0]).all()


def test_pairs_are_asked_about_given_the_parents_in_the_dags():
    test, sights, _, found = seen(chain())
    for name in ("wide", "bdeu walked"):
        dag = sights.dags[name].dag
        for k, (i, j) in enumerate(sights.pairs.tolist()):
            told = []
            for end, other in ((i, j), (j, i)):
                told.append(test.ask(i, j, [p for p in np.flatnonzero(dag[:, end]).tolist() if p != other]))
            information = [answer.g2 / 2 / answer.n for answer in told]
            assert found[f"information given {name} parents hi"][k] == pytest.approx(max(information), rel=1e-3)
            assert found[f"information given {name} parents lo"][k] == pytest.approx(min(information), rel=1e-3)
            gains = [answer.g2 / 2 - answer.dof * np.log(answer.n) / 2 for answer in told]
            assert found[f"bic gain given {name} parents lo"][k] == pytest.approx(min(gains), rel=1e-3, abs=1e-3)


def test_what_tests_alone_find_is_a_feature():
    test, sights, _, found = seen(chain())
    alone = pc_skeleton(test, max_condition=2).matrix
    for k, (i, j) in enumerate(sights.pairs.tolist()):
        assert found["pc"][k] == alone[i, j]
        assert found["pc common"][k] == (alone[i] & alone[j]).sum()
        assert found["pc degree hi"][k] == max(alone[i].sum(), alone[j].sum())


def test_walks_tell_how_probable_edges_are_among_the_likeliest_neighbours():
    test, sights, _, found = seen(chain())
    judged = {tuple(pair) for pair in sights.pairs.tolist()}
    last = sights.dags["bdeu walked"].dag
    votes = sights.votes - (last | last.T)  # as they were before the walks
    listed = np.full((8, MOST_CANDIDATES), -1, np.int32)
    for column in range(8):
        near = [c for c in range(8) if tuple(sorted((c, column))) in judged]
        near.sort(key=lambda c: (-votes[column, c], -sights.marginals.z[column, c]))
        listed[column, : len(near)] = near[:MOST_CANDIDATES]
    for kind in ("mix", "bdeu"):
        scores = LocalScores(test.packed, kind, n_jobs=1)
        walked = walk_orders(scores, listed, sights.dags["wide"].dag)
        for temperature, share in zip(TEMPERATURES, walked.shares, strict=True):
            expected = [share[i, j] + share[j, i] for i, j in sights.pairs.tolist()]
            assert found[f"share {kind} at {temperature:g}"] == pytest.approx(expected, abs=1e-6)
        cold = found[f"share {kind} at 1"]
        true = np.array([j == i + 1 and j != 4 for i, j in sights.pairs.tolist()])
        assert cold[true].min() > 0.99 > 0.3 > cold[~true].max()


def test_climbs_go_on_from_the_walks_and_six_vote(monkeypatch):
    walks, starts = [], []

    def remember_walk(scores, candidates, start):
        walks.append(walk_orders(scores, candidates, start))
        return walks[-1]

    def remember_search(scores, candidates, start, *rest, **options):
        starts.append(start)
        return hybrid.search(scores, candidates, start, *rest, **options)

    monkeypatch.setattr(sights_module, "walk_orders", remember_walk)
    monkeypatch.setattr(sights_module, "search", remember_search)
    _, sights, _, _ = seen(chain())
    assert [start.tolist() for start in starts[-2:]] == [walk.dag.tolist() for walk in walks]
    dags = [sights.dags[name].dag for name in ("mix", "wide", "bdeu walked")]
    wanted = sights.explored.wanted.astype(int)
    by_pc = np.zeros((8, 8), int)
    by_pc[np.triu_indices(8, 1)] = sights.by_pc.adjacent
    votes = np.maximum(wanted, wanted.T) + wanted * wanted.T + by_pc + by_pc.T + sum(dag | dag.T for dag in dags)
    assert sights.votes.tolist() == votes.tolist()
    assert sights.votes.max() == 6


def test_walks_use_no_arc_that_knowledge_forbids(monkeypatch):
    asked = []

    def remember(scores, candidates, start):
        asked.append(candidates)
        return walk_orders(scores, candidates, start)

    monkeypatch.setattr(sights_module, "walk_orders", remember)
    nothing = np.zeros((8, 8), bool)
    forbidden = nothing.copy()
    forbidden[0, 1] = True
    see(DataTest(dataset(chain()), n_jobs=1), Rules(nothing, forbidden, nothing, nothing), Watch())
    assert len(asked) == 2
    for candidates in asked:
        assert 0 not in candidates[1]
        assert 1 in candidates[0]


def test_relatives_are_counted_in_the_dag():
    _, sights, _, found = seen(chain(rows=300))
    dag = sights.dags["wide"].dag
    reach = np.linalg.matrix_power(np.eye(len(dag), dtype=int) + dag, len(dag)) > 0
    for k, (i, j) in enumerate(sights.pairs.tolist()):
        assert found["common children"][k] == (dag[i] & dag[j]).sum()
        assert found["common parents"][k] == (dag[:, i] & dag[:, j]).sum()
        assert found["descent"][k] == (reach[i, j] | reach[j, i])
        assert found["all votes lo"][k] == min(sights.votes[i].sum(), sights.votes[j].sum())


def test_detours_and_what_is_left_are_those_of_the_definition():
    codes = chain(rows=300)
    _, sights, _, found = seen(codes)
    votes, told = sights.votes, sights.marginals.information
    counts = [np.bincount(column) / len(codes) for column in codes.T]
    entropy = [-(share * np.log(share)).sum() for share in counts]
    for k, (i, j) in enumerate(sights.pairs.tolist()):
        for name, least in (("detour", LIKELY), ("any detour", 1)):
            both = [c for c in range(len(votes)) if min(votes[i, c], votes[j, c]) >= least and c not in (i, j)]
            steps = [min(told[i, c], told[j, c]) for c in both]
            expected = told[i, j] / max(steps) if steps else np.nan
            assert found[name][k] == pytest.approx(expected, rel=1e-4, nan_ok=True)
        left = []
        for end, other in ((i, j), (j, i)):
            near = [told[end, c] for c in range(len(votes)) if votes[end, c] > 0 and c not in (end, other)]
            left.append(entropy[end] - max(near) if near else np.nan)
        assert found["entropy left hi"][k] == pytest.approx(np.fmax(*left), rel=1e-4, nan_ok=True)
        assert found["entropy left lo"][k] == pytest.approx(np.fmin(*left), rel=1e-4, nan_ok=True)


def test_ranks_count_what_is_stronger():
    _, sights, _, found = seen(chain())
    z = sights.marginals.z
    for k, (i, j) in enumerate(sights.pairs.tolist()):
        ranks = [(z[i] > z[i, j]).sum(), (z[j] > z[i, j]).sum()]
        assert [found["rank z lo"][k], found["rank z hi"][k]] == sorted(ranks)


@given(st.lists(st.lists(st.sampled_from([-np.inf, np.nan, 0.0, 1.0, 2.0, 3.0]), min_size=4, max_size=4), min_size=1))
def test_the_strongest_are_those_that_few_exceed(rows):
    strength = np.array(rows)
    for most in (1, 2, 9):
        marked = _strongest(strength, most)
        for row, marks in zip(strength, marked, strict=True):
            for value, mark in zip(row, marks, strict=True):
                assert mark == (np.isfinite(value) and (row > value).sum() < most)


def test_all_true_edges_of_a_chain_are_judged():
    judged = pairs_to_judge(dataset(chain()), n_jobs=1)
    assert {(i, i + 1) for i in range(7)} - {(3, 4)} <= {tuple(pair) for pair in judged.pairs.tolist()}
    assert judged.columns.tolist() == list(range(8))
    nothing = pairs_to_judge(trusted(np.zeros((5, 3), int)))
    assert nothing.matrix.shape == (0, len(EDGE_FEATURE_NAMES))


# --- decisions


def test_edges_are_the_pairs_from_the_threshold_on():
    table = dataset(chain())
    found = learn_skeleton(table, "accurate", judge=Believer())
    check(found, 8)
    judged = np.concatenate([found.present.probability, found.absent.probability])
    assert (found.present.probability >= 0.5).all()
    assert not (found.absent.probability >= 0.5).any()
    assert np.isfinite(judged).sum() == len(pairs_to_judge(table).pairs)
    assert edges_of(found) == {frozenset((i, i + 1)) for i in range(7) if i != 3}
    assert found.method == "accurate"
    assert np.isnan(learn_skeleton(table, "fast").present.probability).all()


def test_a_lower_threshold_keeps_what_a_higher_one_kept():
    table = dataset(chain(rows=300))
    chosen = [edges_of(learn_skeleton(table, "accurate", judge=Believer(t))) for t in (0.0, 0.3, 0.6, 0.9, 1.1)]
    assert all(low >= high for low, high in pairwise(chosen))
    assert len(chosen[0]) == len(pairs_to_judge(table).pairs)
    assert chosen[-1] == set()


@pytest.mark.parametrize("missing", [False, True])
@SOME
@given(data=st.data())
def test_columns_categories_rows_and_threads_change_no_bit(missing, data):
    codes = data.draw(code_tables(most_rows=ROWS, missing=missing))
    n = codes.shape[1]
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    names = [f"c{j}" for j in range(n)]
    order = rng.permutation(n)
    other = codes.copy()
    for column in other.T:
        names_of = rng.permutation(int(column.max()) + 1)
        column[:] = np.where(column >= 0, names_of[column], -1)
    other = other[rng.permutation(len(other))][:, order]
    moved = dataset(other)
    moved = Dataset(tuple(names[j] for j in order), moved.categories, moved.codes, moved.missing)
    judge = load_judge()
    first = learn_skeleton(dataset(codes), "accurate", n_jobs=1, judge=judge)
    second = learn_skeleton(moved, "accurate", n_jobs=3, judge=judge)
    check(first, n)
    assert by_names(first, names) == by_names(second, moved.names)
    assert probabilities(first, names) == probabilities(second, moved.names)


def probabilities(skeleton, names):
    """The probability of every pair, by names, to the last bit."""
    return {
        frozenset((names[i], names[j])): p.tobytes()
        for evidence in (skeleton.present, skeleton.absent)
        for (i, j), p in zip(evidence.pairs.tolist(), evidence.probability, strict=True)
    }


@SOME
@given(data=st.data())
def test_knowledge_is_obeyed(data):
    codes = data.draw(code_tables(most_rows=ROWS // 2, least_columns=4))
    order = data.draw(st.permutations(range(codes.shape[1])))
    known = constraints(
        codes.shape[1],
        required=[(order[0], order[1])],
        adjacent=[(order[0], order[1]), (order[1], order[2])],
        absent=[(order[2], order[3])],
        forbidden=[(order[3], order[0]), (order[2], order[3]), (order[3], order[2])],
    )
    found = learn_skeleton(dataset(codes), "accurate", constraints=known, n_jobs=1, judge=Believer())
    assert found.matrix[order[0], order[1]] == found.matrix[order[1], order[2]] == 1
    row = found.absent.find(order[2], order[3])
    assert found.absent.reason[row] == Reason.FORBIDDEN
    assert np.isnan(found.absent.probability[row])


@SOME
@given(codes=code_tables(most_rows=ROWS // 2), most=st.integers(0, 3))
def test_degrees_are_limited_and_the_surest_edges_stay(codes, most):
    found = learn_skeleton(dataset(codes), "accurate", max_degree=most, n_jobs=1, judge=Believer())
    links = found.present.pairs[found.present.reason == Reason.COPY_LINK]
    degree = found.matrix.sum(axis=1) - np.bincount(links.ravel(), minlength=codes.shape[1])
    assert (degree <= most).all()
    for row in np.flatnonzero(found.absent.reason == Reason.DEGREE).tolist():
        i, j = found.absent.pairs[row].tolist()
        full = [c for c in (i, j) if degree[c] == most]
        assert full
        rivals = [found.present.find(c, o) for c in full for o in np.flatnonzero(found.matrix[c]).tolist()]
        surest = [found.present.probability[r] for r in rivals if found.present.reason[r] == Reason.DEPENDENT]
        assert most == 0 or max(surest) >= found.absent.probability[row]


def test_no_set_is_asked_that_the_user_did_not_allow():
    largest = []

    class Noting(DataTest):
        def association(self, questions):
            largest.append(int((np.asarray(questions)[:, 2:] >= 0).sum(axis=1).max(initial=0)))
            return super().association(questions)

    test = Noting(dataset(chain()), n_jobs=1)
    sights, _ = see(test, Rules.of(None, 8), Watch(), max_condition=0)
    largest.clear()
    matrix = edge_features(test, sights, largest_set=0)
    assert max(largest, default=0) == 0
    assert np.isnan(matrix[:, EDGE_FEATURE_NAMES.index("z lo | 1")]).all()
    assert np.isnan(matrix[:, EDGE_FEATURE_NAMES.index("z given wide parents hi")]).any()
    largest.clear()
    edge_features(test, sights, largest_set=1)
    assert max(largest) == 1


@pytest.mark.parametrize(
    "codes",
    [
        np.array([[0, 0, 0], [1, 1, 0]]),
        np.zeros((5, 3), int),
        np.tile(np.arange(4)[:, None], (3, 5)),
        np.stack([np.arange(300), np.arange(300) % 7, np.arange(300) % 2], axis=1),
        np.arange(4)[:, None],
        np.zeros((1, 2), int),
        np.array([[0, 0], [0, 1], [1, 0], [1, 1]]),
    ],
)
def test_odd_tables(codes):
    found = learn_skeleton(trusted(codes), "accurate", n_jobs=1)
    check(found, codes.shape[1])
    assert found.complete


def test_a_budget_of_nothing_leaves_the_decision_to_what_is_there():
    table = trusted(np.random.default_rng(0).integers(3, size=(200, 6)))
    found = learn_skeleton(table, "accurate", time_budget=0)
    check(found, 6)
    assert not found.complete
    assert np.isnan(found.absent.probability).all()
    assert learn_skeleton(table, "accurate", time_budget=1000).complete


def test_progress_is_told():
    told = []
    learn_skeleton(dataset(chain()), "accurate", judge=Believer(), progress=lambda *what: told.append(what))
    phases = {"pairs", "candidates", "search", "levels of tests", "wider search", "edges"}
    assert {phase for phase, _, _ in told} == phases
    assert all(0 <= done <= total for _, done, total in told)


# --- the model of the package


def test_a_model_of_triples_is_no_judge_and_a_judge_no_model_of_triples(tmp_path):
    triples = load_learner("default")
    triples.save(tmp_path / "triples", triples.card)
    with pytest.raises(ModelError, match="trained on other features"):
        load_judge(tmp_path / "triples")
    judge = load_judge()
    judge.learner.save(tmp_path / "edges", judge.learner.card)
    with pytest.raises(ModelError, match="trained on other features"):
        load_learner(tmp_path / "edges")
    assert load_judge(tmp_path / "edges", threshold=0.7).threshold == 0.7
    for wrong in (1.5, "high"):
        with pytest.raises(ModelError, match="must be a probability"):
            load_judge(threshold=wrong)
    with pytest.raises(ModelError, match="models of the package: accurate"):
        load_judge("inaccurate")


def test_the_model_of_the_package_was_calibrated_in_training():
    judge = load_judge()
    assert judge.learner.card.feature_names == EDGE_FEATURE_NAMES
    assert judge.threshold is None
    assert judge.learner.card.figures["held_out_calibration_error"] < 0.03


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=12))
def test_the_threshold_makes_the_expected_f1_largest(probabilities):
    p = np.array(probabilities)

    def expected(threshold):
        chosen = p[p >= threshold]
        return 2 * chosen.sum() / (len(chosen) + p.sum()) if len(chosen) else 0.0

    best = best_threshold(p)
    assert best in p
    assert expected(best) == pytest.approx(max(expected(t) for t in p))
    assert best_threshold(p[::-1]) == best


def test_the_threshold_follows_how_clear_a_table_is():
    assert best_threshold(np.array([0.99, 0.98, 0.4, 0.01])) == 0.98
    assert best_threshold(np.array([0.5, 0.4, 0.3, 0.3, 0.1])) == 0.3
    assert best_threshold(np.empty(0)) == 1.0
    judge = load_judge(threshold=0.7)
    assert judge.least(np.array([0.99, 0.98])) == Least(0.7, strict=True)


@pytest.mark.parametrize("name", ["cancer", "survey"])
def test_scoring_ahead_changes_no_bit(name, monkeypatch):
    table = load_network(name).sample(300, 0)
    found = learn_skeleton(table, "accurate", n_jobs=1)
    monkeypatch.setattr(accurate_module, "score_ahead", lambda _scores: None)
    again = learn_skeleton(table, "accurate", n_jobs=1)
    for ours, theirs in ((found.present, again.present), (found.absent, again.absent)):
        assert ours.pairs.tolist() == theirs.pairs.tolist()
        for column in ("given", "p_value", "z", "gain", "probability"):
            assert getattr(ours, column).tobytes() == getattr(theirs, column).tobytes()


def test_within_a_budget_nothing_is_scored_ahead(monkeypatch):
    asked = []
    monkeypatch.setattr(accurate_module, "score_ahead", asked.append)
    table = load_network("cancer").sample(300, 0)
    assert learn_skeleton(table, "accurate", time_budget=1000).complete
    assert not asked
    learn_skeleton(table, "accurate")
    assert len(asked) == 1


def test_searches_and_walks_share_one_count(monkeypatch):
    made, make = [], JointScores.__init__
    monkeypatch.setattr(JointScores, "__init__", lambda self, *a, **k: (made.append(self), make(self, *a, **k))[1])
    learn_skeleton(load_network("asia").sample(300, 0), "accurate")
    assert len(made) == 1


@pytest.mark.jit
def test_alarm_is_found():
    net = load_network("alarm")
    found = learn_skeleton(net.sample(10_000, seed=5), "accurate")
    truth = net.dag | net.dag.T
    assert 2 * (found.matrix & truth).sum() / (found.matrix.sum() + truth.sum()) > 0.93
    assert np.nanmax(found.absent.probability) <= np.nanmin(found.present.probability) <= 1
    assert (np.abs(found.present.probability) <= LARGEST).all()


@pytest.mark.parametrize(
    ("rows", "columns", "method"),
    [
        (10_000, 186, "accurate"),
        (10_000, 500, "accurate"),
        (10_000, 501, "fast"),
        (10_000, 1_041, "fast"),
        (1_000_000, 37, "fast"),
        (500, 4, "fast"),
    ],
)
def test_the_usual_method_is_accurate_where_that_takes_seconds(rows, columns, method):
    assert usual_method(rows, columns) == method
