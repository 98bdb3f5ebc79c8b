"""Unshielded triples and v-structures.

<x, t, y> is an unshielded triple (UT) when x and y are both adjacent to t and not to each other; it is a
v-structure when moreover x -> t <- y. Two DAGs have the same independences exactly when they have the same
skeleton and the same v-structures (Verma and Pearl 1990), so these triples are all that data can decide.

Both are pairs of nodes around one t, hence one function: list the pairs around every t, keep the nonadjacent
ones. The time is that of reading the matrix once and of those pairs; nothing is cubic in the nodes.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph.matrix import Graph, Pairs, edges

Triples: TypeAlias = npt.NDArray[np.intp]


def as_triples(a: Graph, triples: npt.ArrayLike) -> Triples:
    """Return rows (x, t, y); GraphError when one is not an unshielded triple of the skeleton."""
    rows = np.asarray(triples, dtype=np.intp)
    rows = rows if rows.size else np.empty((0, 3), dtype=np.intp)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise GraphError(f"triples are rows (x, t, y), but this array has shape {rows.shape}")
    for row in rows[((rows < 0) | (rows >= len(a))).any(axis=1)]:
        raise GraphError(f"{tuple(row.tolist())} names a node that is not in this skeleton of {len(a)}")
    x, t, y = rows.T
    for row in rows[(a[x, t] == 0) | (a[t, y] == 0) | (a[x, y] == 1) | (x == y)]:
        raise GraphError(f"{tuple(row.tolist())} is not an unshielded triple of the skeleton")
    return rows


def unshielded_triples(a: Graph) -> Triples:
    """Return rows (x, t, y), x < y, of all unshielded triples, sorted by t, then x, then y."""
    found = edges(a)
    once = np.concatenate([found.directed, found.undirected])
    return _nonadjacent_pairs(a, np.concatenate([once, once[:, ::-1]]))


def v_structures(a: Graph) -> Triples:
    """Return rows (x, t, y), x < y, of all x -> t <- y with x, y nonadjacent, sorted by t, then x, then y."""
    return _nonadjacent_pairs(a, edges(a).directed)


def _nonadjacent_pairs(a: Graph, around: Pairs) -> Triples:
    """Pairs x < y, nonadjacent in a, with rows (x, t) and (y, t) in `around`."""
    x, t = around[np.lexsort(around.T)].T
    behind = np.searchsorted(t, t, side="right") - np.arange(len(t)) - 1  # rows of the same t that follow
    first = np.repeat(np.arange(len(t)), behind)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(behind) - behind, behind)
    apart = (a[x[first], x[second]] | a[x[second], x[first]]) == 0
    return np.asarray(np.column_stack([x[first], t[first], x[second]])[apart])
