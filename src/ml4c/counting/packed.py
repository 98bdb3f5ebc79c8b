"""A table as kernels want it: codes column by column, and bit planes for narrow columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from ml4c._kernels.arrays import Columns
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

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.columns.codes.shape[1])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.columns.codes.shape[0])

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
    return Packed(data.names, Columns(codes, cards, complete, planes, first))
