"""Order and cycles: both come from peeling off nodes without parents (Kahn 1962).

What can be peeled is a topological order. What cannot lies on a directed cycle or behind one, and every such
node has a parent of the same kind; walking from parent to parent must therefore run into a cycle, which is
the one that an error names. Only arrows count: an undirected edge never closes a cycle here.
"""

from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph.adjacency import Adjacency
from ml4c.graph.matrix import Graph


def topological_order(dag: Graph) -> npt.NDArray[np.intp]:
    """Order all nodes, parents first, the smallest index first among equals; GraphError names a cycle."""
    g = Adjacency(dag)
    for i, around in enumerate(g.neighbours):
        if around:
            raise GraphError(f"this graph is not a DAG: {i} - {min(around)} is undirected")
    order = _peel(g)
    if len(order) < len(dag):
        cycle = _cycle_outside(g, order)
        raise GraphError(f"this graph is not a DAG: {' -> '.join(map(str, [*cycle, cycle[0]]))} is a cycle")
    return np.array(order, dtype=np.intp)


def find_cycle(a: Graph) -> list[int] | None:
    """Return the nodes of one directed cycle, each with an arrow to the next, or None when there is none."""
    g = Adjacency(a)
    order = _peel(g)
    return _cycle_outside(g, order) if len(order) < len(a) else None


def is_dag(a: Graph) -> bool:
    """Tell whether all edges are arrows and none of them closes a directed cycle."""
    g = Adjacency(a)
    return not any(g.neighbours) and len(_peel(g)) == len(a)


def ancestors(dag: Graph) -> npt.NDArray[np.bool_]:
    """Mark [j, i] where a directed path leads from i to j."""
    above = np.zeros(dag.shape, np.bool_)
    for j in topological_order(dag).tolist():
        parents = np.flatnonzero(dag[:, j])
        above[j] = above[parents].any(axis=0)
        above[j, parents] = True
    return above


def _peel(g: Adjacency) -> list[int]:
    waiting = [len(p) for p in g.parents]
    free = [i for i, count in enumerate(waiting) if count == 0]  # ascending, hence already a heap
    order = []
    while free:
        order.append(i := heappop(free))
        for j in g.children[i]:
            waiting[j] -= 1
            if waiting[j] == 0:
                heappush(free, j)
    return order


def _cycle_outside(g: Adjacency, peeled: list[int]) -> list[int]:
    left = set(range(len(g))) - set(peeled)
    node, position, walk = min(left), dict[int, int](), list[int]()
    while node not in position:
        position[node] = len(walk)
        walk.append(node)
        node = min(g.parents[node] & left)
    return walk[position[node] :][::-1]
