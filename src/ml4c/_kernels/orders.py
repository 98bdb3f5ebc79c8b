"""A Markov chain over the orders of columns, under sums over all sets of parents that an order allows.

In an order the parents of a column come before it. Every column has a few candidate parents, numbered by bits; `weight`
has for every set of candidates the sum over all sets of parents within it, so what an order is worth is a product of
lookups, one for each column. A move takes one column to another place: of the columns that it passes those
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
"""Weights, in logs, below which sums are formed of the weights themselves."""
NEGLIGIBLE = 40.0
"""A weight that is smaller by so much, in logs, changes no bit of a sum."""


class Candidates(NamedTuple):
    """Who may be a parent of whom, and what sets of parents are worth."""

    bit: NDArray[np.int16]
    """[v, u]: the bit of u among the candidate parents of v, 0 if it is none."""
    weight: Floats
    """(columns, sets of candidates): summed over all sets within each."""
    as_logs: NDArray[np.uint8]
    """For each column: whether its weights are logs, because they might overflow."""


class Order(NamedTuple):
    """An order on the way."""

    columns: Ints
    before: Ints
    """For each column: the bits of its candidates that come before it."""
    random: Words
    worth: Floats
    """(2,): the log of what the order is worth, and of what the best one was worth at a look."""
    best: Ints
    """The columns in that one."""


@kernel
def sum_within(weight: Floats, listed: Ints, as_logs: NDArray[np.uint8]) -> None:
    """Replace the log weight of every set, rows of them, by the sum over all sets within it, or its log.

    The log weight of the empty set, the first, is 0, so as long as no other overflows no sum is lost. listed: the sets
    that are not left out; the others have large negative numbers.
    """
    nodes, sets = weight.shape
    for v in range(nodes):
        row = weight[v]
        top = 0.0
        for s in range(sets):
            top = max(top, row[s])
        as_logs[v] = top >= LARGEST
        if as_logs[v]:
            _add_logs_within(row)
        else:
            for s in listed:  # not all under a condition: the compiler computes exp first, and of -1e12 it is slow
                row[s] = exp(row[s])
            for s in range(sets):
                row[s] = max(row[s], 0.0)
            _add_within(row)


@step
def _add_within(row: Floats) -> None:
    """Add to every set those within it, one bit after the other."""
    sets, bit = len(row), 1
    while bit < sets:
        for begin in range(0, sets, 2 * bit):
            without, together = row[begin : begin + bit], row[begin + bit : begin + 2 * bit]
            for s in range(bit):
                together[s] += without[s]
        bit *= 2


@step
def _add_logs_within(row: Floats) -> None:
    """Add to every set those within it, whose logs are given."""
    sets, bit = len(row), 1
    while bit < sets:
        for begin in range(0, sets, 2 * bit):
            for s in range(begin, begin + bit):
                row[s + bit] = _log_sum(row[s], row[s + bit])
        bit *= 2


@leaf
def _log_sum(first: float, second: float) -> float:
    high, low = max(first, second), min(first, second)
    return high if low < high - NEGLIGIBLE else high + log1p(exp(low - high))


@kernel
def walk(q: Candidates, o: Order, reach: int, burn: int, looks: int, seen: Floats) -> None:
    """Make so many moves for each column, then look so many times, one move for each column apart.

    reach: a move takes a column to the next place or, half of them, by up to so many. seen[v, b] grows by how probable
    the candidate with bit b is as a parent of v, at every look. The best order of these looks is kept.
    """
    o.worth[0], o.worth[1] = 0.0, -np.inf
    for v in range(len(o.columns)):
        o.worth[0] += _rise(q, v, 0, o.before[v])
    for _ in range(burn):
        _sweep(q, o, reach)
    for _ in range(looks):
        _sweep(q, o, reach)
        _look(q, o, seen)


@leaf
def _rise(q: Candidates, v: int, one: int, other: int) -> float:
    """Return the log of how many times as much as a set of candidates another is worth."""
    if q.as_logs[v]:
        return q.weight[v, other] - q.weight[v, one]
    return log(q.weight[v, other] / q.weight[v, one])


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


@step
def _move(q: Candidates, o: Order, at: int, to: int) -> None:
    """Take the column in one place to another, as probably as a walk in balance would."""
    v = o.columns[at]
    way = 1 if to > at else -1
    before, gain = o.before[v], 0.0
    for place in range(at + way, to + way, way):
        u = o.columns[place]
        before ^= np.int64(q.bit[v, u])
        if q.bit[u, v]:
            gain += _rise(q, u, o.before[u], o.before[u] ^ np.int64(q.bit[u, v]))
    if before != o.before[v]:
        gain += _rise(q, v, o.before[v], before)
    if gain < 0.0 and chance(o) >= exp(gain):
        return
    o.worth[0] += gain
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
                without, whole = q.weight[v, allowed ^ (1 << b)], q.weight[v, allowed]
                seen[v, b] += 1.0 - (exp(without - whole) if q.as_logs[v] else without / whole)
    if o.worth[0] > o.worth[1]:
        o.worth[1] = o.worth[0]
        for place in range(nodes):
            o.best[place] = o.columns[place]
