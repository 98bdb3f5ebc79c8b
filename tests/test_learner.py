"""The learner: the same bits for any number of threads, and files that are checked before use."""

import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from ml4c.embedding import draw_embedding
from ml4c.errors import ModelError
from ml4c.features import FEATURE_NAMES
from ml4c.learner import (
    PAPER_PARAMETERS,
    Learner,
    ModelCard,
    library_versions,
    load_learner,
    loading,
    model_names,
)

WIDTH = len(FEATURE_NAMES)


def examples(rows=400, width=WIDTH, seed=0):
    """Return features and labels; the label is a noisy function of three features."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(rows, width)).astype(np.float32)
    labels = (matrix[:, 0] + matrix[:, 1] * matrix[:, 2] + 0.3 * rng.normal(size=rows)) > 0
    return matrix, labels.astype(np.uint8)


def raw(learner):
    return bytes(learner.booster.save_raw("ubj"))


@pytest.fixture(scope="module")
def fitted():
    return Learner.fit(*examples(), n_jobs=1)


@pytest.fixture
def saved(fitted, tmp_path):
    card = ModelCard(
        embedding=draw_embedding(3),
        recipe={"name": "test"},
        seeds={"learner": 0},
        counts={"triples": 400},
        figures={"f1": 0.5},
        versions=library_versions(),
    )
    fitted.save(tmp_path / "model", card)
    return tmp_path / "model"


# --- fit and probability


def test_learns():
    learner = Learner.fit(*examples(3000, 6), n_jobs=1)
    matrix, labels = examples(1000, 6, seed=1)
    probability = learner.probability(matrix)
    assert probability.dtype == np.float64
    assert ((probability >= 0) & (probability <= 1)).all()
    assert ((probability > 0.5) == labels).mean() > 0.85


def test_fit_and_probability_are_the_same_for_any_number_of_threads():
    matrix, labels = examples(40_000, 12)
    few = {**PAPER_PARAMETERS, "n_trees": 15}
    learners = [Learner.fit(matrix, labels, params=few, n_jobs=jobs) for jobs in (1, 2, 3)]
    assert len({raw(learner) for learner in learners}) == 1
    found = {learners[0].probability(matrix, n_jobs=jobs).tobytes() for jobs in (1, 2, 3)}
    assert len(found) == 1


def test_agrees_with_the_log_loss_of_xgboost():
    import xgboost

    matrix, labels = examples(2000, 10)
    options = {"objective": "binary:logistic", "base_score": 0.5, "tree_method": "hist", "nthread": 1}
    plain = xgboost.train(options, xgboost.QuantileDMatrix(matrix, labels), 100).inplace_predict(matrix)
    np.testing.assert_allclose(Learner.fit(matrix, labels, n_jobs=1).probability(matrix), plain, atol=1e-3)


@pytest.mark.parametrize(("set_by_user", "told"), [(None, "3000"), ("7", "7")])
def test_threads_are_told_not_to_spin_for_long_unless_the_user_has_said_so(set_by_user, told):
    """GNU's OpenMP reads the environment when XGBoost is imported; what runs later finds it as it was."""
    code = """
import builtins, os
plain, seen = builtins.__import__, []
def watching(name, *more, **options):
    if name == "xgboost" and not seen:
        seen.append(os.environ.get("GOMP_SPINCOUNT"))
    return plain(name, *more, **options)
builtins.__import__ = watching
from ml4c.learner import load_learner
load_learner("default")
print(seen[0], os.environ.get("GOMP_SPINCOUNT"))
"""
    environment = {key: value for key, value in os.environ.items() if key != "GOMP_SPINCOUNT"}
    if set_by_user is not None:
        environment["GOMP_SPINCOUNT"] = set_by_user
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    assert found.stdout.split() == [told, str(set_by_user)]


@pytest.mark.parametrize(("depth", "width"), [(1, 12), (3, 12), (6, 12), (30, 40)])
def test_contributions_are_those_of_xgboost(depth, width):
    matrix, labels = examples(3000, width)
    matrix = np.where(np.random.default_rng(1).random(matrix.shape) < 0.1, np.nan, matrix)  # some are missing
    learner = Learner.fit(matrix, labels, params={**PAPER_PARAMETERS, "n_trees": 20, "max_depth": depth})
    rows = matrix[:100].astype(np.float32)
    xgboost = pytest.importorskip("xgboost")
    expected = learner.booster.predict(xgboost.DMatrix(rows), pred_contribs=True)[:, :-1]
    np.testing.assert_allclose(learner.contributions(rows), expected, atol=1e-5)
    np.testing.assert_array_equal(learner.contributions(rows[::-1])[::-1], learner.contributions(rows))


