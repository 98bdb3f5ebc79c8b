"""Simulated annealing over the acyclic orientations of a skeleton.

The objective is a sum over pairs of parents. What a move gains is known before it is made: `pull` keeps, for every
slot, what its owner would gain by one more parent there. Only a move that passes Metropolis' rule is then checked for
cycles. All sums are integers, so that the order of additions cannot matter.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Ints, kernel, leaf, step
from ml4c._kernels.orientations import (
    Orientation,
    below,
    bold_move,
    chance,
    closes_cycle,
    flip_marks,
    node,
    outward,
    pair,
    reorder,
    single,
)

SHARE_OF_PUSHES = 0.04
"""Of all moves: an edge that pushes others."""


class Objective(NamedTuple):
    """A connected skeleton, which edges may not turn, and what each pair of parents is worth."""

    neighbours: Ints
    """The slots of node v are `start[v]:start[v + 1]`, ascending in the neighbours."""
    start: Ints
    owner: Ints
    reverse: Ints
    """The slot of the same edge at its other end."""
    fixed: NDArray[np.uint8]
    weights: Ints
    """A square for each node: slots i and j of node v meet at `corner[v] + i * degree + j`."""
    corner: Ints


@leaf
def _weight(q: Objective, i: int, j: int) -> int:
    """Return what slots i and j of one node are worth when both are inward."""
    t = q.owner[i]
    begin = q.start[t]
    return q.weights[q.corner[t] + (i - begin) * (q.start[t + 1] - begin) + j - begin]


@leaf
def _gain(q: Objective, o: Orientation, n: int) -> int:
    """Return what turning the first n slots of `turned`, all of one node, adds to the objective."""
    total = np.int64(0)
    for k in range(n):
        i = o.turned[k]
        sign = 1 - 2 * np.int64(o.inward[i])
        total += sign * (o.pull[i] - o.pull[q.reverse[i]])
        for m in range(k):
            j = o.turned[m]
            total += sign * (1 - 2 * np.int64(o.inward[j])) * _weight(q, i, j)
    return total


@leaf
def _turn_half(q: Objective, o: Orientation, i: int) -> None:
    """Turn slot i, not its reverse, and bring the pulls of its owner up to date."""
    t = q.owner[i]
    begin, end = q.start[t], q.start[t + 1]
    row = q.corner[t] + (i - begin) * (end - begin) - begin
    sign = 1 - 2 * np.int64(o.inward[i])
    for j in range(begin, end):
        o.pull[j] += sign * q.weights[row + j]
    o.inward[i] ^= 1


@step
def turn(q: Objective, o: Orientation, n: int) -> bool:
    """Turn the first n slots of `turned`, all of one node, unless that closes a cycle."""
    t = q.owner[o.turned[0]]
    flip_marks(o, n)
    cyclic = closes_cycle(q, o, t)
    if not cyclic:
        reorder(q, o, t)
    flip_marks(o, n)
    if cyclic:
        return False
    for k in range(n):
        _turn_half(q, o, o.turned[k])
        _turn_half(q, o, q.reverse[o.turned[k]])
    return True


@leaf
def _accepts(o: Orientation, gain: int, temperature: float) -> bool:
    """Metropolis' rule; at temperature 0 only what gains."""
    if temperature == 0.0:
        return gain > 0
    return gain >= 0 or chance(o) < exp(gain / temperature)


@leaf
def attempt(q: Objective, o: Orientation, n: int, temperature: float) -> bool:
    """Make the move in `turned` if it is worth it and closes no cycle."""
    return n > 0 and _accepts(o, _gain(q, o, n), temperature) and turn(q, o, n)


@step
def _most_disturbed(q: Objective, o: Orientation, arrived: int) -> int:
    """Return the inward slot that goes worst with the one that has just become inward, or -1 when none suffers."""
    t = q.owner[arrived]
    worst, least = -1, 0
    for i in range(q.start[t], q.start[t + 1]):
        if o.inward[i] and i != arrived and not q.fixed[i] and _weight(q, arrived, i) < least:
            worst, least = i, _weight(q, arrived, i)
    return worst


