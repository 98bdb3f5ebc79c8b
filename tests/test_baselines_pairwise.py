"""Pairwise methods: features against their slow twins over rows, antisymmetry, training that survives kill -9."""

import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats
from sklearn import metrics

from ml4c.baselines import Problem
from ml4c.baselines.pairwise import D2C, JARFO, METHODS, NCC, RCC, d2c, information, jarfo, ncc, rcc
from ml4c.baselines.pairwise.cds import conditional_spread
from ml4c.baselines.pairwise.direction import oriented
from ml4c.baselines.pairwise.supervised import MODEL, scores, train
from ml4c.baselines.pairwise.tables import by_frequency, contingency_tables, frequency_ranks
from ml4c.baselines.pairwise.trees import fit_trees
from ml4c.dataset import Dataset
from ml4c.errors import GraphError, WorkError
from ml4c.graph import edges, skeleton
from ml4c.synthesis import PaperRecipe, network
from tables import code_tables, dataset

RECIPE = PaperRecipe(name="small", sizes=((10, 20),), replicates=6, rows=2000)
TINY = replace(RECIPE, name="tiny", replicates=2, rows=200)
HELD_OUT = replace(RECIPE, seed=1, replicates=8)
BY_NAME = {method.name: method for method in METHODS}
TREES = (JARFO, D2C, RCC)
ALL_PAIRS = np.array([(i, j) for i in range(4) for j in range(i)])


