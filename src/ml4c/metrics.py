"""How far a found graph is from the true one.

- SHD: the number of node pairs whose state (no edge, undirected, ->, <-) differs.
- F1 over identifiable edges: the arrows of the found CPDAG against the arrows of the true CPDAG; an arrow
  counts when it is present with the same direction. Undirected edges are not identifiable and do not count.
- UT-F1: over the unshielded triples of the true skeleton, those called v-structures against those that are.
- Precision, recall and F1 of the skeleton, over adjacent pairs.

A ratio of nothing to nothing is 1: whoever claims nothing where nothing is to be found makes no mistake.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Graph, Triples, as_graph, directed, skeleton, unshielded_triples

Claims: TypeAlias = npt.NDArray[np.int8] | npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Scores:
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def shd(a: npt.ArrayLike, b: npt.ArrayLike) -> int:
    """Count the node pairs whose state (none, undirected, ->, <-) differs: structural Hamming distance."""
    first, second = _same_nodes(a, b)
    differs = first != second
    return int(np.count_nonzero(np.triu(differs | differs.T)))


def edge_f1(true_cpdag: npt.ArrayLike, found_cpdag: npt.ArrayLike, *, among: npt.ArrayLike | None = None) -> float:
    """Return the F1 of the arrows of a found CPDAG against those of the true one; 1 when neither has any.

    among: numbers of nodes; arrows that touch another node do not count.
    """
    true, found = map(directed, _same_nodes(true_cpdag, found_cpdag))
    if among is not None:
        here = np.ix_(np.asarray(among, np.intp), np.asarray(among, np.intp))
        true, found = true[here], found[here]
    return _scores(true, found).f1


def triple_f1(true_graph: npt.ArrayLike, found_graph: npt.ArrayLike) -> float:
    """Return the F1 of the v-structures over the unshielded triples of the true skeleton; 1 without any.

    Either graph may be a DAG or its CPDAG: their v-structures are the same.
    """
    true, found = _same_nodes(true_graph, found_graph)
    triples = unshielded_triples(true)
    return _scores(_are_v_structures(true, triples), _are_v_structures(found, triples)).f1


def skeleton_scores(true_graph: npt.ArrayLike, found_graph: npt.ArrayLike) -> Scores:
    """Return precision, recall and F1 of the adjacent pairs, whatever the direction of their edges."""
    true, found = _same_nodes(true_graph, found_graph)
    return _scores(skeleton(true), skeleton(found))


def _same_nodes(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Graph, Graph]:
    first, second = as_graph(a), as_graph(b)
    if len(first) != len(second):
        raise GraphError(f"graphs of {len(first)} and {len(second)} nodes cannot be compared")
    return first, second


def _are_v_structures(a: Graph, triples: Triples) -> npt.NDArray[np.bool_]:
    x, t, y = triples.T
    arrow, adjacent = directed(a), skeleton(a)
    return np.asarray((arrow[x, t] == 1) & (arrow[y, t] == 1) & (adjacent[x, y] == 0))


def _scores(true: Claims, found: Claims) -> Scores:
    hits, truths, claims = (int(np.count_nonzero(claim)) for claim in (true & found, true, found))
    return Scores(_ratio(hits, claims), _ratio(hits, truths), _ratio(2 * hits, truths + claims))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
