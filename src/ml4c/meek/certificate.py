"""The certificate of a valid graph: four checks, and for each the place where it fails.

A directed cycle has no causal reading. A graph without a consistent extension describes no DAG. A graph that
is not closed leaves an edge undirected although its direction follows. And a graph may pass all three and
still claim too much: an arrow that its equivalence class does not compel. Only the CPDAG of its own extension
passes all four.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Adjacency, Graph, as_graph, edges, find_cycle
from ml4c.meek.cpdag import cpdag_of
from ml4c.meek.extension import eliminate_sinks
from ml4c.meek.rules import applicable_rule

NODES_SHOWN = 10

Namer: TypeAlias = Callable[[int], str]


@dataclass(frozen=True)
class Certificate:
    """Whether a graph is a CPDAG; `reason` says what fails and where, and is empty when nothing does."""

    acyclic: bool
    extendable: bool
    closed: bool
    is_cpdag: bool
    reason: str

    @property
    def valid(self) -> bool:
        """True when every check passes."""
        return self.acyclic and self.extendable and self.closed and self.is_cpdag

    def __str__(self) -> str:
        return "a valid CPDAG" if self.valid else f"not a valid CPDAG: {self.reason}"


def certify(cpdag: npt.ArrayLike, names: Sequence[str] | None = None) -> Certificate:
    """Check that a graph is acyclic, extendable, closed under Meek's rules and the CPDAG of its extension."""
    a = as_graph(cpdag)
    if names is not None and len(names) != len(a):
        raise GraphError(f"{len(names)} names for a graph of {len(a)} nodes")
    name: Namer = str if names is None else names.__getitem__
    elimination = eliminate_sinks(a)
    extended = None if elimination.left else cpdag_of(elimination.dag)
    cyclic = _cycle(a, name)
    stuck = _nodes_stuck(elimination.left, name)
    unclosed = _edge_left_open(a, name)
    overclaimed = "" if extended is None else _arrow_not_compelled(a, extended, name)
    return Certificate(
        acyclic=not cyclic,
        extendable=not stuck,
        closed=not unclosed,
        is_cpdag=extended is not None and np.array_equal(a, extended),
        reason="; ".join(filter(None, [cyclic, stuck, unclosed, overclaimed])),
    )


def _cycle(a: Graph, name: Namer) -> str:
    cycle = find_cycle(a)
    return f"directed cycle {_listed([*cycle, cycle[0]], name, ' -> ')}" if cycle else ""


def _nodes_stuck(left: list[int], name: Namer) -> str:
    if not left:
        return ""
    nodes = _listed(left, name, ", ")
    return f"no DAG extends it: among {nodes} none can be last without a cycle or a new v-structure"


def _edge_left_open(a: Graph, name: Namer) -> str:
    g = Adjacency(a)
    for pair in edges(a).undirected.tolist():
        for i, j in (pair, pair[::-1]):
            if rule := applicable_rule(g, i, j):
                return f"not closed: Meek's rule {rule} turns {name(i)} - {name(j)} into {name(i)} -> {name(j)}"
    return ""


def _arrow_not_compelled(a: Graph, extended: Graph, name: Namer) -> str:
    for i, j in np.argwhere(a < extended):  # extended has i - j, a has only j -> i
        return f"arrow not compelled: {name(j)} -> {name(i)} may as well be {name(i)} -> {name(j)}"
    return ""


def _listed(nodes: list[int], name: Namer, separator: str) -> str:
    shown = separator.join(map(name, nodes[:NODES_SHOWN]))
    return shown if len(nodes) <= NODES_SHOWN else f"{shown}{separator}... ({len(nodes)} in all)"