@step
def _push(q: Objective, o: Orientation, i: int, temperature: float) -> bool:
    """Reverse an edge, then the one that this disturbs most, and so on; undo all of it unless the sum is worth it.

    On a path, colliders wander at random and meet slowly; a push reverses the way from a collider to a source at once.
    It starts only where a node has a parent that it would better not have: elsewhere it would turn long ways in vain.
    """
    if o.pull[outward(q, o, i)] >= 0:
        return False
    total, n = np.int64(0), 0
    slot = i
    while slot >= 0 and n < o.pushed.shape[0]:
        one = single(q, o, slot)
        if one == 0:
            break
        turned = o.turned[0]
        gain = _gain(q, o, one)
        if not turn(q, o, one):
            break
        o.pushed[n] = turned
        n += 1
        total += gain
        slot = _most_disturbed(q, o, q.reverse[turned]) if total <= 0 else -1
    if n > 0 and _accepts(o, total, temperature):
        return True
    for k in range(n - 1, -1, -1):
        turn(q, o, single(q, o, o.pushed[k]))
    return False


@kernel
def anneal(q: Objective, o: Orientation, steps: int, hot: float, cold: float) -> None:
    """Make so many moves while the temperature falls from hot to cold by a constant factor."""
    temperature = hot
    cooling = (cold / hot) ** (1.0 / steps)
    for _ in range(steps):
        temperature *= cooling
        i = below(o, q.owner.shape[0])
        kind = chance(o)
        if kind > 1.0 - SHARE_OF_PUSHES:
            _push(q, o, i, temperature)
        else:
            attempt(q, o, bold_move(q, o, i, kind), temperature)


@step
def _prepare_pair(q: Objective, o: Orientation, i: int, j: int, kind: int) -> int:
    """Prepare to point two edges of one node away (0), at it (1), or to turn both (2)."""
    if kind < 2:
        return pair(q, o, i, j, kind)
    o.turned[0], o.turned[1] = i, j
    return 0 if q.fixed[i] or q.fixed[j] else 2


@step
def _polish_node(q: Objective, o: Orientation, t: int) -> bool:
    """Make the moves at one node that gain; tell whether there was any."""
    better = False
    for i in range(q.start[t], q.start[t + 1]):
        better |= _push(q, o, i, 0.0)
        for j in range(q.start[t], i + 1):
            for kind in range(3 if j < i else 1):
                n = _prepare_pair(q, o, i, j, kind) if j < i else single(q, o, i)
                better |= attempt(q, o, n, 0.0)
    for choice in range(2):
        better |= attempt(q, o, node(q, o, t, choice), 0.0)
    return better


@kernel
def polish(q: Objective, o: Orientation) -> None:
    """Make every move that gains until none is left."""
    better = True
    while better:
        better = False
        for t in range(q.start.shape[0] - 1):
            better |= _polish_node(q, o, t)


@step
def _rival_gain(q: Objective, o: Orientation, keys: Objective, keyed: Orientation, n: int, best: int) -> int:
    """Return the gain of the move in `turned` if it is acyclic, changes a collider and beats `best`."""
    gain = _gain(q, o, n)
    if gain <= best or _gain(keys, keyed, n) == 0:
        return best
    flip_marks(o, n)
    cyclic = closes_cycle(q, o, q.owner[o.turned[0]])
    flip_marks(o, n)
    return best if cyclic else gain


@kernel
def nearest_rival(q: Objective, o: Orientation, keys: Objective, keyed: Orientation, worst: int) -> int:
    """Return the largest gain, 0 or less at an optimum, of turning one or two edges so that the colliders differ.

    `keys` and `keyed` share everything but weights and pulls with `q` and `o`: with a key for every collider, the sum
    of keys changes when the colliders do. `worst` is returned when there is no such move.
    """
    best = worst
    for t in range(q.start.shape[0] - 1):
        for i in range(q.start[t], q.start[t + 1]):
            for j in range(q.start[t], i + 1):
                if not (q.fixed[i] or q.fixed[j]):
                    o.turned[0], o.turned[1] = i, j
                    best = _rival_gain(q, o, keys, keyed, 1 if i == j else 2, best)
    return best
