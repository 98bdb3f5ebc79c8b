"""The best acyclic orientation of a small skeleton, exactly: which node comes last, over all sets of nodes.

An acyclic orientation of the nodes S has a last node; all its neighbours in S are its parents, and what remains is an
acyclic orientation of S without it. So best(S) is the largest, over nodes v that may be last, of
local(v, neighbours of v in S) + best(S - v): 2^n sets, whatever the local terms are. The two best *different* answers
are kept for every set. Answers with equal values and keys count as the same: keys tell colliders apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Ints, kernel, step


class Terms(NamedTuple):
    """Local terms of nodes 0 to n - 1, as tables over subsets of their neighbours."""

    neighbours: Ints
    """The neighbours of node v are `neighbours[start[v]:start[v + 1]]`; the k-th is bit k of a place in its table."""
    start: Ints
    stays: Ints
    """For each node, a bit set: it cannot be last while one of these nodes is there."""
    values: Ints
    """Tables of all nodes, one after the other; that of v begins at `begin[v]`."""
    keys: Ints
    begin: Ints


class Answers(NamedTuple):
    """For every set of nodes, as bits: the two best values with their keys, how many there are, and who is last."""

    values: Ints
    """(sets, 2)"""
    keys: Ints
    n: NDArray[np.uint8]
    last: NDArray[np.int8]


@step
def _insert(a: Answers, chosen: int, v: int, value: int, key: int) -> None:
    """Keep an answer if it is among the two best; of equal values the smaller key is better."""
    n = np.int64(a.n[chosen])
    place = 0
    while place < n:
        if value == a.values[chosen, place] and key == a.keys[chosen, place]:
            return
        if value > a.values[chosen, place] or (value == a.values[chosen, place] and key < a.keys[chosen, place]):
            break
        place += 1
    if place == 2:
        return
    if place == 0:
        a.values[chosen, 1], a.keys[chosen, 1] = a.values[chosen, 0], a.keys[chosen, 0]
        a.last[chosen] = v
    a.values[chosen, place], a.keys[chosen, place] = value, key
    a.n[chosen] = 1 if n == 0 else 2


@kernel
def solve(terms: Terms, a: Answers) -> None:
    """Fill in the answers of all sets, smaller ones first."""
    a.values[0, 0], a.keys[0, 0], a.n[0] = 0, 0, 1
    for chosen in range(1, a.n.shape[0]):
        a.n[chosen] = 0
        for v in range(terms.start.shape[0] - 1):
            if (chosen >> v) & 1 == 0 or terms.stays[v] & chosen:
                continue
            place = terms.begin[v]
            for k in range(terms.start[v], terms.start[v + 1]):
                place += ((chosen >> terms.neighbours[k]) & 1) << (k - terms.start[v])
            rest = chosen ^ (1 << v)
            for rank in range(a.n[rest]):
                value, key = a.values[rest, rank] + terms.values[place], a.keys[rest, rank] + terms.keys[place]
                _insert(a, chosen, v, value, key)
