"""Writing a table as text, Parquet or codes: a reader sees the whole new file or the old one, never a part.

Labels take some twenty times the room of codes, so text is written in slices of rows and Parquet as
dictionaries. A label that would be read back as a missing value is put in quotes, which `read_table` heeds.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, cast

import numpy as np

from ml4c.dataset.delimited import MISSING_WORDS
from ml4c.dataset.filetype import SEPARATORS, known_ending
from ml4c.errors import DataError

if TYPE_CHECKING:
    from ml4c.dataset.table import Dataset

SLICE = 2**22  # cells that are labels at one time


def write_table(data: Dataset, path: str | os.PathLike[str]) -> None:
    """Write the labels, or to .npy the codes, in the format that the ending of the path names."""
    file = Path(path)
    try:
        ending = known_ending(file)
        with _replacing(file) as stream:
            if ending == ".parquet":
                data.to_polars().write_parquet(stream)
            elif ending == ".npy":
                _write_codes(data, stream)
            elif ending.endswith(".gz"):
                with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed:
                    _write_text(data, cast(IO[bytes], packed), SEPARATORS[ending])
            else:
                _write_text(data, stream, SEPARATORS[ending])
    except DataError as error:
        raise DataError(f"{file}: {error}") from None
    except OSError as error:
        raise DataError(f"{file}: cannot be written ({error.strerror}): check the path and your rights") from error


@contextmanager
def _replacing(file: Path) -> Iterator[IO[bytes]]:
    """Open a file beside the named one that takes its place when it is complete."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as stream:
            yield stream
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)


def _write_codes(data: Dataset, stream: IO[bytes]) -> None:
    if data.missing_counts.any():
        raise DataError("an .npy file holds codes and cannot say which are missing: write .csv or .parquet")
    np.save(stream, data.codes, allow_pickle=False)


def _write_text(data: Dataset, stream: IO[bytes], separator: str) -> None:
    for name, labels in zip(data.names, data.categories, strict=True):
        if "" in labels:
            raise DataError(f"column {name!r} has an empty label, in text the same as missing: write .parquet")
    ambiguous = any(label in MISSING_WORDS for labels in data.categories for label in labels)
    quotes: Literal["non_numeric", "necessary"] = "non_numeric" if ambiguous else "necessary"
    step = max(1, SLICE // data.n_columns)
    for first in range(0, data.n_rows, step):
        rows = data.to_polars(slice(first, first + step))
        rows.write_csv(stream, include_header=not first, separator=separator, quote_style=quotes)
