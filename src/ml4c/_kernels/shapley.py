"""Shapley values of trees: what each feature adds to what a leaf says, for many rows.

A leaf is reached by some conditions on some features. Where a row meets a condition, knowing the feature lets it
through; where the feature is not known, it goes through by the share of the training data that did (Lundberg et al.
2018). What the features of a leaf add depends only on which of its conditions a row meets: a pattern of a few bits. So
it is computed once for each pattern that occurs, and looked up for all rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats, Ints, kernel, step

Singles = NDArray[np.float32]


class Leaves(NamedTuple):
    """Leaves and the conditions on the way to each, `start[i]:start[i + 1]` those of leaf i, one for each feature."""

    value: Floats
    start: Ints
    feature: Ints
    low: Singles
    """A condition is met from here on ..."""
    high: Singles
    """... and below this,"""
    missing: NDArray[np.uint8]
    """or by a missing value, where this is 1."""
    share: Floats
    """Of the training data before the splits on the feature, so much went this way."""


class LeafRoom(NamedTuple):
    """Room to work in."""

    pattern: Ints
    """For each row: a bit for each condition that it meets."""
    known: NDArray[np.uint8]
    """For each pattern."""
    added: Floats
    """(patterns, conditions)"""
    weights: Floats
    """(conditions, sizes): of a set of so many features among so many others."""
    sizes: Floats


@kernel
def add_up(columns: Singles, leaves: Leaves, room: LeafRoom, out: Floats) -> None:
    """Add what every feature adds: `columns` and `out` are (features, rows)."""
    rows = columns.shape[1]
    for leaf in range(leaves.value.shape[0]):
        begin = leaves.start[leaf]
        n = leaves.start[leaf + 1] - begin
        room.pattern[:] = 0
        for k in range(n):
            values, bit = columns[leaves.feature[begin + k]], np.int64(1) << k
            low, high, missing = leaves.low[begin + k], leaves.high[begin + k], leaves.missing[begin + k] == 1
            for row in range(rows):
                x = values[row]
                room.pattern[row] |= bit * np.int64(((x >= low) & (x < high)) | ((x != x) & missing))
        room.known[: 1 << n] = 0
        for row in range(rows):
            if room.known[room.pattern[row]] == 0:
                room.known[room.pattern[row]] = 1
                _divide(leaves, leaf, room.pattern[row], room)
        for k in range(n):
            added = out[leaves.feature[begin + k]]
            for row in range(rows):
                added[row] += room.added[room.pattern[row], k]


@step
def _divide(leaves: Leaves, leaf: int, pattern: int, room: LeafRoom) -> None:
    """Divide what a leaf says among its features, for rows that meet these conditions."""
    begin = leaves.start[leaf]
    n = leaves.start[leaf + 1] - begin
    for k in range(n):
        # sizes[s]: what sets of s known others let through, all others being unknown.
        room.sizes[0] = 1.0
        others = 0
        for j in range(n):
            if j != k:
                met = np.float64((pattern >> j) & 1)
                others += 1
                room.sizes[others] = 0.0
                for s in range(others, 0, -1):
                    room.sizes[s] = room.sizes[s] * leaves.share[begin + j] + room.sizes[s - 1] * met
                room.sizes[0] *= leaves.share[begin + j]
        through = 0.0
        for s in range(n):
            through += room.weights[n - 1, s] * room.sizes[s]
        met = np.float64((pattern >> k) & 1)
        room.added[pattern, k] = leaves.value[leaf] * (met - leaves.share[begin + k]) * through
