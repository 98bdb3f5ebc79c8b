"""Training the learner of edges: labels, the run, the threshold, the recipe as a file, the command."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from ml4c.cli import app
from ml4c.errors import ModelError
from ml4c.skeleton import EDGE_FEATURE_NAMES, learn_skeleton, load_judge, pairs_to_judge
from ml4c.synthesis import SkeletonRecipe, load_recipe, world_network
from ml4c.synthesis.tables import ROOT_KINDS, additive, measured
from ml4c.training import compute_edges, train
from ml4c.training.edges import calibration_in_doubt, fit_edges, mean_f1
from ml4c.training.gathering import Gathered

TINY = SkeletonRecipe(name="tiny", networks=6, nodes=(6, 9), rows=(300, 500), max_cells=10_000)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The folder of a small training run."""
    folder = tmp_path_factory.mktemp("edges")
    with ThreadPoolExecutor(1) as pool:
        train(TINY, folder, executor=pool, n_jobs=1)
    return folder


def gathered(networks):
    """Networks given as lists of (feature, label), and their missed edges."""
    rows = [row for pairs, _ in networks for row in pairs]
    return Gathered(
        np.array([[feature] for feature, _ in rows], np.float32),
        np.array([label for _, label in rows], np.uint8),
        np.array([len(pairs) for pairs, _ in networks]),
        np.array([missed for _, missed in networks]),
    )


@pytest.mark.parametrize("index", range(4))
def test_labels_are_those_of_the_true_graph(index):
    made = world_network(TINY, index)
    unit, data = compute_edges(TINY, index), made.sample()
    pairs = pairs_to_judge(data, n_jobs=1).pairs.tolist()
    leader = {c: group.leader for group in learn_skeleton(data).copies for c in group.copies}
    ends = [[leader.get(c, c) for c in edge] for edge in np.argwhere(made.net.dag).tolist()]
    true = {frozenset(edge) for edge in ends if edge[0] != edge[1]}
    assert unit.labels.tolist() == [int(frozenset(pair) in true) for pair in pairs]
    assert unit.matrix.shape == (len(pairs), len(EDGE_FEATURE_NAMES))
    aside = {c for c in range(data.n_columns) if len(data.categories[c]) == 1}
    assert unit.missed == len([edge for edge in true if not edge & aside]) - unit.labels.sum()


def test_the_model_judges_and_the_card_tells_how_it_was_made(trained):
    judge = load_judge(trained)
    card = judge.learner.card
    assert card.counts["networks"] == 6
    assert 0 < card.counts["edges"] < card.counts["pairs"]
    assert SkeletonRecipe.from_dict(card.recipe) == TINY
    assert set(card.figures) == {"held_out_f1", "held_out_calibration_error"}
    found = learn_skeleton(world_network(TINY, 0).sample(), "accurate", judge=judge)
    edges, others = found.present.probability, found.absent.probability
    least = judge.least(np.concatenate([edges, others[others >= 0]])).probability
    shared = np.isin(found.present.pairs, [c for group in found.copies for c in group.columns]).any(axis=1)
    assert edges[~shared].min() >= least > np.nanmax(others)
    assert least in edges


def test_the_shipped_model_is_of_the_recipe_of_its_name():
    card = load_judge().learner.card
    assert card.recipe == load_recipe("skeleton").to_dict()  # every field: one that is absent would be today's
    assert card.figures["held_out_calibration_error"] < 0.03


def test_odds_fall_with_columns_beyond_those_of_the_training_and_only_there():
    judge = load_judge()
    assert judge.most_columns == load_recipe("skeleton").nodes[1] == 500
    matrix = compute_edges(TINY, 0).matrix
    plain = judge.learner.probability(matrix)
    assert judge.probability(matrix).tobytes() == plain.tobytes()
    columns = float(np.exp(matrix[0, EDGE_FEATURE_NAMES.index("log columns")]))
    found = replace(judge, most_columns=columns / 2).probability(matrix)
    np.testing.assert_allclose(found / (1 - found), plain / (1 - plain) / 2, rtol=1e-5)


