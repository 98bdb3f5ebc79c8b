"""Counting codes into dense tables: the innermost loop of the routes that count rows one by one.

Keys are computed a stretch at a time, which becomes vector code, and then counted. Keys are unsigned, because Numba
tests a signed index for being negative, which costs more than the counting.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Codes, Counts, Labels, apart, step

Keys: TypeAlias = NDArray[np.uint32]
"""Room for one stretch of keys."""
STRETCH = 1024


class Table(NamedTuple):
    """Room for one contingency table (or one for each configuration), its margins, and keys."""

    cells: Counts
    in_x: Counts
    in_y: Counts
    keys: Keys


def new_table(cells: int, widest: int) -> Table:
    """Return room for so many cells and for columns of up to `widest` states."""
    return Table(
        np.empty(cells, np.int32),
        apart(widest, np.int32),
        apart(widest, np.int32),
        np.empty(STRETCH, np.uint32),
    )


@step
def count_pairs(xs: Codes, ys: Codes, kx: int, ky: int, keys: Keys, cells: Counts) -> None:
    """Count the rows of two columns into the table `cells[x * ky + y]`."""
    cells[: kx * ky] = 0
    stretch = keys.shape[0]
    for base in range(0, xs.shape[0], stretch):
        some_x, some_y = xs[base : base + stretch], ys[base : base + stretch]
        for i in range(some_x.shape[0]):
            keys[i] = np.uint32(some_x[i]) * np.uint32(ky) + np.uint32(some_y[i])
        _count(keys[: some_x.shape[0]], cells)


@step
def count_triples(
    labels: Labels, n_labels: int, xs: Codes, ys: Codes, kx: int, ky: int, keys: Keys, cells: Counts
) -> None:
    """Count the rows of a partition and two columns; the first table is that of the rows without a label."""
    cells[: (n_labels + 1) * kx * ky] = 0
    stretch = keys.shape[0]
    for base in range(0, labels.shape[0], stretch):
        some, some_x, some_y = (
            labels[base : base + stretch],
            xs[base : base + stretch],
            ys[base : base + stretch],
        )
        for i in range(some.shape[0]):
            table = np.uint32(some[i] + np.int32(1)) * np.uint32(kx) + np.uint32(some_x[i])
            keys[i] = table * np.uint32(ky) + np.uint32(some_y[i])
        _count(keys[: some.shape[0]], cells)


@step
def _count(keys: Keys, cells: Counts) -> None:
    for i in range(keys.shape[0]):
        cells[keys[i]] += np.int32(1)


@step
def sum_margins(cells: Counts, start: int, in_x: Counts, in_y: Counts) -> int:
    """Sum the rows and columns of the table that starts in a cell; return the sum of all."""
    width = in_y.shape[0]
    in_y[:] = 0
    total = 0
    for i in range(in_x.shape[0]):
        row = cells[start + i * width : start + (i + 1) * width]
        left = np.int32(0)
        for j in range(width):
            left += row[j]
            in_y[j] += row[j]
        in_x[i] = left
        total += left
    return total


@step
def largest(counts: Counts) -> int:
    """Return the largest of some counts."""
    top = np.int32(0)
    for i in range(counts.shape[0]):
        top = max(top, counts[i])
    return top
