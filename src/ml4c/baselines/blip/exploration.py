"""Independence selection: which parent sets of a node are worth scoring (Scanagatta et al. 2015, section 3).

For disjoint sets A and B of possible parents of X,

    BIC(X, A + B) = BIC*(X, A, B) + n ii(X; A; B)
    BIC*(X, A, B) = BIC(X, A) + BIC(X, B) + (log n) / 2 (|X| - 1) (|A| + |B| - |A| |B| - 1) - BIC(X, {})

where |.| counts states and ii is the interaction information. So BIC* is what a set would score if its parts did not
interact, and costs nothing once the parts are scored. An open list holds the sets that extend a scored one by one
parent; the one with the largest BIC* is scored next and extended in turn, until a budget, in sets, is spent.

The subsets of a set are scored before it, as programs that build on the authors' do. Extensions of a set that is no
better than one of its subsets wait until no others are open, and are given up once enough sets are scored: that is
ours. BIC* does not see that parents are redundant, and would spend any budget on supersets of two good ones. Two
bounds leave an extension by Y out for good, with all that contains it: the likelihood cannot exceed 1 (de Campos and
Ji 2011), nor its logarithm rise by more than n H(Y) (de Campos et al. 2018).
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import combinations
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats
from ml4c.baselines.blip.orders import ParentSets
from ml4c.scores import LocalScores, families

MOST_PARENTS = 6
"""Parents of a node, as in the paper that we compare with."""
BUDGET = 10_000
"""Sets of two parents or more that are scored for each node, at most."""
ENOUGH = 1000
"""Sets of a node that are scored before those that wait are given up."""
MOST_CANDIDATES = 256
"""Possible parents of a node, those that score best alone: the bound of the authors' program."""
TOGETHER = 32
"""Nodes that take their steps together, so that their sets are scored in one batch."""

Members: TypeAlias = tuple[int, ...]
Number = TypeVar("Number", float, Floats)


def explore(scores: LocalScores, *, budget: int = BUDGET, most_parents: int = MOST_PARENTS) -> list[ParentSets]:
    """Return the parent sets found for every node; `scores` are BIC."""
    alone = _scores_alone(scores)
    found = []
    for begin in range(0, len(alone), TOGETHER):
        nodes = range(begin, min(begin + TOGETHER, len(alone)))
        explorers = [_Explorer(scores, node, alone, most_parents) for node in nodes]
        _spend(scores, explorers, budget)
        found += [explorer.worth_keeping() for explorer in explorers]
    return found


def bic_star(of_a: float, of_b: Number, states_a: float, states_b: Number, empty: float, unit: float) -> Number:
    """Return BIC* of a node from its BIC given A, given B and given nothing; unit: (log n) / 2 (|X| - 1)."""
    return of_a + of_b + unit * (states_a + states_b - states_a * states_b - 1.0) - empty


def _scores_alone(scores: LocalScores) -> Floats:
    """BIC of each node given each other one; on the diagonal, given nothing."""
    nodes = len(scores.names)
    node, parent = np.divmod(np.arange(nodes * nodes), nodes)
    return scores.score(np.column_stack([node, np.where(node == parent, -1, parent)])).reshape(nodes, nodes)


def _spend(scores: LocalScores, explorers: list[_Explorer], budget: int) -> None:
    """Let every node score as many sets as the budget allows, or as there are."""
    for _ in range(budget):
        asked = [(explorer, members) for explorer in explorers if (members := explorer.next_set()) is not None]
        if not asked:
            return
        found = scores.score(families((explorer.node, members) for explorer, members in asked))
        for (explorer, members), score in zip(asked, found.tolist(), strict=True):
            explorer.learn(members, score)


class _Source(NamedTuple):
    """A scored set, with the candidates that may extend it, the largest BIC* first."""

    members: Members
    waits: bool
    """Whether one of its subsets is as good: its extensions wait."""
    more: NDArray[np.int32]
    star: Floats


class _Explorer:
    """The open list of one node, and what is scored already."""

    def __init__(self, scores: LocalScores, node: int, alone: Floats, most_parents: int) -> None:
        self.node = node
        self._most_parents = most_parents
        self._states = scores.packed.columns.cards.astype(np.float64)
        penalty = 0.5 * np.log(scores.packed.n_rows) * (self._states - 1.0)
        self._unit = float(penalty[node])
        self._information = -(alone.diagonal() + penalty)  # n H(Y) of every column Y
        self._alone = alone[node]
        self._empty = float(alone[node, node])
        others = np.delete(np.arange(len(alone)), node)
        self._candidates = np.sort(others[np.argsort(-self._alone[others], kind="stable")][:MOST_CANDIDATES])
        self._best: dict[Members, float] = {(): self._empty}  # of a scored set and its subsets
        self._kept: list[tuple[float, Members]] = [(self._empty, ())]
        self._subsets: list[Members] = []  # to be scored before what is open, the last first
        self._sources: list[_Source] = []
        self._open: list[tuple[bool, float, Members, int, int]] = []
        for parent in self._candidates.tolist():
            self.learn((parent,), float(self._alone[parent]))

    def next_set(self) -> Members | None:
        """Take the set that is to be scored next, if there is one."""
        while self._subsets or self._open:
            if self._subsets:
                members = self._subsets.pop()
                if members not in self._best:
                    return members
            else:
                waits, _, members, source, place = heappop(self._open)
                if waits and self._has_enough():
                    return None
                self._offer(source, place + 1)
                if members not in self._best:
                    sizes = range(len(members), 1, -1)
                    self._subsets = [subset for size in sizes for subset in combinations(members, size)]
        return None

    def learn(self, members: Members, score: float) -> None:
        """Take note of the score of a set, and open its extensions."""
        below = max(self._best[subset] for subset in combinations(members, len(members) - 1))
        self._best[members] = max(score, below)
        waits = score <= below
        if not waits:
            self._kept.append((score, members))
        if len(members) < self._most_parents and not (waits and self._has_enough()):
            self._extend(members, score, waits)

    def worth_keeping(self) -> ParentSets:
        """Return the scored sets that are better than every subset of theirs, best first."""
        self._kept.sort(key=lambda kept: (-kept[0], kept[1]))
        rows = [members + (-1,) * (self._most_parents - len(members)) for _, members in self._kept]
        return ParentSets(np.array(rows, np.int64), np.array([score for score, _ in self._kept]))

    def _has_enough(self) -> bool:
        return len(self._best) >= ENOUGH

    def _extend(self, members: Members, score: float, waits: bool) -> None:
        """Make a set a source of larger ones: by each candidate that could pay."""
        more = self._candidates[~np.isin(self._candidates, members)]
        states, with_each = float(np.prod(self._states[list(members)])), self._states[more]
        possible = -self._unit * states * with_each > self._best[members]
        pays = self._information[more] > self._unit * states * (with_each - 1.0)
        more = more[possible & pays]
        star = bic_star(score, self._alone[more], states, self._states[more], self._empty, self._unit)
        order = np.argsort(-star, kind="stable")
        self._sources.append(_Source(members, waits, more[order].astype(np.int32), star[order]))
        self._offer(len(self._sources) - 1, 0)

    def _offer(self, source: int, place: int) -> None:
        """Open one extension of a source: the next one is opened when this one is taken."""
        members, waits, more, star = self._sources[source]
        if place < len(more):
            wider = tuple(sorted((*members, int(more[place]))))
            heappush(self._open, (waits, -float(star[place]), wider, source, place))
