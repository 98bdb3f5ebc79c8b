"""Where the nodes of a graph stand: layers from left to right, few crossings within them (igraph's Sugiyama).

Undirected edges get the direction of a DAG in the class of the graph, so that they take part like any other. A
graph without such a DAG loses the arrows that close its cycles, for the drawing only. Connected parts are laid out one
by one and packed, the largest first; nodes without edges stand below in rows. Nodes are worked on in the order of their
names, so the order of columns does not move a node.

Units are one layer to the right and one row down. `bends` are the points through which a long edge is led.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.drawing.layers import Arrow, Pieces, cut_long_edges, layers_of
from ml4c.drawing.rows import settle_rows
from ml4c.graph import Graph, as_graph, directed, edges, find_cycle, topological_order
from ml4c.meek import consistent_extension

Point: TypeAlias = tuple[float, float]
Points: TypeAlias = npt.NDArray[np.float64]

LAYER_PER_ROW = 4.5
"""How many rows are as wide as one layer when drawn."""
SHAPE = 1.9
"""Width over height that packing aims at."""
GAP = 1.0
ITERATIONS = 60
DUMMY = 0.45
"""Height of an edge that passes a layer."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The place (layer, row) of every node, and of the bends of edges by their smaller and larger node."""

    places: tuple[Point, ...]
    bends: dict[Arrow, tuple[Point, ...]]

    @property
    def size(self) -> Point:
        """Layers and rows in use."""
        if not self.places:
            return 0.0, 0.0
        right, low = np.array(self.places).max(axis=0).tolist()
        return right + 1.0, low + 1.0


def layered_layout(graph: npt.ArrayLike, names: Sequence[str]) -> Layout:
    """Place the nodes of a DAG, CPDAG or partly directed graph."""
    a = as_graph(graph)
    order = np.array(sorted(range(len(names)), key=names.__getitem__), np.intp)
    dag = _some_dag(a[np.ix_(order, order)])
    parts = [_Part.of(dag, nodes) for nodes in _connected(dag)]
    alone = np.flatnonzero(~(dag | dag.T).any(axis=1)).tolist()
    places = np.zeros((len(dag), 2))
    bends: dict[Arrow, tuple[Point, ...]] = {}
    for part, corner in zip(parts, corners := _packed(parts, len(alone)), strict=False):
        places[part.nodes] = part.places + corner
        for (i, j), points in part.bends.items():
            ends = order[i].item(), order[j].item()
            moved = [(float(x), float(y)) for x, y in points + corner]
            bends[min(ends), max(ends)] = tuple(moved if ends[0] < ends[1] else moved[::-1])
    if alone:
        places[alone] = _rows_below(len(alone), parts, corners)
    back = np.argsort(order)
    return Layout(tuple((round(x, 3), round(y, 3)) for x, y in places[back].tolist()), bends)


def _some_dag(a: Graph) -> Graph:
    """Return a DAG of the class, or of a graph that has none an acyclic part of it with all other edges by number."""
    found = consistent_extension(a)
    if found is not None:
        return found
    drawn = directed(a)
    while cycle := find_cycle(drawn):
        drawn[cycle[-1], cycle[0]] = 0
    rank = np.argsort(topological_order(drawn))
    joined = (a | a.T) == 1
    return as_graph(joined & (rank[:, None] < rank))


def _connected(dag: Graph) -> list[list[int]]:
    """List the nodes of every connected part of two or more nodes, the largest part first."""
    joined = [np.flatnonzero(line).tolist() for line in dag | dag.T]
    seen, parts = set[int](), list[list[int]]()
    for start in range(len(dag)):
        if start in seen or not joined[start]:
            continue
        part, waiting = {start}, [start]
        while waiting:
            new = set(joined[waiting.pop()]) - part
            part |= new
            waiting += new
        seen |= part
        parts.append(sorted(part))
    return sorted(parts, key=lambda part: -len(part))


@dataclass(frozen=True, eq=False)
class _Part:
    """A connected part with its own places from (0, 0) on."""

    nodes: list[int]
    places: Points
    bends: dict[Arrow, Points]
    size: Points

    @classmethod
    def of(cls, dag: Graph, nodes: list[int]) -> _Part:
        import igraph  # a fifth of a second that only a drawing is worth

        small = dag[np.ix_(nodes, nodes)]
        arrows = [(i, j) for i, j in edges(small).directed.tolist()]
        pieces = cut_long_edges(arrows, layers_of(small))
        made = igraph.Graph(len(pieces.layers), pieces.edges, directed=True)
        found = made.layout_sugiyama(layers=pieces.layers, hgap=1, maxiter=ITERATIONS)
        row = _rows(pieces, [x for x, _ in found.coords[: len(pieces.layers)]], len(nodes))
        places = np.column_stack([np.array(pieces.layers, float), row - row.min()])
        bends = {(nodes[i], nodes[j]): places[between] for (i, j), between in pieces.dummies.items() if between}
        own = places[: len(nodes)]
        return cls(nodes, own, bends, places.max(axis=0) + 1.0)


def _rows(pieces: Pieces, order: Sequence[float], n_nodes: int) -> Points:
    """Return heights that keep the order of igraph, which leaves much room between."""
    layers: list[list[int]] = [[] for _ in range(max(pieces.layers) + 1)]
    for node in sorted(range(len(order)), key=lambda node: (order[node], node)):
        layers[pieces.layers[node]].append(node)
    joined: list[list[int]] = [[] for _ in order]
    for i, j in pieces.edges:
        joined[i].append(j)
        joined[j].append(i)
    sizes = [1.0] * n_nodes + [DUMMY] * (len(order) - n_nodes)
    return np.array(settle_rows(layers, joined, sizes))


def _packed(parts: Sequence[_Part], n_alone: int) -> list[Points]:
    """Put parts on shelves as wide as the drawing should be; return the corner of each."""
    area = sum(float(part.size[0] * LAYER_PER_ROW * part.size[1]) for part in parts) + n_alone * LAYER_PER_ROW
    widest = max((float(part.size[0]) for part in parts), default=1.0)
    width = max(widest, np.sqrt(area * SHAPE) / LAYER_PER_ROW)
    corners, x, y, depth = list[Points](), 0.0, 0.0, 0.0
    for part in parts:
        if x and x + part.size[0] > width:
            x, y, depth = 0.0, y + depth + GAP, 0.0
        corners.append(np.array([x, y]))
        x, depth = x + float(part.size[0]), max(depth, float(part.size[1]))
    return corners


def _rows_below(count: int, parts: Sequence[_Part], corners: Sequence[Points]) -> Points:
    """Place nodes without edges in rows below everything else."""
    ends = [corner + part.size for part, corner in zip(parts, corners, strict=True)]
    low = max((float(end[1]) for end in ends), default=-GAP)
    width = max((float(end[0]) for end in ends), default=np.sqrt(count * SHAPE / LAYER_PER_ROW))
    columns = max(1, round(width))
    return np.array([(k % columns, low + GAP + k // columns) for k in range(count)], float)
