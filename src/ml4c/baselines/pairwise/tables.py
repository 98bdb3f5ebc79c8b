"""Pairs of columns as tables of counts, and categories as numbers.

Whatever the pairwise methods ask of two discrete columns is in the table of their joint counts: a mean over rows is a
mean over cells, weighted by their counts. A missing cell counts as a category of its own.

The methods were made for numbers. The number of a category is how many categories are more frequent, equally
frequent ones sharing the mean: Fonollosa's rule for categorical columns, which the names of categories and their order
cannot change. CDS alone takes the order of the categories in the table (`cds` says why).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c.dataset import Dataset

Pairs: TypeAlias = NDArray[np.intp]
"""One row (x, y) for each pair of columns."""
Table: TypeAlias = NDArray[np.int64]
"""Joint counts of two columns: the categories of the first in rows."""
Floats: TypeAlias = NDArray[np.float64]


def contingency_tables(data: Dataset, pairs: Pairs) -> list[Table]:
    """Count the rows in every pair of categories, for each pair of columns."""
    cards = data.cardinalities + (data.missing_counts > 0)
    return [_table(data.codes[:, x], data.codes[:, y], int(cards[x]), int(cards[y])) for x, y in pairs.tolist()]


def _table(x: NDArray[np.integer[Any]], y: NDArray[np.integer[Any]], rows: int, columns: int) -> Table:
    cell = x.astype(np.intp) * columns + y
    return np.bincount(cell, minlength=rows * columns).reshape(rows, columns).astype(np.int64)


def turned(table: Table) -> Table:
    """Return the table with its columns exchanged, laid out anew, so that both ways round are computed alike."""
    return np.ascontiguousarray(table.T)


def by_frequency(table: Table) -> Table:
    """Return the table with the categories of both columns from the most to the least frequent."""
    rows, columns = (np.argsort(-table.sum(axis=axis), kind="stable") for axis in (1, 0))
    return np.ascontiguousarray(table[np.ix_(rows, columns)])


def frequency_ranks(counts: Table) -> Floats:
    """Return for every category how many are more frequent; equally frequent ones share the mean."""
    _, place, alike = np.unique(-counts, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(alike) - (alike + 1) / 2)[place])


def standardised(values: Floats, counts: Table) -> Floats:
    """Return values with mean 0 and variance 1 over the rows they stand for; zeros if they do not vary."""
    n = counts.sum()
    centred = values - counts @ values / n
    spread = np.sqrt(counts @ centred**2 / n)
    return centred / spread if spread > 0 else np.zeros_like(centred)
