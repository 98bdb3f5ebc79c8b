"""A table as kernels want it: codes column by column, and bit planes for narrow columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

import numpy as np

from ml4c._kernels.arrays import Columns, Floats, Ints
from ml4c._kernels.bits import pack
from ml4c._kernels.memo import HEAD_BITS
from ml4c.dataset import Dataset
from ml4c.errors import DataError

NARROW = 8
"""Columns of up to this many states have a bit plane for each state."""
MAX_COLUMNS = 1 << HEAD_BITS


@dataclass(frozen=True, eq=False)
class Packed:
    """A table packed for counting; tests and scores of one table may share it."""

    names: tuple[str, ...]
    columns: Columns
    counts: tuple[Ints, ...]
    """For each column: how often each of its states occurs."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.columns.codes.shape[1])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.columns.codes.shape[0])

    @cached_property
    def entropies(self) -> Floats:
        """The entropy of every column, in nats; the order of its categories changes no bit."""
        ordered = [np.sort(of[of > 0]) for of in self.counts]
        shares = [of / max(1, of.sum()) for of in ordered]
        return np.array([float(-(share * np.log(share)).sum()) for share in shares])

    def select(self, columns: Ints) -> Packed:
        """Return the packed table of these columns, in this order."""
        picked = self.columns._replace(
            codes=self.columns.codes[columns],
            cards=self.columns.cards[columns],
            complete=self.columns.complete[columns],
            first=self.columns.first[columns],  # planes stay where they are
        )
        kept = columns.tolist()
        return Packed(tuple(self.names[i] for i in kept), picked, tuple(self.counts[i] for i in kept))

    def indices(self, columns: Sequence[str | int]) -> list[int]:
        """Turn names (or numbers, which are checked) into column numbers."""
        return [self._index(column) for column in columns]

    def _index(self, column: str | int) -> int:
        if isinstance(column, str):
            if column in self.names:
                return self.names.index(column)
            near = get_close_matches(column, self.names, n=3)
            hint = f"; near matches: {', '.join(map(repr, near))}" if near else ""
            raise DataError(f"there is no column {column!r}{hint}.")
        if 0 <= column < self.n_columns:
            return int(column)
        raise DataError(f"there is no column number {column}: columns count from 0 to {self.n_columns - 1}.")


def pack_table(data: Dataset | Packed) -> Packed:
    """Pack a table; one that is packed already is returned as it is."""
    if isinstance(data, Packed):
        return data
    if data.n_columns > MAX_COLUMNS:
        raise DataError(f"the table has {data.n_columns} columns; at most {MAX_COLUMNS} can be counted.")
    codes = np.ascontiguousarray(data.codes.T, np.uint16)
    cards = data.cardinalities.astype(np.int64)
    complete = (data.missing_counts == 0).astype(np.int64)
    narrow = (cards <= NARROW) & (complete == 1)
    first = np.where(narrow, np.cumsum(np.where(narrow, cards, 0)) - cards, -1)
    planes = np.zeros((int(cards[narrow].sum()), (data.n_rows + 63) // 64), np.uint64)
    pack(codes, cards, first, planes)
    counts = tuple(
        np.bincount(column, minlength=card)[:card] for column, card in zip(codes, cards.tolist(), strict=True)
    )
    return Packed(data.names, Columns(codes, cards, complete, planes, first), counts)
