"""Graphs for pgmpy, and from it.

pgmpy's class for a CPDAG is `PDAG`: a networkx DiGraph in which i - j is two opposite arcs, with the sets
`directed_edges` and `undirected_edges` beside it, which say the same once more. `to_dag()` of it is a member of the
class, with which pgmpy estimates probabilities. Read back are `PDAG`, `DAG` with the Bayesian networks made from it,
and `UndirectedGraph`; its graphs with bidirected edges are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.interop.alignment import in_order
from ml4c.interop.edges import Edge, NamedGraph, to_edges, with_names
from ml4c.interop.exchange import from_networkx
from ml4c.interop.optional import needed

if TYPE_CHECKING:
    from pgmpy.base import DAG, PDAG, UndirectedGraph

    Readable: TypeAlias = PDAG | DAG | UndirectedGraph

PACKAGE = "pgmpy"


def to_pgmpy(matrix: npt.ArrayLike, names: Sequence[str]) -> PDAG:
    """Return a `PDAG` with all nodes in the order of the names; any name will do."""
    named, edges = with_names(matrix, names), to_edges(matrix, names)
    arrows = [(edge.source, edge.target) for edge in edges if edge.type == "directed"]
    lines = [(edge.source, edge.target) for edge in edges if edge.type == "undirected"]
    pdag = needed("pgmpy.base", PACKAGE).PDAG(directed_ebunch=arrows, undirected_ebunch=lines)
    # It has drawn its nodes from sets, in an order that differs from run to run, and knows no isolated ones.
    pdag.clear()
    pdag.add_nodes_from(named.names)
    pdag.add_edges_from([*arrows, *lines, *((target, source) for source, target in lines)])
    return pdag


def from_pgmpy(g: Readable, names: Sequence[str] | None = None) -> NamedGraph:
    """Read a `PDAG`, a `DAG`, a Bayesian network or an `UndirectedGraph`; nodes become strings.

    Names, when given, are the order of the nodes; those that are not in the graph are isolated.
    """
    base = needed("pgmpy.base", PACKAGE)
    if not isinstance(g, (base.PDAG, base.DAG, base.UndirectedGraph)):
        raise GraphError(
            f"a {type(g).__name__} is not read, its edges may be bidirected; give pgmpy's PDAG, DAG or UndirectedGraph"
        )
    named = from_networkx(g)
    if isinstance(g, base.PDAG):
        _check_sets(g, named)
    return in_order(named, names)


def _check_sets(pdag: PDAG, named: NamedGraph) -> None:
    """Refuse a PDAG whose arcs were changed without its sets: nothing says which of the two is meant."""
    arcs = {_from_any_end(edge) for edge in to_edges(named.matrix, named.names)}
    sets = {_from_any_end(Edge(str(i), str(j), "directed")) for i, j in pdag.directed_edges}
    sets |= {_from_any_end(Edge(str(i), str(j), "undirected")) for i, j in pdag.undirected_edges}
    for source, target, _ in sorted(arcs ^ sets):
        raise GraphError(
            f"the arcs of this PDAG and its directed_edges and undirected_edges disagree about {source!r} and "
            f"{target!r}; call calibrate_directed_undirected_edges() if the arcs are right"
        )


def _from_any_end(edge: Edge) -> tuple[str, str, str]:
    """Return the edge so that an undirected one is the same from either end."""
    ends = sorted((edge.source, edge.target)) if edge.type == "undirected" else (edge.source, edge.target)
    return ends[0], ends[1], edge.type
