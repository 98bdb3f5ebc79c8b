"""Which edges of an orientation are compelled, and walks that look at nothing else.

An edge is compelled when every orientation with the same colliders points it the same way: it is an arrow of the CPDAG.
`compelled` labels all edges of an orientation in one pass (Chickering, UAI 1995): nodes parents first, the parents of a
node from the last to the first. `draw` walks over orientations at one temperature and counts how often each edge was
compelled which way: the probability of its arrow. `improve` climbs to the orientation whose compelled and other edges
are worth most.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.annealing import Objective, attempt, turn
from ml4c._kernels.arrays import Floats, Ints, kernel, step
from ml4c._kernels.orientations import Orientation, fair_move

UNKNOWN, COMPELLED, REVERSIBLE = 0, 1, 2
LEAST_GAIN = 1e-9

Marks = NDArray[np.int8]
"""For each slot: what is known of its edge; of the two slots of an edge the inward one is kept up to date."""


@step
def _slot(q: Objective, owner: int, neighbour: int) -> int:
    """Return the slot of a neighbour, or -1 when the two are not adjacent."""
    low, high = q.start[owner], q.start[owner + 1]
    while low < high:
        middle = (low + high) // 2
        if q.neighbours[middle] < neighbour:
            low = middle + 1
        else:
            high = middle
    return low if low < q.start[owner + 1] and q.neighbours[low] == neighbour else -1


@step
def _mark_unknown(q: Objective, o: Orientation, marks: Marks, node: int, mark: int) -> None:
    """Label the edges into a node that are not labelled yet."""
    for i in range(q.start[node], q.start[node + 1]):
        if o.inward[i] and marks[i] == UNKNOWN:
            marks[i] = mark


@step
def _last_unknown(q: Objective, o: Orientation, marks: Marks, node: int) -> int:
    """Return the slot of the last parent whose edge is not labelled, or -1."""
    found = -1
    for i in range(q.start[node], q.start[node + 1]):
        later = found < 0 or o.position[q.neighbours[i]] > o.position[q.neighbours[found]]
        if later and o.inward[i] and marks[i] == UNKNOWN:
            found = i
    return found


@step
def _follows(q: Objective, o: Orientation, marks: Marks, node: int, parent: int) -> bool:
    """Pass on what compels the edges into a parent; tell whether that compels all edges into the node."""
    for i in range(q.start[parent], q.start[parent + 1]):
        if o.inward[i] and marks[i] == COMPELLED:
            slot = _slot(q, node, q.neighbours[i])
            if slot < 0 or not o.inward[slot]:
                return True
            marks[slot] = COMPELLED
    return False


@step
def _collides(q: Objective, o: Orientation, node: int, parent: int) -> bool:
    """Tell whether the node has another parent that is no parent of this one."""
    for i in range(q.start[node], q.start[node + 1]):
        other = q.neighbours[i]
        if o.inward[i] and other != parent:
            slot = _slot(q, parent, other)
            if slot < 0 or not o.inward[slot]:
                return True
    return False


@kernel
def compelled(q: Objective, o: Orientation, marks: Marks) -> None:
    """Label the edges of an orientation."""
    for i in range(marks.shape[0]):
        marks[i] = UNKNOWN
    for k in range(o.order.shape[0]):
        node = o.order[k]
        slot = _last_unknown(q, o, marks, node)
        while slot >= 0:
            parent = q.neighbours[slot]
            if _follows(q, o, marks, node, parent):
                for i in range(q.start[node], q.start[node + 1]):
                    if o.inward[i]:
                        marks[i] = COMPELLED
            else:
                mark = COMPELLED if _collides(q, o, node, parent) else REVERSIBLE
                _mark_unknown(q, o, marks, node, mark)
            slot = _last_unknown(q, o, marks, node)


@kernel
def wander(q: Objective, o: Orientation, moves: int, temperature: float) -> None:
    """Make so many moves at one temperature."""
    for _ in range(moves):
        attempt(q, o, fair_move(q, o), temperature)


@kernel
def draw(q: Objective, o: Orientation, marks: Marks, count: Ints, looks: int, pause: int, temperature: float) -> None:
    """Count, for each slot, the looks in which its edge was compelled and inward; `pause` moves before each."""
    for _ in range(looks):
        wander(q, o, pause, temperature)
        compelled(q, o, marks)
        for i in range(marks.shape[0]):
            count[i] += np.int64(o.inward[i] == 1 and marks[i] == COMPELLED)


@step
def _value(o: Orientation, marks: Marks, arrow: Floats, line: Floats) -> float:
    """Sum up what the edges are worth as arrows or as lines."""
    total = 0.0
    for i in range(marks.shape[0]):
        if o.inward[i]:
            total += arrow[i] if marks[i] == COMPELLED else line[i]
    return total


@kernel
def improve(q: Objective, o: Orientation, marks: Marks, arrow: Floats, line: Floats, sweeps: int) -> float:
    """Turn one or two edges of a node while that makes the arrows and lines worth more; returns what they are worth.

    arrow, line: for each slot, the worth of its edge as an arrow inward and as a line.
    """
    compelled(q, o, marks)
    best = _value(o, marks, arrow, line)
    better = True
    while better and sweeps > 0:
        better = False
        sweeps -= 1
        for i in range(q.owner.shape[0]):
            for j in range(q.start[q.owner[i]], i + 1):
                n = 1 if i == j else 2
                o.turned[0], o.turned[1] = i, j
                if q.fixed[i] or q.fixed[j] or not turn(q, o, n):
                    continue
                compelled(q, o, marks)
                value = _value(o, marks, arrow, line)
                if value > best + LEAST_GAIN:
                    best, better = value, True
                else:
                    turn(q, o, n)
    return best
