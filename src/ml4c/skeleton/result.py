"""What learning a skeleton gives: the graph, and for every pair the evidence for or against its edge."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ml4c.graph import Graph
from ml4c.skeleton.pairs import Columns, Floats
from ml4c.skeleton.twins import Copies, Function


class Reason(IntEnum):
    """Why a pair is adjacent, or is not."""

    DEPENDENT = 0
    """Adjacent: nothing separates the pair (`pc`), the edge is worth its place in the best DAG (`fast`), or the learner
    finds it probable enough (`accurate`)."""
    COPY_LINK = 1
    """Adjacent: the columns are copies of one another."""
    REQUIRED = 2
    """Adjacent: knowledge says so."""
    SEPARATED = 3
    """Absent: independent given a set."""
    WEAK = 4
    """Absent: nothing separates the pair, but the edge would gain too little, or is not probable enough."""
    CONSTANT = 5
    """Absent: one of the columns has a single value, so the data say nothing."""
    COPY = 6
    """Absent: one of the columns is a copy, and another of the same group has the edge."""
    FORBIDDEN = 7
    """Absent: knowledge says so."""
    DEGREE = 8
    """Absent: stronger edges fill the largest degree that was allowed."""
    UNDECIDED = 9
    """Absent: the time was over before the pair was looked at."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known about some pairs, a row each, sorted by pair."""

    pairs: Columns
    """(pairs, 2): column numbers i < j."""
    reason: NDArray[np.uint8]
    """Numbers of `Reason`."""
    given: Columns
    """(pairs, widest): the set that came closest to separating the pair, -1 where it is smaller."""
    p_value: Floats
    """G2 p-value given that set: the largest of all sets tried; nan where no test was asked."""
    z: Floats
    """The same as standard deviations from independence; nan where no test was asked."""
    gain: Floats
    """Nats that the edge adds to the score of the best DAG, in the better direction; nan where it was not scored."""
    probability: Floats
    """What the learner of `accurate` gives the edge, of copies their share; nan where it was not asked, and with other
    methods."""

    def __len__(self) -> int:
        return len(self.pairs)

    def find(self, i: int, j: int) -> int | None:
        """Return the row of a pair, None if there is no row for it."""
        return self._row.get((min(i, j), max(i, j)))

    def separator(self, i: int, j: int) -> tuple[int, ...] | None:
        """Return the set that separates a pair, None if there is none."""
        row = self.find(i, j)
        if row is None or self.reason[row] not in (Reason.SEPARATED, Reason.COPY):
            return None
        return tuple(c for c in self.given[row].tolist() if c >= 0)

    @cached_property
    def _row(self) -> dict[tuple[int, int], int]:
        return {(i, j): row for row, (i, j) in enumerate(self.pairs.tolist())}

    def take(self, rows: NDArray[np.bool_]) -> Evidence:
        """Return some of the rows."""
        return Evidence(
            pairs=self.pairs[rows],
            reason=self.reason[rows],
            given=self.given[rows],
            p_value=self.p_value[rows],
            z=self.z[rows],
            gain=self.gain[rows],
            probability=self.probability[rows],
        )


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Which pairs of columns are adjacent, and why.

    matrix: symmetric, int8. method: "fast", "accurate" or "pc". present, absent: evidence for the edges, and against
    all other pairs. constant: columns with one value. copies: groups of columns that divide the rows alike. functions:
    columns that another column determines. complete: False when the time budget ended the work early; note: what that
    means.
    """

    matrix: Graph
    method: str
    present: Evidence
    absent: Evidence
    constant: tuple[int, ...] = ()
    copies: tuple[Copies, ...] = ()
    functions: tuple[Function, ...] = ()
    complete: bool = True
    note: str = ""

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.present)

    def __repr__(self) -> str:
        unfinished = "" if self.complete else ", not complete"
        return f"<Skeleton ({self.method}): {len(self.matrix):,} columns, {self.n_edges:,} edges{unfinished}>"
