"""A file of JSON lines that is always whole: what was appended is there, what was being appended is not.

A line is one write to a file opened for appending, then flushed to the disk. Whoever was killed in the middle of it
leaves a line without an end, which no reader sees and the next writer cuts off. One process writes at a time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from ml4c.errors import WorkError


class LineFile:
    """Lines of JSON objects; `append` only within `writing`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream: int | None = None

    def read(self) -> list[dict[str, Any]]:
        """Return all whole lines; WorkError with the number of one that is no JSON object."""
        if not self.path.exists():
            return []
        *whole, _torn = self.path.read_bytes().split(b"\n")
        return [self._parsed(number, line) for number, line in enumerate(whole, 1) if line.strip()]

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        with suppress(ValueError):
            plain = json.loads(line)
            if isinstance(plain, dict):
                return plain
        raise WorkError(f"{self.path}, line {number}: no JSON object: delete the line, its cell is then measured again")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open for appending, alone; cut off what an earlier writer left unfinished."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise WorkError(
                f"{self.path}: cannot be written ({error.strerror}): check the path and your rights"
            ) from None
        try:
            _lock(self._stream, self.path)
            os.ftruncate(self._stream, self.path.read_bytes().rfind(b"\n") + 1)
            yield
        finally:
            os.close(self._stream)
            self._stream = None

    def append(self, plain: Mapping[str, Any]) -> None:
        """Add a line, all of it or nothing that a reader would see."""
        if self._stream is None:
            raise WorkError(f"{self.path}: not open for writing")
        line = json.dumps(plain, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        try:
            written = os.write(self._stream, line)
            os.fsync(self._stream)
        except OSError as error:
            raise WorkError(f"{self.path}: cannot be written ({error.strerror}): make room, run again") from error
        if written < len(line):
            raise WorkError(f"{self.path}: the disk is full: make room, run again")


def _lock(stream: int, path: Path) -> None:
    """Refuse to write where another process does; the lock ends with its holder. Windows has none."""
    with suppress(ImportError):
        fcntl: Any = import_module("fcntl")
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise WorkError(f"{path}: another run writes here: wait for it, or choose another folder") from None
