"""The run as a whole: compute what is missing, gather, fit, save."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ml4c.counting import available_cores
from ml4c.errors import ModelError, WorkError
from ml4c.learner import ModelCard, library_versions
from ml4c.synthesis import TrainingRecipe
from ml4c.training.gathering import Gathered
from ml4c.training.lessons import Lesson, lesson_of
from ml4c.training.store import FeatureStore
from ml4c.training.unit import Unit
from ml4c.units import lent, number_of_jobs, run_units

Progress = Callable[[int, int], None]
"""Called with the number of networks done and the number of all."""


@dataclass(frozen=True)
class TrainingReport:
    """What a run did; `reused` networks were there from an earlier run."""

    folder: Path
    networks: int
    reused: int
    card: ModelCard

    @property
    def triples(self) -> int:
        """Number of triples learned from."""
        return int(self.card.counts.get("triples", 0))

    @property
    def v_structures(self) -> int:
        """How many of them are v-structures."""
        return int(self.card.counts.get("v_structures", 0))


def train(
    recipe: TrainingRecipe,
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
    lesson = lesson_of(recipe)
    networks = _number_of_networks(lesson, limit)
    jobs = number_of_jobs(n_jobs)
    store = FeatureStore(Path(folder), recipe, lesson.embedding)
    missing = store.missing(range(networks))
    _compute(store, lesson.compute, missing, networks, lent(executor, jobs), jobs, progress)
    card = _fit_and_save(store.gathered(networks), recipe, lesson, store.folder, min(jobs, available_cores()))
    return TrainingReport(store.folder, networks, networks - len(missing), card)


def _number_of_networks(lesson: Lesson, limit: int | None) -> int:
    if limit is not None and limit < 1:
        raise WorkError(f"cannot train on {limit} networks: take at least one")
    return lesson.networks if limit is None else min(limit, lesson.networks)


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


def _fit_and_save(whole: Gathered, recipe: TrainingRecipe, lesson: Lesson, folder: Path, jobs: int) -> ModelCard:
    networks = len(whole.counts)
    if not len(whole.labels):
        raise ModelError(f"the {networks} networks of recipe {recipe.name!r} have no {lesson.examples} to learn from")
    fitted = lesson.fit(whole, jobs)
    card = ModelCard(
        embedding=lesson.embedding,
        recipe=recipe.to_dict(),
        seeds={"recipe": recipe.seed, "embedding": recipe.seed, "learner": recipe.seed},
        parameters=dict(fitted.parameters),
        counts={"networks": networks, **fitted.counts},
        figures=fitted.figures,
        versions=library_versions(),
        feature_names=lesson.feature_names,
    )
    return fitted.learner.save(folder, card)
