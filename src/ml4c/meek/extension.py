"""Consistent extension: a DAG with the arrows, the skeleton and the v-structures of a PDAG.

The algorithm is that of Dor and Tarsi (1992). Find a node that can be last: it has no child, and each of its
undirected neighbours is adjacent to all its other adjacent nodes, so that pointing every edge at it makes no
new v-structure. Direct its undirected edges into it, remove it, repeat. If the graph has an extension at all,
any such choice leads to one; if at some point no node qualifies, it has none.

Removing a node can make only nodes adjacent to it qualify; those alone are looked at again.
"""

from dataclasses import dataclass

import numpy.typing as npt

from ml4c.graph import Adjacency, Graph, as_graph, directed


@dataclass(frozen=True, eq=False)
class Elimination:
    """What repeated removal of sinks gives: `dag` so far, and the nodes `left` when none could be removed."""

    dag: Graph
    left: list[int]


def consistent_extension(pdag: npt.ArrayLike) -> Graph | None:
    """Return a DAG with the same skeleton, arrows and v-structures, or None when there is none."""
    result = eliminate_sinks(as_graph(pdag))
    return None if result.left else result.dag


def eliminate_sinks(a: Graph) -> Elimination:
    """Remove nodes that can be last until none is left or none qualifies."""
    g = Adjacency(a)
    dag = directed(a)
    left = set(range(len(a)))
    pending = list(range(len(a)))
    while pending:
        node = pending.pop()
        if node in left and _can_be_last(g, node):
            dag[list(g.neighbours[node]), node] = 1
            left.remove(node)
            g.remove(node)
            pending.extend(sorted(g.adjacent[node]))
    return Elimination(dag, sorted(left))


def _can_be_last(g: Adjacency, node: int) -> bool:
    around = g.adjacent[node]
    return not g.children[node] and all(around - g.adjacent[k] == {k} for k in g.neighbours[node])
