"""The folder of a training run: one file of features for every finished network.

Every file carries the digest of what it was computed from: the recipe, the embedding, the names of the features and the
version of ml4c. A file of another digest is neither used nor overwritten: the folder belongs to someone else. A file
that is truncated or damaged counts as missing.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ml4c.embedding import Embedding
from ml4c.errors import ModelError
from ml4c.features import FEATURE_NAMES
from ml4c.learner.files import CARD, TREES, write_whole
from ml4c.synthesis import PaperRecipe
from ml4c.training.unit import Unit

RECIPE = "recipe.json"
FEATURES = "features"
DAMAGE = (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error)


class FeatureStore:
    """The features of the networks of one recipe, in one folder; ModelError if the folder is another recipe's."""

    def __init__(self, folder: Path, recipe: PaperRecipe, embedding: Embedding) -> None:
        self.folder = folder
        self.digest = _digest(recipe, embedding)
        try:
            self._claim(recipe)
        except OSError as error:
            raise ModelError(f"{folder}: cannot be used ({error.strerror}): check the path and your rights") from error

    def _claim(self, recipe: PaperRecipe) -> None:
        (self.folder / FEATURES).mkdir(parents=True, exist_ok=True)
        note = self.folder / RECIPE
        if note.exists():
            if _noted_digest(note) != self.digest:
                raise _foreign(note)
            return
        for name in (CARD, TREES):
            if (self.folder / name).exists():
                raise _foreign(self.folder / name)
        plain = {"digest": self.digest, "recipe": recipe.to_dict()}
        write_whole(note, (json.dumps(plain, indent=1, sort_keys=True) + "\n").encode())

    def file(self, index: int) -> Path:
        """Return where the features of a network are kept."""
        return self.folder / FEATURES / f"{index:05d}.npz"

    def write(self, index: int, unit: Unit) -> None:
        """Keep the features of a network."""
        buffer = io.BytesIO()
        np.savez(buffer, matrix=unit.matrix, labels=unit.labels, index=np.array(index), digest=np.array(self.digest))
        try:
            write_whole(self.file(index), buffer.getbuffer())
        except OSError as error:
            raise ModelError(
                f"{self.file(index)}: cannot be written ({error.strerror}): make room, run again"
            ) from error

    def read(self, index: int) -> Unit | None:
        """Return what is kept of a network, None if nothing whole is; ModelError if it is another recipe's."""
        file = self.file(index)
        try:
            with np.load(file, allow_pickle=False) as content:
                digest, unit = str(content["digest"]), Unit(content["matrix"], content["labels"])
                whole = int(content["index"]) == index and unit.matrix.shape == (len(unit.labels), len(FEATURE_NAMES))
        except DAMAGE:
            return None
        if digest != self.digest:
            raise _foreign(file)
        return unit if whole else None

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
        whole = Unit(np.empty((ends[-1], len(FEATURE_NAMES)), np.float32), np.empty(ends[-1], np.uint8))
        for index, end in enumerate(ends):
            unit = self.read(index)
            if unit is None:
                raise ModelError(f"{self.file(index)}: damaged while training; run again to compute it anew")
            whole.matrix[end - len(unit.labels) : end] = unit.matrix
            whole.labels[end - len(unit.labels) : end] = unit.labels
        return whole


def _digest(recipe: PaperRecipe, embedding: Embedding) -> str:
    plain: dict[str, Any] = {
        "recipe": recipe.to_dict(),
        "embedding": embedding.to_dict(),
        "features": FEATURE_NAMES,
        "version": version("ml4c"),
    }
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _noted_digest(note: Path) -> object:
    try:
        plain = json.loads(note.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return plain.get("digest") if isinstance(plain, dict) else None


def _foreign(file: Path) -> ModelError:
    return ModelError(
        f"{file}: made by another recipe or another version of ml4c: choose another folder, or delete this one"
    )
