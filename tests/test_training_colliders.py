"""Training the default model: labels on any skeleton, units, the fit, and what the card says."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import ml4c
import naive_graphs as naive
from ml4c.cli import app
from ml4c.errors import ModelError
from ml4c.graph import ancestors, unshielded_triples
from ml4c.learner import load_learner
from ml4c.synthesis import ColliderRecipe, load_recipe, recipe_from_dict
from ml4c.training import train
from ml4c.training.colliders import compute_colliders, is_collider, triple_weights
from ml4c.training.gathering import Gathered
from ml4c.training.held_out import calibration_error, log_loss
from ml4c.triple_scores import SCORE_NAMES

TINY = ColliderRecipe(networks=6, nodes=(5, 9), rows=(300, 400), skeletons=("true", "fast"))


def test_ancestors_are_those_that_paths_come_from():
    rng = np.random.default_rng(0)
    for _ in range(20):
        dag = naive.random_dag(rng, 7, 0.3)
        power, reached = dag.astype(int), dag.astype(int)
        for _ in range(7):
            power = power @ dag
            reached = reached + power
        assert (ancestors(dag) == (reached.T > 0)).all()


def test_on_the_true_skeleton_a_collider_is_a_v_structure():
    rng = np.random.default_rng(1)
    for _ in range(50):
        dag = naive.random_dag(rng, 8, 0.3)
        triples = unshielded_triples(dag)
        found = {tuple(row) for row in triples[is_collider(dag, triples)].tolist()}
        assert found == {(x, t, y) for x, t, y in triples.tolist() if dag[x, t] and dag[y, t]}


def test_over_a_wrong_edge_the_middle_must_be_an_ancestor_of_neither_end():
    dag = naive.graph(4, (0, "->", 1), (1, "->", 2), (3, "->", 2))
    # 0 - 2 is no edge of the DAG: 0 is an ancestor of 2, and 2 of nothing.
    assert is_collider(dag, np.array([[0, 2, 3], [1, 0, 2]])).tolist() == [True, False]


def test_a_unit_holds_the_triples_of_true_and_learned_skeletons():
    unit = compute_colliders(TINY, 0)
    assert unit.matrix.shape == (len(unit.labels), len(SCORE_NAMES))
    assert set(np.unique(unit.matrix[:, SCORE_NAMES.index("skeleton learned")])) <= {0.0, 1.0}
    again = compute_colliders(TINY, 0)
    assert unit.matrix.tobytes() == again.matrix.tobytes()
    only_true = compute_colliders(replace(TINY, skeletons=("true",)), 0)
    assert only_true.matrix.tobytes() == unit.matrix[: len(only_true.labels)].tobytes()


def test_of_networks_that_come_again_the_true_skeleton_alone_is_taken():
    recipe = replace(TINY, again=1.0)
    unit, only_true = (compute_colliders(r, 0) for r in (recipe, replace(recipe, skeletons=("true",))))
    assert len(unit.labels) > 0
    assert unit.matrix.tobytes() == only_true.matrix.tobytes()


@pytest.mark.jit
def test_training_gives_a_model_that_loads_and_tells_what_was_measured(tmp_path):
    with ThreadPoolExecutor(1) as threads:
        report = train(TINY, tmp_path, executor=threads, n_jobs=1)
    learner = load_learner(tmp_path)
    assert learner.card.feature_names == SCORE_NAMES
    assert recipe_from_dict(learner.card.recipe) == TINY
    assert report.triples == learner.card.counts["triples"] > 0
    assert 0 <= learner.card.figures["held_out_calibration_error_given"] <= 1
    assert learner.card.figures["least rows"] <= learner.card.figures["most rows"]


def test_the_shipped_default_is_of_the_recipe_of_its_name():
    card = load_learner("default").card
    assert card.recipe == load_recipe("default").to_dict()  # every field: one that is absent would be today's
    assert load_recipe("default") == ColliderRecipe()
    assert card.figures["held_out_calibration_error_given"] < 0.03
    assert card.figures["held_out_calibration_error_learned"] < 0.03


def test_calibration_and_loss_by_hand():
    probability, labels = np.array([0.05, 0.05, 0.95, 0.95]), np.array([0, 1, 1, 1], np.uint8)
    assert calibration_error(probability, labels) == pytest.approx((2 * abs(0.05 - 0.5) + 2 * abs(0.95 - 1)) / 4)
    assert log_loss(probability, labels) == pytest.approx(-np.mean(np.log([0.95, 0.05, 0.95, 0.95])))
    weighted = calibration_error(probability, labels, np.array([3.0, 1.0, 0.0, 2.0]))
    assert weighted == pytest.approx((abs(3 * 0.05 - 0.95) + 2 * 0.05) / 6)


def test_a_triple_weighs_less_where_there_are_many():
    whole = Gathered(np.zeros((5, 1), np.float32), np.zeros(5, np.uint8), np.array([4, 0, 1]), np.zeros(3, np.int64))
    assert triple_weights(whole).tolist() == [0.5, 0.5, 0.5, 0.5, 1.0]


def test_a_recipe_of_colliders_refuses_unknown_skeletons():
    with pytest.raises(ModelError, match="skeletons are some of true, fast, accurate, pc"):
        replace(TINY, skeletons=("guessed",))
    with pytest.raises(ModelError, match="skeletons are some of"):
        replace(TINY, skeletons=())


def test_a_model_for_tables_like_one_is_trained_and_used(tmp_path):
    ml4c.load_network("asia").sample(400, seed=0).write(tmp_path / "asia.csv")
    run = CliRunner().invoke
    folder = str(tmp_path / "model")
    trained = run(app, ["train", "--like", str(tmp_path / "asia.csv"), "-o", folder, "--networks", "3", "--threads"])
    assert trained.exit_code == 0, trained.output
    found = run(app, ["discover", str(tmp_path / "asia.csv"), "--model", folder, "--json"])
    assert json.loads(found.stdout)["run"]["trained_on"]["states"] == [2] * 8
    refused = run(app, ["train", "paper", "--like", str(tmp_path / "asia.csv"), "-o", folder])
    assert (refused.exit_code, "leave paper out" in refused.output) == (2, True)
