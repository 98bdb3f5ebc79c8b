"""The certificate of a valid graph: four checks, and for each the place where it fails.

A directed cycle has no causal reading. A graph without a consistent extension describes no DAG. A graph that
is not closed leaves an edge undirected although its direction follows. And a graph may pass all three and
still claim too much: an arrow that its equivalence class does not compel. Only the CPDAG of its own extension
passes all four.

Arrows that knowledge fixes may be handed in. Then the graph must have them, and may also direct what follows from
them: it must be the CPDAG of its extension with these arrows drawn, closed under Meek's rules (an MPDAG).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Adjacency, Graph, as_graph, edges, find_cycle
from ml4c.meek.closure import meek_closure
from ml4c.meek.cpdag import cpdag_of
from ml4c.meek.extension import eliminate_sinks
from ml4c.meek.rules import applicable_rule

NODES_SHOWN = 10

Namer: TypeAlias = Callable[[int], str]


@dataclass(frozen=True)
class Certificate:
    """Whether a graph is a CPDAG; `reason` says what fails and where, and is empty when nothing does.

    With arrows handed in as known, `is_cpdag` says that the graph has these and directs no other without need.
    """

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


def certify(
    cpdag: npt.ArrayLike, names: Sequence[str] | None = None, *, fixed: npt.ArrayLike | None = None
) -> Certificate:
    """Check that a graph is acyclic, extendable, closed under Meek's rules and the CPDAG of its extension.

    fixed: rows (i, j), arrows i -> j that are known from elsewhere.
    """
    a = as_graph(cpdag)
    if names is not None and len(names) != len(a):
        raise GraphError(f"{len(names)} names for a graph of {len(a)} nodes")
    name: Namer = str if names is None else names.__getitem__
    arrows = np.asarray([] if fixed is None else fixed, dtype=np.intp).reshape(-1, 2)
    missing = _known_but_not_drawn(a, arrows, name)
    elimination = eliminate_sinks(a)
    expected = None if elimination.left or missing else with_arrows(cpdag_of(elimination.dag), arrows)
    cyclic = _cycle(a, name)
    stuck = _nodes_stuck(elimination.left, name)
    unclosed = _edge_left_open(a, name)
    overclaimed = "" if expected is None else _arrow_not_compelled(a, expected, name)
    return Certificate(
        acyclic=not cyclic,
        extendable=not stuck,
        closed=not unclosed,
        is_cpdag=expected is not None and np.array_equal(a, expected),
        reason="; ".join(filter(None, [cyclic, stuck, unclosed, missing, overclaimed])),
    )


def with_arrows(cpdag: Graph, arrows: npt.NDArray[np.intp]) -> Graph:
    """Draw known arrows, rows (i, j), on edges of a CPDAG and close under Meek's rules.

    Some DAG of the class must have all these arrows; then the closure has no v-structure that the CPDAG lacks.
    """
    if not len(arrows):
        return cpdag
    drawn = cpdag.copy()
    drawn[arrows[:, 1], arrows[:, 0]] = 0
    return meek_closure(drawn)


def _known_but_not_drawn(a: Graph, arrows: npt.NDArray[np.intp], name: Namer) -> str:
    i, j = arrows.T
    for source, target in arrows[(a[i, j] == 0) | (a[j, i] == 1)].tolist():
        return f"arrow missing: {name(source)} -> {name(target)} is fixed, but the graph does not have it"
    return ""


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