@pytest.mark.parametrize("trees", [0, 2])
def test_a_learner_of_one_leaf_or_none_owes_nothing_to_any_feature(trees):
    matrix = np.zeros((10, 3))
    learner = Learner.fit(matrix, np.r_[np.zeros(5), np.ones(5)], params={**PAPER_PARAMETERS, "n_trees": trees})
    assert not learner.contributions(matrix).any()


def test_single_and_double_precision_give_the_same(fitted):
    matrix, _ = examples(50)
    np.testing.assert_array_equal(fitted.probability(matrix), fitted.probability(matrix.astype(np.float64)))
    np.testing.assert_array_equal(fitted.probability(matrix), fitted.probability(np.asfortranarray(matrix)))


def test_no_triples_no_probabilities(fitted):
    assert fitted.probability(np.empty((0, WIDTH))).shape == (0,)


def test_weights_count_like_repeated_rows():
    matrix, labels = examples(600, 5)
    weights = 1.0 + (np.arange(600) % 3 == 0)
    repeated = np.repeat(np.arange(600), weights.astype(int))
    weighted = Learner.fit(matrix, labels, weights=weights, n_jobs=1).probability(matrix)
    plain = Learner.fit(matrix, labels, n_jobs=1).probability(matrix)
    copied = Learner.fit(matrix[repeated], labels[repeated], n_jobs=1).probability(matrix)
    assert np.abs(weighted - copied).mean() < np.abs(plain - copied).mean()


def test_wrong_width(fitted):
    with pytest.raises(ModelError, match=f"takes {WIDTH} features in columns, not a \\(3, 2\\) matrix"):
        fitted.probability(np.zeros((3, 2)))


@pytest.mark.parametrize(
    ("rows", "labels", "weights", "message"),
    [
        (3, [0, 1], None, "do not go together"),
        (2, [0, 1], [1.0], "do not go together"),
        (0, [], None, "no triple to learn from"),
        (2, [0, 2], None, "labels are 1"),
        (2, [0, 1], [1.0, -1.0], "weights are finite"),
        (2, [0, 1], [1.0, np.nan], "weights are finite"),
    ],
)
def test_what_cannot_be_learned_from(rows, labels, weights, message):
    with pytest.raises(ModelError, match=message):
        Learner.fit(np.zeros((rows, 3)), labels, weights=weights)


# --- files


def test_a_model_survives_its_files(fitted, saved):
    matrix, _ = examples(50, seed=9)
    loaded = load_learner(saved)
    np.testing.assert_array_equal(loaded.probability(matrix), fitted.probability(matrix))
    assert loaded.card.embedding == draw_embedding(3)
    assert loaded.card.feature_names == FEATURE_NAMES
    assert dict(loaded.card.figures) == {"f1": 0.5}
    assert sorted(path.name for path in saved.iterdir()) == ["card.json", "model.ubj"]


def test_saving_twice_gives_the_same_bytes(saved, tmp_path):
    learner = load_learner(str(saved))
    learner.save(tmp_path / "copy", replace(learner.card, checksum=""))
    for name in ("card.json", "model.ubj"):
        assert (tmp_path / "copy" / name).read_bytes() == (saved / name).read_bytes()


def test_card_names_the_libraries(saved):
    versions = json.loads((saved / "card.json").read_text())["versions"]
    assert {"python", "ml4c", "numpy", "xgboost"} <= set(versions)


def edit(saved, **changes):
    card = json.loads((saved / "card.json").read_text())
    for name, value in changes.items():
        if value is None:
            del card[name]
        else:
            card[name] = value
    (saved / "card.json").write_text(json.dumps(card))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 99}, "format version 99, this ml4c reads 1: install"),
        ({"format_version": None}, "no 'format_version'"),
        ({"kind": "forest"}, "kind 'forest'"),
        ({"embedding": None}, "no 'embedding'"),
        ({"embedding": {"weights": "x"}}, "embedding cannot be read"),
        ({"checksum": "0" * 64}, "checksum .* is not the card's 000000000000.*copy both files"),
        ({"feature_names": ["a", "b"]}, r"other features \(2, here 755; .* number 0, is 'a' there"),
        ({"feature_names": list(FEATURE_NAMES[:-1])}, "number 754, is nothing there"),
        ({"feature_names": 7}, "other features"),
    ],
)
def test_cards_that_do_not_fit(saved, changes, message):
    edit(saved, **changes)
    with pytest.raises(ModelError, match=message) as caught:
        load_learner(saved)
    assert str(saved) in str(caught.value)


