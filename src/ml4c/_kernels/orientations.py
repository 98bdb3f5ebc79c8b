"""An acyclic orientation of a skeleton, and turning its edges: what every search over orientations stands on.

Every edge is two *slots*, one in the list of neighbours of each end; a slot is inward when its edge points at its
owner. A move turns some edges of one node. Whether it closes a cycle is told by a search that a topological order of
the present orientation makes short: a new cycle through node t leaves by a child that comes before one of t's new
parents, so nodes behind the last of these are not looked at.

The steps take any bundle that has the slots of a skeleton: `annealing.Objective`, `chains.LocalTerms`. (No literal
number is handed to a step: Numba would compile the step once more for it.)
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Ints, Words, leaf

SHARE_OF_PAIRS, SHARE_OF_NODES = 0.30, 0.06
"""Of all moves: two edges of a node, all of them; the rest turn one edge."""


class Slots(Protocol):
    """A skeleton, and which edges may not turn."""

    @property
    def neighbours(self) -> Ints:
        """The slots of node v are `start[v]:start[v + 1]`, ascending in the neighbours."""

    @property
    def start(self) -> Ints:
        """Where the slots of each node begin."""

    @property
    def owner(self) -> Ints:
        """The node of each slot."""

    @property
    def reverse(self) -> Ints:
        """The slot of the same edge at its other end."""

    @property
    def fixed(self) -> NDArray[np.uint8]:
        """Whether the edge of a slot may not turn."""


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


@leaf
def draw(o: Orientation) -> int:
    """Return the next 64 random bits (Marsaglia's xorshift)."""
    bits = o.random[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    o.random[0] = bits
    return bits


@leaf
def below(o: Orientation, n: int) -> int:
    """Return a random whole number below n."""
    return np.int64(((draw(o) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@leaf
def chance(o: Orientation) -> float:
    """Return a random number in [0, 1)."""
    return np.int64(draw(o) >> np.uint64(11)) * 2.0**-53


@leaf
def flip_marks(o: Orientation, n: int) -> None:
    for k in range(n):
        o.inward[o.turned[k]] ^= 1


@leaf
def closes_cycle(q: Slots, o: Orientation, t: int) -> bool:
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


@leaf
def reorder(q: Slots, o: Orientation, t: int) -> None:
    """Put t behind its parents, and what the search saw, the descendants of t up to the last parent, behind t."""
    stamp, last, old = o.stamp[0], o.stamp[1], o.position[t]
    low, most = old, o.room.shape[0] - 1
    for i in range(q.start[t], q.start[t + 1]):
        if not o.inward[i]:
            low = min(low, o.position[q.neighbours[i]])
    if low >= max(old, last):
        return
    # Whether a node was seen is anyone's guess: both ends of the room are written, and one of them keeps it.
    front, back = np.int64(0), np.int64(0)
    for k in range(low, last + 1):
        node = o.order[k]
        seen = np.int64(o.mark[node] == stamp)
        o.room[front] = node
        o.room[most - back] = node
        front += 1 - seen
        back += seen & np.int64(node != t)
    for k in range(old - 1, max(low - 1, last), -1):
        _place(o, o.order[k], k + 1)
    for k in range(front):
        _place(o, o.room[k], low + k)
    _place(o, t, low + front)
    for k in range(back):
        _place(o, o.room[most - k], low + front + 1 + k)


@leaf
def _place(o: Orientation, node: int, place: int) -> None:
    o.order[place] = node
    o.position[node] = place


@leaf
def outward(q: Slots, o: Orientation, i: int) -> int:
    """Return that slot of an edge by which turning it makes a child of the owner: the search is shorter so."""
    return i if o.inward[i] else q.reverse[i]


@leaf
def single(q: Slots, o: Orientation, i: int) -> int:
    """Prepare to reverse an edge."""
    if q.fixed[i]:
        return 0
    o.turned[0] = outward(q, o, i)
    return 1


@leaf
def pair(q: Slots, o: Orientation, i: int, j: int, inward: int) -> int:
    """Prepare to point two edges of one node at it, or both away."""
    n = 0
    for k in (i, j):
        if o.inward[k] != inward:
            if q.fixed[k]:
                return 0
            o.turned[n] = k
            n += 1
    return n


@leaf
def node(q: Slots, o: Orientation, t: int, choice: int) -> int:
    """Prepare to point all edges of a node away (0), at it (1) or each by chance (2), except the fixed ones."""
    n = 0
    for i in range(q.start[t], q.start[t + 1]):
        wanted = choice if choice < 2 else below(o, np.int64(2))
        if o.inward[i] != wanted and not q.fixed[i]:
            o.turned[n] = i
            n += 1
    return n


@leaf
def bold_move(q: Slots, o: Orientation, i: int, kind: float) -> int:
    """Prepare a move at the owner of slot i, as `kind`, a random number, says: good at finding the best orientation.

    It makes or unmakes a collider, points all edges of the node one way or each by chance, or turns one edge.
    """
    t = q.owner[i]
    if kind < SHARE_OF_PAIRS:
        j = q.start[t] + below(o, q.start[t + 1] - q.start[t])
        both = o.inward[i] and o.inward[j]
        return pair(q, o, i, j, 0 if both else 1) if i != j else 0
    if kind < SHARE_OF_PAIRS + SHARE_OF_NODES:
        return node(q, o, t, below(o, np.int64(3)))
    return single(q, o, i)


@leaf
def _two(q: Slots, o: Orientation, i: int, j: int) -> int:
    """Prepare one of the three other ways to point two edges of one node, each as likely as the others."""
    if i == j or q.fixed[i] or q.fixed[j]:
        return 0
    way = 1 + below(o, np.int64(3))  # 1: turn i, 2: turn j, 3: turn both
    o.turned[0] = j if way == 2 else i
    o.turned[1] = j
    return 2 if way == 3 else 1


@leaf
def fair_move(q: Slots, o: Orientation) -> int:
    """Draw a move; the way back is as likely as the way there, as Metropolis' rule wants it."""
    i = below(o, q.owner.shape[0])
    t = q.owner[i]
    kind = chance(o)
    if kind < SHARE_OF_PAIRS:
        return _two(q, o, i, q.start[t] + below(o, q.start[t + 1] - q.start[t]))
    if kind < SHARE_OF_PAIRS + SHARE_OF_NODES:
        return node(q, o, t, np.int64(2))
    return single(q, o, i)
