"""In which layer each node of a DAG stands, and the nodes that carry long edges through the layers between.

A node stands as far left as its parents allow; then nodes move right, the last first, as far as their children allow,
where that shortens more edges than it lengthens. An edge over several layers is cut into pieces of one layer each,
joined by dummy nodes, so that the places of the dummies route it around what is in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from ml4c.graph import Adjacency, Graph, topological_order

Arrow: TypeAlias = tuple[int, int]

ROUNDS = 4


def layers_of(dag: Graph) -> list[int]:
    """Return the layer of every node, parents before children."""
    g = Adjacency(dag)
    order = topological_order(dag).tolist()
    layer = [0] * len(dag)
    for node in order:
        layer[node] = max((layer[p] + 1 for p in g.parents[node]), default=0)
    for _ in range(ROUNDS):
        for node in reversed(order):
            if len(g.children[node]) > len(g.parents[node]):
                layer[node] = min(layer[c] for c in g.children[node]) - 1
        for node in order:
            if len(g.parents[node]) > len(g.children[node]):
                layer[node] = max(layer[p] for p in g.parents[node]) + 1
    first = min(layer, default=0)
    return [place - first for place in layer]


@dataclass(frozen=True)
class Pieces:
    """A graph whose edges all join neighbouring layers: the layers of nodes and dummies, and the dummies of arrows."""

    layers: list[int]
    edges: list[Arrow]
    dummies: dict[Arrow, list[int]]


def cut_long_edges(arrows: Sequence[Arrow], layers: Sequence[int]) -> Pieces:
    """Put a dummy node, numbered after the nodes, into every layer that an edge passes."""
    found = Pieces(list(layers), [], {})
    for i, j in arrows:
        passed = range(layers[i] + 1, layers[j])
        begin = len(found.layers)
        found.layers.extend(passed)
        found.dummies[i, j] = list(range(begin, begin + len(passed)))
        way = [i, *found.dummies[i, j], j]
        found.edges.extend(pairwise(way))
    return found
