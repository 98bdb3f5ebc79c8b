"""What the folder of a training run tells the scripts beside this one: networks judged by learners fitted without."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ml4c.graph import skeleton, unshielded_triples
from ml4c.learner import WORLD_PARAMETERS, library_versions
from ml4c.synthesis import ColliderRecipe, load_recipe, world_network
from ml4c.training import FeatureStore
from ml4c.training.colliders import collider_fit
from ml4c.training.edges import edge_fit
from ml4c.training.gathering import Gathered
from ml4c.training.held_out import FOLDS, held_out_probability
from ml4c.training.lessons import lesson_of
from ml4c.units import write_whole

HELD_OUT = "held_out.npz"
EVERY = 5
"""One training network of so many is oriented."""


def gathered(name: str, folder: Path, networks: int | None = None) -> Gathered:
    """Return the features of all networks of a recipe, or of the first ones."""
    lesson = lesson_of(load_recipe(name))
    return FeatureStore(folder, lesson.recipe, lesson.embedding).gathered(networks or lesson.networks)


def judged(name: str, folder: Path) -> tuple[Gathered, np.ndarray]:
    """Return the features of all networks, and what learners say that were fitted without the network at hand.

    Fitting takes minutes, so what they say is kept in the folder until the examples or the fit are others.
    """
    whole, seed = gathered(name, folder), load_recipe(name).seed
    kept, about = folder / HELD_OUT, hash_of(whole, seed)
    if kept.is_file():
        with np.load(kept) as content:
            if str(content["about"]) == about:
                return whole, content["probability"]
    fit = (edge_fit if name == "skeleton" else collider_fit)(whole, seed=seed, n_jobs=2)
    probability = held_out_probability(whole, fit, 2)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, about=np.array(about), probability=probability)
    write_whole(kept, buffer.getbuffer())
    return whole, probability


def hash_of(whole: Gathered, seed: int) -> str:
    """Return what changes with the examples, the parameters of a fit, its seed or the versions of libraries."""
    how = {"parameters": WORLD_PARAMETERS, "folds": FOLDS, "seed": seed, "versions": library_versions()}
    found = hashlib.sha256(json.dumps(how, sort_keys=True).encode())
    for part in (whole.matrix, whole.labels, whole.counts, whole.missed):
        found.update(np.ascontiguousarray(part))
    return found.hexdigest()


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
