"""Clusters of nodes that forbid cycles in a choice of parent sets (Jaakkola et al. 2010).

In every cluster of a DAG some node has no parent inside. So of the sets that reach inside, a cluster of k nodes has at
most k - 1. A choice may be fractional: arc i -> j then has the weight of all sets of j with i in them, and lacks
the rest of 1. If the arcs of a cycle lack less than 1 in sum, its nodes violate their cluster; such cycles are
shortest paths.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from ml4c.baselines.gobnilp.parent_sets import ParentSets

Cluster: TypeAlias = tuple[int, ...]

HOP = 1e-6
"""Length of a step beside its cost, so that the shortest of equally violated cycles is found."""
VIOLATED = 1e-4
"""By how much a cluster must be violated to count."""


def violated_clusters(sets: ParentSets, choice: NDArray[np.float64]) -> list[Cluster]:
    """Find cycles whose arcs lack less than 1 in sum, the cheapest through every arc; their nodes violate a cluster."""
    tail, head, share = sets.arcs(choice)
    shape = (sets.n_nodes, sets.n_nodes)
    weight = csr_array((share, (tail, head)), shape=shape).tocoo()
    cost = np.maximum(0.0, 1.0 - weight.data) + HOP
    length, previous = dijkstra(csr_array((cost, weight.coords), shape=shape), return_predecessors=True)
    u, v = weight.coords
    closing = cost + length[v, u] < 1.0 - VIOLATED
    cycles = [_way(previous[j], j, i) for i, j in zip(u[closing].tolist(), v[closing].tolist(), strict=True)]
    return list(dict.fromkeys(cycles))


def _way(previous: NDArray[np.int64], source: int, target: int) -> Cluster:
    """Nodes on the shortest path to a target, given the node before each."""
    way = [target]
    while way[-1] != source:
        way.append(int(previous[way[-1]]))
    return tuple(sorted(way))


def reaching_inside(sets: ParentSets, cluster: Cluster) -> NDArray[np.int64]:
    """Return the sets of nodes of a cluster with a member in it: a DAG has fewer of them than the cluster has nodes."""
    inside = np.zeros(sets.n_nodes + 1, bool)  # the last, which -1 points at, is in no cluster
    inside[list(cluster)] = True
    return np.flatnonzero(inside[sets.node] & inside[sets.members].any(axis=1))


def mutual_pairs(sets: ParentSets) -> list[Cluster]:
    """Pairs that could point at each other: worth forbidding from the start."""
    nodes = sets.n_nodes
    points = np.zeros((nodes, nodes + 1), bool)
    points[np.repeat(sets.node, sets.members.shape[1]), sets.members.ravel()] = True
    both = points[:, :nodes] & points[:, :nodes].T
    return [(i, j) for i, j in np.argwhere(np.triu(both)).tolist()]
