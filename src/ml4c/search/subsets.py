"""Subsets by number: all sets of one size among 0, 1, 2, ..., in colexicographic order.

{0, 1}, {0, 2}, {1, 2}, {0, 3}, ...: the number of a set follows from its members, the sum of C(member, place), and the
members from the number, so that lists of sets are written by array arithmetic.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

LARGEST_COUNT = 1 << 62
MOST_MEMBERS = 1 << 16


def unrank(rank: Ints, size: int) -> Ints:
    """Return the sets of a size with these numbers, a row of ascending members each."""
    members = np.empty((len(rank), size), np.int64)
    left = rank.astype(np.int64)
    for k in range(size, 0, -1):
        counts = set_counts(k)
        members[:, k - 1] = np.searchsorted(counts, left, side="right") - 1
        left = left - counts[members[:, k - 1]]
    return members


@lru_cache(maxsize=64)
def first_sets(count: int, size: int) -> Ints:
    """Return the first sets of a size, so many of them, a row of ascending members each."""
    found = unrank(np.arange(count), size)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=64)
def set_counts(size: int) -> Ints:
    """Return how many sets of a size there are among 0, 1, 2, ... members, up to where 64 bits end."""
    if size == 0:
        return np.ones(MOST_MEMBERS, np.int64)
    smaller = set_counts(size - 1)
    # C(n, k) = C(0, k - 1) + ... + C(n - 1, k - 1); the sums of floats show in time where whole numbers would overflow.
    fits = np.cumsum(smaller, dtype=np.float64) < LARGEST_COUNT
    counts = np.r_[0, np.cumsum(smaller[fits])]
    return np.asarray(counts[:MOST_MEMBERS] if fits.all() else np.r_[counts, LARGEST_COUNT])