def rows_of(cards, rows=400, seed=0):
    """Return two dependent columns of codes, every category of which occurs."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([np.arange(cards[0]), rng.choice(cards[0], rows, p=rng.dirichlet(np.ones(cards[0])))])
    y = rng.integers(cards[1], size=len(x))
    y = np.where(rng.random(len(x)) < 0.5, x * 7 % cards[1], y)
    y[: cards[1]] = np.arange(cards[1])
    return x, y


def table_of(x, y):
    return contingency_tables(Dataset.from_array(np.column_stack([x, y])), np.array([[0, 1]]))[0]


def numbers(x):
    """Return the standardised frequency ranks of the rows of a column."""
    count = Counter(x.tolist())
    rank = {a: np.mean([r for r, n in enumerate(sorted(count.values(), reverse=True)) if n == count[a]]) for a in count}
    values = np.array([rank[a] for a in x.tolist()])
    return (values - values.mean()) / values.std()


def numbers_apart(x):
    """Return the same of categories that do not share a number when they are equally frequent."""
    rank = {a: r for r, (a, _) in enumerate(Counter(x.tolist()).most_common())}
    values = np.array([rank[a] for a in x.tolist()])
    return (values - values.mean()) / values.std()


def four_columns(seed=0, rows=3000):
    rng = np.random.default_rng(seed)
    a = rng.choice(3, rows, p=[0.6, 0.3, 0.1])
    b = np.where(rng.random(rows) < 0.7, a, rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1]))
    c = (a + b + rng.choice(3, rows, p=[0.7, 0.2, 0.1])) % 5
    d = np.where(rng.random(rows) < 0.2, 0, (c > 1).astype(int))
    return Dataset.from_array(np.column_stack([a, b, c, d]), names=list("abcd"))


# --- categories as numbers


def test_tables_count_rows_and_numbers_are_ranks_of_frequency():
    x, y = rows_of((4, 6))
    table = table_of(x, y)
    assert table.tolist() == [[np.sum((x == a) & (y == b)) for b in range(6)] for a in range(4)]
    assert frequency_ranks(np.array([5, 9, 5, 1])).tolist() == [1.5, 0.0, 1.5, 3.0]
    ordered = by_frequency(table)
    assert (np.diff(ordered.sum(axis=0)) <= 0).all()
    assert (np.diff(ordered.sum(axis=1)) <= 0).all()


def test_a_missing_cell_is_a_category_of_its_own():
    data = Dataset.from_array([["a", "u"], [None, "v"], ["b", "v"]], missing="available")
    assert contingency_tables(data, np.array([[0, 1]]))[0].tolist() == [[1, 0], [0, 1], [0, 1]]


# --- CDS


def naive_spread(x, y):
    """The statistic from rows, numbers being codes."""

    def binned(z):
        return np.clip(np.round(2 * z), -6, 6)

    values = x.astype(float)
    if len(set(x.tolist())) > 13:
        z = (values - values.mean()) / values.std()
        core = z[abs(z) < 3]
        values = binned((z - core.mean()) / core.std())
    whole = np.bincount(y)
    shapes = []
    for value in sorted(set(values.tolist())):
        part = y[values == value]
        if len(part) <= 12:
            continue
        if len(whole) > 13:
            moved = binned((part - part.mean()) / y.std())
            shapes.append([np.mean(moved == bin_) for bin_ in range(-6, 7)])
            continue
        agreement = {}
        for shift in range(len(whole) - 1, -len(whole), -1):
            agreement[shift] = sum(whole[b + shift] for b in part.tolist() if 0 <= b + shift < len(whole))
        best = max(agreement, key=agreement.get)  # the first of several
        shapes.append([np.mean(part + best == place) for place in range(1 - len(whole), 2 * len(whole) - 1)])
    return np.std(np.array(shapes) - np.mean(shapes, axis=0)) if shapes else 0.0


@pytest.mark.parametrize("cards", [(2, 2), (3, 5), (6, 3), (20, 4), (4, 20), (25, 30), (13, 13), (14, 14)])
@pytest.mark.parametrize("seed", range(3))
def test_spread_is_that_of_rows(cards, seed):
    x, y = rows_of(cards, 600, seed)
    assert conditional_spread(table_of(x, y)) == pytest.approx(naive_spread(x, y), abs=1e-12)


def test_cds_says_that_a_shape_which_only_moves_is_caused():
    rng = np.random.default_rng(0)
    x = rng.choice(3, 20_000, p=[0.6, 0.3, 0.1])
    y = x + rng.choice(3, 20_000, p=[0.5, 0.3, 0.2])
    data = Dataset.from_array(np.column_stack([x, y]), names=["x", "y"])
    assert BY_NAME["cds"](Problem(data, np.array([[0, 1], [1, 0]], np.int8))).tolist() == [[0, 1], [0, 0]]


def test_an_edge_of_equal_scores_stays_undirected():
    data = Dataset.from_array([["a", "k"], ["b", "k"]] * 50)  # the second column is constant
    assert BY_NAME["cds"](Problem(data, np.array([[0, 1], [1, 0]], np.int8))).tolist() == [[0, 1], [1, 0]]
    assert oriented(np.array([[0, 1], [0, 2], [1, 2]]), np.array([0.1, 0.0, -0.1]), 3).tolist() == [
        [0, 1, 1],
        [0, 0, 0],
        [1, 1, 0],
    ]


# --- RCC and NCC: the mean over cells is the mean over rows


def test_embedding_is_the_mean_over_rows():
    x, y = rows_of((4, 5))
    drawn = rcc.draw_weights()
    w, b = drawn["weights"], drawn["phases"]
    zx, zy = numbers(x)[:, None], numbers(y)[:, None]
    parts = [np.cos(zx * w[0] + b[0]), np.cos(zy * w[1] + b[1]), np.cos(zx * w[2] + zy * w[3] + b[2])]
    expected = np.concatenate([part.mean(axis=0) for part in parts])
    assert np.allclose(rcc.embedding(table_of(x, y), w, b), expected, atol=1e-11)


def test_network_takes_the_mean_over_rows():
    x, y = rows_of((4, 5))
    weights = ncc._start(np.random.default_rng(0))
    rows = np.column_stack([numbers(x), numbers(y)])
    expected = ncc.log_odds(weights, rows, np.full(len(x), 1 / len(x)))
    found = ncc.cells(table_of(x, y))
    assert ncc.log_odds(weights, found[:, :2], found[:, 2]) == pytest.approx(expected, abs=1e-12)


# --- Jarfo


@pytest.mark.parametrize("cards", [(2, 2), (3, 4), (7, 3)])
def test_features_of_jarfo_are_those_of_rows(cards):
    x, y = rows_of(cards, 500, seed=1)
    found = jarfo.features(table_of(x, y))
    zx, zy, n = numbers(x), numbers(y), len(x)
    assert found["skewness of x"] == pytest.approx(stats.skew(numbers_apart(x)))
    assert found["kurtosis of y"] == pytest.approx(stats.kurtosis(numbers_apart(y)))
    assert found["moment 21 of x->y"] == pytest.approx(np.mean(zx**2 * zy))
    assert found["moment 31 of y->x"] == pytest.approx(np.mean(zy**3 * zx))
    degree = min(2, cards[0] - 1, cards[1] - 1)
    assert found["fit error of x->y"] == pytest.approx(np.std(zy - np.polyval(np.polyfit(zx, zy, degree), zx)))
    assert found["entropy of x"] == pytest.approx(stats.entropy(np.bincount(x)) + 0.7 * (cards[0] - 1) / (2 * n))
    assert found["adjusted information of both"] == pytest.approx(metrics.adjusted_mutual_info_score(x, y), abs=1e-9)
    guess = 1 - np.mean(y == np.array([np.bincount(y[x == a]).argmax() for a in x]))
    assert found["error of x->y"] == pytest.approx(guess / (1 - np.bincount(y).max() / n))
    assert len(found) == len(jarfo.FEATURE_NAMES) == 40


def test_conditional_features_of_jarfo_are_those_of_rows():
    x, y = rows_of((4, 3), 500, seed=2)
    found = jarfo.features(table_of(x, y))
    parts = [y[x == a] for a in range(4)]
    entropies = [stats.entropy(np.bincount(p)) + 0.7 * (len(set(p.tolist())) - 1) / (2 * len(p)) for p in parts]
    assert found["entropy variation of x->y"] == pytest.approx(np.std(entropies) / np.log(3))
    apart = [numbers_apart(p) for p in parts]
    assert found["skewness variation of x->y"] == pytest.approx(np.std([stats.skew(z) for z in apart]))
    assert found["kurtosis variation of x->y"] == pytest.approx(np.std([stats.kurtosis(z) for z in apart]))
    sorted_shares = np.array([np.sort(np.bincount(p, minlength=3)) / len(p) for p in parts])
    assert found["similarity of x->y"] == pytest.approx(np.std(sorted_shares - sorted_shares.mean(axis=0)))
    zx, zy = numbers(x), numbers(y)
    values = sorted(set(zx.tolist()))
    means, counts = [zy[zx == v].mean() for v in values], [np.sum(zx == v) for v in values]
    slopes = [
        min(counts[k], counts[k + 1]) * np.log((values[k + 1] - values[k]) / abs(means[k + 1] - means[k]))
        for k in range(len(values) - 1)
    ]
    assert found["igci of x->y"] == pytest.approx(sum(slopes) / len(x))


def test_information_expected_by_chance_is_the_mean_over_permutations():
    rng = np.random.default_rng(0)
    x, y = rng.integers(3, size=40), rng.integers(4, size=40)
    joint = np.array([stats.entropy(np.bincount(4 * x + rng.permutation(y))) for _ in range(2000)])
    shuffled = stats.entropy(np.bincount(x)) + stats.entropy(np.bincount(y)) - joint
    expected = information.expected_information(np.bincount(x), np.bincount(y))
    assert expected == pytest.approx(shuffled.mean(), abs=4 * shuffled.std() / np.sqrt(2000))


# --- D2C


def test_partial_correlations_are_those_of_residuals():
    data = four_columns()
    r = d2c.correlations(data)
    z = np.column_stack([numbers(column) for column in data.codes.T])
    assert np.allclose(r, np.corrcoef(z.T), atol=2 * d2c.SHRINKAGE)
    without = [z[:, k] - z[:, [2, 3]] @ np.linalg.lstsq(z[:, [2, 3]], z[:, k])[0] for k in (0, 1)]
    assert d2c.given_set(r, 0, 1, [2, 3]) == pytest.approx(np.corrcoef(without)[0, 1], abs=1e-4)
    assert d2c.given_one(r[0, 1], r[0, 2], r[1, 2]) == pytest.approx(d2c.given_set(r, 0, 1, [2]))


def test_blanket_maximises_relevance_and_interaction_step_by_step():
    made = network(RECIPE, 0)
    data = made.sample(5000)
    r = d2c.correlations(data)
    for target in range(len(r)):
        others = [k for k in range(len(r)) if k != target]
        bound = np.tanh(stats.norm.ppf(0.95) / np.sqrt(data.n_rows - 3))
        among = [k for k in others if abs(r[target, k]) >= bound]
        if len(among) < 4:
            continue
        relevance = {k: -0.5 * np.log(1 - r[target, k] ** 2) for k in among}

        def gain(a, b):
            partial = d2c.given_set(r, a, b, [target])  # noqa: B023
            return 0.5 * np.log(1 - r[a, b] ** 2) - 0.5 * np.log(1 - partial**2)

        pairs = [(a, b) for a in among for b in among if a < b]
        chosen = list(max(pairs, key=lambda p: relevance[p[0]] + relevance[p[1]] + gain(*p)))
        while len(chosen) < 4:
            rest = [k for k in among if k not in chosen]
            chosen.append(max(rest, key=lambda k: relevance[k] + np.mean([gain(c, k) for c in chosen])))
        found = d2c.blanket(r, target, data.n_rows).tolist()
        assert sorted(found[:2]) == sorted(chosen[:2])
        assert found[2:] == chosen[2:]


def test_descriptor_is_quantiles_of_its_populations():
    r = d2c.correlations(network(RECIPE, 0).sample(5000))
    blankets = [d2c.blanket(r, target, 5000).tolist() for target in range(len(r))]
    i, j = 0, 1
    of_i, of_j = [m for m in blankets[0] if m != 1], [m for m in blankets[1] if m != 0]
    found = d2c.descriptor(r, blankets, i, j)
    assert len(found) == d2c.WIDTH == 43
    places = [of_j.index(m) + 1 if m in of_j else len(of_j) + 1 for m in of_i]
    assert found[3:8].tolist() == np.quantile(places, [0.1, 0.25, 0.5, 0.75, 0.9]).tolist()
    given_j = [-0.5 * np.log(1 - d2c.given_set(r, i, m, [j]) ** 2) for m in of_j]
    assert found[13:18] == pytest.approx(np.quantile(given_j, [0.1, 0.25, 0.5, 0.75, 0.9]))
    exchanged = d2c.descriptor(r, blankets, j, i)
    assert exchanged[3:8].tolist() == found[8:13].tolist()
    assert exchanged[13:28].tolist() == found[28:43].tolist()


# --- what holds for every description


@settings(max_examples=10)
@given(code_tables(most_rows=300, least_columns=4, most_columns=4))
def test_descriptions_are_finite_and_exchange_with_the_columns(codes):
    data = dataset(codes)
    for method in (*TREES, NCC):
        drawn = method.draw()
        there, back = (method.describe(data, pairs, drawn) for pairs in (ALL_PAIRS, ALL_PAIRS[:, ::-1]))
        assert np.isfinite(there["forward"]).all()
        assert there["forward"].tobytes() == back["backward"].tobytes()
        assert there["backward"].tobytes() == back["forward"].tobytes()


def test_names_and_order_of_categories_do_not_change_descriptions():
    data = four_columns()
    names = [np.random.default_rng(j).permutation(len(labels)) for j, labels in enumerate(data.categories)]
    renamed = np.column_stack([name[codes] for name, codes in zip(names, data.codes.T, strict=True)])
    other = Dataset.from_array(renamed, names=data.names)
    for method in (*TREES, NCC):
        drawn = method.draw()
        first, second = (method.describe(table, ALL_PAIRS, drawn) for table in (data, other))
        assert all(first[name].tobytes() == second[name].tobytes() for name in first)


def test_cds_takes_the_order_of_categories():
    x, y = rows_of((3, 4))
    moved = np.array([2, 0, 3, 1])[y]
    assert conditional_spread(table_of(x, y)) != pytest.approx(conditional_spread(table_of(x, moved)))


# --- trained


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A folder with the methods that are trained without PyTorch, with a fifth of their trees."""
    folder = tmp_path_factory.mktemp("models")
    for method, parameters in zip(TREES, (jarfo.PARAMETERS, d2c.PARAMETERS, rcc.PARAMETERS), strict=True):
        number = "num_parallel_tree" if "num_parallel_tree" in parameters else "n_trees"
        train(replace(method, fit=partial(fit_trees, {**parameters, number: 100})), folder, RECIPE)
    return folder


