"""What the supervised methods share: trained on synthetic networks whose arrows are known, then asked about edges.

A method describes the pairs of a table by arrays, both ways round, so that labels are balanced and no way round is
preferred; `fit` makes a model of the descriptions of all training networks, and `score` asks the model. Training takes
edges alone and tells directions alone, since a skeleton is given.

    folder/rcc/recipe.json           what the folder is for
    folder/rcc/features/00137.npz    descriptions of the edges of network 137
    folder/rcc/model.npz             the model, nothing pickled

The descriptions of a finished network are a file of their own, and the model is fitted on one thread once all are
there, in the order of their numbers: training that was killed goes on to the same bits.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c.baselines.pairwise.direction import oriented, skeleton_pairs
from ml4c.baselines.pairwise.tables import Floats, Pairs
from ml4c.baselines.protocol import Method, Problem
from ml4c.dataset import Dataset
from ml4c.errors import WorkError
from ml4c.graph import Graph, edges
from ml4c.synthesis import PaperRecipe, network
from ml4c.units import UnitStore, write_whole
from ml4c.units.store import DAMAGE

Arrays: TypeAlias = Mapping[str, NDArray[Any]]

RECIPE = PaperRecipe(name="pairs", sizes=((10, 20), (21, 50)))
"""200 networks of moderate size of the paper's distribution, about 7,500 edges."""
NOTE, FEATURES, MODEL = "recipe.json", "features", "model.npz"
SETTINGS = "settings"
"""The array of a model that holds the settings it was trained with, as JSON."""


@dataclass(frozen=True)
class Supervised:
    """A method that is trained.

    settings: what the model depends on, as plain values. draw: random numbers that belong to the model. describe:
    arrays about pairs of columns, with those random numbers. fit: the arrays of a model from those of the training
    networks, whose pairs are (cause, effect). score: antisymmetric, above 0 if the first of a pair is the cause.
    """

    name: str
    settings: Mapping[str, Any]
    describe: Callable[[Dataset, Pairs, Arrays], Arrays]
    fit: Callable[[list[Arrays]], Arrays]
    score: Callable[[Arrays, Arrays], Floats]
    draw: Callable[[], Arrays] = field(default=dict)

    def method(self, title: str, source: str, needs: tuple[str, ...] = ()) -> Method:
        """Return the method as the benchmark has it."""
        run, prepare = partial(decide, self), partial(train, self)
        return Method(self.name, title, "pairwise", source, "ml4c", "given", run, needs, prepare)


def train(method: Supervised, folder: Path, recipe: PaperRecipe = RECIPE) -> None:
    """Train a model into a folder of the method's own within `folder`, going on from what is there, be it all."""
    drawn = method.draw()
    store = _store(method, folder, recipe, drawn)
    with suppress(WorkError):
        load(method, folder)
        return
    for index in store.missing(range(recipe.n_networks)):
        store.write(index, dict(_describe_network(method, recipe, drawn, index)))
    described = [_read(store, index) for index in range(recipe.n_networks)]
    model = {**method.fit(described), **drawn, SETTINGS: _settings(method)}
    buffer = io.BytesIO()
    np.savez(buffer, **model)  # type: ignore[arg-type]
    write_whole(store.folder / MODEL, buffer.getbuffer())


def decide(method: Supervised, problem: Problem) -> Graph:
    """Orient every edge by the trained model; an edge that it is exactly undecided about stays undirected."""
    pairs = skeleton_pairs(problem.skeleton)
    return oriented(pairs, scores(method, problem.models, problem.data, pairs), problem.data.n_columns)


def scores(method: Supervised, models: Path | None, data: Dataset, pairs: Pairs) -> Floats:
    """Return the score of every pair by the model in a folder of trained methods."""
    model = load(method, models)
    return method.score(model, method.describe(data, pairs, model)) if len(pairs) else np.empty(0)


def load(method: Supervised, models: Path | None) -> Arrays:
    """Return the arrays of the trained model; WorkError, which says how to train, if there is none."""
    train_it = f"train it with method_named({method.name!r}).train(folder) and give that folder as `models`"
    if models is None:
        raise WorkError(f"method {method.name!r} is a supervised one and was given no trained models: {train_it}")
    file = models / method.name / MODEL
    try:
        with np.load(file, allow_pickle=False) as content:
            model = {name: content[name] for name in content.files}
    except DAMAGE as error:
        raise WorkError(f"{file}: no trained model that can be read: {train_it}") from error
    if model.get(SETTINGS) != _settings(method):
        raise WorkError(f"{file}: trained with other settings than this version has; {train_it}, a new one")
    return model


def _store(method: Supervised, folder: Path, recipe: PaperRecipe, drawn: Arrays) -> UnitStore:
    about = {
        "method": method.name,
        "recipe": recipe.to_dict(),
        "settings": dict(method.settings),
        "drawn": {name: values.tolist() for name, values in drawn.items()},
    }
    return UnitStore(folder / method.name, about, note=NOTE, units=FEATURES, not_beside=(MODEL,))


def _settings(method: Supervised) -> NDArray[np.str_]:
    return np.array(json.dumps({"method": method.name, **method.settings}, sort_keys=True))


def _describe_network(method: Supervised, recipe: PaperRecipe, drawn: Arrays, index: int) -> Arrays:
    made = network(recipe, index)
    return method.describe(made.sample(), edges(made.net.dag).directed, drawn)


def _read(store: UnitStore, index: int) -> Arrays:
    arrays = store.read(index)
    if arrays is None:
        raise WorkError(f"{store.file(index)}: damaged while training; run again to compute it anew")
    return arrays
