"""A DAG from any solution of the program, fractional or cyclic: nodes are placed one after another.

A node may have any of its sets whose members are placed. Next comes a node that loses no more than in the solution, if
there is one. Otherwise a cycle is in the way, and the node that loses least beyond the solution comes next, among those
that wait for nobody but each other: a node further on may lose less now, but would lose parents that it can have later.

A solution that is a DAG stays one, or loses even less: at every step some node can have its set.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ml4c.baselines.gobnilp.parent_sets import ParentSets

NO_MORE = 1e-9
"""Losses this close are equal."""


def placed(sets: ParentSets, loss: NDArray[np.float64], choice: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return a set for each node that together make a DAG; `choice` is how much of each set a solution has."""
    paid = np.bincount(sets.node, choice * loss)
    tail, head, _ = sets.arcs(choice)
    absent = np.count_nonzero(sets.members >= 0, axis=1)
    chosen, waiting = sets.start.copy(), np.ones(sets.n_nodes, bool)
    for _ in range(sets.n_nodes):
        regret = np.where(waiting, loss[chosen] - paid, inf)
        if regret.min() > NO_MORE:
            here = waiting[tail] & waiting[head]
            regret[_waits_for_others(tail[here], head[here], len(paid))] = inf
        node = int(np.argmin(regret))
        waiting[node] = False
        having = sets.with_member[node]
        absent[having] -= 1
        for ready in having[(absent[having] == 0) & waiting[sets.node[having]]].tolist():
            if loss[ready] < loss[chosen[sets.node[ready]]]:
                chosen[sets.node[ready]] = ready
    return chosen


def _waits_for_others(tail: NDArray[np.int64], head: NDArray[np.int64], nodes: int) -> NDArray[np.bool_]:
    """Nodes with an arc into their strongly connected component."""
    graph = csr_array((np.ones(len(tail)), (tail, head)), shape=(nodes, nodes))
    component = connected_components(graph, connection="strong")[1]
    entered = np.zeros(nodes, bool)
    entered[component[head[component[tail] != component[head]]]] = True
    return np.asarray(entered[component])