@pytest.fixture(scope="module")
def held_out():
    made = [network(HELD_OUT, index) for index in range(HELD_OUT.n_networks)]
    return [(one.sample(), edges(one.net.dag).directed) for one in made]


def accuracy(method, models, held_out):
    return np.concatenate([scores(method, models, data, pairs) > 0 for data, pairs in held_out]).mean()


@pytest.mark.jit
@pytest.mark.parametrize("method", TREES, ids=lambda method: method.name)
def test_direction_of_held_out_pairs_is_told_better_than_by_chance(method, models, held_out):
    assert accuracy(method, models, held_out) > 0.6  # 350 pairs: chance has a deviation of 0.027


@pytest.mark.jit
def test_ncc_learns_and_is_antisymmetric(tmp_path, held_out, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is no part of the test extra")
    monkeypatch.setattr(ncc, "EPOCHS", 12)
    train(NCC, tmp_path, RECIPE)
    assert accuracy(NCC, tmp_path, held_out) > 0.6
    data, pairs = held_out[0]
    assert (scores(NCC, tmp_path, data, pairs) == -scores(NCC, tmp_path, data, pairs[:, ::-1])).all()


@pytest.mark.jit
@pytest.mark.parametrize("method", TREES, ids=lambda method: method.name)
def test_exchanging_the_columns_of_pairs_turns_every_score_round(method, models, held_out):
    data, pairs = held_out[0]
    there, back = (scores(method, models, data, way) for way in (pairs, pairs[:, ::-1]))
    assert there.any()
    assert (there == -back).all()


@pytest.mark.jit
@pytest.mark.parametrize("name", ["cds", "d2c", "jarfo", "rcc"])
def test_the_order_of_columns_means_nothing(name, models):
    net = network(HELD_OUT, 3).net
    data, given_skeleton = net.sample(500, seed=1), skeleton(net.dag)
    problem = Problem(data, given_skeleton, models=models)
    order = np.random.default_rng(0).permutation(net.n_nodes)
    shuffled = replace(problem, data=data.select(order.tolist()), skeleton=given_skeleton[np.ix_(order, order)])
    found = BY_NAME[name](problem)
    assert (skeleton(found) == given_skeleton).all()
    assert (BY_NAME[name](shuffled) == found[np.ix_(order, order)]).all()


@pytest.mark.jit
def test_a_skeleton_without_edges_gives_no_edges(models):
    problem = Problem(four_columns(), np.zeros((4, 4), np.int8), models=models)
    assert not any(BY_NAME[name](problem).any() for name in ("cds", "d2c", "jarfo", "rcc"))


# --- training


def test_without_a_model_the_error_says_how_to_train(tmp_path):
    data, pair = four_columns().select([0, 1]), np.array([[0, 1], [1, 0]], np.int8)
    for method in (*TREES, NCC):
        way_out = rf"{method.name}.*method_named\('{method.name}'\)\.train\(folder\)"
        for folder in (None, tmp_path):
            with pytest.raises(WorkError, match=way_out):
                BY_NAME[method.name](Problem(data, pair, models=folder))
        with pytest.raises(GraphError, match="skeleton"):
            BY_NAME[method.name].run(Problem(data))


KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from ml4c.baselines.pairwise import D2C
from ml4c.baselines.pairwise.supervised import train
from ml4c.synthesis import PaperRecipe

done = []

def describe(*arguments):
    done.append(1)
    if len(done) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return D2C.describe(*arguments)

train(replace(D2C, describe=describe), Path(sys.argv[1]), PaperRecipe.from_dict(eval(sys.argv[2])))
"""


def bits(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.jit
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_kill_9_and_go_on_to_the_same_bits(tmp_path):
    whole, halved = tmp_path / "whole", tmp_path / "halved"
    train(D2C, whole, TINY)
    ended = subprocess.run([sys.executable, "-c", KILLED, halved, repr(TINY.to_dict())], env=os.environ)  # noqa: S603
    assert ended.returncode == -signal.SIGKILL
    assert len(list(halved.rglob("*.npz"))) == 2
    calls = []
    counted = replace(D2C, describe=lambda *arguments: calls.append(1) or D2C.describe(*arguments))
    train(counted, halved, TINY)
    assert len(calls) == TINY.n_networks - 2
    assert bits(halved) == bits(whole)
    train(replace(D2C, fit=None), whole, TINY)  # what is trained is not trained again


def test_a_folder_or_model_of_other_settings_is_refused(tmp_path):
    train(replace(D2C, fit=lambda _: {}), tmp_path, TINY)
    with pytest.raises(WorkError, match="made by another run"):
        train(D2C, tmp_path, replace(TINY, seed=5))
    other = replace(D2C, settings={"blanket": 7})
    with pytest.raises(WorkError, match=r"model\.npz: trained with other settings.*method_named"):
        scores(other, tmp_path, four_columns(), ALL_PAIRS)
    (tmp_path / "d2c" / MODEL).write_bytes(b"PK nothing")
    with pytest.raises(WorkError, match=r"model\.npz: no trained model that can be read"):
        scores(D2C, tmp_path, four_columns(), ALL_PAIRS)


def test_listing_the_methods_imports_nothing_heavy():
    code = "import sys, ml4c.baselines.pairwise; print(sorted({'torch', 'sklearn', 'xgboost'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert found.stdout.strip() == "[]"
    assert [method.name for method in METHODS] == ["jarfo", "d2c", "rcc", "ncc", "cds"]
