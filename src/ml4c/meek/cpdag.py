"""CPDAGs from v-structures: of a DAG, or as decided by a learner.

The v-structures of an equivalence class are the only arrows that need evidence: all its other compelled
arrows follow from them by Meek's rules. So the CPDAG is the skeleton, with the arrows of its v-structures,
closed. The same two steps turn the decisions of a learner about unshielded triples into a graph.
"""

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Graph, Triples, as_graph, skeleton, topological_order, v_structures
from ml4c.meek.closure import meek_closure


def cpdag_of(dag: npt.ArrayLike) -> Graph:
    """Return the CPDAG of the equivalence class of a DAG; GraphError names what makes the graph no DAG."""
    a = as_graph(dag)
    topological_order(a)
    return _closed(skeleton(a), v_structures(a))


def cpdag_from_v_structures(undirected_graph: npt.ArrayLike, triples: npt.ArrayLike) -> Graph:
    """Draw x -> t <- y on the skeleton for each row (x, t, y) and close under Meek's rules.

    Rows must be unshielded triples of the skeleton, and no two may want opposite directions of one edge. Rows
    that contradict each other in a less direct way give a graph that `certify` rejects.
    """
    a = skeleton(as_graph(undirected_graph))
    return _closed(a, _unshielded(a, np.asarray(triples, dtype=np.intp)))


def _closed(a: Graph, triples: Triples) -> Graph:
    arrows = np.concatenate([triples[:, [0, 1]], triples[:, [2, 1]]])
    source, target = arrows.T
    a[target, source] = 0
    for i, j in arrows[a[source, target] == 0]:
        raise GraphError(f"v-structures want both {i} -> {j} and {j} -> {i}; leave one of them out")
    return meek_closure(a)


def _unshielded(a: Graph, triples: Triples) -> Triples:
    rows = triples if triples.size else np.empty((0, 3), dtype=np.intp)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise GraphError(f"v-structures are rows (x, t, y), but this array has shape {rows.shape}")
    for row in rows[((rows < 0) | (rows >= len(a))).any(axis=1)]:
        raise GraphError(f"{tuple(row.tolist())} names a node that is not in this skeleton of {len(a)}")
    x, t, y = rows.T
    for row in rows[(a[x, t] == 0) | (a[t, y] == 0) | (a[x, y] == 1) | (x == y)]:
        raise GraphError(f"{tuple(row.tolist())} is not an unshielded triple of the skeleton")
    return rows
