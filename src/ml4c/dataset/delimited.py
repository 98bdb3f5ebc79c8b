"""CSV and TSV files to factors, block by block, so that memory holds codes and not text.

Cells are text and labels are kept to the letter: "01" stays "01". A cell is missing if it is empty or is one
of MISSING_WORDS and not in quotes; in quotes such a word is a label, and `Dataset.write` quotes it. Each
column keeps a dictionary of its labels and small codes; one with too many labels for that must be numbers and
is kept as numbers.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ml4c.dataset.encoding import MAX_CATEGORIES, code_type
from ml4c.dataset.factor import Factor, factor_of, in_natural_order, positions
from ml4c.dataset.names import check_header
from ml4c.dataset.records import Block, read_blocks
from ml4c.errors import DataError

MISSING_WORDS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
QUOTED = "\0"  # marks a label that stood in quotes; no text file has this character


def read_delimited(stream: IO[bytes], separator: str) -> tuple[tuple[str, ...], Iterator[tuple[str, Factor]]]:
    """Return the names and the factors of the columns of a text file."""
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise DataError(f"separator={separator!r}: give one ASCII character, not a quote or a line end")
    blocks = read_blocks(stream, separator)
    names, body = _read_header(next(blocks), separator)
    columns = [_Labels(name) for name in names]
    _parse(body, separator, columns)
    for block in blocks:
        _check_fields(block, len(names))
        _parse(block.without(block.blank), separator, columns)
    return names, ((column.name, column.factor()) for column in columns)


def _read_header(block: Block, separator: str) -> tuple[tuple[str, ...], bytes]:
    """Return the names in the first record, and the text of the other records of the block."""
    skipped = block.blank
    if skipped.all():
        raise DataError("the file is empty: it needs a header and rows")
    first = int(np.argmin(skipped))
    skipped[first] = True
    header = block.data[block.starts[first] : block.ends[first]].decode().removesuffix("\r")
    if "\r" in header and len(block.starts) == 1:
        raise DataError("lines end with a carriage return alone: save the file with ordinary line ends")
    names = next(csv.reader([header], delimiter=separator), [])
    if len(names) == 1:
        _hint_separator(names[0])
    checked = check_header(names)
    _check_fields(block, len(names))
    return checked, block.without(skipped)


def _hint_separator(header: str) -> None:
    for separator in "\t;,|":
        if separator in header:
            raise DataError(f"the header is one column, {header!r}: if it is several, pass separator={separator!r}")


def _check_fields(block: Block, width: int) -> None:
    ragged = np.flatnonzero((block.fields != width) & ~block.blank)
    if ragged.size:
        i = int(ragged[0])
        raise DataError(
            f"line {block.line_of(i)} has {block.fields[i]} fields and the header has {width}: mend the "
            "line, or put fields that contain the separator in quotes"
        )


def _parse(body: bytes, separator: str, columns: list[_Labels]) -> None:
    if not body:
        return
    schema = {str(j): pl.String for j in range(len(columns))}
    marked = _mark_quoted(body, separator)
    frame = pl.read_csv(marked, has_header=False, separator=separator, schema=schema)
    for column, series in zip(columns, frame.iter_columns(), strict=True):
        column.add(series)


def _mark_quoted(body: bytes, separator: str) -> bytes:
    """Mark the missing words that stand in quotes, which a parser would strip."""
    words = [word.encode() for word in MISSING_WORDS if word]
    if b'"' not in body or not any(word in body and b'"%b"' % word in body for word in words):
        return body  # asked from the fast question to the slow
    edge = re.escape(separator).encode()
    pattern = rb'(^|[\n%b])"(%b)"(?=[\r\n%b])' % (edge, b"|".join(words), edge)
    return re.sub(pattern, rb'\1"%b\2"' % QUOTED.encode(), body)


class _Labels:
    """One column while it is read: a dictionary of labels and codes by block, or else numbers by block.

    Code 0 is missing, so that codes stay valid while the dictionary grows.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._known: dict[str, int] = {}
        self._parts: list[npt.NDArray[np.unsignedinteger[Any]]] = []
        self._numbers: list[pl.Series] = []

    def add(self, series: pl.Series) -> None:
        """Append the cells of a block."""
        if self._numbers:
            self._numbers.append(self._as_numbers(series))
            return
        labels = series.drop_nulls().unique()
        codes = [*map(self._code, labels.to_list()), 0]
        if len(self._known) > MAX_CATEGORIES:
            self._turn_into_numbers()
            self._numbers.append(self._as_numbers(series))
            return
        self._parts.append(np.array(codes, dtype=code_type([len(self._known)]))[positions(series, labels)])

    def factor(self) -> Factor:
        """Return the whole column."""
        if self._numbers:
            return factor_of(pl.concat(self._numbers))
        labels = pl.Series([label.removeprefix(QUOTED) for label in self._known], dtype=pl.String)
        values, numbers = in_natural_order(labels)
        ranks = positions(labels, values)
        lookup = np.append(len(values), ranks).astype(ranks.dtype)
        return Factor(values, np.concatenate([lookup[:0], *(lookup[part] for part in self._parts)]), numbers)

    def _code(self, label: str) -> int:
        return 0 if label in MISSING_WORDS else self._known.setdefault(label, len(self._known) + 1)

    def _turn_into_numbers(self) -> None:
        numbers = self._as_numbers(pl.Series(list(self._known), dtype=pl.String)).to_numpy()
        lookup = np.append(np.nan, numbers)
        self._numbers = [pl.Series(lookup[part]) for part in self._parts]
        self._known, self._parts = {}, []

    def _as_numbers(self, series: pl.Series) -> pl.Series:
        numbers = series.cast(pl.Float64, strict=False).fill_nan(None)
        others = set(series.filter(numbers.is_null()).drop_nulls().unique()) - set(MISSING_WORDS)
        if others:
            example = min(others).removeprefix(QUOTED)
            raise DataError(
                f"column {self.name!r} has more than {MAX_CATEGORIES:,} different values, not all of them "
                f"numbers ({example!r}): drop it if it tells rows apart, or group its values"
            )
        return numbers
