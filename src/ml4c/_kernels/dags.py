"""Moves of a search over DAGs: which change of one arc gains most and closes no cycle.

Arcs that may be used are numbered; those into one child are neighbours. `delta` holds what toggling each arc adds
to the score of its child.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats, Ints, Words, kernel, step

Rows: TypeAlias = NDArray[np.int32]

TOGGLE, REVERSE = 0, 1
BITS = 64


class Arcs(NamedTuple):
    """Arcs that a search may use."""

    tail: Ints
    head: Ints
    reverse: Ints
    """Number of the arc in the other direction, -1 where it may not be used."""
    into: Ints
    """Arcs into node j are `into[j]:into[j + 1]`."""
    fixed: NDArray[np.uint8]
    """1 where the arc must stay."""


class State(NamedTuple):
    """A DAG on the way."""

    present: NDArray[np.uint8]
    delta: Floats
    degree: Ints
    ancestors: Words
    """(nodes, words): bit i of row j is set when a directed path leads from i to j."""
    waiting: Ints
    """Room for the number of parents of every node that come later, and for a queue."""
    queue: Ints
    tabu_until: Ints
    """Step before which an arc may not be touched, unless that gives the best DAG so far."""


@kernel
def find_ancestors(arcs: Arcs, out: Ints, out_start: Ints, state: State) -> int:
    """Fill in the ancestors of every node, parents first; return how many nodes lie on no cycle.

    `out` lists arcs by their tail: those that leave node i are `out[out_start[i]:out_start[i + 1]]`.
    """
    nodes, words = state.ancestors.shape
    last = 0
    for j in range(nodes):
        state.waiting[j] = 0
        for w in range(words):
            state.ancestors[j, w] = 0
        for a in range(arcs.into[j], arcs.into[j + 1]):
            state.waiting[j] += state.present[a]
        if state.waiting[j] == 0:
            state.queue[last] = j
            last += 1
    first = 0
    while first < last:
        i = state.queue[first]
        first += 1
        for k in range(out_start[i], out_start[i + 1]):
            if state.present[out[k]] == 0:
                continue
            j = arcs.head[out[k]]
            for w in range(words):
                state.ancestors[j, w] |= state.ancestors[i, w]
            state.ancestors[j, i // BITS] |= np.uint64(1) << np.uint64(i % BITS)
            state.waiting[j] -= 1
            if state.waiting[j] == 0:
                state.queue[last] = j
                last += 1
    return last


@kernel
def most_parents(arcs: Arcs, state: State, nodes: Ints) -> int:
    """Return the largest number of parents of these nodes."""
    most = 0
    for k in range(nodes.shape[0]):
        count = 0
        for a in range(arcs.into[nodes[k]], arcs.into[nodes[k] + 1]):
            count += state.present[a]
        most = max(most, count)
    return most


@kernel
def list_families(arcs: Arcs, state: State, nodes: Ints, rows: Rows) -> None:
    """Write the family of each of these nodes, then, node by node, those that toggling an arc into it would make.

    A row is a node, its parents and -1; `rows` is filled with -1.
    """
    row = nodes.shape[0]
    for k in range(nodes.shape[0]):
        begin, end = arcs.into[nodes[k]], arcs.into[nodes[k] + 1]
        _write_family(arcs, state, nodes[k], np.int64(-1), rows[k])
        for a in range(begin, end):
            _write_family(arcs, state, nodes[k], a, rows[row])
            row += 1


@step
def _write_family(arcs: Arcs, state: State, node: int, toggled: int, row: NDArray[np.int32]) -> None:
    row[0] = node
    place = 1
    for a in range(arcs.into[node], arcs.into[node + 1]):
        if (state.present[a] == 1) != (a == toggled):
            row[place] = arcs.tail[a]
            place += 1


@kernel
def settle(arcs: Arcs, out: Ints, out_start: Ints, state: State, nodes: Ints, found: Floats, local: Floats) -> None:
    """Take over the scores of what `list_families` wrote, and what else depends on the arcs that are present."""
    row = nodes.shape[0]
    for k in range(nodes.shape[0]):
        local[nodes[k]] = found[k]
        for a in range(arcs.into[nodes[k]], arcs.into[nodes[k] + 1]):
            state.delta[a] = found[row] - found[k]
            row += 1
    for j in range(state.degree.shape[0]):
        state.degree[j] = 0
    for a in range(arcs.tail.shape[0]):
        state.degree[arcs.tail[a]] += state.present[a]
        state.degree[arcs.head[a]] += state.present[a]
    find_ancestors(arcs, out, out_start, state)


@step
def _leads(state: State, i: int, j: int) -> bool:
    """Tell whether a directed path leads from i to j."""
    return (state.ancestors[j, i // BITS] >> np.uint64(i % BITS)) & np.uint64(1) == np.uint64(1)


@step
def _another_way(arcs: Arcs, state: State, arc: int) -> bool:
    """Tell whether a path leads from the tail of a present arc to its head beside the arc: through another parent."""
    i, j = arcs.tail[arc], arcs.head[arc]
    for a in range(arcs.into[j], arcs.into[j + 1]):
        if state.present[a] == 1 and a != arc and _leads(state, i, arcs.tail[a]):
            return True
    return False


@step
def _can_add(arcs: Arcs, state: State, arc: int, most: int) -> bool:
    i, j = arcs.tail[arc], arcs.head[arc]
    return state.degree[i] < most and state.degree[j] < most and not _leads(state, j, i)


@kernel
def best_move(arcs: Arcs, state: State, now: int, most_degree: int, aspire: float, move: Ints) -> float:
    """Find the move that gains most; write its arc and kind, arc -1 if there is none; return what it gains.

    A move that is tabu counts only if it gains more than `aspire`. The first of equals wins.
    """
    best = -np.inf
    move[0] = -1
    for a in range(arcs.tail.shape[0]):
        back = arcs.reverse[a]
        if state.present[a] == 0:
            if back >= 0 and state.present[back] == 1:
                continue  # that is the reversal of the other arc
            gain = state.delta[a]
            if gain > best and (now >= state.tabu_until[a] or gain > aspire) and _can_add(arcs, state, a, most_degree):
                best = gain
                move[0] = a
                move[1] = TOGGLE
        elif arcs.fixed[a] == 0:
            gain = state.delta[a]
            if gain > best and (now >= state.tabu_until[a] or gain > aspire):
                best = gain
                move[0] = a
                move[1] = TOGGLE
            if back >= 0:
                gain += state.delta[back]
                free = now >= state.tabu_until[a] or gain > aspire
                if gain > best and free and not _another_way(arcs, state, a):
                    best = gain
                    move[0] = a
                    move[1] = REVERSE
    return best
