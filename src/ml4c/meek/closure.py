"""The closure of a partly directed graph under Meek's rules.

Rules are applied in rounds: all arrows that follow from the graph as it stands are drawn at once. In a graph
that has a consistent extension the order of application cannot matter. In one that has none, two rules may
ask for opposite directions of one edge; such an edge stays undirected, so that even then the result does not
depend on the order of the nodes, and `certify` can point at it.

A round looks again only at the edges that a rule could relate to an arrow of the round before.
"""

from collections.abc import Iterator

import numpy.typing as npt

from ml4c.graph import Adjacency, Graph, as_graph, edges
from ml4c.meek.rules import applicable_rule


def meek_closure(pdag: npt.ArrayLike) -> Graph:
    """Orient every undirected edge whose direction follows from the arrows present by Meek's rules 1 to 4."""
    a = as_graph(pdag).copy()
    g = Adjacency(a)
    pending = {(i, j) for i, j in edges(a).undirected.tolist()}
    while pending:
        both_ways = pending | {(j, i) for i, j in pending}
        asked = {(i, j) for i, j in both_ways if applicable_rule(g, i, j)}
        drawn = [(i, j) for i, j in asked if (j, i) not in asked]
        for i, j in drawn:
            g.orient(i, j)
            a[j, i] = 0
        pending = {edge for i, j in drawn for edge in _edges_related_to(g, i, j)}
    return a


def _edges_related_to(g: Adjacency, i: int, j: int) -> Iterator[tuple[int, int]]:
    """Undirected edges on which a rule may newly apply because of the arrow i -> j."""
    for end in (i, j):
        for k in g.neighbours[end]:
            yield min(end, k), max(end, k)
    for child in g.children[j]:  # rule 4: i -> j -> child
        for k in g.neighbours[child] & g.neighbours[i]:
            yield min(child, k), max(child, k)
