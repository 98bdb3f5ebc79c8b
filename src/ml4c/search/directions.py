"""How probable each direction of each edge is, over all orientations of a skeleton rather than in the best one.

Every acyclic orientation is as probable as the sum of the worths of its colliders says. A walk from the best one draws
orientations; in each of them an edge is an arrow of the CPDAG one way, or the other, or a line. The shares of the draws
are the probabilities of the three. What knowledge fixes does not turn; in a component where it fixes anything, an edge
is an arrow also where Meek's rules conclude so from what is fixed.

`most_worth` is for decisions by these: it climbs to the orientation whose arrows and lines are worth most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels import equivalence
from ml4c._kernels.arrays import Floats
from ml4c._kernels.orientations import Orientation
from ml4c.graph import Graph, Triples, directed, topological_order
from ml4c.meek import cpdag_of, with_arrows
from ml4c.search.annealing import state_of
from ml4c.search.components import Component, all_triples, components_of, unit_of

LOOKS = 300
FEWEST_LOOKS, CLOSED_CELLS = 60, 10_000_000
"""Where arrows are fixed, graphs are closed one by one: fewer looks at large components, but so many at least."""
WARM_UP, PAUSE = 20, 2
"""Moves for each edge before the first look, and before each look."""
SWEEPS = 20
"""Rounds of climbing over all edges, at most."""


@dataclass(frozen=True, eq=False)
class Directions:
    """The arrows that the edges of a skeleton can be, rows (i, j) in ascending order, and how probable each is.

    The opposite row (j, i) has the other direction; what both leave of 1 is the probability of a line.
    """

    arrows: NDArray[np.intp]
    share: Floats

    @property
    def opposite(self) -> NDArray[np.intp]:
        """The row of the opposite direction of each row: rows are in ascending order, so it ranks as its ends do."""
        return np.argsort(np.lexsort(self.arrows.T))

    def by_arrow(self) -> dict[tuple[int, int], float]:
        """Return the probability of each arrow."""
        return {(i, j): share for (i, j), share in zip(self.arrows.tolist(), self.share.tolist(), strict=True)}

    def renumbered(self, column: NDArray[np.intp]) -> Directions:
        """Return the same with node i called column[i]."""
        arrows = column[self.arrows]
        order = np.lexsort(arrows.T[::-1])
        return Directions(arrows[order], self.share[order])


def draw_directions(
    skeleton: Graph,
    triples: Triples,
    worth: Floats,
    dag: Graph,
    *,
    fixed: NDArray[np.intp],
    seed: int = 0,
) -> Directions:
    """Draw orientations of a skeleton, beginning with a DAG over it, as probable as the worths of their colliders say.

    triples, worth, fixed: as of `best_orientation`; worths in nats.
    """
    arrows, shares = [np.empty((0, 2), np.intp)], [np.empty(0)]
    for component in components_of(skeleton, all_triples(skeleton, triples, worth), fixed):
        rng = np.random.default_rng([seed, int(component.nodes[0])])
        state = _state(component, dag, rng)
        q = component.objective
        arrows.append(component.nodes[np.column_stack([q.neighbours, q.owner])])
        shares.append((_looked_through if component.stated.any() else _counted)(component, state))
    every, share = np.concatenate(arrows), np.concatenate(shares)
    order = np.lexsort(every.T[::-1])
    return Directions(every[order], share[order])


def _state(component: Component, dag: Graph, rng: np.random.Generator) -> Orientation:
    mine = dag[np.ix_(component.nodes, component.nodes)]
    return state_of(component.objective, topological_order(mine).astype(np.int64), rng)


def _counted(component: Component, state: Orientation) -> Floats:
    """Return the share of looks in which each slot was an arrow inward."""
    q, unit = component.objective, unit_of(component)
    slots = len(q.owner)
    count = np.zeros(slots, np.int64)
    equivalence.wander(q, state, WARM_UP * slots // 2, unit)
    equivalence.draw(q, state, np.zeros(slots, np.int8), count, LOOKS, PAUSE * slots // 2, unit)
    return count / LOOKS


def _looked_through(component: Component, state: Orientation) -> Floats:
    """Return the same where arrows are fixed: every draw is closed under what is fixed."""
    q, unit, n = component.objective, unit_of(component), len(component.nodes)
    known = np.column_stack([q.neighbours, q.owner])[component.stated].astype(np.intp)
    count = np.zeros(len(q.owner), np.int64)
    equivalence.wander(q, state, WARM_UP * len(q.owner) // 2, unit)
    looks = min(LOOKS, max(FEWEST_LOOKS, CLOSED_CELLS // (n * n)))
    for _ in range(looks):
        equivalence.wander(q, state, PAUSE * len(q.owner) // 2, unit)
        dag = np.zeros((n, n), np.int8)
        dag[q.neighbours[state.inward == 1], q.owner[state.inward == 1]] = 1
        count += directed(with_arrows(cpdag_of(dag), known))[q.neighbours, q.owner]
    return count / looks


def most_worth(
    skeleton: Graph,
    directions: Directions,
    arrow: Floats,
    line: Floats,
    dag: Graph,
    *,
    fixed: NDArray[np.intp],
) -> Graph:
    """Climb from a DAG to the one whose arrows and lines are worth most, as its CPDAG has them.

    arrow, line: for each row of `directions.arrows`, what its edge is worth as that arrow, and as a line.
    """
    found, d = dag.copy(), len(skeleton)
    nothing = all_triples(skeleton, np.empty((0, 3), np.intp), np.empty(0))
    number = directions.arrows @ (d, 1)
    for component in components_of(skeleton, nothing, fixed):
        q, nodes = component.objective, component.nodes
        place = np.searchsorted(number, nodes[q.neighbours] * d + nodes[q.owner])
        state = _state(component, dag, np.random.default_rng(0))
        marks = np.zeros(len(q.owner), np.int8)
        equivalence.improve(q, state, marks, arrow[place], line[place], SWEEPS)
        found[np.ix_(nodes, nodes)] = 0
        found[nodes[q.neighbours[state.inward == 1]], nodes[q.owner[state.inward == 1]]] = 1
    return found
