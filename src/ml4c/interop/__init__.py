"""Graphs in and out: edge lists, networkx, and files.

Inside the package a graph is a matrix (see `ml4c.graph`); outside, nodes have names. Everything that leaves
here carries its names, and everything that enters comes back as a `NamedGraph`, the matrix with the names of
its rows. A name that does not exist, an edge from a node to itself, or two edges that contradict each other
is a `GraphError` that quotes it, never a graph that differs from what was written.
"""

from ml4c.interop.alignment import aligned
from ml4c.interop.comparison import GraphPair, read_pair
from ml4c.interop.dot import to_dot
from ml4c.interop.edges import Edge, EdgeLike, EdgeType, NamedGraph, from_edges, to_edges, with_names
from ml4c.interop.exchange import from_networkx, to_networkx
from ml4c.interop.files import read_graph, write_graph
from ml4c.interop.results import FoundEdge, FoundTriple, labelled_dot, make_folder, write_results
from ml4c.interop.words import printable

__all__ = [
    "Edge",
    "EdgeLike",
    "EdgeType",
    "FoundEdge",
    "FoundTriple",
    "GraphPair",
    "NamedGraph",
    "aligned",
    "from_edges",
    "from_networkx",
    "labelled_dot",
    "make_folder",
    "printable",
    "read_graph",
    "read_pair",
    "to_dot",
    "to_edges",
    "to_networkx",
    "with_names",
    "write_graph",
    "write_results",
]
