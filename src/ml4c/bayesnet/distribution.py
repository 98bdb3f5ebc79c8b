"""The distribution of one node given its parents.

A network asks little of it, the protocol `Distribution`; the full table `CPT` is the one implementation.
Drawing a column asks only for the configurations of the parents that occur, so a table whose rows are made on
demand can take its place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.sampling import Codes, draw_column
from ml4c.errors import NetworkError

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

# Published networks round their probabilities: three thirds written as 0.33 are off by 0.01. Such rows are
# rescaled; anything further off is a mistake. Rows that are this close to 1 already are kept to the last bit.
ROW_SUM_TOLERANCE = 0.0101
ROW_SUM_EXACT = 1e-12


@dataclass(frozen=True)
class RowFault:
    """Why one row of a table is not a distribution."""

    row: int
    reason: str


def first_fault(table: Floats) -> RowFault | None:
    """Return the first row of `table` that is not a distribution, or None when all are."""
    with np.errstate(invalid="ignore"):  # infinities of both signs
        sums = table.sum(axis=1)
    good = (table >= 0).all(axis=1) & (np.abs(sums - 1) <= ROW_SUM_TOLERANCE)
    if good.all():
        return None
    row = int(np.argmin(good))
    not_probabilities = table[row][~(table[row] >= 0)]  # negative or NaN
    if not_probabilities.size:
        return RowFault(row, f"{not_probabilities[0]:g} is not a probability")
    return RowFault(row, f"the probabilities sum to {sums[row]:.6g}, off by {sums[row] - 1:+.2g}")


class Distribution(Protocol):
    """What a network asks of the distribution of one node."""

    @property
    def parents(self) -> tuple[int, ...]:
        """Indices of the parent nodes."""

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""

    def checked(self, node: str, card: int, parent_cards: Sequence[int]) -> Distribution:
        """Return the distribution, normalised; NetworkError naming `node` if it cannot be one."""

    def renumbered(self, position: Sequence[int]) -> Distribution:
        """Return the distribution for a network in which node `i` has become node `position[i]`."""

    def draw(self, codes: Codes, cards: Ints, uniforms: Floats, out: Codes) -> None:
        """Fill `out` given the parents' columns in `codes`, from one uniform for each row."""


@dataclass(frozen=True, eq=False)
class CPT:
    """A full conditional probability table.

    `table` has a row for each configuration of the parents, the last parent varying fastest, and a column
    for each state of the node.
    """

    parents: tuple[int, ...]
    table: Floats

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CPT) and self.parents == other.parents and np.array_equal(self.table, other.table)

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: every row has one less than it has states."""
        return self.table.size - len(self.table)

    def checked(self, node: str, card: int, parent_cards: Sequence[int]) -> CPT:
        """Return the table, normalised; NetworkError naming `node` if its shape or a row is wrong."""
        table = np.array(self.table, dtype=np.float64, order="C")
        shape = (math.prod(parent_cards), card)
        if table.shape != shape:
            raise NetworkError(f"node {node!r}: the table has shape {table.shape}, its states need {shape}")
        if fault := first_fault(table):
            raise NetworkError(f"node {node!r}, row {fault.row} of the table: {fault.reason}")
        sums = table.sum(axis=1, keepdims=True)
        np.divide(table, sums, out=table, where=np.abs(sums - 1) > ROW_SUM_EXACT)
        table.flags.writeable = False
        return CPT(self.parents, table)

    def renumbered(self, position: Sequence[int]) -> CPT:
        """Return the table for a network in which node `i` has become node `position[i]`."""
        return CPT(tuple(position[parent] for parent in self.parents), self.table)

    @cached_property
    def cumulative(self) -> Floats:
        """Row-wise cumulative probabilities; infinite from the last possible state on.

        Rounding may leave the last sum below the largest uniform: without the infinity a draw could run past
        the end or, worse, into a state of probability zero.
        """
        card = self.table.shape[1]
        last_possible = card - 1 - np.argmax(self.table[:, ::-1] > 0, axis=1)
        return np.where(np.arange(card) < last_possible[:, None], np.cumsum(self.table, axis=1), np.inf)

    def draw(self, codes: Codes, cards: Ints, uniforms: Floats, out: Codes) -> None:
        """Fill `out` given the parents' columns in `codes`, from one uniform for each row."""
        parents = np.array(self.parents, dtype=np.int64)
        strides = np.ones_like(parents)
        strides[:-1] = np.cumprod(cards[parents][:0:-1])[::-1]
        draw_column(codes, parents, strides, self.cumulative, uniforms, out)
