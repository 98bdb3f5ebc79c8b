"""The learner of edges, as the preset `accurate` uses it, and how many edges it takes.

The probabilities of a table say which number of edges makes the expected F1 largest, about: 2 sum(p of the edges) /
(edges + sum(p of all)). Where all is clear a pair then needs a probability of nearly one half, where little is, less.
On 1,250 training networks of an earlier model, each judged by a learner fitted without it, this choice has a mean F1 of
.8074, the best single threshold (.34) .8074 (standard error .0009): as good, without a number that was fitted.

Trees do not extrapolate. Where a table has more columns than any training network, every column has as many neighbours
as ever but more that look like one, so the odds of a pair are divided by how many times more columns there are. On 90
networks of 500 to 1,040 columns that brings the calibration error from .020 to .007.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from ml4c.errors import ModelError
from ml4c.learner import Learner, load_learner
from ml4c.skeleton.copies import Least
from ml4c.skeleton.edge_features import EDGE_FEATURE_NAMES
from ml4c.skeleton.pairs import Floats

SHELF = "skeleton"
"""Where the package keeps models of edges."""
DEFAULT = "accurate"
LOG_COLUMNS = EDGE_FEATURE_NAMES.index("log columns")


@dataclass(frozen=True, eq=False)
class EdgeJudge:
    """Trees that turn the features of a pair into the probability of an edge, and the least probability of one.

    threshold: None for the one that makes the expected F1 largest. most_columns: of the largest training network.
    """

    learner: Learner
    threshold: float | None = None
    most_columns: float = math.inf

    def probability(self, matrix: NDArray[np.float32], *, n_jobs: int | None = None) -> Floats:
        """Return the probability of an edge for every row of features."""
        found = self.learner.probability(matrix, n_jobs=n_jobs)
        times = np.exp(matrix[:, LOG_COLUMNS].astype(np.float64)) / self.most_columns
        return np.where(times > 1.0, found / (found + (1.0 - found) * times), found)

    def least(self, probability: Floats) -> Least:
        """Return the least probability of an edge among pairs with these probabilities."""
        return Least(best_threshold(probability)) if self.threshold is None else Least(self.threshold, strict=True)


def best_threshold(probability: Floats) -> float:
    """Return the threshold with the largest expected F1; what is above it does not depend on the order of the pairs."""
    ordered = np.sort(probability)[::-1]
    if not len(ordered):
        return 1.0
    right = np.cumsum(ordered)
    expected = 2.0 * right / (np.arange(1, len(ordered) + 1) + right[-1])
    return float(ordered[expected.argmax()])


def load_judge(model: str | os.PathLike[str] = DEFAULT, *, threshold: float | None = None) -> EdgeJudge:
    """Return the model of edges of the package, or the one in a folder.

    threshold: the least probability of an edge: higher for fewer and surer edges, lower for more; by default the one
    that makes the expected F1 of a table largest.
    """
    learner = load_learner(model, shelf=SHELF, feature_sets=[EDGE_FEATURE_NAMES])
    most_columns = learner.card.recipe["nodes"][1] if learner.card else math.inf
    if threshold is None:
        return EdgeJudge(learner, most_columns=most_columns)
    if not isinstance(threshold, Real) or not 0.0 <= float(threshold) <= 1.0:
        raise ModelError(f"the threshold of model {str(model)!r} must be a probability, but is {threshold!r}")
    return EdgeJudge(learner, float(threshold), most_columns)
