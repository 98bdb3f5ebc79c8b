"""The folder of a training run: the features of every finished network, and in the end the model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ml4c.embedding import Embedding
from ml4c.errors import WorkError
from ml4c.features import FEATURE_SETS
from ml4c.learner.files import CARD, TREES
from ml4c.synthesis import PaperRecipe
from ml4c.training.unit import Unit
from ml4c.units import UnitStore

RECIPE = "recipe.json"
FEATURES = "features"


class FeatureStore:
    """The features of the networks of one recipe, in one folder; WorkError if the folder is another run's."""

    def __init__(self, folder: Path, recipe: PaperRecipe, embedding: Embedding) -> None:
        about = {
            "recipe": recipe.to_dict(),
            "embedding": embedding.to_dict(),
            "features": FEATURE_SETS[recipe.features],
        }
        self.folder = folder
        self._width = len(FEATURE_SETS[recipe.features])
        self._units = UnitStore(folder, about, note=RECIPE, units=FEATURES, not_beside=(CARD, TREES))

    def file(self, index: int) -> Path:
        """Return where the features of a network are kept."""
        return self._units.file(index)

    def write(self, index: int, unit: Unit) -> None:
        """Keep the features of a network."""
        self._units.write(index, {"matrix": unit.matrix, "labels": unit.labels})

    def read(self, index: int) -> Unit | None:
        """Return what is kept of a network, None if nothing whole is."""
        arrays = self._units.read(index)
        if arrays is None or not {"matrix", "labels"} <= arrays.keys():
            return None
        unit = Unit(arrays["matrix"], arrays["labels"])
        return unit if unit.matrix.shape == (len(unit.labels), self._width) else None

    def count(self, index: int) -> int:
        """Return the number of triples of a network that is kept."""
        with np.load(self.file(index), allow_pickle=False) as content:
            return len(content["labels"])

    def missing(self, indices: Iterable[int]) -> list[int]:
        """Return those networks of which nothing whole is kept, after reading all of them."""
        return [index for index in indices if self.read(index) is None]

    def gathered(self, networks: int) -> Unit:
        """Return the features of the first networks as one matrix, in the order of their numbers."""
        ends = np.cumsum([self.count(index) for index in range(networks)])
        whole = Unit(np.empty((ends[-1], self._width), np.float32), np.empty(ends[-1], np.uint8))
        for index, end in enumerate(ends):
            unit = self.read(index)
            if unit is None:
                raise WorkError(f"{self.file(index)}: damaged while training; run again to compute it anew")
            whole.matrix[end - len(unit.labels) : end] = unit.matrix
            whole.labels[end - len(unit.labels) : end] = unit.labels
        return whole
