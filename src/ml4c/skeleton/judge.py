"""The learner of edges with its threshold, as the preset `accurate` uses it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from ml4c.errors import ModelError
from ml4c.learner import Learner, load_learner
from ml4c.skeleton.edge_features import EDGE_FEATURE_NAMES
from ml4c.skeleton.pairs import Floats

SHELF = "skeleton"
"""Where the package keeps models of edges."""
DEFAULT = "accurate"


@dataclass(frozen=True, eq=False)
class EdgeJudge:
    """Trees that turn the features of a pair into the probability of an edge, and the least probability of one."""

    learner: Learner
    threshold: float

    def probability(self, matrix: NDArray[np.float32], *, n_jobs: int | None = None) -> Floats:
        """Return the probability of an edge for every row of features."""
        return self.learner.probability(matrix, n_jobs=n_jobs)


def load_judge(model: str | os.PathLike[str] = DEFAULT, *, threshold: float | None = None) -> EdgeJudge:
    """Return the model of edges of the package, or the one in a folder.

    threshold: the least probability of an edge: higher for fewer and surer edges, lower for more; by default the one
    that came out best on training networks.
    """
    learner = load_learner(model, shelf=SHELF, feature_sets=[EDGE_FEATURE_NAMES])
    own = learner.card.parameters.get("threshold") if learner.card is not None else None
    chosen = own if threshold is None else threshold
    if not isinstance(chosen, Real) or not 0.0 <= float(chosen) <= 1.0:
        raise ModelError(f"the threshold of model {str(model)!r} must be a probability, but is {chosen!r}")
    return EdgeJudge(learner, float(chosen))
