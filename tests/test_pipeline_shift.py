"""How far a table is from the training networks."""

from types import SimpleNamespace

import numpy as np
import pytest

import ml4c
from ml4c.graph import skeleton
from ml4c.pipeline.shift import shifts, warning
from ml4c.triple_scores import SCORE_NAMES

CARD = SimpleNamespace(
    feature_names=SCORE_NAMES,
    recipe={"rows": [300, 30_000], "nodes": [5, 150]},
    figures={"least degree T": 2.0, "most degree T": 20.0},
)


def features(rows, degree):
    matrix = np.zeros((len(degree), len(SCORE_NAMES)))
    matrix[:, SCORE_NAMES.index("rows")] = np.log(rows)
    matrix[:, SCORE_NAMES.index("columns")] = np.log(5)
    matrix[:, SCORE_NAMES.index("degree T")] = degree
    return matrix


def test_a_table_within_the_ranges_is_near_and_one_with_far_fewer_rows_is_not():
    near = shifts(features(1_000, [2, 5, 19]), CARD)
    assert [shift.what for shift in near] == ["rows", "columns", "neighbours of a column"]
    assert [shift.outside for shift in near] == [0.0, 0.0, 0.0]
    assert warning(near) == ""
    far = shifts(features(50, [2, 5, 60]), CARD)
    assert [shift.outside for shift in far] == pytest.approx([1.0, 0.0, 1 / 3])
    assert "rows: 50 here, 300 to 30,000 in training" in warning(far)


def test_models_without_ranges_or_tables_without_triples_say_nothing():
    assert shifts(features(50, [2]), SimpleNamespace(feature_names=SCORE_NAMES, recipe={}, figures={})) == ()
    assert shifts(features(50, [2]), SimpleNamespace(**{**vars(CARD), "feature_names": ("other",)})) == ()
    assert shifts(np.empty((0, len(SCORE_NAMES))), CARD) == ()


@pytest.mark.jit
def test_a_result_warns_of_a_table_that_is_far():
    net = ml4c.load_network("asia")
    few = ml4c.orient(net.sample(40, seed=0), skeleton(net.dag))
    assert "rows: 40 here" in str(few)
    enough = ml4c.orient(net.sample(2_000, seed=0), skeleton(net.dag))
    assert "far from" not in str(enough)
    assert {row["fact"] for row in enough.to_dict()["run"]["shift"]} >= {"rows", "columns"}
