"""Edges as marks at their two ends, as Tetrad, causal-learn and the PAGs of pcalg write them.

An edge has a mark at either end: a tail and an arrowhead make i -> j, two tails i - j. Other programs have further
marks, circles above all, for graphs with hidden common causes. Those graphs, and edges with two arrowheads, have no
place in a CPDAG and are refused by the names of their nodes. Programs differ in the numbers for the marks and in
whether cell [i, j] holds the mark at i or at j; here it is the one at j.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c import graph
from ml4c.errors import GraphError
from ml4c.interop.edges import NamedGraph, index_of, with_names

Matrix: TypeAlias = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class NamedMatrix:
    """A matrix in the convention of another program, which is not that of `ml4c.graph`, and the names of its rows."""

    matrix: Matrix
    names: tuple[str, ...]


@dataclass(frozen=True)
class Marks:
    """The numbers of a program for the two marks of a CPDAG, and the words for those that a CPDAG cannot have."""

    tail: int
    arrow: int
    others: Mapping[int, str]


def ends_of(a: graph.Graph, marks: Marks) -> Matrix:
    """Return the matrix whose cell [i, j] is the mark at j of the edge between i and j, or 0."""
    return np.where(a.T == 1, marks.tail, np.where(a == 1, marks.arrow, 0)).astype(np.int8)


def graph_of_ends(ends: npt.ArrayLike, names: Sequence[str], marks: Marks) -> NamedGraph:
    """Read a matrix whose cell [i, j] is the mark at j; what is not i -> j or i - j is a GraphError."""
    at_j = _square(ends, names)
    at_i = at_j.T
    known = np.zeros(at_j.shape, dtype=np.bool_)
    for there, here in ((0, 0), (marks.arrow, marks.tail), (marks.tail, marks.arrow), (marks.tail, marks.tail)):
        known |= (at_j == there) & (at_i == here)
    for i, j in np.argwhere(~known):
        raise GraphError(_unknown_edge(names[i], names[j], at_i[i, j], at_j[i, j], marks))
    return with_names(at_i == marks.tail, names)


def _square(ends: npt.ArrayLike, names: Sequence[str]) -> npt.NDArray[Any]:
    e = np.asarray(ends)
    size = len(index_of(names))
    if e.shape != (size, size):
        raise GraphError(f"{size} names need a matrix of {size} rows and columns, but this one has shape {e.shape}")
    return e


def _unknown_edge(a: str, b: str, at_a: Any, at_b: Any, marks: Marks) -> str:
    words = {0: "nothing", marks.tail: "a tail", marks.arrow: "an arrowhead", **marks.others}
    ends = [words.get(mark, f"the unknown mark {mark}") for mark in (at_a, at_b)]
    return (
        f"between {a!r} and {b!r} there is {ends[0]} at the one and {ends[1]} at the other; "
        "a graph here has only a -> b (a tail, an arrowhead) and a - b (two tails)"
    )
