"""The Gaussian BIC of a table's category numbers, as if they were measured: what the paper's tool for GES computes.

For node y with parents S, up to a constant of y:

    -n/2 log(residual variance of y given S) - (log n)/2 (|S| + 1)

The residual variance is a ratio of two determinants of the correlation matrix. Categories are numbered in the order of
the table, so this score, unlike all others here, depends on that order: it is kept to compare with the paper.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c.dataset import Dataset
from ml4c.errors import DataError

RIDGE = 1e-10
"""Share of every variance that is noise, so that a column which follows from others has a finite score."""
BATCH = 1 << 14


class GaussianScores:
    """The Gaussian BIC on one table; `score` as in `LocalScores`."""

    def __init__(self, data: Dataset) -> None:
        if data.missing_counts.any():
            raise DataError("the Gaussian score needs a table without missing values; take BDeu instead")
        self.n_rows = data.n_rows
        self._correlations = _correlations(data)

    def score(self, families: ArrayLike) -> NDArray[np.float64]:
        """Return the score of each family: rows node, parents, -1 for none."""
        rows = np.atleast_2d(np.asarray(families, np.int64))
        pieces = [rows[begin : begin + BATCH] for begin in range(0, len(rows), BATCH)]
        return np.concatenate([np.zeros(0), *map(self._of, pieces)])

    def _of(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        parents = rows.copy()
        parents[:, 0] = -1
        log_variance = self._log_determinants(rows) - self._log_determinants(parents)
        penalty = 0.5 * np.log(self.n_rows) * np.count_nonzero(rows >= 0, axis=1)
        return np.asarray(-0.5 * self.n_rows * log_variance - penalty)

    def _log_determinants(self, sets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Of the correlations of each row's columns; -1 adds an independent column of variance 1."""
        block = self._correlations[sets[:, :, None], sets[:, None, :]]
        absent = sets < 0
        block[absent[:, :, None] | absent[:, None, :]] = 0.0
        row, place = np.nonzero(absent)
        block[row, place, place] = 1.0
        return np.asarray(np.linalg.slogdet(block)[1])


def _correlations(data: Dataset) -> NDArray[np.float64]:
    """Between columns of codes; a constant column correlates with nothing."""
    codes = data.codes - data.codes.mean(axis=0)
    spread = np.sqrt((codes**2).sum(axis=0))
    codes /= np.where(spread > 0, spread, 1.0)
    found = codes.T @ codes
    np.fill_diagonal(found, 1.0 + RIDGE)
    return np.asarray(found)
