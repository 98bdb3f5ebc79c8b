"""Numbers for questions, and the answers that are known: the Python side of the memo.

Memory is bounded: beyond `most_entries` answers everything is forgotten and the memo starts anew, which costs time,
never correctness.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c._kernels.arrays import Floats, Sets
from ml4c._kernels.memo import Memo, count_runs, enter, fill_slots, first_bad
from ml4c.errors import DataError

MOST_ENTRIES = 1 << 22
"""Answers kept by default: up to about 200 MB."""

LEAST_SETS = 1 << 10
"""Sets that there is room for at the least: growing enters all questions anew."""


class Registry:
    """Questions of `heads` columns and a set, and `width` numbers as the answer to each."""

    def __init__(self, names: tuple[str, ...], *, heads: int, width: int, most_entries: int = MOST_ENTRIES) -> None:
        self._names = names
        self._heads = heads
        self._width = width
        self._most_entries = most_entries
        self.forget()

    def forget(self) -> None:
        """Drop every set and answer."""
        self._memo = _room_for(sets=1, members=1, keys=1)
        self.values: Floats = np.empty((1, self._width))

    @property
    def n_entries(self) -> int:
        """Number of answers held."""
        return int(self._memo.counts[1])

    @property
    def sets(self) -> Sets:
        """All sets that questions have named."""
        return Sets(self._memo.members, self._memo.start)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """For every entry its set, and its one or two heads in the two lowest 16-bit fields."""
        return self._memo.keys[: self.n_entries]

    def checked(self, questions: ArrayLike) -> NDArray[np.int32]:
        """Return questions as a matrix of column numbers, or raise `DataError` with the first that is wrong."""
        rows = np.atleast_2d(np.asarray(questions))
        if rows.ndim != 2 or rows.shape[1] < self._heads or not np.issubdtype(rows.dtype, np.integer):
            raise DataError(
                f"questions must be a matrix of integers with {self._heads} columns or more: {self._heads} "
                f"column number(s), then the conditioning set, -1 for none; got {rows.dtype} {rows.shape}."
            )
        rows = np.ascontiguousarray(rows, np.int32)
        bad = first_bad(rows, self._heads, len(self._names))
        if bad >= 0:
            raise DataError(
                f"question {bad} is {rows[bad].tolist()}: columns count from 0 to {len(self._names) - 1}, "
                f"and the first {self._heads} must differ from each other and from the set (-1 for none)."
            )
        return rows

    def enter(self, questions: NDArray[np.int32]) -> tuple[NDArray[np.int32], slice]:
        """Return the entry of each question, and which entries are new: their `values` must be filled in."""
        if self.n_entries + len(questions) > self._most_entries:
            self.forget()
        known = self.n_entries
        self._grow(len(questions), count_runs(questions, self._heads), questions.shape[1] - self._heads)
        found = np.empty(len(questions), np.int32)
        enter(questions, self._heads, self._memo, found)
        return found, slice(known, self.n_entries)

    def answers(self, questions: NDArray[np.int32], batch: int, fill: Callable[[slice], None]) -> Floats:
        """Return the answer to each question, calling `fill` for the new entries of every batch."""
        found = np.empty((len(questions), self._width))
        for begin in range(0, len(questions), batch):
            entries, new = self.enter(questions[begin : begin + batch])
            if new.stop > new.start:
                try:
                    fill(new)
                except BaseException:
                    self.forget()  # entries without an answer must not be found later
                    raise
            self.values.take(entries, axis=0, out=found[begin : begin + batch], mode="clip")
        return found

    def _grow(self, questions: int, new_sets: int, depth: int) -> None:
        """Make room for so many questions and sets, should all of them be new."""
        memo = self._memo
        sets, keys = int(memo.counts[0]), int(memo.counts[1])
        members = int(memo.start[sets])
        # One set more, because a set is written behind the last before it is looked for.
        need_sets, need_members = sets + new_sets + 1, members + (new_sets + 1) * depth
        if len(memo.start) > need_sets and len(memo.members) >= need_members and len(memo.keys) >= keys + questions:
            return
        wider = _room_for(
            max(2 * need_sets, LEAST_SETS), max(2 * need_members, LEAST_SETS * depth), 2 * (keys + questions)
        )
        wider.members[:members] = memo.members[:members]
        wider.start[: sets + 1] = memo.start[: sets + 1]
        wider.keys[:keys] = memo.keys[:keys]
        wider.counts[:] = memo.counts
        fill_slots(wider)
        values = np.empty((len(wider.keys), self._width))
        values[:keys] = self.values[:keys]
        self._memo, self.values = wider, values


def _room_for(sets: int, members: int, keys: int) -> Memo:
    return Memo(
        np.empty(members, np.int64),
        np.zeros(sets + 1, np.int64),
        np.full(_slots(sets), -1, np.int32),
        np.empty(keys, np.uint64),
        np.full(_slots(keys), -1, np.int32),
        np.zeros(2, np.int64),
    )


def _slots(entries: int) -> int:
    """Return the length of a hash table: a power of two, at most half full."""
    return 1 << (2 * entries).bit_length()
