"""Graphs in and out: edge lists, networkx, and files.

Inside the package a graph is a matrix (see `ml4c.graph`); outside, nodes have names. Everything that leaves
here carries its names, and everything that enters comes back as a `NamedGraph`, the matrix with the names of
its rows. A name that does not exist, an edge from a node to itself, or two edges that contradict each other
is a `GraphError` that quotes it, never a graph that differs from what was written.
"""

from ml4c.interop.edges import Edge, EdgeLike, NamedGraph, from_edges, to_edges
from ml4c.interop.exchange import from_networkx, to_networkx
from ml4c.interop.files import read_graph, write_graph

__all__ = [
    "Edge",
    "EdgeLike",
    "NamedGraph",
    "from_edges",
    "from_networkx",
    "read_graph",
    "to_edges",
    "to_networkx",
    "write_graph",
]
