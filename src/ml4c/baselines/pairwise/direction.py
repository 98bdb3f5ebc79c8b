"""From scores of pairs to a graph: who causes whom along every edge of a skeleton.

A score is antisymmetric: above 0 the first column causes the second, below 0 the second the first. At exactly 0 nothing
is decided and the edge stays undirected. Every edge is decided on its own, so the graph may have cycles
(`read_as_cpdag` knows what to make of them).
"""

from __future__ import annotations

import numpy as np

from ml4c.baselines.pairwise.tables import Floats, Pairs
from ml4c.errors import GraphError
from ml4c.graph import Graph, edges


def skeleton_pairs(skeleton: Graph | None) -> Pairs:
    """Return the edges of a skeleton, rows (x, y) with x < y."""
    if skeleton is None:
        raise GraphError("a pairwise method orients a skeleton: give it one")
    return edges(skeleton).undirected


def oriented(pairs: Pairs, score: Floats, nodes: int) -> Graph:
    """Return the graph of all pairs, each directed by the sign of its score."""
    x, y = pairs.T
    found = np.zeros((nodes, nodes), dtype=np.int8)
    found[x, y] = score >= 0
    found[y, x] = score <= 0
    return found
