"""What the folder of a training run tells the scripts beside this one: networks judged by learners fitted without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ml4c.graph import skeleton, unshielded_triples
from ml4c.synthesis import ColliderRecipe, load_recipe, world_network
from ml4c.training import FeatureStore
from ml4c.training.colliders import collider_fit
from ml4c.training.edges import edge_fit
from ml4c.training.gathering import Gathered
from ml4c.training.held_out import held_out_probability
from ml4c.training.lessons import lesson_of

EVERY = 5
"""One training network of so many is oriented."""


def gathered(name: str, folder: Path, networks: int | None = None) -> Gathered:
    """Return the features of all networks of a recipe, or of the first ones."""
    lesson = lesson_of(load_recipe(name))
    return FeatureStore(folder, lesson.recipe, lesson.embedding).gathered(networks or lesson.networks)


def judged(name: str, folder: Path) -> tuple[Gathered, np.ndarray]:
    """Return the features of all networks, and what learners say that were fitted without the network at hand."""
    whole = gathered(name, folder)
    fit = (edge_fit if name == "skeleton" else collider_fit)(whole, seed=load_recipe(name).seed, n_jobs=2)
    return whole, held_out_probability(whole, fit, 2)


def on_true_skeletons(
    whole: Gathered, probability: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, int]]:
    """Yield the DAG, the triples of its skeleton, their probabilities and the rows of every fifth network."""
    recipe = load_recipe("default")
    assert isinstance(recipe, ColliderRecipe)
    for index, mine in enumerate(np.split(probability, np.cumsum(whole.counts)[:-1])):
        if index % EVERY == 0:
            made = world_network(recipe, index)
            triples = unshielded_triples(skeleton(made.net.dag))
            yield made.net.dag, triples, mine[: len(triples)], made.rows
