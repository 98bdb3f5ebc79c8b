"""Graphs over the columns of a table: one matrix, one convention, and the sets that the theory speaks of.

A graph on d nodes is a d x d int8 matrix `a` with a zero diagonal:

    a[i, j] = 1, a[j, i] = 0    i -> j
    a[i, j] = 1, a[j, i] = 1    i - j
    a[i, j] = 0, a[j, i] = 0    not adjacent

A DAG has arrows only and no directed cycle; a skeleton has undirected edges only; a PDAG may have both.
`as_graph` is the border: it takes what a user has and raises `GraphError` with the offending cell. All other
functions here trust their argument to have passed it.
"""

from ml4c.graph.acyclic import ancestors, find_cycle, is_dag, topological_order
from ml4c.graph.adjacency import Adjacency
from ml4c.graph.matrix import (
    Edges,
    Graph,
    adjacent,
    as_graph,
    children,
    directed,
    edges,
    neighbours,
    parents,
    skeleton,
    undirected,
)
from ml4c.graph.separation import DSeparation, d_separated
from ml4c.graph.triples import Triples, as_triples, unshielded_triples, v_structures

__all__ = [
    "Adjacency",
    "DSeparation",
    "Edges",
    "Graph",
    "Triples",
    "adjacent",
    "ancestors",
    "as_graph",
    "as_triples",
    "children",
    "d_separated",
    "directed",
    "edges",
    "find_cycle",
    "is_dag",
    "neighbours",
    "parents",
    "skeleton",
    "topological_order",
    "undirected",
    "unshielded_triples",
    "v_structures",
]
