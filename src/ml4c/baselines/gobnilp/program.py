"""The integer program: exactly one parent set for each node, fewer inside each cluster than it has nodes.

A set's loss is what the best set of its node scores more; the sum of losses is made as small as can be. There are too
many clusters to write down: those that a solution violates are added, and the program is solved again, first with
fractions allowed. That bounds the loss from below, and gives each set a reduced cost: what a solution that has it loses
beyond the bound at least. In integers only a core is solved, the sets of least reduced cost. A best DAG of the core is
best of all unless it loses more than the bound and the least cost outside; then the core grows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from ml4c.baselines.gobnilp.clusters import Cluster, mutual_pairs, reaching_inside, violated_clusters
from ml4c.baselines.gobnilp.parent_sets import ParentSets
from ml4c.baselines.gobnilp.placing import placed
from ml4c.graph import Graph

CORE = 2000
"""Sets of the first core; most networks with a skeleton have fewer in all."""
GROWTH = 4
"""By how much the core grows."""
CLOSED = 1e-6
"""A gap, in nats, that is none."""


@dataclass(frozen=True, eq=False)
class ExactDag:
    """The best DAG found, its score, and how far any other may be above it: at most CLOSED when it is proven best."""

    dag: Graph
    score: float
    gap: float
    clusters: int
    rounds: int
    """How many programs were solved."""


def best_of(sets: ParentSets, *, seconds: float | None = None) -> ExactDag:
    """Choose a set for every node so that the DAG has the best score; stop after so many seconds, if told."""
    search = _Search(sets, inf if seconds is None else monotonic() + seconds)
    cost = search.relax()
    order = np.argsort(cost, kind="stable")
    size, outside = CORE, 0.0
    while search.gap > CLOSED and search.seconds_left > 0 and outside < inf:
        outside = cost[order[size]] if size < len(order) else inf
        search.solve_core(np.union1d(order[:size], sets.start), outside)
        size *= GROWTH
    return search.result()


class _Search:
    """The clusters so far, the best DAG so far, as one set for each node, and the bounds of its loss."""

    def __init__(self, sets: ParentSets, ends: float) -> None:
        self._sets = sets
        self._ends = ends
        self._loss = np.maximum.reduceat(sets.score, sets.start)[sets.node] - sets.score
        self._clusters = dict.fromkeys(mutual_pairs(sets))
        self._chosen = sets.start
        self._relaxed = self._bound = 0.0
        self._rounds = 0

    @property
    def seconds_left(self) -> float:
        """Seconds until the search has to end."""
        return self._ends - monotonic()

    @property
    def gap(self) -> float:
        """How much less than the best DAG found another may lose."""
        return max(0.0, float(self._loss[self._chosen].sum()) - self._bound)

    def relax(self) -> NDArray[np.float64]:
        """Allow fractions, until no cycle is violated; return the reduced cost of every set."""
        cost = np.zeros(len(self._loss))
        every = np.arange(len(self._loss))
        while self.gap > CLOSED and self.seconds_left > 0:
            self._rounds += 1
            inside, most = _inside(self._sets, self._clusters)
            found = linprog(
                self._loss,
                A_ub=inside,
                b_ub=most,
                A_eq=_of_node(self._sets),
                b_eq=np.ones(self._sets.n_nodes),
                options={"time_limit": self.seconds_left},
            )
            if not found.success:
                break
            cost, self._relaxed = found.lower.marginals, found.fun
            self._bound = max(self._bound, self._relaxed)
            if not self._learn(found.x, every):
                break
        return np.asarray(cost)

    def solve_core(self, core: NDArray[np.int64], outside: float) -> None:
        """Solve in integers with some sets alone, until there is no cycle; others cost at least `outside` each."""
        sets = self._sets.only(core)
        while self.gap > CLOSED and self.seconds_left > 0:
            self._rounds += 1
            inside, most = _inside(sets, self._clusters)
            found = milp(
                self._loss[core],
                integrality=np.ones(len(core)),
                bounds=Bounds(0.0, 1.0),
                constraints=[LinearConstraint(_of_node(sets), 1.0, 1.0), LinearConstraint(inside, -inf, most)],
                options={"mip_rel_gap": 0.0, "time_limit": self.seconds_left},
            )
            if found.mip_dual_bound is not None:
                self._bound = max(self._bound, min(found.mip_dual_bound, self._relaxed + outside))
            if found.x is None or not self._learn(found.x, core):
                break

    def _learn(self, choice: NDArray[np.float64], core: NDArray[np.int64]) -> bool:
        """Keep the DAG that a solution leads to if it is better, add what it violates; tell whether it did."""
        sets = self._sets.only(core)
        chosen = core[placed(sets, self._loss[core], choice)]
        if self._loss[chosen].sum() < self._loss[self._chosen].sum():
            self._chosen = chosen
        clusters = violated_clusters(sets, choice)
        self._clusters |= dict.fromkeys(clusters)
        return bool(clusters)

    def result(self) -> ExactDag:
        """Return the best DAG found."""
        sets, chosen = self._sets, self._chosen
        dag = np.zeros((sets.n_nodes, sets.n_nodes), np.int8)
        for node, members in zip(sets.node[chosen].tolist(), sets.members[chosen], strict=True):
            dag[members[members >= 0], node] = 1
        return ExactDag(dag, float(sets.score[chosen].sum()), self.gap, len(self._clusters), self._rounds)


def _of_node(sets: ParentSets) -> csr_array:
    """Row of a node: its sets."""
    return csr_array((np.ones(len(sets.node)), (sets.node, np.arange(len(sets.node)))))


def _inside(sets: ParentSets, clusters: Iterable[Cluster]) -> tuple[csr_array, NDArray[np.float64]]:
    """Row of a cluster: its sets that reach inside, and how many of them there may be."""
    rows = [(reaching_inside(sets, cluster), len(cluster) - 1.0) for cluster in clusters]
    column = np.concatenate([np.zeros(0, np.int64), *(inside for inside, _ in rows)])
    row = np.repeat(np.arange(len(rows)), [len(inside) for inside, _ in rows])
    matrix = csr_array((np.ones(len(column)), (row, column)), shape=(len(rows), len(sets.node)))
    return matrix, np.array([most for _, most in rows])
