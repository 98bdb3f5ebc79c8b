"""Splitting delimited text into blocks of whole records, and checking each block before it is parsed.

A fast parser fills short rows with nulls, takes the rest of the file for one cell after a stray quote, and
knows no line numbers. So the structure is found here first, some megabytes at a time and without a loop over
cells: where a quote is open (the parity of the quotes so far), which separators and line ends therefore
count, how many fields each record has. Blank lines are skipped. What is left, any parser reads alike.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np
import numpy.typing as npt

from ml4c.errors import DataError

BLOCK = 16 * 2**20
QUOTE, NEWLINE, RETURN = b'"\n\r'

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Block:
    """Whole records: record i is `data[starts[i]:ends[i]]`, and its line end follows."""

    data: bytes
    line: int  # of the first byte, in the file
    starts: Places
    ends: Places
    fields: Places

    def line_of(self, i: int) -> int:
        """Return the line on which record i starts, in the file."""
        return self.line + self.data.count(b"\n", 0, int(self.starts[i]))

    @property
    def blank(self) -> npt.NDArray[np.bool_]:
        """Which records are blank lines."""
        first = np.frombuffer(self.data, dtype=np.uint8)[self.starts]
        length = self.ends - self.starts
        blank: npt.NDArray[np.bool_] = (length == 0) | ((length == 1) & (first == RETURN))
        return blank

    def without(self, dropped: npt.NDArray[np.bool_]) -> bytes:
        """Return the text of the records that are not dropped."""
        if not dropped.any():
            return self.data
        keep = np.repeat(~dropped, self.ends + 1 - self.starts)
        return np.frombuffer(self.data, dtype=np.uint8)[keep].tobytes()


def read_blocks(stream: IO[bytes], separator: str) -> Iterator[Block]:
    """Read text as blocks of whole records; refuse bytes that are not UTF-8 and quotes that make no sense."""
    line, rest, more = 1, stream.read(BLOCK).removeprefix(codecs.BOM_UTF8), True
    while more:
        chunk = stream.read(BLOCK)
        more = bool(chunk)
        if not more and not rest.endswith(b"\n"):
            rest += b"\n"
        block = _whole_records(rest, line, ord(separator), last=not more)
        yield block
        rest = rest[len(block.data) :] + chunk
        line += block.data.count(b"\n")


def _whole_records(data: bytes, line: int, separator: int, last: bool) -> Block:
    """Return the records that end within the data."""
    cells = np.frombuffer(data, dtype=np.uint8)
    line_ends, separators = cells == NEWLINE, cells == separator
    quotes = np.flatnonzero(cells == QUOTE)
    if quotes.size:
        _check_quotes(cells, quotes, separator, data, line)
        outside = np.cumsum(cells == QUOTE, dtype=np.uint8) % 2 == 0
        line_ends &= outside
        separators &= outside
    ends = np.flatnonzero(line_ends)
    whole = int(ends[-1]) + 1 if ends.size else 0
    if not whole and not quotes.size:
        raise DataError(f"line {line} is longer than {BLOCK:,} bytes: is this a table?")
    if whole < len(data) and (last or not whole):
        opened = line + data.count(b"\n", 0, int(quotes[-1]))
        raise DataError(f"line {opened}: a quote that opens here is never closed: close it or remove it")
    _check_text(data[:whole], line)
    starts = np.append(0, ends[:-1] + 1)
    before = np.searchsorted(np.flatnonzero(separators), ends)  # separators up to each line end
    fields = np.diff(before, prepend=0) + 1
    return Block(data[:whole], line, starts, ends, fields)


def _check_quotes(cells: Bytes, quotes: Places, separator: int, data: bytes, line: int) -> None:
    """Refuse a quote that neither encloses a field nor is one of two inside an enclosed field."""
    before, after = np.zeros((2, 256), dtype=bool)  # the bytes that may stand before and after the quotes
    before[[separator, NEWLINE, QUOTE]] = True
    after[[separator, NEWLINE, QUOTE, RETURN]] = True
    opening, closing = quotes[0::2], quotes[1::2]
    opening, closing = opening[opening > 0], closing[closing < len(cells) - 1]
    stray_opening = opening[~before[cells[opening - 1]]]
    stray_closing = closing[~after[cells[closing + 1]]]
    strays = np.concatenate([stray_opening[:1], stray_closing[:1]])
    if strays.size:
        place = line + data.count(b"\n", 0, int(strays.min()))
        raise DataError(f"line {place}: a quote inside a field: enclose the field in quotes and double the inner one")


def _check_text(data: bytes, line: int) -> None:
    """Refuse bytes that are not UTF-8, or are null, which no text has."""
    wrong = data.find(0)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        wrong = error.start
    if wrong >= 0:
        place = line + data.count(b"\n", 0, wrong)
        raise DataError(f"line {place}: the byte 0x{data[wrong]:02x} is not text in UTF-8: save the file as UTF-8")
