"""The folder of a training run: the features of every finished network, and in the end the model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ml4c.embedding import Embedding
from ml4c.errors import WorkError
from ml4c.learner.files import CARD, TREES
from ml4c.synthesis import TrainingRecipe
from ml4c.training.gathering import Gathered
from ml4c.training.lessons import lesson_of
from ml4c.training.unit import Unit
from ml4c.units import UnitStore

RECIPE = "recipe.json"
FEATURES = "features"


class FeatureStore:
    """The features of the networks of one recipe, in one folder; WorkError if the folder is another run's."""

    def __init__(self, folder: Path, recipe: TrainingRecipe, embedding: Embedding) -> None:
        names = lesson_of(recipe, embedding).feature_names
        about = {"recipe": recipe.to_dict(), "embedding": embedding.to_dict(), "features": names}
        self.folder = folder
        self._width = len(names)
        self._units = UnitStore(folder, about, note=RECIPE, units=FEATURES, not_beside=(CARD, TREES))

    def file(self, index: int) -> Path:
        """Return where the features of a network are kept."""
        return self._units.file(index)

    def write(self, index: int, unit: Unit) -> None:
        """Keep the features of a network."""
        self._units.write(index, {"matrix": unit.matrix, "labels": unit.labels, "missed": np.array(unit.missed)})

    def read(self, index: int) -> Unit | None:
        """Return what is kept of a network, None if nothing whole is."""
        arrays = self._units.read(index)
        if arrays is None or not {"matrix", "labels", "missed"} <= arrays.keys():
            return None
        unit = Unit(arrays["matrix"], arrays["labels"], int(arrays["missed"]))
        return unit if unit.matrix.shape == (len(unit.labels), self._width) else None

    def missing(self, indices: Iterable[int]) -> list[int]:
        """Return those networks of which nothing whole is kept, after reading all of them."""
        return [index for index in indices if self.read(index) is None]

    def gathered(self, networks: int) -> Gathered:
        """Return the features of the first networks as one matrix, in the order of their numbers."""
        counts = np.array([self._count(index) for index in range(networks)], np.int64)
        rows = int(counts.sum())
        whole = Gathered(
            np.empty((rows, self._width), np.float32), np.empty(rows, np.uint8), counts, np.zeros(networks, np.int64)
        )
        for index, end in enumerate(np.cumsum(counts).tolist()):
            unit = self.read(index)
            if unit is None:
                raise WorkError(f"{self.file(index)}: damaged while training; run again to compute it anew")
            whole.matrix[end - len(unit.labels) : end] = unit.matrix
            whole.labels[end - len(unit.labels) : end] = unit.labels
            whole.missed[index] = unit.missed
        return whole

    def _count(self, index: int) -> int:
        with np.load(self.file(index), allow_pickle=False) as content:
            return len(content["labels"])
