"""Fitting the learner of edges, and measuring it on networks that it has not seen.

A network weighs as the square root of its edges, so that large ones do not speak for all. Every network is judged by a
learner that was fitted without it; the figures of the card are measured on these probabilities.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ml4c.learner import WORLD_PARAMETERS, Learner
from ml4c.skeleton import best_threshold
from ml4c.training.gathering import Gathered
from ml4c.training.held_out import calibration_error, fitting, held_out_probability

DOUBTFUL = 0.02
"""Pairs below this are no edges for anybody; with them every calibration would look good."""

Floats = NDArray[np.float64]


def fit_edges(whole: Gathered, *, seed: int, n_jobs: int) -> tuple[Learner, dict[str, float]]:
    """Return the learner of all networks, and what was measured on networks held out."""
    fit = edge_fit(whole, seed=seed, n_jobs=n_jobs)
    probability = held_out_probability(whole, fit, n_jobs)
    figures = {
        "held_out_f1": mean_f1(whole, probability),
        "held_out_calibration_error": calibration_in_doubt(probability, whole.labels),
    }
    return fit(np.ones(len(whole.labels), np.bool_)), figures


def edge_fit(whole: Gathered, *, seed: int = 0, n_jobs: int = 1) -> Callable[[NDArray[np.bool_]], Learner]:
    """Return what fits a learner to some of the pairs, as the model of the preset `accurate` is fitted to all."""
    edges = np.bincount(whole.network, whole.labels, len(whole.counts)) + whole.missed
    weights = (1.0 / np.sqrt(np.maximum(edges, 1.0)))[whole.network]
    return fitting(whole, weights, WORLD_PARAMETERS, seed=seed, n_jobs=n_jobs)


def mean_f1(whole: Gathered, probability: Floats) -> float:
    """Return the mean F1 of the networks that have an edge, with the edges that are expected to have the best."""
    of_networks = np.split(probability, np.cumsum(whole.counts)[:-1])
    called = np.concatenate([of >= best_threshold(of) for of in of_networks])
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
