"""Graphs brought into one order of nodes, by name."""

import difflib
from collections.abc import Sequence

import numpy as np

from ml4c.errors import GraphError
from ml4c.graph import Graph
from ml4c.interop.edges import NamedGraph, index_of, listed


def aligned(named: NamedGraph, names: Sequence[str]) -> Graph:
    """Return the matrix in the order of these names; those that the graph does not have are isolated.

    A node of the graph that is not among the names is a GraphError that lists all such nodes.
    """
    place = {name: i for i, name in enumerate(names)}
    if unknown := [name for name in named.names if name not in place]:
        near = difflib.get_close_matches(unknown[0], names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the names are {listed(names)}"
        raise GraphError(f"the graph names {listed(unknown)}, which the table does not have as columns; {hint}")
    places = [place[name] for name in named.names]
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    matrix[np.ix_(places, places)] = named.matrix
    return matrix


def in_order(named: NamedGraph, names: Sequence[str] | None) -> NamedGraph:
    """Return the graph over these names, in their order, or as it is when none are given."""
    return named if names is None else NamedGraph(aligned(named, names), tuple(index_of(names)))
