"""What every conditional independence test can do, and how questions are written.

Questions are a matrix of column numbers, one row each: x, y, then the members of S in any order, -1 where a row has
fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c.citest.answers import Association, Dependence


class CITest(Protocol):
    """Answers many questions (x, y | S) at once."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that questions number."""

    def dependence(self, questions: ArrayLike) -> Dependence:
        """Return severity and p-value of each question (METHOD section 2)."""

    def association(self, questions: ArrayLike) -> Association:
        """Return G2 and chi2 of each question."""


def questions(triples: Iterable[tuple[int, int, Sequence[int]]]) -> NDArray[np.int32]:
    """Write (x, y, S) triples as a matrix of questions."""
    rows = [(x, y, *given) for x, y, given in triples]
    matrix = np.full((len(rows), max((len(row) for row in rows), default=2)), -1, np.int32)
    for row, columns in zip(matrix, rows, strict=True):
        row[: len(columns)] = columns
    return matrix