@pytest.mark.parametrize("name", ["card.json", "model.ubj"])
def test_missing_file(saved, name):
    (saved / name).unlink()
    with pytest.raises(ModelError, match=f"there is no {name}"):
        load_learner(saved)


def test_bad_json(saved):
    (saved / "card.json").write_text((saved / "card.json").read_text()[:100])
    with pytest.raises(ModelError, match=r"card\.json: the card is not JSON"):
        load_learner(saved)


def test_card_that_is_a_list(saved):
    (saved / "card.json").write_text("[]")
    with pytest.raises(ModelError, match="not a card of ml4c"):
        load_learner(saved)


def test_truncated_trees(saved):
    content = (saved / "model.ubj").read_bytes()
    (saved / "model.ubj").write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelError, match=r"model\.ubj: not a model of XGBoost, or truncated"):
        load_learner(saved)


def test_trees_of_another_model(saved):
    other = Learner.fit(*examples(seed=5), n_jobs=1)
    (saved / "model.ubj").write_bytes(raw(other))
    with pytest.raises(ModelError, match=r"model\.ubj: the checksum .* belongs to another model"):
        load_learner(saved)


def test_a_pickle_is_never_read(saved):
    (saved / "model.ubj").write_bytes(pickle.dumps({"trees": 1}))
    with pytest.raises(ModelError, match="this is a pickle"):
        load_learner(saved)


@pytest.mark.parametrize("content", [b"", b"{}", b"not trees", b"binf" + bytes(200), loading.HEAD + b"}"])
def test_foreign_trees_with_their_own_checksum(saved, content):
    import hashlib

    (saved / "model.ubj").write_bytes(content)
    edit(saved, checksum=hashlib.sha256(content).hexdigest())
    with pytest.raises(ModelError, match="not a model of XGBoost"):
        load_learner(saved)


def test_trees_of_another_width(tmp_path):
    narrow = Learner.fit(*examples(100, 5), n_jobs=1)
    narrow.save(tmp_path, ModelCard(embedding=draw_embedding(0)))
    with pytest.raises(ModelError, match="the trees take 5 features, the card names 755"):
        load_learner(tmp_path)


def test_a_file_is_not_a_folder(saved):
    with pytest.raises(ModelError, match="is a file: give the folder"):
        load_learner(saved / "model.ubj")


def test_unknown_model():
    with pytest.raises(ModelError, match=r"no model is called 'papr'.*models of the package: "):
        load_learner("papr")


def test_models_of_the_package_load_by_name(saved, monkeypatch):
    monkeypatch.setattr(loading, "_shipped", lambda: saved.parent)
    assert model_names() == ("model",)
    assert load_learner("model").card.counts == {"triples": 400}
    (saved / "model.ubj").write_bytes(b"")
    with pytest.raises(ModelError, match=r"model 'model' of the package, model\.ubj"):
        load_learner("model")


def test_every_model_of_the_package_loads():
    for name in model_names():
        learner = load_learner(name)
        assert learner.n_features == len(learner.card.feature_names)


def test_a_folder_that_cannot_be_written(fitted, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot be written"):
        fitted.save(tmp_path / "file", ModelCard(embedding=draw_embedding(0)))


def test_xgboost_is_imported_when_needed():
    code = "import ml4c.learner, sys; print('xgboost' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert shown.stdout.strip() == "False"


def test_a_model_is_read_again_when_its_files_change_and_not_before(saved):
    first = load_learner(saved)
    assert load_learner(saved) is first
    other = Learner.fit(*examples(seed=5), n_jobs=1)
    other.save(saved, first.card)
    again = load_learner(saved)
    assert again is not first
    assert raw(again) == raw(other)
    (saved / "model.ubj").unlink()
    with pytest.raises(ModelError, match="there is no model"):
        load_learner(saved)


def test_threads_do_not_share_a_model(saved):
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(load_learner, saved).result() is not load_learner(saved)


def test_a_model_that_was_read_is_not_given_out_for_other_features(saved):
    load_learner(saved)
    with pytest.raises(ModelError):
        load_learner(saved, feature_sets=[("a", "b")])
