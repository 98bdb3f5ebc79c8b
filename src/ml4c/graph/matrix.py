"""The matrix of a graph: its border, its parts, and the sets of one node.

The convention is stated in `ml4c.graph`. The sets of a node are one line each, so that a definition of a
paper can be written as intersections and differences of them. An algorithm that asks for the sets of many
nodes builds an `Adjacency` once instead.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError

Graph: TypeAlias = npt.NDArray[np.int8]
Pairs: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Edges:
    """The edges of a graph: rows (i, j) of `directed` for i -> j, of `undirected`, i < j, for i - j."""

    directed: Pairs
    undirected: Pairs


def as_graph(matrix: npt.ArrayLike) -> Graph:
    """Return the matrix as a graph, itself if it is int8 already, or raise GraphError with the bad cell."""
    try:
        a = np.asarray(matrix)
    except ValueError as error:
        raise GraphError("a graph is a square matrix, but these rows differ in length") from error
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise GraphError(f"a graph is a square matrix, but this array has shape {a.shape}")
    if a.dtype.kind not in "biuf":
        raise GraphError(f"a graph holds the numbers 0 and 1, but this matrix has values of type {a.dtype}")
    for i, j in _cells((a != 0) & (a != 1)):
        raise GraphError(f"a graph holds the numbers 0 and 1, but cell [{i}, {j}] is {a[i, j]}")
    for i in np.flatnonzero(a.diagonal()):
        raise GraphError(f"cell [{i}, {i}] is 1, an edge from node {i} to itself; the diagonal must be 0")
    return a.astype(np.int8, copy=False)


def skeleton(a: Graph) -> Graph:
    """Return every edge with its direction dropped."""
    return a | a.T


def directed(a: Graph) -> Graph:
    """Return the arrows alone."""
    return (a > a.T).astype(np.int8)


def undirected(a: Graph) -> Graph:
    """Return the undirected edges alone."""
    return a & a.T


def parents(a: Graph, i: int) -> set[int]:
    """Return the nodes j with j -> i."""
    return set(np.flatnonzero(a[:, i] > a[i]).tolist())


def children(a: Graph, i: int) -> set[int]:
    """Return the nodes j with i -> j."""
    return set(np.flatnonzero(a[i] > a[:, i]).tolist())


def neighbours(a: Graph, i: int) -> set[int]:
    """Return the nodes j with i - j."""
    return set(np.flatnonzero(a[i] & a[:, i]).tolist())


def adjacent(a: Graph, i: int) -> set[int]:
    """Return the nodes j with i -> j, j -> i or i - j."""
    return set(np.flatnonzero(a[i] | a[:, i]).tolist())


def edges(a: Graph) -> Edges:
    """List all edges, each once, in the order of their rows."""
    pairs = _cells(a.astype(bool))
    i, j = pairs.T
    mutual = a[j, i] == 1
    return Edges(pairs[~mutual], pairs[mutual & (i < j)])


def _cells(mask: npt.NDArray[np.bool_]) -> Pairs:
    """Rows (i, j) of the true cells; ten times faster on a large matrix than np.argwhere."""
    return np.column_stack(np.divmod(np.flatnonzero(mask), len(mask)))
