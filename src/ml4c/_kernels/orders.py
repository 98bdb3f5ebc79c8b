"""A Markov chain over the orders of columns, under sums over all sets of parents that an order allows.

In an order the parents of a column come before it. Every column has a few candidate parents, numbered by bits; `weight`
has for every set of candidates the log of the sum over all sets of parents within it, so what an order is worth is a
sum of lookups, one for each column. A move takes one column to another place: of the columns that it passes those
change that have it among their candidates, and the column itself.
"""

from __future__ import annotations

from math import exp, log, log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats, Ints, Words, kernel, leaf, step
from ml4c._kernels.orientations import below, chance

LARGEST = 600.0
"""Weights, in logs, below which sums are formed of the weights themselves; what is as far below 0 adds nothing."""
NEGLIGIBLE = 40.0
"""A weight that is smaller by so much, in logs, changes no bit of a sum."""


class Candidates(NamedTuple):
    """Who may be a parent of whom, and what sets of parents are worth."""

    bit: NDArray[np.int16]
    """[v, u]: the bit of u among the candidate parents of v, 0 if it is none."""
    weight: Floats
    """(columns, sets of candidates)"""


class Order(NamedTuple):
    """An order on the way."""

    columns: Ints
    before: Ints
    """For each column: the bits of its candidates that come before it."""
    random: Words


@kernel
def sum_within(weight: Floats) -> None:
    """Replace the log weight of every set, rows of them, by that of the sum over all sets within it.

    That of the empty set, the first, is 0, so as long as no other overflows no sum is lost.
    """
    nodes, sets = weight.shape
    for v in range(nodes):
        row = weight[v]
        top = 0.0
        for s in range(sets):
            top = max(top, row[s])
        as_logs = top >= LARGEST
        for s in range(sets):
            if not as_logs:
                row[s] = exp(row[s]) if row[s] > -LARGEST else 0.0
        _add_within(row, as_logs)
        for s in range(sets):
            if not as_logs:
                row[s] = log(row[s])


@step
def _add_within(row: Floats, as_logs: bool) -> None:
    """Add to every set those within it, one bit after the other."""
    sets, bit = len(row), 1
    while bit < sets:
        for begin in range(0, sets, 2 * bit):
            for s in range(begin, begin + bit):
                row[s + bit] = _log_sum(row[s], row[s + bit]) if as_logs else row[s] + row[s + bit]
        bit *= 2


@leaf
def _log_sum(first: float, second: float) -> float:
    high, low = max(first, second), min(first, second)
    return high if low < high - NEGLIGIBLE else high + log1p(exp(low - high))


@kernel
def walk(q: Candidates, o: Order, reach: int, burn: int, looks: int, seen: Floats) -> None:
    """Make so many moves for each column, then look so many times, one move for each column apart.

    reach: a move takes a column to the next place or, half of them, by up to so many. seen[v, b] grows by how probable
    the candidate with bit b is as a parent of v, at every look.
    """
    for _ in range(burn):
        _sweep(q, o, reach)
    for _ in range(looks):
        _sweep(q, o, reach)
        _look(q, o, seen)


@step
def _sweep(q: Candidates, o: Order, reach: int) -> None:
    n = len(o.columns)
    for _ in range(n):
        at, far = below(o, n), np.int64(1)
        if chance(o) < 0.5:
            far += below(o, reach)
        to = at + far if chance(o) < 0.5 else at - far
        if 0 <= to < n:
            _move(q, o, at, to)


@leaf
def _move(q: Candidates, o: Order, at: int, to: int) -> None:
    """Take the column in one place to another, as probably as a walk in balance would."""
    v = o.columns[at]
    way = 1 if to > at else -1
    before, gain = o.before[v], 0.0
    for place in range(at + way, to + way, way):
        u = o.columns[place]
        before ^= np.int64(q.bit[v, u])
        gain += q.weight[u, o.before[u] ^ np.int64(q.bit[u, v])] - q.weight[u, o.before[u]]
    gain += q.weight[v, before] - q.weight[v, o.before[v]]
    if gain < 0.0 and chance(o) >= exp(gain):
        return
    o.before[v] = before
    for place in range(at, to, way):
        u = o.columns[place + way]
        o.before[u] ^= np.int64(q.bit[u, v])
        o.columns[place] = u
    o.columns[to] = v


@step
def _look(q: Candidates, o: Order, seen: Floats) -> None:
    nodes, bits = seen.shape
    for v in range(nodes):
        allowed = o.before[v]
        for b in range(bits):
            if allowed >> b & 1:
                seen[v, b] += 1.0 - exp(q.weight[v, allowed ^ (1 << b)] - q.weight[v, allowed])
