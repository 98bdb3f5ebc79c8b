"""The run as a whole: compute what is missing, gather, fit, save."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ml4c.counting import available_cores
from ml4c.embedding import Embedding, draw_embedding
from ml4c.errors import ModelError, WorkError
from ml4c.features import FEATURE_SETS
from ml4c.learner import PAPER_PARAMETERS, ModelCard, TripleLearner, library_versions
from ml4c.synthesis import PaperRecipe
from ml4c.training.store import FeatureStore
from ml4c.training.unit import Unit, compute_unit
from ml4c.units import lent, number_of_jobs, run_units

Progress = Callable[[int, int], None]
"""Called with the number of networks done and the number of all."""

THRESHOLD = 0.1
"""The paper calls a triple a v-structure from this probability on."""


@dataclass(frozen=True)
class TrainingReport:
    """What a run did; `reused` networks were there from an earlier run."""

    folder: Path
    networks: int
    reused: int
    triples: int
    v_structures: int
    card: ModelCard


def train(
    recipe: PaperRecipe,
    folder: str | os.PathLike[str],
    *,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    limit: int | None = None,
) -> TrainingReport:
    """Train a model of a recipe into a folder, going on from what an earlier run has left there.

    Without an executor, `n_jobs` processes compute (a script then needs the usual `if __name__ == "__main__"`); with
    one, twice `n_jobs` networks are in flight on it, and it is left open. `limit` takes the first networks only.
    """
    networks = _number_of_networks(recipe, limit)
    jobs = number_of_jobs(n_jobs)
    embedding = draw_embedding(recipe.seed)
    store = FeatureStore(Path(folder), recipe, embedding)
    missing = store.missing(range(networks))
    _compute(store, partial(compute_unit, recipe, embedding), missing, networks, lent(executor, jobs), jobs, progress)
    whole = store.gathered(networks)
    card = _fit_and_save(whole, recipe, embedding, networks, store.folder, min(jobs, available_cores()))
    reused = networks - len(missing)
    return TrainingReport(store.folder, networks, reused, len(whole.labels), int(whole.labels.sum()), card)


def _number_of_networks(recipe: PaperRecipe, limit: int | None) -> int:
    if limit is not None and limit < 1:
        raise WorkError(f"cannot train on {limit} networks: take at least one")
    return recipe.n_networks if limit is None else min(limit, recipe.n_networks)


def _compute(
    store: FeatureStore,
    work: Callable[[int], Unit],
    missing: list[int],
    networks: int,
    make: Callable[[], Executor],
    jobs: int,
    progress: Progress | None,
) -> None:
    """Compute and keep the missing networks."""
    report = progress or (lambda _done, _total: None)
    done = networks - len(missing)
    report(done, networks)
    if not missing:
        return
    with closing(run_units(work, missing, make, in_flight=2 * jobs)) as finished:
        for index, unit in finished:
            store.write(index, unit)
            done += 1
            report(done, networks)


def _fit_and_save(
    whole: Unit, recipe: PaperRecipe, embedding: Embedding, networks: int, folder: Path, jobs: int
) -> ModelCard:
    if not len(whole.labels):
        raise ModelError(f"the {networks} networks of recipe {recipe.name!r} have no unshielded triple to learn from")
    learner = TripleLearner.fit(whole.matrix, whole.labels, seed=recipe.seed, n_jobs=jobs)
    card = ModelCard(
        embedding=embedding,
        recipe=recipe.to_dict(),
        seeds={"recipe": recipe.seed, "embedding": recipe.seed, "learner": recipe.seed},
        parameters=dict(PAPER_PARAMETERS),
        counts={"networks": networks, "triples": len(whole.labels), "v_structures": int(whole.labels.sum())},
        figures=_figures(learner.probability(whole.matrix, n_jobs=jobs), whole.labels == 1),
        versions=library_versions(),
        feature_names=FEATURE_SETS[recipe.features],
    )
    return learner.save(folder, card)


def _figures(probability: np.ndarray[Any, Any], truth: np.ndarray[Any, Any]) -> dict[str, float]:
    """Measure the fit on its own training triples; how well it does elsewhere is for others to measure."""
    given = np.clip(np.where(truth, probability, 1 - probability), 1e-15, 1.0)
    called = probability >= THRESHOLD
    hits = int((called & truth).sum())
    return {
        "training_log_loss": float(-np.log(given).mean()),
        "training_f1": 2 * hits / max(1, int(called.sum()) + int(truth.sum())),
    }
