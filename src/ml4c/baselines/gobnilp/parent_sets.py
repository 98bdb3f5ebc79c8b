"""The parent sets that a best DAG can have: all small sets within the candidates, scored, without the dominated ones.

A set is dominated when a proper subset of it scores at least as well: removing parents closes no cycle, so some best
DAG does without the set. Few of the sets remain, and a program that chooses among them stays small.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ml4c.baselines.scored import Scorer
from ml4c.errors import WorkError
from ml4c.graph import Graph

MOST_SETS = 4_000_000
"""Parent sets that are scored at most; a wide table without a skeleton has more."""
LEAST = 1e-6
"""A choice with less of a set has none of it."""
EQUAL = 1e-9
"""Scores this close are equal: they differ by the noise of sums in another order."""


@dataclass(frozen=True, eq=False)
class ParentSets:
    """The sets of all nodes, those of one node together, the empty set first."""

    node: NDArray[np.int64]
    members: NDArray[np.int64]
    """(sets, most parents): -1 where there are fewer."""
    score: NDArray[np.float64]

    @property
    def n_nodes(self) -> int:
        """Number of nodes: each has at least the empty set."""
        return int(self.node[-1]) + 1

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """Where the sets of each node begin."""
        return np.searchsorted(self.node, np.arange(self.n_nodes))

    @cached_property
    def with_member(self) -> list[NDArray[np.int64]]:
        """Which sets each node is a member of."""
        number, place = np.nonzero(self.members >= 0)
        member = self.members[number, place]
        order = np.argsort(member, kind="stable")
        return np.split(number[order], np.searchsorted(member[order], np.arange(1, self.n_nodes)))

    def only(self, some: NDArray[np.int64]) -> ParentSets:
        """Return some of the sets, in order; the empty set of every node must be among them."""
        return ParentSets(self.node[some], self.members[some], self.score[some])

    def arcs(self, choice: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return tail, head and weight of the arcs in a fractional choice; an arc comes once for each of its sets."""
        number, place = np.nonzero((self.members >= 0) & (choice > LEAST)[:, None])
        return self.members[number, place], self.node[number], choice[number]


def list_parent_sets(scores: Scorer, usable: Graph, most_parents: int) -> ParentSets:
    """Score all sets of at most so many parents within `usable`, cell [i, j] for i -> j; keep the undominated."""
    counts = [comb(int(k), size) for k in usable.sum(axis=0) for size in range(most_parents + 1)]
    if sum(counts) > MOST_SETS:
        raise WorkError(f"{sum(counts):,} parent sets are more than {MOST_SETS:,}: give a skeleton with fewer edges")
    of_nodes = [_undominated(scores, node, usable, most_parents) for node in range(len(usable))]
    node, members, score = (np.concatenate(part) for part in zip(*of_nodes, strict=True))
    return ParentSets(node, members, score)


def _undominated(
    scores: Scorer, node: int, usable: Graph, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return node, members and score of the sets of one node, by size.

    `best` is the best score of a set and its subsets, by the places of its members.
    """
    candidates = np.flatnonzero(usable[:, node])
    best = scores.score([[node]])[0]
    kept, worth = [np.full((1, most), -1, np.int64)], [np.atleast_1d(best)]
    for size in range(1, min(most, len(candidates)) + 1):
        places = np.array(list(combinations(range(len(candidates)), size)))
        members = candidates[places]
        score = scores.score(np.column_stack([np.full(len(members), node), members]))
        subset = np.max([best[tuple(np.delete(places, k, axis=1).T)] for k in range(size)], axis=0)
        best = np.empty((len(candidates),) * size)
        best[tuple(places.T)] = np.maximum(score, subset)
        stays = score > subset + EQUAL
        kept.append(np.pad(members[stays], ((0, 0), (0, most - size)), constant_values=-1))
        worth.append(score[stays])
    sets = np.concatenate(kept)
    return np.full(len(sets), node), sets, np.concatenate(worth)
