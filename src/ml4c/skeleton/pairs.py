"""Pairs of columns under one number each, and what the tests said about every pair.

Pair {i, j}, i < j, of d columns is number i (2d - i - 1) / 2 + j - i - 1: the cells above the diagonal, row by row. A
table of 1,000 columns has half a million pairs, so whatever is kept about them is an array, never an object each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ml4c.graph import Graph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Columns = NDArray[np.int32]
Mask = NDArray[np.bool_]

NEVER = -1.0
"""Stands for the p-value of a pair that no test was asked about."""
ONES = np.array([byte.bit_count() for byte in range(256)], np.uint8)
"""How many bits of a byte are set."""


def above(n_columns: int) -> Mask:
    """Mark the cells above the diagonal, which are the pairs in the order of their numbers."""
    return ~np.tri(n_columns, dtype=np.bool_)


def all_pairs(n_columns: int) -> Columns:
    """List all pairs i < j in the order of their numbers."""
    return np.argwhere(above(n_columns)).astype(np.int32)


def number_of(x: NDArray[Any], y: NDArray[Any], n_columns: int) -> Ints:
    """Return the numbers of the pairs {x, y}."""
    low, high = np.minimum(x, y).astype(np.int64), np.maximum(x, y).astype(np.int64)
    return np.asarray(low * (2 * n_columns - low - 1) // 2 + high - low - 1)


def as_matrix(of_pair: Mask, n_columns: int) -> Graph:
    """Return the symmetric matrix of the pairs that are marked."""
    matrix = np.zeros((n_columns, n_columns), np.int8)
    matrix[above(n_columns)] = of_pair
    return matrix | matrix.T


def of_pairs(matrix: Mask) -> Mask:
    """Return the cells above the diagonal of a symmetric matrix, in the order of the pairs."""
    return np.asarray(matrix[above(len(matrix))])


def in_common(near: Mask, x: Columns, y: Columns) -> Ints:
    """Count, for each pair, the columns that are marked in the rows of both.

    A product of matrices would tell as well, but numpy's libraries make it with all cores, however many were asked for.
    """
    bits = np.packbits(near, axis=1)
    return np.asarray(ONES[bits[x] & bits[y]].sum(axis=1, dtype=np.int64))


def without(near: Columns, column: Columns) -> Columns:
    """Return lists of columns, each without one of them; where that is not listed, without the last."""
    keep = np.argsort(near == column[:, None], axis=1, kind="stable")[:, : near.shape[1] - 1]
    return np.asarray(np.take_along_axis(near, keep, axis=1))


class Ledger:
    """For every pair the conditioning set that came closest to separating it: the one with the largest p-value."""

    def __init__(self, n_columns: int) -> None:
        self.n_columns = n_columns
        n_pairs = n_columns * (n_columns - 1) // 2
        self.p_value: Floats = np.full(n_pairs, NEVER)
        self.z: Floats = np.full(n_pairs, np.inf)
        self.given: Columns = np.full((n_pairs, 0), -1, np.int32)

    def note(self, number: Ints, given: Columns, p_value: Floats, z: Floats) -> None:
        """Take one answer for each of some different pairs; it replaces what is weaker evidence against an edge."""
        old_p, old_z = self.p_value[number], self.z[number]
        better = (p_value > old_p) | ((p_value == old_p) & (z < old_z))
        self._widen(given.shape[1])
        where = number[better]
        self.p_value[where], self.z[where] = p_value[better], z[better]
        self.given[where, : given.shape[1]] = given[better]
        self.given[where, given.shape[1] :] = -1

    def _widen(self, width: int) -> None:
        missing = width - self.given.shape[1]
        if missing > 0:
            self.given = np.pad(self.given, ((0, 0), (0, missing)), constant_values=-1)
