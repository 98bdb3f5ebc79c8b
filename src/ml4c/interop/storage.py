"""Text on disk: read with the place of an error, written in full or not at all.

A file is written under another name first and then renamed, so a reader never sees half of it; several files that
belong together take their places only after the last of them has been written.
"""

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from ml4c.errors import GraphError

AnyPath: TypeAlias = str | os.PathLike[str]


def read_text(file: Path) -> str:
    """Read a text file in UTF-8; GraphError when it cannot be read or is something else."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise GraphError(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise GraphError(f"{file}: not a text file in UTF-8 (byte {error.start})") from error


def replace_files(texts: Mapping[Path, str]) -> None:
    """Write these texts to these files: all are written under other names before the first is renamed."""
    unfinished = {file: file.with_name(f".{file.name}.{os.getpid()}.tmp") for file in texts}
    try:
        for file, text in texts.items():
            with _writing(file):
                unfinished[file].write_text(text, encoding="utf-8", newline="\n")
        for file in texts:
            with _writing(file):
                os.replace(unfinished[file], file)
    finally:
        for left in unfinished.values():
            left.unlink(missing_ok=True)


def table_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV under a header; None is an empty cell and a number has all its digits."""
    return "".join(map(_line, [header, *rows]))


def _line(row: Sequence[object]) -> str:
    """Write one row; only a writer of lines that end in CR LF also quotes a lone CR, which would end the row."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(row)
    return text.getvalue().removesuffix("\r\n") + "\n"


@contextmanager
def located(place: str) -> Iterator[None]:
    """Say where in a file an error lies."""
    try:
        yield
    except GraphError as error:
        raise GraphError(f"{place}: {error}") from error


@contextmanager
def _writing(file: Path) -> Iterator[None]:
    """Say which file cannot be written."""
    try:
        yield
    except OSError as error:
        raise GraphError(f"{file}: cannot be written ({error.strerror})") from error
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise GraphError(
            f"{file}: cannot be written, a name has {half!r}, half of a character; rename that column"
        ) from error
