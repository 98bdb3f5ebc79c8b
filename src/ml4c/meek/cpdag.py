"""CPDAGs from v-structures: of a DAG, or as decided by a learner.

The v-structures of an equivalence class are the only arrows that need evidence: all its other compelled
arrows follow from them by Meek's rules. So the CPDAG is the skeleton, with the arrows of its v-structures,
closed. The same two steps turn the decisions of a learner about unshielded triples into a graph.
"""

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Graph, Triples, as_graph, as_triples, skeleton, topological_order, v_structures
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
    return _closed(a, as_triples(a, triples))


def _closed(a: Graph, triples: Triples) -> Graph:
    arrows = np.concatenate([triples[:, [0, 1]], triples[:, [2, 1]]])
    source, target = arrows.T
    a[target, source] = 0
    for i, j in arrows[a[source, target] == 0]:
        raise GraphError(f"v-structures want both {i} -> {j} and {j} -> {i}; leave one of them out")
    return meek_closure(a)
