"""Graphs for networkx, and from it.

networkx has no graph with both kinds of edge. Here a graph becomes a `DiGraph`: i -> j is one arc, i - j is
two, and the attribute `kind` of an arc says which it belongs to. Read back, two opposite arcs are one
undirected edge; arcs whose `kind` says otherwise are refused.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Graph
from ml4c.interop.edges import NamedGraph, index_of, to_edges, with_names

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(matrix: npt.ArrayLike, names: Sequence[str]) -> "nx.DiGraph":
    """Return a DiGraph with all nodes; an undirected edge is two arcs with kind="undirected"."""
    import networkx as nx  # slow to import, and most callers never need it

    g = nx.DiGraph()
    g.add_nodes_from(with_names(matrix, names).names)
    for edge in to_edges(matrix, names):
        g.add_edge(edge.source, edge.target, kind=edge.type)
        if edge.type == "undirected":
            g.add_edge(edge.target, edge.source, kind=edge.type)
    return g


def from_networkx(g: "nx.Graph", names: Sequence[str] | None = None) -> NamedGraph:
    """Read a networkx graph; without names its nodes, as strings, are the names, in its order.

    In a DiGraph two opposite arcs are one undirected edge. Names that are no nodes of the graph are isolated.
    """
    index = index_of(map(str, g.nodes) if names is None else names)
    for node in g.nodes:
        if str(node) not in index:
            raise GraphError(f"the node {str(node)!r} of the networkx graph is not among the names")
    matrix = np.zeros((len(index), len(index)), dtype=np.int8)
    for source, target in g.edges():
        if source == target:
            raise GraphError(f"the networkx graph joins {str(source)!r} with itself; remove that edge")
        i, j = index[str(source)], index[str(target)]
        matrix[i, j] = 1
        if not g.is_directed():
            matrix[j, i] = 1
    _check_kinds(g, matrix, index)
    return NamedGraph(matrix, tuple(index))


def _check_kinds(g: "nx.Graph", matrix: Graph, index: Mapping[str, int]) -> None:
    """Refuse arcs that were added or removed without the opposite one: nothing says what is meant."""
    for source, target, kind in g.edges(data="kind"):
        alone = matrix[index[str(target)], index[str(source)]] == 0
        if (kind == "undirected" and alone) or (kind == "directed" and not alone):
            arcs = "one arc" if alone else "two arcs"
            raise GraphError(
                f"the networkx graph has {arcs} of kind {kind!r} between {str(source)!r} and {str(target)!r}; "
                "an arrow is one arc, an undirected edge is two"
            )
