"""Fitting the learner of edges, and choosing from which probability on a pair is an edge.

A network weighs as the square root of its edges, so that large ones do not speak for all. Every network is judged by a
learner that was fitted without it; the threshold is the one with the best mean F1 on these probabilities, and the
figures of the card are measured on them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ml4c.learner import EDGE_PARAMETERS, Learner
from ml4c.training.gathering import Gathered
from ml4c.training.held_out import calibration_error, fitting, held_out_probability

THRESHOLDS = np.arange(0.1, 0.9, 0.01)
FLAT = 0.001
"""Thresholds whose F1 is this close to the best are as good."""
DOUBTFUL = 0.02
"""Pairs below this are no edges for anybody; with them every calibration would look good."""

Floats = NDArray[np.float64]


def fit_edges(whole: Gathered, *, seed: int, n_jobs: int) -> tuple[Learner, dict[str, float]]:
    """Return the learner of all networks, and the threshold among what was measured on networks held out."""
    edges = np.bincount(whole.network, whole.labels, len(whole.counts)) + whole.missed
    weights = (1.0 / np.sqrt(np.maximum(edges, 1.0)))[whole.network]
    fit = fitting(whole, weights, EDGE_PARAMETERS, seed=seed, n_jobs=n_jobs)
    probability = held_out_probability(whole, fit, n_jobs)
    scores = np.array([mean_f1(whole, probability, threshold) for threshold in THRESHOLDS])
    # The top is flat, and its highest point chance: its middle is the choice.
    best = int(np.median(np.flatnonzero(scores >= scores.max() - FLAT)))
    figures = {
        "threshold": round(float(THRESHOLDS[best]), 2),
        "held_out_f1": float(scores[best]),
        "held_out_calibration_error": calibration_in_doubt(probability, whole.labels),
    }
    return fit(np.ones(len(whole.labels), np.bool_)), figures


def mean_f1(whole: Gathered, probability: Floats, threshold: float) -> float:
    """Return the mean F1 of the networks that have an edge, when pairs from a threshold on are edges."""
    called = probability >= threshold
    n_networks = len(whole.counts)
    found = np.bincount(whole.network, called, n_networks)
    right = np.bincount(whole.network, called & (whole.labels == 1), n_networks)
    true = np.bincount(whole.network, whole.labels, n_networks) + whole.missed
    some = true > 0
    return float((2 * right[some] / (found + true)[some]).mean()) if some.any() else 0.0


def calibration_in_doubt(probability: Floats, labels: NDArray[np.uint8]) -> float:
    """Return how far probabilities are from frequencies on average, over pairs that are in doubt."""
    doubtful = probability >= DOUBTFUL
    return calibration_error(probability[doubtful], labels[doubtful])
