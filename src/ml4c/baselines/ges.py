"""Greedy equivalence search (Chickering 2002): the best insertion as long as one gains, then the best deletion.

The search walks over CPDAGs, from the empty one; `operators` has its moves. A skeleton fixes the gaps: insertions are
tried between its pairs alone. Operators that gain wait in a heap. A step changes the surroundings of few nodes; only
operators whose sets can have changed are listed again, and their local scores asked for in one batch. Whether a path
forbids an operator can change anywhere, and is looked at when its turn comes.

The paper ran a tool that scores category numbers with the Gaussian BIC (and turns edges in a third phase, which is not
Chickering's and not done here); `ges` is the search with the score for such data, `ges-gaussian` with the tool's.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from ml4c.baselines.gaussian import GaussianScores
from ml4c.baselines.operators import DELETE, INSERT, Kind, Operator
from ml4c.baselines.protocol import Method, Problem
from ml4c.baselines.scored import ESS, Scorer, in_drawn_order
from ml4c.graph import Adjacency, Graph, skeleton
from ml4c.scores import LocalScores, families
from ml4c.search.dags import SMALLEST_GAIN


def ges(problem: Problem) -> Graph:
    """Search with BDeu."""
    return in_drawn_order(problem, lambda data, usable: search(LocalScores(data, "bdeu", ess=ESS, n_jobs=1), usable))


def ges_gaussian(problem: Problem) -> Graph:
    """Search with the Gaussian BIC of category numbers."""
    return in_drawn_order(problem, lambda data, usable: search(GaussianScores(data), usable))


def search(scores: Scorer, usable: Graph) -> Graph:
    """Return the CPDAG that both phases lead to; edges only between pairs that are joined in `usable`."""
    empty = np.zeros_like(usable)
    return climb(scores, climb(scores, empty, usable, INSERT), usable, DELETE)


def climb(scores: Scorer, cpdag: Graph, usable: Graph, kind: Kind) -> Graph:
    """Apply the operator of one kind that gains most until none gains."""
    waiting = _Waiting(scores, len(cpdag), kind)
    touched = np.ones(len(cpdag), bool)
    while True:
        g = Adjacency(cpdag)
        waiting.renew(g, _pairs(cpdag, usable, kind), touched)
        move = waiting.best(g)
        if move is None:
            return cpdag
        found = kind.apply(cpdag, move)
        touched = (found != cpdag).any(axis=0) | (found != cpdag).any(axis=1)
        cpdag = found


def _pairs(cpdag: Graph, usable: Graph, kind: Kind) -> NDArray[np.bool_]:
    """Cell [x, y]: whether an operator on (x, y) can exist."""
    return np.asarray((usable == 1) & (skeleton(cpdag) == 0) if kind.adds else cpdag == 1)


class _Waiting:
    """Operators that gain, the best first; those of a pair are void once the pair is listed anew."""

    def __init__(self, scores: Scorer, nodes: int, kind: Kind) -> None:
        self._scores = scores
        self._kind = kind
        self._heap: list[tuple[float, int, int, Operator]] = []
        self._edition = np.zeros((nodes, nodes), np.int64)
        self._entered = 0

    def renew(self, g: Adjacency, pairs: NDArray[np.bool_], touched: NDArray[np.bool_]) -> None:
        """List anew the operators of (x, y) when the edges of x, of y or of a neighbour of y have changed."""
        near = touched.copy()
        for node in np.flatnonzero(touched).tolist():
            near[list(g.neighbours[node])] = True
        stale = touched[:, None] | near
        self._edition += stale
        moves = [move for x, y in np.argwhere(stale & pairs).tolist() for move in self._kind.at(g, x, y)]
        for move, gain in zip(moves, self._gains(moves).tolist(), strict=True):
            if gain > SMALLEST_GAIN:
                self._enter(gain, move)

    def best(self, g: Adjacency) -> Operator | None:
        """Return the operator that gains most among those that no path forbids now."""
        aside, found = [], None
        while self._heap and found is None:
            loss, edition, _, move = heappop(self._heap)
            if edition != self._edition[move.x, move.y]:
                continue
            if self._kind.forbidden(g, move):
                aside.append((-loss, move))
            else:
                found = move
        for gain, move in aside:
            self._enter(gain, move)
        return found

    def _enter(self, gain: float, move: Operator) -> None:
        self._entered += 1
        heappush(self._heap, (-gain, int(self._edition[move.x, move.y]), self._entered, move))

    def _gains(self, moves: list[Operator]) -> NDArray[np.float64]:
        if not moves:
            return np.zeros(0)
        without = [(move.y, move.beside) for move in moves]
        beside = [(move.y, (*move.beside, move.x)) for move in moves]
        found = self._scores.score(families([*beside, *without]))
        gain = found[: len(moves)] - found[len(moves) :]
        return gain if self._kind.adds else -gain


def _method(name: str, title: str, made: str, run: Callable[[Problem], Graph]) -> Method:
    return Method(name, title, "score-based", "Chickering 2002, JMLR 3:507-554", made, "either", run)


METHODS = (
    _method("ges", "GES", "ml4c, BDeu with ess 1", ges),
    _method("ges-gaussian", "GES (Gaussian)", "ml4c, Gaussian BIC of category numbers", ges_gaussian),
)
