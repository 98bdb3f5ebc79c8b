"""Graphs in and out: edge lists, files, and the graphs of networkx, causal-learn, pgmpy, pcalg and Tetrad.

Inside the package a graph is a matrix (see `ml4c.graph`); outside, nodes have names. Everything that leaves
here carries its names, and everything that enters comes back as a `NamedGraph`, the matrix with the names of
its rows. A name that does not exist, an edge from a node to itself, or two edges that contradict each other
is a `GraphError` that quotes it, never a graph that differs from what was written.
"""

from ml4c.interop.alignment import aligned
from ml4c.interop.causallearn import from_causallearn, to_causallearn
from ml4c.interop.comparison import GraphPair, read_pair
from ml4c.interop.document import GraphDocument
from ml4c.interop.dot import to_dot
from ml4c.interop.edges import Edge, EdgeLike, EdgeType, NamedGraph, from_edges, to_edges, with_names
from ml4c.interop.exchange import from_networkx, to_networkx
from ml4c.interop.files import read_document, read_graph, write_graph
from ml4c.interop.graphml import from_graphml, to_graphml
from ml4c.interop.knowledge import read_knowledge, write_knowledge
from ml4c.interop.marks import NamedMatrix
from ml4c.interop.pcalg import from_pcalg, to_pcalg
from ml4c.interop.pgmpy import from_pgmpy, to_pgmpy
from ml4c.interop.records import FoundEdge, FoundTriple, Silence, evidence_columns
from ml4c.interop.results import labelled_dot, make_folder, write_document, write_results
from ml4c.interop.tetrad import from_tetrad, from_tetrad_matrix, to_tetrad, to_tetrad_matrix
from ml4c.interop.words import printable

__all__ = [
    "Edge",
    "EdgeLike",
    "EdgeType",
    "FoundEdge",
    "FoundTriple",
    "GraphDocument",
    "GraphPair",
    "NamedGraph",
    "NamedMatrix",
    "Silence",
    "aligned",
    "evidence_columns",
    "from_causallearn",
    "from_edges",
    "from_graphml",
    "from_networkx",
    "from_pcalg",
    "from_pgmpy",
    "from_tetrad",
    "from_tetrad_matrix",
    "labelled_dot",
    "make_folder",
    "printable",
    "read_document",
    "read_graph",
    "read_knowledge",
    "read_pair",
    "to_causallearn",
    "to_dot",
    "to_edges",
    "to_graphml",
    "to_networkx",
    "to_pcalg",
    "to_pgmpy",
    "to_tetrad",
    "to_tetrad_matrix",
    "with_names",
    "write_document",
    "write_graph",
    "write_knowledge",
    "write_results",
]
