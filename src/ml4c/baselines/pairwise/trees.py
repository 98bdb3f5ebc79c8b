"""Trees that tell the direction of a pair: fitted to both ways round of every pair, asked about both.

The forest is XGBoost's: trees side by side on 63.2 % of the examples each, without replacement, every split choosing
among the square root of the features, leaves of 20 examples or more; its margin is the mean of the shares of
causes in the leaves. The score of a pair is the probability of one way round less that of the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ml4c.baselines.pairwise.supervised import Arrays
from ml4c.baselines.pairwise.tables import Floats
from ml4c.learner import Learner, learner_from_trees

LEAST_IN_LEAF = 20
FOREST: Mapping[str, Any] = {
    "n_trees": 1,
    "num_parallel_tree": 500,
    "eta": 1.0,
    "subsample": 0.632,
    "max_depth": 14,
    "min_child_weight": LEAST_IN_LEAF / 4,  # every example has a hessian of 1/4 at the even start
    "reg_lambda": 0.0,
    "objective": "binary:logistic",
    "base_score": 0.5,
    "tree_method": "hist",
    "max_bin": 64,
}
SEED = 0


def forest(features: int) -> dict[str, Any]:
    """Return the parameters of a forest for a number of features."""
    return {**FOREST, "colsample_bynode": features**-0.5}


def both_ways(forward: list[Floats], backward: list[Floats]) -> Arrays:
    """Return the description of pairs by one vector of features for each way round."""
    return {"forward": np.array(forward, dtype=np.float32), "backward": np.array(backward, dtype=np.float32)}


def fit_trees(parameters: Mapping[str, Any], described: list[Arrays]) -> Arrays:
    """Fit to pairs (cause, effect), which are examples of a cause one way round and of an effect the other."""
    ways = [np.concatenate([arrays[way] for arrays in described]) for way in ("forward", "backward")]
    labels = np.repeat([1, 0], len(ways[0]))
    learner = Learner.fit(np.concatenate(ways), labels, params=parameters, seed=SEED, n_jobs=1)
    return {"trees": np.frombuffer(learner.trees(), dtype=np.uint8)}


def score_by_trees(model: Arrays, described: Arrays) -> Floats:
    """Return by how much the first of each pair is more probably the cause."""
    learner = learner_from_trees(model["trees"].tobytes(), "a trained pairwise model")
    return learner.probability(described["forward"]) - learner.probability(described["backward"])