def test_the_same_bits_again_and_from_what_is_there(trained, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        assert train(TINY, tmp_path, executor=pool, n_jobs=2, limit=2).reused == 0
        assert train(TINY, tmp_path, executor=pool, n_jobs=2).reused == 2
    for name in ("model.ubj", "card.json", "features/00004.npz"):
        assert (tmp_path / name).read_bytes() == (trained / name).read_bytes()


def test_f1_counts_missed_edges_and_networks_alike():
    whole = gathered([([(0, 1), (1, 1), (2, 0)], 1), ([(3, 1)], 0), ([(4, 0)], 0)])
    probability = np.array([0.9, 0.2, 0.6, 0.7, 0.8])  # edges from .6, .7 and .8 on
    assert mean_f1(whole, probability) == pytest.approx((2 / 5 + 1) / 2)
    assert mean_f1(gathered([([(0, 0)], 0)]), np.array([0.3])) == 0


def test_calibration_is_the_distance_of_probabilities_from_frequencies():
    labels = np.array([1, 0, 1, 1], np.uint8)
    assert calibration_in_doubt(np.array([0.5, 0.5, 1.0, 1.0]), labels) == pytest.approx(0)
    assert calibration_in_doubt(np.array([0.15, 0.15, 0.95, 0.95]), labels) == pytest.approx((0.7 + 0.1) / 4)
    assert calibration_in_doubt(np.array([0.001, 0.001, 0.9, 0.9]), labels) == pytest.approx(0.1)
    assert calibration_in_doubt(np.zeros(4), labels) == 0


def test_figures_are_those_of_networks_held_out():
    rng = np.random.default_rng(0)
    networks = []
    for _ in range(20):
        feature = rng.random(60)
        networks.append((list(zip(feature, (rng.random(60) < feature).astype(int), strict=True)), 0))
    whole = gathered(networks)
    learner, figures = fit_edges(whole, seed=0, n_jobs=1)
    assert figures["held_out_f1"] == pytest.approx(0.72, abs=0.05)
    assert figures["held_out_calibration_error"] < 0.1
    low, high = learner.probability(np.array([[0.1], [0.9]], np.float32))
    assert low < 0.5 < high


def test_the_recipe_is_a_file_too(tmp_path):
    file = tmp_path / "tiny.json"
    file.write_text(json.dumps(TINY.to_dict()))
    assert load_recipe(file) == TINY
    assert load_recipe("skeleton") == SkeletonRecipe()
    file.write_text(json.dumps({**TINY.to_dict(), "learns": "nothing"}))
    with pytest.raises(ModelError, match="it learns 'edges', not 'nothing'"):
        load_recipe(file)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("kinds", ("dirichlet", "magic"), "unknown kinds of tables"),
        ("kinds", ("functional", "measured"), "nodes without parents"),
        ("evenness", 0.0, "not positive"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(field, value, said):
    with pytest.raises(ModelError, match=said):
        SkeletonRecipe(**{field: value})


def test_networks_have_tables_of_the_kinds_that_the_recipe_names():
    recipe = replace(TINY, name="roots", networks=8, kinds=ROOT_KINDS, smooth=0.0)
    other = replace(recipe, kinds=(*ROOT_KINDS, "measured"), evenness=100.0)
    sharp = [share_of_sure_rows(world_network(made, index)) for made in (recipe, other) for index in range(8)]
    assert np.mean(sharp[:8]) < np.mean(sharp[8:])


def share_of_sure_rows(made):
    """Of the rows of all tables with parents, the share that is nearly sure of a state."""
    tables = [node.table for node in made.net.distributions if node.parents]
    return np.mean([(table.max(axis=1) > 0.9).mean() for table in tables]) if tables else 0.0


def test_additive_tables_have_no_interaction():
    table = additive(3, (4, 5), np.random.default_rng(3)).reshape(4, 5, 3)
    odds = np.log(table[..., 1:] / table[..., :1])
    within = odds - odds.mean(axis=0, keepdims=True) - odds.mean(axis=1, keepdims=True) + odds.mean(axis=(0, 1))
    assert np.abs(within).max() < 1e-3
    assert np.ptp(odds, axis=0).max() > 0.1


@pytest.mark.parametrize("parents", [(6,), (6, 7), (3, 4, 5)])
def test_measured_tables_follow_each_parent(parents):
    for seed in range(40):
        table = measured(9, parents, np.random.default_rng(seed)).reshape(*parents, 9)
        for axis in range(len(parents)):
            assert np.ptp(table, axis=axis).max() > 1e-3


def test_the_command_says_what_was_learned(tmp_path):
    file = tmp_path / "tiny.json"
    file.write_text(json.dumps(TINY.to_dict()))
    arguments = ["train", file, "-o", tmp_path / "out", "--threads", "--jobs", 1, "--networks", 2]
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0
    assert "a model of 2 networks" in result.stdout
    assert "pairs" in result.stdout
    assert "missed-edges" in result.stdout


def test_a_table_of_nothing_has_no_pairs(monkeypatch, tmp_path):
    lonely = SkeletonRecipe(name="lonely", networks=1, nodes=(3, 3), rows=(1, 1), max_cells=3)
    with ThreadPoolExecutor(1) as pool, pytest.raises(ModelError, match="no pair of columns to learn from"):
        train(lonely, tmp_path, executor=pool, n_jobs=1)
