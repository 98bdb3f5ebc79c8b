"""Training the learner of edges: labels, the run, the threshold, the recipe as a file, the command."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from typer.testing import CliRunner

from ml4c.cli import app
from ml4c.errors import ModelError
from ml4c.skeleton import EDGE_FEATURE_NAMES, learn_skeleton, load_judge, pairs_to_judge
from ml4c.synthesis import SkeletonRecipe, load_recipe, world_network
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
    true = {frozenset(edge) for edge in np.argwhere(made.net.dag).tolist()}
    assert unit.labels.tolist() == [int(frozenset(pair) in true) for pair in pairs]
    assert unit.matrix.shape == (len(pairs), len(EDGE_FEATURE_NAMES))
    aside = {c for group in learn_skeleton(data).copies for c in group.copies}
    aside |= {c for c in range(data.n_columns) if len(data.categories[c]) == 1}
    assert unit.missed == len([edge for edge in true if not edge & aside]) - unit.labels.sum()


def test_the_model_judges_and_the_card_tells_how_it_was_made(trained):
    judge = load_judge(trained)
    card = judge.learner.card
    assert card.counts["networks"] == 6
    assert 0 < card.counts["edges"] < card.counts["pairs"]
    assert SkeletonRecipe.from_dict(card.recipe) == TINY
    assert 0 < card.parameters["threshold"] < 1
    assert set(card.figures) == {"held_out_f1", "held_out_calibration_error"}
    found = learn_skeleton(world_network(TINY, 0).sample(), "accurate", judge=judge)
    edges, others = (evidence.probability for evidence in (found.present, found.absent))
    assert np.nanmin(edges) == judge.least(np.concatenate([edges, others[others >= 0]]))


def test_the_same_bits_again_and_from_what_is_there(trained, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        assert train(TINY, tmp_path, executor=pool, n_jobs=2, limit=2).reused == 0
        assert train(TINY, tmp_path, executor=pool, n_jobs=2).reused == 2
    for name in ("model.ubj", "card.json", "features/00004.npz"):
        assert (tmp_path / name).read_bytes() == (trained / name).read_bytes()


def test_f1_counts_missed_edges_and_networks_alike():
    whole = gathered([([(0, 1), (1, 1), (2, 0)], 1), ([(3, 1)], 0), ([(4, 0)], 0)])
    probability = np.array([0.9, 0.2, 0.6, 0.7, 0.8])
    assert mean_f1(whole, probability, 0.5) == pytest.approx((2 / 5 + 1) / 2)
    assert mean_f1(whole, probability, 0.95) == 0
    assert mean_f1(gathered([([(0, 0)], 0)]), np.array([0.3]), 0.5) == 0


def test_calibration_is_the_distance_of_probabilities_from_frequencies():
    labels = np.array([1, 0, 1, 1], np.uint8)
    assert calibration_in_doubt(np.array([0.5, 0.5, 1.0, 1.0]), labels) == pytest.approx(0)
    assert calibration_in_doubt(np.array([0.15, 0.15, 0.95, 0.95]), labels) == pytest.approx((0.7 + 0.1) / 4)
    assert calibration_in_doubt(np.array([0.001, 0.001, 0.9, 0.9]), labels) == pytest.approx(0.1)
    assert calibration_in_doubt(np.zeros(4), labels) == 0


def test_the_threshold_is_the_best_on_networks_held_out():
    rng = np.random.default_rng(0)
    networks = []
    for _ in range(20):
        feature = rng.random(60)
        networks.append((list(zip(feature, (rng.random(60) < feature).astype(int), strict=True)), 0))
    whole = gathered(networks)
    learner, figures = fit_edges(whole, seed=0, n_jobs=1)
    assert 0.2 < figures["threshold"] < 0.55  # of E[F1] with P(edge) = feature, uniform: the best is about F1 / 2
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
