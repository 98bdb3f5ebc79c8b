"""Graphs as lists of named edges.

An edge is a record (source, target, type); for input it may also be a pair of names or a string such as
"rain -> wet" or "rain - wet". Names may themselves contain dashes: a string is split where both sides are
names, and rejected when that is possible in two ways.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c import graph
from ml4c.errors import GraphError

EdgeType: TypeAlias = Literal["directed", "undirected"]

NAMES_SHOWN = 10
ARROW = re.compile(r"\s*(?P<back><?)-{1,3}(?P<forth>>?)\s*")


@dataclass(frozen=True)
class Edge:
    """A named edge: source -> target when directed, source - target when undirected."""

    source: str
    target: str
    type: EdgeType

    def __str__(self) -> str:
        return f"{self.source} {'->' if self.type == 'directed' else '-'} {self.target}"


EdgeLike: TypeAlias = Edge | Sequence[str]


@dataclass(frozen=True, eq=False)
class NamedGraph:
    """A graph matrix and the names of its nodes, in the order of its rows."""

    matrix: graph.Graph
    names: tuple[str, ...]


def to_edges(matrix: npt.ArrayLike, names: Sequence[str]) -> list[Edge]:
    """List the edges of a graph by name, each once, in the order of the nodes."""
    named = with_names(matrix, names)
    found, name = graph.edges(named.matrix), named.names
    arrows = [(i, j, Edge(name[i], name[j], "directed")) for i, j in found.directed.tolist()]
    lines = [(i, j, Edge(name[i], name[j], "undirected")) for i, j in found.undirected.tolist()]
    return [edge for _, _, edge in sorted(arrows + lines, key=lambda item: item[:2])]


def from_edges(edges: Iterable[EdgeLike], names: Sequence[str], *, directed: bool = False) -> NamedGraph:
    """Draw edges over named nodes: records, strings such as "a -> b" or "a - b", or pairs of names.

    A pair is undirected unless `directed`; a record or a string says itself which it is.
    """
    index = index_of(names)
    matrix = np.zeros((len(index), len(index)), dtype=np.int8)
    for item in edges:
        draw(matrix, index, _as_edge(item, index, directed=directed))
    return NamedGraph(matrix, tuple(index))


def with_names(matrix: npt.ArrayLike, names: Sequence[str]) -> NamedGraph:
    """Put names on the nodes of a matrix; GraphError when their number differs or one repeats."""
    a = graph.as_graph(matrix)
    if len(names) != len(a):
        raise GraphError(f"a graph of {len(a)} nodes needs as many names, but {len(names)} are given")
    return NamedGraph(a, tuple(index_of(names)))


def index_of(names: Iterable[str]) -> dict[str, int]:
    """Give each name its number, in their order; GraphError when one repeats."""
    index: dict[str, int] = {}
    for name in names:
        if name in index:
            raise GraphError(f"the name {name!r} is given to two nodes; names must differ")
        index[name] = len(index)
    return index


def draw(matrix: graph.Graph, index: Mapping[str, int], edge: Edge) -> None:
    """Add one edge to the matrix in place; an unknown name, a loop or a contradiction is a GraphError."""
    for name in (edge.source, edge.target):
        if name not in index:
            raise GraphError(f"{name!r} is not a node; the nodes are {listed(index)}")
    i, j = index[edge.source], index[edge.target]
    if i == j:
        raise GraphError(f"{edge} joins a node with itself; leave it out")
    wanted = (1, int(edge.type == "undirected"))
    if (matrix[i, j], matrix[j, i]) not in ((0, 0), wanted):
        raise GraphError(f"{edge} contradicts an earlier edge between these nodes; keep one of the two")
    matrix[i, j], matrix[j, i] = wanted


def _as_edge(item: EdgeLike, names: Mapping[str, int], *, directed: bool) -> Edge:
    if isinstance(item, Edge):
        return item
    if isinstance(item, str):
        return _parsed(item, names)
    if len(item) != 2:
        raise GraphError(f"{item!r} is not an edge; give a pair of names or a string such as 'a -> b'")
    return Edge(item[0], item[1], "directed" if directed else "undirected")


def _parsed(text: str, names: Mapping[str, int]) -> Edge:
    splits = [(text[: m.start()].strip(), m, text[m.end() :].strip()) for m in ARROW.finditer(text)]
    if not splits:
        raise GraphError(f"{text!r} is not an edge; write 'a -> b' or 'a - b'")
    known = [split for split in splits if split[0] in names and split[2] in names]
    if len(known) > 1:
        raise GraphError(f"{text!r} can be read in {len(known)} ways; give a pair of names instead")
    left, arrow, right = (known or splits)[0]
    if arrow["back"] and arrow["forth"]:
        raise GraphError(f"{text!r} is bidirected; write 'a - b' for an edge of unknown direction")
    if arrow["back"]:
        left, right = right, left
    return Edge(left, right, "directed" if arrow["back"] or arrow["forth"] else "undirected")


def listed(names: Iterable[str]) -> str:
    """Quote the first few names, and count them when there are more."""
    every = list(names)
    shown = ", ".join(map(repr, every[:NAMES_SHOWN]))
    return shown if len(every) <= NAMES_SHOWN else f"{shown}, ... ({len(every)} in all)"
