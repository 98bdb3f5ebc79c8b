"""PC-stable (Colombo and Maathuis 2014): remove an edge when a set of neighbours of one end separates its ends.

Level by level, sets of size 0, 1, 2, ...; the neighbours are those at the start of the level, so the skeleton does not
depend on any order. With an oracle and no limit on the size it is exact (Spirtes, Glymour, Scheines 2000).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ml4c.citest import CITest
from ml4c.graph import Graph
from ml4c.skeleton.assembly import evidence_of, keep_strongest, obey, skeleton_of
from ml4c.skeleton.pairs import Columns, Floats, Ints, Ledger, Mask, above, all_pairs, as_matrix, of_pairs, without
from ml4c.skeleton.result import Evidence, Reason, Skeleton
from ml4c.skeleton.rules import Constraining, Rules
from ml4c.skeleton.separation import Referee, Searches
from ml4c.skeleton.watch import Progress, Watch

ALPHA = 0.01
"""Pairs with a larger p-value are taken to be independent."""
MOST_CELLS = 1 << 22
"""Neighbours listed at a time: bounds memory where hubs have many."""


@dataclass(frozen=True)
class Limits:
    """Level of the test, and the largest sets and degrees, None for any.

    max_pool: how many neighbours of a column, the strongest, sets of two and more are made of; None for all.
    """

    alpha: float
    max_condition: int | None
    max_degree: int | None
    max_pool: int | None = None


def pc_skeleton(
    test: CITest,
    *,
    alpha: float = ALPHA,
    max_condition: int | None = None,
    max_degree: int | None = None,
    constraints: Constraining | None = None,
    time_budget: float | None = None,
    progress: Progress | None = None,
) -> Skeleton:
    """Learn a skeleton from any test of conditional independence.

    alpha: level of the G2 test. max_condition: largest set that is conditioned on, None for any. max_degree: most
    edges of a column; the strongest are kept. time_budget: seconds after which edges not yet removed stay.
    constraints, progress: as in `learn_skeleton`.
    """
    rules = Rules.of(constraints, len(test.names))
    watch = Watch(time_budget, progress)
    evidence = find_pc(test, rules, watch, Limits(alpha, max_condition, max_degree))
    return skeleton_of(evidence, len(test.names), "pc", watch)


def find_pc(test: CITest, rules: Rules, watch: Watch, limits: Limits) -> Evidence:
    """Return the evidence about all pairs of columns of a test."""
    ledger = Ledger(len(test.names))
    referee = Referee(test, limits.alpha, ledger, watch.over)
    x, y = (side.astype(np.int32) for side in np.nonzero(np.triu(~rules.absent, 1)))
    referee.marginal(x, y)
    edge = (ledger.p_value >= 0) & (ledger.p_value <= limits.alpha) | of_pairs(rules.adjacent)
    order = _Order(ledger.z, test.names)
    fixed = of_pairs(rules.adjacent)
    largest = len(test.names) if limits.max_condition is None else limits.max_condition
    for size in range(1, largest + 1):
        watch.say("levels of tests", size, largest)
        if not _level(referee, edge, fixed, order, size, None if size == 1 else limits.max_pool):
            break
    reason = np.where(edge, Reason.DEPENDENT, Reason.SEPARATED).astype(np.uint8)
    reason[~edge & (ledger.p_value < 0)] = Reason.UNDECIDED
    obey(reason, rules)
    if limits.max_degree is not None:
        keep_strongest(reason, ledger.z, order.rank, limits.max_degree, of_pairs(rules.adjacent))
    return evidence_of(ledger, reason)


class _Order:
    """Orders that do not depend on the order of the columns: by name, and of the others by dependence on each."""

    def __init__(self, z: Floats, names: tuple[str, ...]) -> None:
        n_columns = len(names)
        self.rank: Ints = np.argsort(sorted(range(n_columns), key=names.__getitem__))
        strength = np.full((n_columns, n_columns), -np.inf)
        strength[above(n_columns)] = z
        strength = np.maximum(strength, strength.T)
        ranks = np.broadcast_to(self.rank, strength.shape)
        self.by_strength: Columns = np.lexsort((ranks, -strength), axis=1).astype(np.int32)

    def neighbours(self, graph: Graph) -> Columns:
        """Return the neighbours of every column, the strongest first, then -1."""
        near = np.take_along_axis(graph, self.by_strength, axis=1)
        degree = near.sum(axis=1, dtype=np.int64)
        first = np.argsort(-near, axis=1, kind="stable")[:, : degree.max(initial=0)]
        listed = np.take_along_axis(self.by_strength, first, axis=1)
        return np.where(np.arange(listed.shape[1]) < degree[:, None], listed, -1)

    def ends(self, pairs: Columns) -> tuple[Columns, Columns]:
        """Return the two ends of each pair, the first by name first."""
        swap = self.rank[pairs[:, 0]] > self.rank[pairs[:, 1]]
        return np.where(swap, pairs[:, 1], pairs[:, 0]), np.where(swap, pairs[:, 0], pairs[:, 1])


def _level(referee: Referee, edge: Mask, fixed: Mask, order: _Order, size: int, max_pool: int | None) -> bool:
    """Remove edges that sets of one size separate; tell whether there was any such set to try."""
    n_columns = len(order.rank)
    graph = as_matrix(edge, n_columns)
    neighbours = order.neighbours(graph)
    if max_pool is not None:
        neighbours = neighbours[:, : max_pool + 1]
    number = np.flatnonzero(edge & ~fixed)
    largest_pool = neighbours.shape[1] - 1
    if largest_pool < size:
        return False
    pairs = all_pairs(n_columns)[number]
    for some in np.array_split(np.arange(len(number)), 1 + len(number) * largest_pool // MOST_CELLS):
        x, y = order.ends(pairs[some])
        found = referee.separated(Searches(x, y, without(neighbours[x], y)), size)
        left = np.flatnonzero(~found)
        x, y = x[left], y[left]
        found[left] = referee.separated(Searches(y, x, without(neighbours[y], x)), size)
        edge[number[some[found]]] = False
    return True
