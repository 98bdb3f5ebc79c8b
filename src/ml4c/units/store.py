"""A folder of finished units: a note that says what the folder is for, and one file of arrays for each unit.

Every file carries the digest of what it was computed from. A file of another digest is neither used nor overwritten:
the folder belongs to someone else. A file that is truncated or damaged counts as missing.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c.errors import WorkError
from ml4c.units.files import write_whole

DAMAGE = (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error)

Arrays: TypeAlias = dict[str, NDArray[Any]]


class UnitStore:
    """Units of one run in one folder; WorkError if the folder is another run's.

    about: everything that the units are computed from, as plain values; with the version of ml4c it is the digest.
    note: the file that says what the folder is for. units: the folder of the units within it. not_beside: files that
    a new run would replace, so that a folder with one of them and without a note is someone else's.
    """

    def __init__(
        self, folder: Path, about: Mapping[str, Any], *, note: str, units: str, not_beside: Iterable[str] = ()
    ) -> None:
        self.folder = folder
        self._units = units
        self.digest = _digest(about)
        try:
            self._claim(folder / note, about, not_beside)
        except OSError as error:
            raise WorkError(f"{folder}: cannot be used ({error.strerror}): check the path and your rights") from error

    def _claim(self, note: Path, about: Mapping[str, Any], not_beside: Iterable[str]) -> None:
        (self.folder / self._units).mkdir(parents=True, exist_ok=True)
        if note.exists():
            if _noted_digest(note) != self.digest:
                raise foreign(note)
            return
        for name in not_beside:
            if (self.folder / name).exists():
                raise foreign(self.folder / name)
        plain = {"digest": self.digest, **about}
        write_whole(note, (json.dumps(plain, indent=1, sort_keys=True) + "\n").encode())

    def file(self, index: int) -> Path:
        """Return where a unit is kept."""
        return self.folder / self._units / f"{index:05d}.npz"

    def write(self, index: int, arrays: Arrays) -> None:
        """Keep a unit."""
        buffer = io.BytesIO()
        np.savez(buffer, index=np.array(index), digest=np.array(self.digest), **arrays)  # type: ignore[arg-type]
        try:
            write_whole(self.file(index), buffer.getbuffer())
        except OSError as error:
            raise WorkError(
                f"{self.file(index)}: cannot be written ({error.strerror}): make room, run again"
            ) from error

    def read(self, index: int) -> Arrays | None:
        """Return what is kept of a unit, None if nothing whole is; WorkError if it is another run's."""
        try:
            with np.load(self.file(index), allow_pickle=False) as content:
                arrays = {name: content[name] for name in content.files}
                digest, number = str(arrays.pop("digest")), int(arrays.pop("index"))
        except DAMAGE:
            return None
        if digest != self.digest:
            raise foreign(self.file(index))
        return arrays if number == index else None

    def missing(self, indices: Iterable[int]) -> list[int]:
        """Return those units of which nothing whole is kept, after reading all of them."""
        return [index for index in indices if self.read(index) is None]


def foreign(file: Path) -> WorkError:
    """Return the error about a file that another run has made."""
    return WorkError(
        f"{file}: made by another run (other data, options or version of ml4c): choose another folder, or "
        "delete this one"
    )


def _digest(about: Mapping[str, Any]) -> str:
    plain = {**about, "version": version("ml4c")}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _noted_digest(note: Path) -> object:
    try:
        plain = json.loads(note.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return plain.get("digest") if isinstance(plain, dict) else None
