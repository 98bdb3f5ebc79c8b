"""GRaSP: greedy relaxations of the sparsest permutation (Lam, Andrews and Ramsey 2022), with BDeu.

An order of the nodes gives a DAG: each node grows parents among those before it, the one that gains most first, then
shrinks them again. The search tucks: for an arc x -> y it moves y, with those ancestors of y that lie between, to just
before x. A tuck that raises the score is kept, and the search goes on from there. One that leaves the score as it is
may lead to another DAG of the same class, from which further tucks are tried in depth; there the arc must be covered (x
and its parents are the parents of y), while at the first level any arc will do.

What a node grows depends on which nodes come before it. A grow-shrink tree of the node remembers that: a branch for
each parent that gains, the best first; an order follows the first branch whose parent it has. The search is repeated
from several random orders, and the DAG of the best score is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ml4c.baselines.protocol import Method, Problem
from ml4c.baselines.scored import ESS, in_drawn_order
from ml4c.graph import Graph
from ml4c.scores import LocalScores, families

DEPTH = 3
"""Tucks in a row, of which only the last has to gain."""
STARTS = 5
"""Random orders to start from."""
SMALLEST_GAIN = 1e-6
"""Scores that differ by no more are equal: the noise of summing them in another order is far below."""

Parents: TypeAlias = tuple[int, ...]


def grasp(problem: Problem) -> Graph:
    """Return the best DAG of several searches."""
    rng = np.random.default_rng(problem.seed)
    return in_drawn_order(problem, lambda data, _: search(LocalScores(data, "bdeu", ess=ESS, n_jobs=1), rng))


def search(scores: LocalScores, rng: np.random.Generator, *, starts: int = STARTS, depth: int = DEPTH) -> Graph:
    """Return the best DAG of searches from so many random orders."""
    nodes = len(scores.names)
    trees = [_Tree(scores, node, nodes) for node in range(nodes)]
    found = []
    for _ in range(starts):
        walk = _Walk(trees, rng.permutation(nodes).tolist(), rng)
        walk.climb(depth)
        found.append(walk)
    best = max(found, key=lambda walk: sum(walk.local))
    dag = np.zeros((nodes, nodes), np.int8)
    for node, parents in enumerate(best.parents):
        dag[list(parents), node] = 1
    return dag


@dataclass(slots=True)
class _Branch:
    """Parents grown so far. `barred`, as bits: the nodes that no order has that comes this way, and these parents."""

    parents: Parents
    score: float
    barred: int
    grown: list[tuple[int, _Branch]] | None = None
    """Bit of the next parent and its branch, the best first."""
    shrunk: tuple[Parents, float] | None = None
    """The parents that are left, ascending, and their score."""


class _Tree:
    """The grow-shrink tree of one node."""

    def __init__(self, scores: LocalScores, node: int, nodes: int) -> None:
        self._scores = scores
        self._node = node
        self._nodes = nodes
        self._root = _Branch((), self._score([()])[0], 1 << node)

    def parents_among(self, before: int) -> tuple[Parents, float]:
        """Return the parents that the node takes among those before it, given as bits, and its score."""
        branch: _Branch | None = self._root
        while branch is not None:
            last = branch
            if last.grown is None:
                last.grown = self._grow(last)
            branch = next((wider for bit, wider in last.grown if before & bit), None)
        if last.shrunk is None:
            last.shrunk = self._shrink(last)
        return last.shrunk

    def _score(self, sets: list[Parents]) -> list[float]:
        found: list[float] = self._scores.score(families((self._node, parents) for parents in sets)).tolist()
        return found

    def _grow(self, branch: _Branch) -> list[tuple[int, _Branch]]:
        free = [other for other in range(self._nodes) if not branch.barred >> other & 1]
        scores = self._score([(*branch.parents, other) for other in free]) if free else []
        gains = [(-score, other) for score, other in zip(scores, free, strict=True) if score > branch.score]
        grown, barred = [], branch.barred
        for score, other in sorted(gains):
            barred |= 1 << other
            grown.append((1 << other, _Branch((*branch.parents, other), -score, barred)))
        return grown

    def _shrink(self, branch: _Branch) -> tuple[Parents, float]:
        parents, score = tuple(sorted(branch.parents)), branch.score
        while parents:
            fewer = [parents[:k] + parents[k + 1 :] for k in range(len(parents))]
            best, without = max(zip(self._score(fewer), fewer, strict=True))
            if best <= score:
                break
            parents, score = without, best
        return parents, score


class _Walk:
    """An order on the way, and the DAG that it gives."""

    def __init__(self, trees: list[_Tree], order: list[int], rng: np.random.Generator) -> None:
        self._trees = trees
        self._order = order
        self._rng = rng
        self.parents: list[Parents] = [()] * len(order)
        self.local = [0.0] * len(order)
        self._refresh(0, len(order))

    def climb(self, depth: int) -> None:
        """Tuck until no row of so many tucks gains."""
        while self._tuck_any(depth, True, {}):
            pass

    def _tuck_any(self, depth: int, any_arc: bool, entered: dict[tuple[Parents, ...], int]) -> bool:
        """Make the first row of tucks that gains, and tell whether there is one; else leave the order as it was.

        entered: DAGs of the same score from which tucks have been tried, and how many in a row.
        """
        for x, y in self._arcs(any_arc):
            saved = self._order[:], self.parents[:], self.local[:]
            gain = self._tuck(x, y)
            if gain > SMALLEST_GAIN:
                return True
            if depth > 1 and gain >= -SMALLEST_GAIN:
                dag = tuple(self.parents)
                if entered.get(dag, 0) < depth - 1:
                    entered[dag] = depth - 1
                    if self._tuck_any(depth - 1, False, entered):
                        return True
            self._order, self.parents, self.local = saved
        return False

    def _arcs(self, any_arc: bool) -> Iterator[tuple[int, int]]:
        """List arcs in random order: all of them, or those that are covered."""
        for y in self._rng.permutation(len(self._order)).tolist():
            parents = self.parents[y]
            for x in self._rng.permutation(parents).tolist():
                if any_arc or {x, *self.parents[x]} == {*parents}:
                    yield int(x), y

    def _tuck(self, x: int, y: int) -> float:
        """Move y, with its ancestors in between, to just before x; return what that gains."""
        first, last = self._order.index(x), self._order.index(y) + 1
        between = self._order[first + 1 : last]
        moved = {y}
        for z in reversed(between):  # children before their parents
            if z in moved:
                moved.update(self.parents[z])
        ahead, behind = [z for z in between if z in moved], [z for z in between if z not in moved]
        self._order[first:last] = [*ahead, x, *behind]
        return self._refresh(first, last)

    def _refresh(self, first: int, last: int) -> float:
        """Let the nodes in these places take their parents anew; return what that gains."""
        before = sum(1 << z for z in self._order[:first])
        gain = 0.0
        for z in self._order[first:last]:
            self.parents[z], score = self._trees[z].parents_among(before)
            gain += score - self.local[z]
            self.local[z] = score
            before |= 1 << z
        return gain


METHODS = (
    Method(
        "grasp",
        "GRaSP",
        "score-based",
        "Lam, Andrews, Ramsey 2022, UAI",
        f"ml4c, BDeu with ess 1, best of {STARTS} starts",
        "none",
        grasp,
    ),
)
