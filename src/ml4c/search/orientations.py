"""The best acyclic orientation of a skeleton, when every unshielded triple says what it is worth as a collider.

The objective is a sum over nodes of a local term of the node and its parents; today's term is the sum, over pairs of
parents that are not adjacent, of the worth of that collider. Connected components are independent problems. One
with few nodes is solved exactly, by which node comes last (`search.sinks`; its kernel takes any local terms as tables
over subsets of neighbours: another term is another table added). Larger ones are annealed from random starts, until two
starts agree on the best value (`search.annealing`; its kernel reads the objective in `_gain` and `_turn_half` alone).

Blocks (biconnected components) would not do as smaller problems: every cycle lies in one block, but the colliders of
a cut vertex join edges of different blocks.

Two orientations differ when their colliders do; others have the same CPDAG. Ties are broken by a rule that
does not depend on the search: of equal sums the one with fewer colliders, then the one whose colliders, each with a
fixed key made from the numbers of its nodes within the component, have the smaller sum of keys. Exact search obeys it
to the letter; annealing counts colliders in all it does, but compares keys only between the results of its starts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats
from ml4c.errors import GraphError
from ml4c.graph import Graph, Triples, find_cycle
from ml4c.search.annealing import anneal_from_starts
from ml4c.search.components import Component, all_triples, components_of, worth_of
from ml4c.search.effort import Effort, usual_effort
from ml4c.search.sinks import solve_exactly

__all__ = ["BestOrientation", "Effort", "Part", "best_orientation"]


@dataclass(frozen=True, eq=False)
class Part:
    """What is known about the best orientation of one component that has any edge.

    value: its sum of worths. gap: how much less the best known orientation with other colliders is worth, 0 for a
    tie, None when there is none known. exact: both are proven. starts, agreeing: how often annealing started (0 when
    exact), and how many of these starts reached the best value.
    """

    nodes: NDArray[np.intp]
    value: float
    gap: float | None
    exact: bool
    starts: int
    agreeing: int


@dataclass(frozen=True, eq=False)
class BestOrientation:
    """A DAG over the skeleton, and what is known about each component, in the order of their first nodes."""

    dag: Graph
    parts: tuple[Part, ...]


def best_orientation(
    skeleton: Graph,
    triples: Triples,
    worth: Floats,
    *,
    fixed: NDArray[np.intp] | None = None,
    seed: int = 0,
    effort: Effort | None = None,
) -> BestOrientation:
    """Search the acyclic orientations of a skeleton for the largest sum of the worths of their colliders.

    triples: rows (x, t, y), unshielded, none twice; those of the skeleton that are left out are worth 0. fixed: rows
    (i, j) for edges that must be i -> j; they must not form a cycle.
    """
    arrows = np.empty((0, 2), np.intp) if fixed is None else fixed
    if cycle := _cycle_of(arrows, len(skeleton)):
        raise GraphError(f"the fixed arrows form a cycle: {' -> '.join(map(str, [*cycle, cycle[0]]))}")
    dag = np.zeros_like(skeleton)
    parts = []
    for component in components_of(skeleton, all_triples(skeleton, triples, worth), arrows):
        part, inward = _solve(component, seed, effort or usual_effort(len(component.nodes)))
        q, nodes = component.objective, component.nodes
        dag[nodes[q.neighbours[inward == 1]], nodes[q.owner[inward == 1]]] = 1
        parts.append(part)
    return BestOrientation(dag, tuple(parts))


def _cycle_of(arrows: NDArray[np.intp], n_nodes: int) -> list[int] | None:
    drawn = np.zeros((n_nodes, n_nodes), np.int8)
    drawn[tuple(arrows.T)] = 1
    return find_cycle(drawn)


def _solve(component: Component, seed: int, effort: Effort) -> tuple[Part, NDArray[np.uint8]]:
    exact = len(component.nodes) <= effort.exact_nodes
    found = [solve_exactly(component)] if exact else anneal_from_starts(component, seed, effort)
    best = min(found, key=lambda solution: (-solution.value, solution.key))
    rivals = [solution.value for solution in found if solution.key != best.key]
    rivals += [] if best.rival is None else [best.rival]
    worth = worth_of(component, best.value)
    part = Part(
        nodes=component.nodes,
        value=worth,
        gap=worth - worth_of(component, max(rivals)) if rivals else None,
        exact=exact,
        starts=0 if exact else len(found),
        agreeing=0 if exact else sum(solution.value == best.value for solution in found),
    )
    return part, best.inward
