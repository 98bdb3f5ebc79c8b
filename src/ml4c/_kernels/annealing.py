"""Simulated annealing over the acyclic orientations of a skeleton.

Every edge is two *slots*, one in the list of neighbours of each end; a slot is inward when its edge points at its
owner. A move turns some edges of one node. What a move gains is known before it is made: `pull` keeps, for every
slot, what its owner would gain by one more parent there. Only a move that passes Metropolis' rule is then checked for
cycles, which a topological order of the present orientation makes short: a new cycle through node t leaves by a child
that comes before one of t's new parents, so nodes behind the last of these are not looked at.

All sums are integers, so that the order of additions cannot matter. (No literal number is handed to a step: Numba would
compile the step once more for it.)
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Ints, Words, kernel, step

SHARE_OF_PAIRS, SHARE_OF_NODES, SHARE_OF_PUSHES = 0.30, 0.06, 0.04
"""Of all moves: two edges at a node, all edges of a node, an edge that pushes others; the rest turn one edge."""


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


class Orientation(NamedTuple):
    """The present orientation and room to work in."""

    inward: NDArray[np.uint8]
    pull: Ints
    """For each slot: the sum of its weights with the inward slots of the same node."""
    order: Ints
    """The nodes, parents first."""
    position: Ints
    turned: Ints
    """The slots of the move at hand; room for all slots."""
    pushed: Ints
    """The edges turned by one push, one after the other; room for all slots."""
    mark: Ints
    """For each node: whether the search at hand saw it."""
    room: Ints
    """For each node."""
    stamp: Ints
    """[number of the search at hand, the last position that it looks at]"""
    random: Words


@step
def _draw(o: Orientation) -> int:
    """Return the next 64 random bits (Marsaglia's xorshift)."""
    bits = o.random[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    o.random[0] = bits
    return bits


@step
def _below(o: Orientation, n: int) -> int:
    """Return a random whole number below n."""
    return np.int64(((_draw(o) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@step
def _chance(o: Orientation) -> float:
    """Return a random number in [0, 1)."""
    return np.int64(_draw(o) >> np.uint64(11)) * 2.0**-53


@step
def _weight(q: Objective, i: int, j: int) -> int:
    """Return what slots i and j of one node are worth when both are inward."""
    t = q.owner[i]
    begin = q.start[t]
    return q.weights[q.corner[t] + (i - begin) * (q.start[t + 1] - begin) + j - begin]


@step
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


@step
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
def _flip_marks(o: Orientation, n: int) -> None:
    for k in range(n):
        o.inward[o.turned[k]] ^= 1


@step
def _closes_cycle(q: Objective, o: Orientation, t: int) -> bool:
    """Search from the children of t for one of its parents, as its slots now say; other nodes see the old edges."""
    stamp = o.stamp[0] + 2
    last = -1
    for i in range(q.start[t], q.start[t + 1]):
        if o.inward[i]:
            o.mark[q.neighbours[i]] = stamp + 1
            last = max(last, o.position[q.neighbours[i]])
    o.stamp[0], o.stamp[1] = stamp, last
    o.mark[t] = stamp
    waiting = 0
    for i in range(q.start[t], q.start[t + 1]):
        child = q.neighbours[i]
        if not o.inward[i] and o.position[child] <= last:
            o.mark[child] = stamp
            o.room[waiting] = child
            waiting += 1
    while waiting > 0:
        waiting -= 1
        node = o.room[waiting]
        for i in range(q.start[node], q.start[node + 1]):
            child = q.neighbours[i]
            if not o.inward[i] and o.position[child] <= last and o.mark[child] != stamp:
                if o.mark[child] == stamp + 1:
                    return True
                o.mark[child] = stamp
                o.room[waiting] = child
                waiting += 1
    return False


@step
def _reorder(q: Objective, o: Orientation, t: int) -> None:
    """Put t behind its parents, and what the search saw, the descendants of t up to the last parent, behind t."""
    stamp, last = o.stamp[0], o.stamp[1]
    low, high = o.position[t], max(o.position[t], last)
    for i in range(q.start[t], q.start[t + 1]):
        if not o.inward[i]:
            low = min(low, o.position[q.neighbours[i]])
    if low == high:
        return
    place = 0
    for k in range(low, min(last, high) + 1):
        if o.mark[o.order[k]] != stamp:
            o.room[place] = o.order[k]
            place += 1
    o.room[place] = t
    place += 1
    for k in range(low, high + 1):
        node = o.order[k]
        if node != t and (k > last or o.mark[node] == stamp):
            o.room[place] = node
            place += 1
    for k in range(place):
        o.order[low + k] = o.room[k]
        o.position[o.room[k]] = low + k


@step
def _turn(q: Objective, o: Orientation, n: int) -> bool:
    """Turn the first n slots of `turned`, all of one node, unless that closes a cycle."""
    t = q.owner[o.turned[0]]
    _flip_marks(o, n)
    cyclic = _closes_cycle(q, o, t)
    if not cyclic:
        _reorder(q, o, t)
    _flip_marks(o, n)
    if cyclic:
        return False
    for k in range(n):
        _turn_half(q, o, o.turned[k])
        _turn_half(q, o, q.reverse[o.turned[k]])
    return True


@step
def _accepts(o: Orientation, gain: int, temperature: float) -> bool:
    """Metropolis' rule; at temperature 0 only what gains."""
    if temperature == 0.0:
        return gain > 0
    return gain >= 0 or _chance(o) < exp(gain / temperature)


@step
def _attempt(q: Objective, o: Orientation, n: int, temperature: float) -> bool:
    """Make the move in `turned` if it is worth it and closes no cycle."""
    return n > 0 and _accepts(o, _gain(q, o, n), temperature) and _turn(q, o, n)


@step
def _outward(q: Objective, o: Orientation, i: int) -> int:
    """Return that slot of an edge by which turning it makes a child of the owner: the search is shorter so."""
    return i if o.inward[i] else q.reverse[i]


@step
def _single(q: Objective, o: Orientation, i: int) -> int:
    """Prepare to reverse an edge."""
    if q.fixed[i]:
        return 0
    o.turned[0] = _outward(q, o, i)
    return 1


@step
def _pair(q: Objective, o: Orientation, i: int, j: int, inward: int) -> int:
    """Prepare to point two edges of one node at it, or both away."""
    n = 0
    for k in (i, j):
        if o.inward[k] != inward:
            if q.fixed[k]:
                return 0
            o.turned[n] = k
            n += 1
    return n


@step
def _node(q: Objective, o: Orientation, t: int, choice: int) -> int:
    """Prepare to point all edges of a node away (0), at it (1) or each by chance (2), except the fixed ones."""
    n = 0
    for i in range(q.start[t], q.start[t + 1]):
        wanted = choice if choice < 2 else _below(o, np.int64(2))
        if o.inward[i] != wanted and not q.fixed[i]:
            o.turned[n] = i
            n += 1
    return n


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
    if o.pull[_outward(q, o, i)] >= 0:
        return False
    total, n = np.int64(0), 0
    slot = i
    while slot >= 0 and n < o.pushed.shape[0]:
        one = _single(q, o, slot)
        if one == 0:
            break
        turned = o.turned[0]
        gain = _gain(q, o, one)
        if not _turn(q, o, one):
            break
        o.pushed[n] = turned
        n += 1
        total += gain
        slot = _most_disturbed(q, o, q.reverse[turned]) if total <= 0 else -1
    if n > 0 and _accepts(o, total, temperature):
        return True
    for k in range(n - 1, -1, -1):
        _turn(q, o, _single(q, o, o.pushed[k]))
    return False


@step
def _prepare(q: Objective, o: Orientation, i: int, kind: float) -> int:
    """Prepare a move at the owner of slot i: two of its edges, all of them, or one, as `kind` says."""
    t = q.owner[i]
    if kind < SHARE_OF_PAIRS:
        j = q.start[t] + _below(o, q.start[t + 1] - q.start[t])
        both = o.inward[i] and o.inward[j]
        return _pair(q, o, i, j, 0 if both else 1) if i != j else 0
    if kind < SHARE_OF_PAIRS + SHARE_OF_NODES:
        return _node(q, o, t, _below(o, np.int64(3)))
    return _single(q, o, i)


@kernel
def anneal(q: Objective, o: Orientation, steps: int, hot: float, cold: float) -> None:
    """Make so many moves while the temperature falls from hot to cold by a constant factor."""
    temperature = hot
    cooling = (cold / hot) ** (1.0 / steps)
    for _ in range(steps):
        temperature *= cooling
        i = _below(o, q.owner.shape[0])
        kind = _chance(o)
        if kind > 1.0 - SHARE_OF_PUSHES:
            _push(q, o, i, temperature)
        else:
            _attempt(q, o, _prepare(q, o, i, kind), temperature)


@step
def _prepare_pair(q: Objective, o: Orientation, i: int, j: int, kind: int) -> int:
    """Prepare to point two edges of one node away (0), at it (1), or to turn both (2)."""
    if kind < 2:
        return _pair(q, o, i, j, kind)
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
                n = _prepare_pair(q, o, i, j, kind) if j < i else _single(q, o, i)
                better |= _attempt(q, o, n, 0.0)
    for choice in range(2):
        better |= _attempt(q, o, _node(q, o, t, choice), 0.0)
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
    _flip_marks(o, n)
    cyclic = _closes_cycle(q, o, q.owner[o.turned[0]])
    _flip_marks(o, n)
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
