"""Learning colliders from networks of many kinds, on their true skeletons and on skeletons learned from the sample.

On a given skeleton a triple is a v-structure or not. A learned one has wrong edges, and a triple over a wrong edge has
no such label; but T is an ancestor of X or Y, or it is not, and on true edges that is the same: a triple is a collider
when T is an ancestor of neither. So one label serves both.

A triple counts by the inverse square root of the triples of its network, so that large ones do not speak for all. What
the card says about probabilities is measured on networks that were held out in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ml4c.counting import Packed, pack_table
from ml4c.errors import ModelError
from ml4c.graph import Graph, Triples, ancestors, skeleton
from ml4c.learner import WORLD_PARAMETERS, Learner
from ml4c.skeleton import leaders, learn_skeleton, merged
from ml4c.synthesis import ColliderRecipe, WorldNetwork, world_network
from ml4c.synthesis.recipe import TRUE
from ml4c.training.gathering import Gathered
from ml4c.training.held_out import calibration_error, fitting, held_out_probability, log_loss
from ml4c.training.unit import Unit
from ml4c.triple_scores import SCORE_NAMES, score_triples

LEARNED = SCORE_NAMES.index("skeleton learned")
RANGES = ("rows", "columns", "cells per row", "cardinality max", "degree T", "weaker edge")
"""Features by which a table is compared with the training networks."""
OUTER = 0.005
"""Share of the training triples that lie below a range, and above it."""


def compute_colliders(recipe: ColliderRecipe, index: int) -> Unit:
    """Make network `index`, sample it, and return the labelled triples of its skeletons, true and learned."""
    made = world_network(recipe, index)
    packed, dag = pack_table(made.sample()), made.net.dag
    parts = [
        score_triples(packed, skeleton_to_orient(packed, dag, kind), learned=kind != TRUE, n_jobs=1)
        for kind in kinds_of_skeletons(recipe, made)
    ]
    labels = [is_collider(dag, part.triples) for part in parts]
    matrix = np.concatenate([part.matrix for part in parts]).astype(np.float32)
    return Unit(np.ascontiguousarray(matrix), np.concatenate(labels).astype(np.uint8))


def kinds_of_skeletons(recipe: ColliderRecipe, made: WorldNetwork) -> tuple[str, ...]:
    """Return the kinds of skeletons that are learned from: of a network that comes again the true one alone."""
    return (TRUE,) if made.rare_effects else recipe.skeletons


def skeleton_to_orient(packed: Packed, dag: Graph, kind: str) -> Graph:
    """Return the true skeleton, or the one that a method learns, copies of a column taken as one."""
    if kind == TRUE:
        return skeleton(dag)
    learned = learn_skeleton(packed, kind, n_jobs=1)  # type: ignore[arg-type]
    return merged(learned.matrix, leaders(learned.copies, len(dag)))


def is_collider(dag: Graph, triples: Triples) -> NDArray[np.bool_]:
    """Tell of which triples (x, t, y) the middle is an ancestor of neither end."""
    above = ancestors(dag)
    x, t, y = triples.T
    return np.asarray(~above[x, t] & ~above[y, t])


@dataclass(frozen=True, eq=False)
class FittedColliders:
    """A learner and what was measured on networks that were held out."""

    learner: Learner
    figures: dict[str, float]


def fit_colliders(whole: Gathered, *, seed: int, n_jobs: int) -> FittedColliders:
    """Fit to all networks; ModelError if their triples are all of one kind."""
    if len(whole.labels) and whole.labels.min() == whole.labels.max():
        raise ModelError("all triples of these networks are alike, so nothing can be learned: take more networks")
    fit = collider_fit(whole, seed=seed, n_jobs=n_jobs)
    probability = held_out_probability(whole, fit, n_jobs)
    figures: dict[str, float] = {}
    for kind, mine in (("given", whole.matrix[:, LEARNED] == 0), ("learned", whole.matrix[:, LEARNED] == 1)):
        if mine.any():
            figures[f"held_out_log_loss_{kind}"] = log_loss(probability[mine], whole.labels[mine])
            figures[f"held_out_calibration_error_{kind}"] = calibration_error(probability[mine], whole.labels[mine])
    return FittedColliders(fit(np.ones(len(whole.labels), np.bool_)), {**figures, **_ranges(whole)})


def collider_fit(whole: Gathered, *, seed: int = 0, n_jobs: int = 1) -> Callable[[NDArray[np.bool_]], Learner]:
    """Return what fits a learner to some of the triples, as the default model is fitted to all."""
    return fitting(whole, triple_weights(whole), WORLD_PARAMETERS, seed=seed, n_jobs=n_jobs)


def triple_weights(whole: Gathered) -> NDArray[np.float64]:
    """Return the weight of every triple, the inverse square root of the number of triples of its network."""
    return np.asarray((1.0 / np.sqrt(np.maximum(whole.counts, 1)))[whole.network])


def _ranges(whole: Gathered) -> dict[str, float]:
    """Return where nearly all training triples lie, feature by feature."""
    found: dict[str, float] = {}
    for name in RANGES:
        low, high = np.quantile(whole.matrix[:, SCORE_NAMES.index(name)], [OUTER, 1 - OUTER])
        found[f"least {name}"], found[f"most {name}"] = float(low), float(high)
    return found
