"""What a recipe teaches: v-structures among triples, in the paper's way or ours, or edges among pairs of columns.

A lesson computes the unit of one network, fits the learner to all of them, and says what the card should tell. It is
plain data, so it goes to other processes as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ml4c.embedding import Embedding, draw_embedding
from ml4c.features import FEATURE_NAMES
from ml4c.learner import NO_EMBEDDING, PAPER_PARAMETERS, WORLD_PARAMETERS, Learner
from ml4c.skeleton import EDGE_FEATURE_NAMES
from ml4c.synthesis import ColliderRecipe, PaperRecipe, SkeletonRecipe, TrainingRecipe
from ml4c.training.colliders import compute_colliders, fit_colliders
from ml4c.training.edges import fit_edges
from ml4c.training.gathering import Gathered
from ml4c.training.unit import Unit, compute_edges, compute_unit
from ml4c.triple_scores import SCORE_NAMES

THRESHOLD = 0.1
"""The paper calls a triple a v-structure from this probability on."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A learner, and what its card tells of the fit."""

    learner: Learner
    parameters: Mapping[str, Any]
    counts: Mapping[str, int]
    figures: Mapping[str, float]


class Lesson(Protocol):
    """One kind of learning."""

    @property
    def networks(self) -> int:
        """How many networks the recipe has."""

    @property
    def embedding(self) -> Embedding:
        """Random weights that belong to the features."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The columns of a unit's matrix."""

    @property
    def examples(self) -> str:
        """What is learned from, in words."""

    def compute(self, index: int) -> Unit:
        """Return the labelled features of one network."""

    def fit(self, whole: Gathered, n_jobs: int) -> Fitted:
        """Fit to all networks."""


def lesson_of(recipe: TrainingRecipe, embedding: Embedding | None = None) -> Lesson:
    """Return what a recipe teaches; embedding: drawn by the seed of the recipe unless given."""
    if isinstance(recipe, SkeletonRecipe):
        return EdgeLesson(recipe)
    if isinstance(recipe, ColliderRecipe):
        return ColliderLesson(recipe)
    return TripleLesson(recipe, draw_embedding(recipe.seed) if embedding is None else embedding)


@dataclass(frozen=True)
class TripleLesson:
    """The published way: the unshielded triples of the true skeletons."""

    recipe: PaperRecipe
    embedding: Embedding
    feature_names = FEATURE_NAMES
    examples = "unshielded triple"

    @property
    def networks(self) -> int:
        """How many networks the recipe has."""
        return self.recipe.n_networks

    def compute(self, index: int) -> Unit:
        """Return the labelled triples of one network."""
        return compute_unit(self.recipe, self.embedding, index)

    def fit(self, whole: Gathered, n_jobs: int) -> Fitted:
        """Fit with the parameters of the paper."""
        learner = Learner.fit(whole.matrix, whole.labels, seed=self.recipe.seed, n_jobs=n_jobs)
        counts = {"triples": len(whole.labels), "v_structures": int(whole.labels.sum())}
        figures = _figures(learner.probability(whole.matrix, n_jobs=n_jobs), whole.labels == 1)
        return Fitted(learner, PAPER_PARAMETERS, counts, figures)


@dataclass(frozen=True)
class EdgeLesson:
    """The pairs that the preset `accurate` judges."""

    recipe: SkeletonRecipe
    embedding = NO_EMBEDDING
    feature_names = EDGE_FEATURE_NAMES
    examples = "pair of columns"

    @property
    def networks(self) -> int:
        """How many networks the recipe has."""
        return self.recipe.networks

    def compute(self, index: int) -> Unit:
        """Return the labelled pairs of one network."""
        return compute_edges(self.recipe, index)

    def fit(self, whole: Gathered, n_jobs: int) -> Fitted:
        """Fit, and measure on networks held out in turn."""
        learner, figures = fit_edges(whole, seed=self.recipe.seed, n_jobs=n_jobs)
        counts = {"pairs": len(whole.labels), "edges": int(whole.labels.sum()), "missed_edges": int(whole.missed.sum())}
        return Fitted(learner, WORLD_PARAMETERS, counts, figures)


@dataclass(frozen=True)
class ColliderLesson:
    """Our way: what scores say about the triples of true and learned skeletons."""

    recipe: ColliderRecipe
    embedding = NO_EMBEDDING
    feature_names = SCORE_NAMES
    examples = "unshielded triple"

    @property
    def networks(self) -> int:
        """How many networks the recipe has."""
        return self.recipe.networks

    def compute(self, index: int) -> Unit:
        """Return the labelled triples of one network."""
        return compute_colliders(self.recipe, index)

    def fit(self, whole: Gathered, n_jobs: int) -> Fitted:
        """Fit, and measure on networks held out in turn."""
        found = fit_colliders(whole, seed=self.recipe.seed, n_jobs=n_jobs)
        counts = {"triples": len(whole.labels), "v_structures": int(whole.labels.sum())}
        return Fitted(found.learner, WORLD_PARAMETERS, counts, found.figures)


def _figures(probability: NDArray[np.float64], truth: NDArray[np.bool_]) -> dict[str, float]:
    """Measure the fit on its own training triples; how well it does elsewhere is for others to measure."""
    given = np.clip(np.where(truth, probability, 1 - probability), 1e-15, 1.0)
    called = probability >= THRESHOLD
    hits = int((called & truth).sum())
    return {
        "training_log_loss": float(-np.log(given).mean()),
        "training_f1": 2 * hits / max(1, int(called.sum()) + int(truth.sum())),
    }
