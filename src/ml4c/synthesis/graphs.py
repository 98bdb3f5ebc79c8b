"""Random skeletons from an explicit generator, and their orientation.

Skeletons are lists of pairs (i, j), one row for each edge. Both models never repeat an edge.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c.graph import Graph

Pairs: TypeAlias = NDArray[np.int64]


def erdos_renyi(nodes: int, edges: int, rng: np.random.Generator) -> Pairs:
    """Return `edges` of all pairs of nodes, every set of pairs being equally likely (the model G(n, m))."""
    first, second = np.triu_indices(nodes, 1)
    chosen = rng.choice(len(first), min(edges, len(first)), replace=False)
    return np.stack([first[chosen], second[chosen]], axis=1).astype(np.int64)


def barabasi(nodes: int, per_node: int, rng: np.random.Generator, *, power: float, appeal: float) -> Pairs:
    """Return a graph that grows node by node, each new one joined to `per_node` earlier ones, or to all if fewer.

    An earlier node is chosen with weight degree^power + appeal, without repetition. A power of 1 makes hubs; a negative
    one avoids them.
    """
    degree = np.zeros(nodes)
    pairs: list[tuple[int, int]] = []
    for node in range(1, nodes):
        earlier = np.arange(node)
        if node > per_node:
            weight = degree[:node] ** power + appeal
            earlier = rng.choice(node, per_node, replace=False, p=weight / weight.sum())
        degree[earlier] += 1
        degree[node] = len(earlier)
        pairs.extend((int(other), node) for other in earlier)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def orient_at_random(pairs: Pairs, nodes: int, rng: np.random.Generator) -> Graph:
    """Return the DAG in which every edge follows a random order of the nodes; nodes without an edge are left out."""
    rank = rng.permutation(nodes)
    forward = rank[pairs[:, 0]] < rank[pairs[:, 1]]
    dag = np.zeros((nodes, nodes), dtype=np.int8)
    dag[np.where(forward, pairs[:, 0], pairs[:, 1]), np.where(forward, pairs[:, 1], pairs[:, 0])] = 1
    kept = np.flatnonzero(dag.any(axis=0) | dag.any(axis=1))
    return np.ascontiguousarray(dag[np.ix_(kept, kept)])
