"""What a learner is worth, measured on networks that it was not fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ml4c.learner import Learner
from ml4c.training.gathering import Gathered

FOLDS = 3
BINS = 10
"""Of probabilities, to compare them with frequencies."""

Floats = NDArray[np.float64]


def fitting(
    whole: Gathered, weights: Floats, params: Mapping[str, Any], *, seed: int, n_jobs: int
) -> Callable[[NDArray[np.bool_]], Learner]:
    """Return what fits a learner to some of the rows, each with its weight."""

    def fit(rows: NDArray[np.bool_]) -> Learner:
        return Learner.fit(
            whole.matrix[rows], whole.labels[rows], weights=weights[rows], params=params, seed=seed, n_jobs=n_jobs
        )

    return fit


def held_out_probability(whole: Gathered, fit: Callable[[NDArray[np.bool_]], Learner], n_jobs: int) -> Floats:
    """Return the probability of every row by a learner fitted without its network, in FOLDS turns.

    With a single network there is nothing to hold out: then it is judged by its own learner.
    """
    probability = np.zeros(len(whole.labels))
    fold = whole.network % FOLDS
    for turn in np.unique(fold).tolist():
        mine = fold == turn
        learner = fit(~mine if not mine.all() else mine)
        probability[mine] = learner.probability(whole.matrix[mine], n_jobs=n_jobs)
    return probability


def calibration_error(probability: Floats, labels: NDArray[np.uint8], weights: Floats | None = None) -> float:
    """Return how far probabilities are from frequencies on average, in BINS bins; weights: of the rows."""
    if not len(labels):
        return 0.0
    weight = np.ones(len(labels)) if weights is None else weights
    place = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    surplus = np.bincount(place, weight * (probability - labels), BINS)
    return float(np.abs(surplus).sum() / weight.sum())


def log_loss(probability: Floats, labels: NDArray[np.uint8]) -> float:
    """Return the mean of -log of the probability given to what is true."""
    given = np.clip(np.where(labels == 1, probability, 1 - probability), 1e-15, 1.0)
    return float(-np.log(given).mean())
