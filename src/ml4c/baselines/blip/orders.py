"""Acyclic selection ordering-based search with windows (ASOBS, Scanagatta et al. 2015; windows, AMBN 2017).

A start is a random order, and acyclic selection gives its DAG. In an order of that DAG, blocks of one node, later of up
to five, are drawn at random and shifted to where they gain most; any gain returns to single nodes. When no block
gains, acyclic selection on the order found may gain once more, and then all of it begins anew. The best DAG of
all starts is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ml4c._kernels.arrays import Floats, Ints
from ml4c._kernels.asobs import Lists, Place, select_acyclic, select_by_order, shift_block
from ml4c.counting import announce_compiling
from ml4c.graph import Graph, topological_order

WIDEST = 5
"""Nodes of the largest block that is shifted."""
STARTS = 100
"""Random orders to start from."""
MOST_SHIFTS = 1_000_000
"""Shifts tried in all: starts beyond are not made, and the search under way ends."""
SMALLEST_GAIN = 1e-6
"""A shift gains more than this: the noise of summing scores in another order is far below."""


@dataclass(frozen=True, eq=False)
class ParentSets:
    """Scored parent sets of one node, best first; the last is the empty set."""

    members: Ints
    """(sets, most parents), -1 where there are fewer."""
    scores: Floats


@dataclass(frozen=True, eq=False)
class FoundOrder:
    """The best DAG of a search over orders, and its score."""

    dag: Graph
    score: float
    starts: int
    """Random orders from which the search began."""


def search_orders(
    parent_sets: Sequence[ParentSets], rng: np.random.Generator, *, starts: int = STARTS, most_shifts: int = MOST_SHIFTS
) -> FoundOrder:
    """Choose one set for every node so that their sum is large and no cycle arises."""
    announce_compiling(shift_block)
    search = _Search(parent_sets, rng, most_shifts)
    best, made = search.run(), 1
    while made < starts and search.shifts_left > 0:
        found, made = search.run(), made + 1
        if search.total(found) > search.total(best) + SMALLEST_GAIN:
            best = found
    return FoundOrder(search.dag_of(best), search.total(best), made)


class _Search:
    def __init__(self, parent_sets: Sequence[ParentSets], rng: np.random.Generator, most_shifts: int) -> None:
        self._lists = join(parent_sets)
        self._rng = rng
        self._nodes = len(parent_sets)
        self.shifts_left = most_shifts

    def run(self) -> Ints:
        """Search from one random order; return the set that each node takes."""
        best = self._acyclic(self._rng.permutation(self._nodes))
        while True:
            order = self._improve(topological_order(self.dag_of(best)))
            found = self._acyclic(order)
            if self.total(found) <= self.total(best) + SMALLEST_GAIN:
                return best
            best = found

    def total(self, chosen: Ints) -> float:
        return float(self._lists.scores[chosen].sum())

    def dag_of(self, chosen: Ints) -> Graph:
        dag = np.zeros((self._nodes, self._nodes), np.int8)
        node, place = np.nonzero(self._lists.members[chosen] >= 0)
        dag[self._lists.members[chosen[node], place], node] = 1
        return dag

    def _acyclic(self, order: Ints) -> Ints:
        chosen = np.empty(self._nodes, np.int64)
        select_acyclic(self._lists, order.astype(np.int64), np.zeros((self._nodes,) * 2, np.uint8), chosen)
        return chosen

    def _improve(self, order: Ints) -> Ints:
        """Shift blocks until nothing gains any more."""
        place = _new_place(self._nodes)
        place.order[:] = order
        select_by_order(self._lists, place)
        width, room = 1, _new_place(self._nodes)
        while width <= min(WIDEST, self._nodes - 1) and self.shifts_left > 0:
            width = 1 if self._shift_any(place, room, width) else width + 1
        return place.order

    def _shift_any(self, place: Place, room: Place, width: int) -> bool:
        """Shift the first block, in random order, for which that gains; tell whether there was one."""
        for first in self._rng.permutation(self._nodes - width + 1).tolist():
            self.shifts_left -= 1
            if shift_block(self._lists, place, room, np.array([first, width]), SMALLEST_GAIN) > 0.0:
                return True
        return False


def _new_place(nodes: int) -> Place:
    return Place(*(np.empty(nodes, np.int64) for _ in range(3)))


def join(parent_sets: Sequence[ParentSets]) -> Lists:
    """Write the parent sets of all nodes one after the other."""
    members = np.ascontiguousarray(np.concatenate([sets.members for sets in parent_sets]), np.int64)
    begin = np.cumsum([0, *(len(sets.scores) for sets in parent_sets)])
    earliest = np.full((len(parent_sets),) * 2, len(members), np.int64)
    node = np.repeat(np.arange(len(parent_sets)), np.diff(begin))
    which, place = np.nonzero(members >= 0)
    np.minimum.at(earliest, (node[which], members[which, place]), which)
    return Lists(members, np.concatenate([sets.scores for sets in parent_sets]), begin, earliest)
