"""Tabu search over DAGs within candidate arcs (Glover 1986; Bouckaert 1995 for networks).

A step adds, deletes or reverses the one arc that gains most, even when that is a loss; a pair that was touched
rests for some steps, so the search leaves a local optimum instead of falling back into it. The best DAG seen is the
answer. What every arc would gain is kept: a step changes the parents of one node or two, and only the arcs into those
are scored again, in one batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c._kernels.arrays import Floats, Ints
from ml4c._kernels.dags import BITS, REVERSE, Arcs, State, best_move, list_families, most_parents, settle
from ml4c.counting import announce_compiling
from ml4c.graph import Graph, as_graph, topological_order
from ml4c.scores import LocalScores

REST = 10
"""Steps for which a pair that was touched is left alone."""
MOST_RESTING = 6
"""Arcs that may be changed for each step of rest: about a third of the pairs rest at most."""
PATIENCE = 20
"""Steps without a better DAG after which the search ends."""
SMALLEST_GAIN = 1e-9
"""A DAG is better by more than this: the noise of summing scores in another order is far below."""


@dataclass(frozen=True, eq=False)
class FoundDag:
    """The best DAG of a search, its score, and what each arc is worth in it."""

    dag: Graph
    score: float
    arcs: NDArray[np.int32]
    """(arcs, 2): tail and head of every arc that the search might use."""
    gain: Floats
    """What the arc adds to the score of its head: beside the other parents, whether it is in the DAG or not."""
    legal: NDArray[np.bool_]
    """Whether the DAG has the arc, or could have it in addition."""
    steps: int
    complete: bool
    """False when the search was stopped."""


def best_dag(
    scores: LocalScores,
    candidates: ArrayLike,
    *,
    required: ArrayLike | None = None,
    start: ArrayLike | None = None,
    max_degree: int | None = None,
    rest: int = REST,
    patience: int = PATIENCE,
    stop: Callable[[], bool] = lambda: False,
) -> FoundDag:
    """Search for the DAG of the best score among those with candidate arcs alone.

    candidates: cell [i, j] is 1 where i -> j may be used. required: arcs that every DAG of the search has, candidates
    or not. start: the DAG to begin with; by default it has the required arcs alone. max_degree: most edges of a node,
    required arcs aside. rest, patience: see REST and PATIENCE. stop: asked after every step.
    """
    needed = np.zeros((len(scores.names),) * 2, np.int8) if required is None else as_graph(required)
    first = needed if start is None else as_graph(start) | needed
    topological_order(first)  # raises when there is a cycle
    search = _Search(scores, as_graph(candidates) | first, needed, first, max_degree)
    return search.run(rest, patience, stop)


class _Search:
    def __init__(
        self, scores: LocalScores, usable: Graph, required: Graph, start: Graph, max_degree: int | None
    ) -> None:
        self._scores = scores
        self._most_degree = len(usable) if max_degree is None else max_degree
        self._arcs = _list_arcs(usable, required)
        self._state = _start(self._arcs, start)
        self._out = np.argsort(self._arcs.tail, kind="stable")
        self._out_start = np.searchsorted(self._arcs.tail[self._out], np.arange(len(usable) + 1))
        self._local = np.zeros(len(usable))
        announce_compiling(best_move)
        self._refresh(np.arange(len(usable)))

    def run(self, rest: int, patience: int, stop: Callable[[], bool]) -> FoundDag:
        """Step until nothing better has come for a while; go back to the best DAG."""
        arcs, state = self._arcs, self._state
        # In a small graph a long rest would leave nothing to move.
        rest = min(rest, int(np.count_nonzero(arcs.fixed == 0)) // MOST_RESTING)
        best, best_present = self._total(), state.present.copy()
        move = np.zeros(2, np.int64)
        since, now, complete = 0, 0, True
        total = best
        while since < patience and complete:
            now += 1
            aspire = best + SMALLEST_GAIN - total
            best_move(arcs, state, now, self._most_degree, aspire, move)
            if move[0] < 0:
                break
            self._apply(int(move[0]), bool(move[1] == REVERSE), now + 1 + rest)
            since, total = since + 1, self._total()
            if total > best + SMALLEST_GAIN:
                best, best_present, since = total, state.present.copy(), 0
            complete = not stop()
        if now:
            state.present[:] = best_present
            self._refresh(np.arange(len(self._local)))
        return self._found(now, complete)

    def _total(self) -> float:
        return float(self._local.sum())

    def _apply(self, arc: int, reverse: bool, until: int) -> None:
        """Change one arc, and let its pair rest."""
        arcs, present = self._arcs, self._state.present
        back = int(arcs.reverse[arc])
        present[arc] ^= 1
        self._state.tabu_until[arc] = until
        if back >= 0:
            self._state.tabu_until[back] = until
            present[back] ^= reverse
        heads = [arcs.head[arc], arcs.tail[arc]] if reverse else [arcs.head[arc]]
        self._refresh(np.array(heads))

    def _refresh(self, nodes: Ints) -> None:
        """Bring everything that depends on the parents of these nodes up to date."""
        arcs, state = self._arcs, self._state
        toggled = int((arcs.into[nodes + 1] - arcs.into[nodes]).sum())
        width = 2 + most_parents(arcs, state, nodes)
        rows = np.full((len(nodes) + toggled, width), -1, np.int32)
        list_families(arcs, state, nodes, rows)
        settle(arcs, self._out, self._out_start, state, nodes, self._scores.score(rows), self._local)

    def _found(self, steps: int, complete: bool) -> FoundDag:
        arcs, state = self._arcs, self._state
        here = state.present == 1
        dag = np.zeros((len(self._local),) * 2, np.int8)
        dag[arcs.tail[here], arcs.head[here]] = 1
        word, bit = np.divmod(arcs.head, BITS)
        closes = (state.ancestors[arcs.tail, word] >> bit.astype(np.uint64)) & np.uint64(1) == 1
        pairs = np.column_stack([arcs.tail, arcs.head]).astype(np.int32)
        gain = np.where(here, -state.delta, state.delta)
        return FoundDag(dag, self._total(), pairs, gain, here | ~closes, steps, complete)


def _list_arcs(usable: Graph, required: Graph) -> Arcs:
    head, tail = np.nonzero(usable.T)
    number = np.full(usable.shape, -1, np.int64)
    number[tail, head] = np.arange(len(tail))
    into = np.searchsorted(head, np.arange(len(usable) + 1))
    return Arcs(tail, head, number[head, tail], into, required[tail, head].astype(np.uint8))


def _start(arcs: Arcs, dag: Graph) -> State:
    """Return the state of a DAG, to be refreshed."""
    nodes = len(dag)
    return State(
        present=dag[arcs.tail, arcs.head].astype(np.uint8),
        delta=np.zeros(len(arcs.tail)),
        degree=np.zeros(nodes, np.int64),
        ancestors=np.zeros((nodes, nodes // BITS + 1), np.uint64),
        waiting=np.zeros(nodes, np.int64),
        queue=np.zeros(nodes, np.int64),
        tabu_until=np.zeros(len(arcs.tail), np.int64),
    )
