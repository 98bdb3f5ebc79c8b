"""What knowledge rules out or demands, over the columns that take part in learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ml4c.errors import KnowledgeError
from ml4c.skeleton.pairs import Mask


class Constraining(Protocol):
    """Constraints on a graph, as `ml4c.knowledge.Constraints` has them; cell [i, j] is the arc i -> j."""

    @property
    def required(self) -> Mask:
        """Arcs that must be there."""

    @property
    def forbidden(self) -> Mask:
        """Arcs that must not be there."""

    @property
    def adjacent(self) -> Mask:
        """Pairs that must be adjacent, symmetric."""

    @property
    def absent(self) -> Mask:
        """Pairs that must not be adjacent, symmetric."""


@dataclass(frozen=True, eq=False)
class Rules:
    """Constraints over some columns, checked and completed: a required arc is an adjacent pair."""

    required: Mask
    forbidden: Mask
    adjacent: Mask
    absent: Mask

    @classmethod
    def of(cls, constraints: Constraining | None, n_columns: int) -> Rules:
        """Take what a user knows, or nothing."""
        if constraints is None:
            none = np.zeros((n_columns, n_columns), np.bool_)
            return cls(none, none, none, none)
        required, forbidden = _checked(constraints.required, n_columns), _checked(constraints.forbidden, n_columns)
        adjacent = _symmetric(required | _checked(constraints.adjacent, n_columns))
        absent = _symmetric(_checked(constraints.absent, n_columns)) | (forbidden & forbidden.T)
        if (adjacent & absent).any():
            i, j = np.argwhere(adjacent & absent)[0].tolist()
            raise KnowledgeError(
                f"columns {i} and {j} must be adjacent and must not be: drop one of the two statements"
            )
        return cls(required, forbidden, adjacent, absent)

    def select(self, columns: NDArray[np.int64]) -> Rules:
        """Return the rules over these columns, in this order."""
        cells = np.ix_(columns, columns)
        return Rules(self.required[cells], self.forbidden[cells], self.adjacent[cells], self.absent[cells])


def _checked(matrix: Mask, n_columns: int) -> Mask:
    cells = np.asarray(matrix, np.bool_)
    if cells.shape != (n_columns, n_columns):
        raise KnowledgeError(f"the constraints are about {len(cells)} columns, the table has {n_columns}")
    return cells


def _symmetric(matrix: Mask) -> Mask:
    return np.asarray(matrix | matrix.T)
