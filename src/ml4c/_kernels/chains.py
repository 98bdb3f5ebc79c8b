"""Markov chains and hill climbing over the acyclic orientations of a skeleton, under any local terms.

The objective is a sum over nodes of a term of the node and its parents, which is looked up. A node of few neighbours
has a table of all sets of them, numbered by their bits: the number of the present set is kept. At other nodes the sets
up to a size are numbered by size and then in colexicographic order, so that the number of a set follows from its
members. Larger sets are forbidden, the larger the more, so that any walk leaves them. Chains count how often each pair
of slots was inward: the probability of a collider at that temperature.

Differences of terms are formed anew for every move from the same table, never accumulated.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats, Ints, kernel, leaf, step
from ml4c._kernels.orientations import Orientation, below, bold_move, chance, closes_cycle, fair_move, reorder

FORBIDDEN = -1e12
LEAST_GAIN = 1e-9
"""What a move must gain while climbing: less is rounding, on which a climb could go in circles."""


class LocalTerms(NamedTuple):
    """The slots of a skeleton (see `orientations.Slots`), and the term of every node with every set of parents."""

    neighbours: Ints
    start: Ints
    owner: Ints
    reverse: Ints
    fixed: NDArray[np.uint8]
    table: Floats
    first: Ints
    """(nodes, sizes): where in `table` the sets of a size begin."""
    largest: Ints
    """Largest size of a set of each node's parents."""
    choose: Ints
    """(neighbours, sizes): binomial coefficients."""
    by_bits: Floats
    """The terms of nodes of few neighbours, by the bits of their parents."""
    begin_bits: Ints
    """For each node: where its terms begin in `by_bits`, -1 if it has too many neighbours."""
    bit: Ints
    """For each slot: its bit, 0 at a node of too many neighbours."""


class Standing(NamedTuple):
    """Where a walk stands, beside its orientation."""

    terms: Floats
    """For each node."""
    bits: Ints
    """For each node of few neighbours: the bits of its parents."""


class Pairs(NamedTuple):
    """Pairs of slots of one node, and how often both were inward."""

    first: Ints
    second: Ints
    count: Ints


@leaf
def _term(q: LocalTerms, o: Orientation, s: Standing, v: int) -> float:
    """Return the term of a node with its present parents."""
    if q.begin_bits[v] >= 0:
        return q.by_bits[q.begin_bits[v] + s.bits[v]]
    return _term_of_hub(q, o, v)


@step
def _term_of_hub(q: LocalTerms, o: Orientation, v: int) -> float:
    """Return the term of a node of many neighbours by the rank of its parents."""
    size = 0
    rank = np.int64(0)
    begin = q.start[v]
    for i in range(begin, q.start[v + 1]):
        if o.inward[i]:
            size += 1
            if size <= q.largest[v]:
                rank += q.choose[i - begin, size]
    if size > q.largest[v]:
        return FORBIDDEN * (size - q.largest[v])
    return q.table[q.first[v, size] + rank]


@leaf
def _term_after(q: LocalTerms, o: Orientation, s: Standing, v: int, i: int) -> float:
    """Return the term of a node once its slot i has turned."""
    if q.begin_bits[v] >= 0:
        return q.by_bits[q.begin_bits[v] + (s.bits[v] ^ q.bit[i])]
    o.inward[i] ^= 1
    term = _term_of_hub(q, o, v)
    o.inward[i] ^= 1
    return term


@leaf
def _gain(q: LocalTerms, o: Orientation, s: Standing, n: int) -> float:
    """Return what the move in `turned`, made at its node t alone, adds to the terms as they were before."""
    t = q.owner[o.turned[0]]
    total = _term(q, o, s, t) - s.terms[t]
    for k in range(n):
        i = o.turned[k]
        v = q.neighbours[i]
        total += _term_after(q, o, s, v, q.reverse[i]) - s.terms[v]
    return total


@leaf
def _turn_near_ends(q: LocalTerms, o: Orientation, s: Standing, t: int, n: int) -> None:
    """Turn the first n slots of `turned`, all of node t, at this end."""
    for k in range(n):
        o.inward[o.turned[k]] ^= 1
        s.bits[t] ^= q.bit[o.turned[k]]


@leaf
def _attempt(q: LocalTerms, o: Orientation, s: Standing, n: int, temperature: float) -> bool:
    """Make the move in `turned` if it is worth it and closes no cycle."""
    if n == 0:
        return False
    t = q.owner[o.turned[0]]
    _turn_near_ends(q, o, s, t, n)
    gain = _gain(q, o, s, n)
    good = gain > LEAST_GAIN if temperature == 0.0 else gain >= 0.0 or chance(o) < exp(gain / temperature)
    # The search for cycles sees the old edges at other nodes.
    if not good or closes_cycle(q, o, t):
        _turn_near_ends(q, o, s, t, n)
        return False
    reorder(q, o, t)
    s.terms[t] = _term(q, o, s, t)
    for k in range(n):
        i = q.reverse[o.turned[k]]
        v = q.owner[i]
        o.inward[i] ^= 1
        s.bits[v] ^= q.bit[i]
        s.terms[v] = _term(q, o, s, v)
    return True


@kernel
def begin(q: LocalTerms, o: Orientation, s: Standing) -> None:
    """Look up the terms of an orientation."""
    for v in range(q.start.shape[0] - 1):
        s.bits[v] = 0
        for i in range(q.start[v], q.start[v + 1]):
            s.bits[v] += q.bit[i] * np.int64(o.inward[i])
        s.terms[v] = _term(q, o, s, v)


@kernel
def walk(q: LocalTerms, o: Orientation, s: Standing, steps: int, hot: float, cold: float) -> None:
    """Make so many moves while the temperature falls from hot to cold by a constant factor."""
    temperature = hot
    cooling = (cold / hot) ** (1.0 / steps)
    for _ in range(steps):
        temperature *= cooling
        i = below(o, q.owner.shape[0])
        _attempt(q, o, s, bold_move(q, o, i, chance(o)), temperature)


@kernel
def observe(
    q: LocalTerms, o: Orientation, s: Standing, looks: int, pause: int, temperature: float, pairs: Pairs
) -> None:
    """Look at the pairs so many times, with `pause` moves at one temperature before each look."""
    for _ in range(looks):
        for _ in range(pause):
            _attempt(q, o, s, fair_move(q, o), temperature)
        for k in range(pairs.first.shape[0]):
            pairs.count[k] += np.int64(o.inward[pairs.first[k]] & o.inward[pairs.second[k]])


@kernel
def climb(q: LocalTerms, o: Orientation, s: Standing) -> None:
    """Turn one or two edges of a node while that gains."""
    better = True
    while better:
        better = False
        for i in range(q.owner.shape[0]):
            for j in range(q.start[q.owner[i]], i + 1):
                if not (q.fixed[i] or q.fixed[j]):
                    o.turned[0], o.turned[1] = i, j
                    better |= _attempt(q, o, s, 1 if i == j else 2, 0.0)
