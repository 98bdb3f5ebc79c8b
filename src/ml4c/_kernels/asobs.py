"""Searching over orders of nodes, each of which has a list of scored parent sets, best first, the empty one last.

An order gives a DAG: every node takes its best set whose members all come before it (Teyssier and Koller 2005).
Acyclic selection (Scanagatta et al. 2015) does better with the same order: from the last node to the first, each
takes its best set without a descendant. A move shifts a block of nodes (Scanagatta et al. 2017) one place at a time:
the node that it passes and the nodes of the block are the only ones that may change their sets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats, Ints, kernel, step


class Lists(NamedTuple):
    """Parent sets of all nodes."""

    members: Ints
    """(sets, most parents), -1 where there are fewer."""
    scores: Floats
    begin: Ints
    """Those of node x are `begin[x]:begin[x + 1]`, best first."""
    earliest: Ints
    """(nodes, nodes): the best set of x with y as a member; where there is none, as many as there are sets."""


class Place(NamedTuple):
    """An order on the way."""

    order: Ints
    rank: Ints
    """Where each node stands in the order."""
    chosen: Ints
    """The set that each node takes."""


@kernel
def select_acyclic(lists: Lists, order: Ints, leads: NDArray[np.uint8], chosen: Ints) -> None:
    """Choose sets by acyclic selection. `leads`, zeros at first: whether a path leads from one node to another."""
    nodes = order.shape[0]
    for i in range(nodes - 1, -1, -1):
        x = order[i]
        s = lists.begin[x]
        while _meets(lists, s, leads, x):
            s += 1
        chosen[x] = s
        for k in range(lists.members.shape[1]):
            p = lists.members[s, k]
            if p < 0:
                break
            for a in range(nodes):
                if (a == p or leads[a, p] == 1) and leads[a, x] == 0:
                    leads[a, x] = 1
                    for b in range(nodes):
                        leads[a, b] |= leads[x, b]


@step
def _meets(lists: Lists, s: int, leads: NDArray[np.uint8], x: int) -> bool:
    """Tell whether a set has a member to which a path leads from x."""
    for k in range(lists.members.shape[1]):
        p = lists.members[s, k]
        if p < 0:
            return False
        if leads[x, p] == 1:
            return True
    return False


@kernel
def select_by_order(lists: Lists, place: Place) -> None:
    """Give every node its place in the order, and its best set among those before it."""
    nodes = place.order.shape[0]
    for i in range(nodes):
        place.rank[place.order[i]] = i
    for x in range(nodes):
        place.chosen[x] = lists.begin[x]
        _step_down(lists, place, x)


@step
def _precedes(lists: Lists, place: Place, s: int, x: int) -> bool:
    """Tell whether all members of a set come before x."""
    for k in range(lists.members.shape[1]):
        p = lists.members[s, k]
        if p < 0:
            return True
        if place.rank[p] > place.rank[x]:
            return False
    return True


@step
def _step_down(lists: Lists, place: Place, x: int) -> float:
    """Let x, which has lost nodes before it, go on to the next set that it may have; return what it gains."""
    old = place.chosen[x]
    s = old
    while not _precedes(lists, place, s, x):
        s += 1
    place.chosen[x] = s
    return lists.scores[s] - lists.scores[old]


@step
def _step_up(lists: Lists, place: Place, x: int, first: int) -> float:
    """Let x take the best set that it may have now, from the set `first` on; return what it gains."""
    old = place.chosen[x]
    s = first
    while s < old and not _precedes(lists, place, s, x):
        s += 1
    if s >= old:
        return 0.0
    place.chosen[x] = s
    return lists.scores[s] - lists.scores[old]


@step
def _shift_later(lists: Lists, place: Place, first: int, width: int) -> float:
    """Move a block one place towards the end, over a node that then comes before it; return what that gains."""
    x = place.order[first + width]
    for i in range(first + width, first, -1):
        place.order[i] = place.order[i - 1]
        place.rank[place.order[i]] = i
    place.order[first] = x
    place.rank[x] = first
    gain = _step_down(lists, place, x)
    for i in range(first + 1, first + width + 1):
        b = place.order[i]
        gain += _step_up(lists, place, b, lists.earliest[b, x])
    return gain


@step
def _shift_earlier(lists: Lists, place: Place, first: int, width: int) -> float:
    """Move a block one place towards the beginning, over a node that then comes after it; return what that gains."""
    x = place.order[first - 1]
    for i in range(first - 1, first + width - 1):
        place.order[i] = place.order[i + 1]
        place.rank[place.order[i]] = i
    place.order[first + width - 1] = x
    place.rank[x] = first + width - 1
    gain = 0.0
    best = lists.scores.shape[0]
    for i in range(first - 1, first + width - 1):
        b = place.order[i]
        gain += _step_down(lists, place, b)
        best = min(best, lists.earliest[x, b])
    return gain + _step_up(lists, place, x, best)


@step
def _copy(source: Place, target: Place) -> None:
    for i in range(source.order.shape[0]):
        target.order[i] = source.order[i]
        target.rank[i] = source.rank[i]
        target.chosen[i] = source.chosen[i]


@kernel
def shift_block(lists: Lists, place: Place, room: Place, at: Ints, least: float) -> float:
    """Move the block of `at[1]` nodes from place `at[0]` to where that gains most; return what it gains.

    If no place gains more than `least`, nothing moves and the gain is 0. `room` is a place to work in.
    """
    first, width = at[0], at[1]
    best, steps = least, 0
    _copy(place, room)
    gain = 0.0
    for k in range(first + width, place.order.shape[0]):
        gain += _shift_later(lists, room, k - width, width)
        if gain > best:
            best, steps = gain, k - width + 1 - first
    _copy(place, room)
    gain = 0.0
    for k in range(first, 0, -1):
        gain += _shift_earlier(lists, room, k, width)
        if gain > best:
            best, steps = gain, k - 1 - first
    for k in range(steps):
        _shift_later(lists, place, first + k, width)
    for k in range(-steps):
        _shift_earlier(lists, place, first - k, width)
    return best if steps != 0 else 0.0
