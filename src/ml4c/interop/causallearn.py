"""Graphs for causal-learn, and from it.

causal-learn keeps a `GeneralGraph`: a list of nodes and a matrix in which cell [i, j] is the mark at *i* of the edge
between i and j, -1 for a tail and 1 for an arrowhead. So graph[j, i] = 1 with graph[i, j] = -1 is i -> j, and -1 in
both cells is i - j. What its searches return, a `CausalGraph`, holds a `GeneralGraph` as `G`. Its PC writes an edge
that two v-structures want in opposite directions as <->, and FCI writes circles: neither is an edge of a CPDAG.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy.typing as npt

from ml4c import graph
from ml4c.interop.alignment import in_order
from ml4c.interop.edges import NamedGraph, with_names
from ml4c.interop.marks import Marks, graph_of_ends
from ml4c.interop.optional import needed

if TYPE_CHECKING:
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphClass import CausalGraph

PACKAGE = "causal-learn"
MARKS = Marks(
    tail=-1,
    arrow=1,
    others={2: "a circle", 3: "a star", 4: "a tail and an arrowhead", 5: "two arrowheads"},
)


def to_causallearn(matrix: npt.ArrayLike, names: Sequence[str]) -> GeneralGraph:
    """Return a `GeneralGraph` with all nodes in the order of the names; any name will do."""
    named = with_names(matrix, names)
    node_of = needed("causallearn.graph.GraphNode", PACKAGE).GraphNode
    edge_of = needed("causallearn.graph.Edge", PACKAGE).Edge
    tail = needed("causallearn.graph.Endpoint", PACKAGE).Endpoint.TAIL
    nodes = [node_of(name) for name in named.names]
    g = needed("causallearn.graph.GeneralGraph", PACKAGE).GeneralGraph(nodes)
    found = graph.edges(named.matrix)
    for i, j in found.directed.tolist():
        g.add_directed_edge(nodes[i], nodes[j])
    for i, j in found.undirected.tolist():
        g.add_edge(edge_of(nodes[i], nodes[j], tail, tail))
    return g


def from_causallearn(g: GeneralGraph | CausalGraph, names: Sequence[str] | None = None) -> NamedGraph:
    """Read a `GeneralGraph`, or the `CausalGraph` of a search; an edge other than -> and - is a GraphError.

    Names, when given, are the order of the nodes; those that are not in the graph are isolated.
    """
    general = getattr(g, "G", g)
    own = [str(node.get_name()) for node in general.get_nodes()]
    return in_order(graph_of_ends(general.graph.T, own, MARKS), names)
