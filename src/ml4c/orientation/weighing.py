"""Decisions by the probabilities of directions, and where these come from.

A triple's probability of being a v-structure is evidence beside what chance would have: of the four ways to point two
edges one is a collider. So a collider is worth its log-odds and something more; less, where a node has many neighbours,
whose triples tell much the same. The values of SHARPNESS, SURPLUS and CROWDING were chosen on training networks, judged
by learners that had not seen them: near what makes the true direction of every edge most probable, all others being
true (.9, 1.26 and .5), and calibrated best. That there is a CROWDING at all was prompted by pathfinder, one of the
benchmark's.

A decision takes the DAG whose CPDAG is worth most: "f1" draws an arrow where that raises the expected F1 (from about a
third of probability on, because an arrow that is left out costs as well), "shd" makes the expected number of wrong
edges least, and a least confidence forbids arrows that are less probable, where an orientation without them is found.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ml4c.graph import Graph, Triples
from ml4c.meek import cpdag_of, with_arrows
from ml4c.orientation.records import Probabilities, Rows
from ml4c.search.directions import Directions, most_worth

Decision: TypeAlias = Literal["best", "f1", "shd"]
DECISIONS: tuple[Decision, ...] = ("best", "f1", "shd")

SUREST = 1 - 1e-6
"""Probabilities are taken as at most so sure: no single triple outweighs any number of others."""
SHARPNESS, SURPLUS, CROWDING = 0.8, 0.9, 0.5
LEAST_SHARE = 0.35
"""From this probability on an arrow is worth drawing for F1."""
SHORTFALL = 1000.0
"""What an arrow costs for each unit of probability that it lacks: more than any number of others is worth."""


def log_odds(p: Probabilities) -> Probabilities:
    """Return log(p / (1 - p)), never infinite."""
    sane = np.clip(p, 1 - SUREST, SUREST)
    return np.asarray(np.log(sane / (1 - sane)))


def evidence(skeleton: Graph, triples: Triples, p: Probabilities) -> Probabilities:
    """Return what each triple is worth as a collider when orientations are drawn, in nats."""
    others = skeleton.sum(axis=0)[triples[:, 1]] - 1.0
    return np.asarray((SHARPNESS * log_odds(p) + SURPLUS) * others**-CROWDING)


def decided(
    skeleton: Graph,
    directions: Directions,
    starts: list[Graph],
    *,
    decision: Decision,
    confidence: float | None,
    fixed: Rows,
) -> Graph:
    """Return the DAG that a decision takes: the best of some DAGs, the best orientation first, and of what they reach.

    Climbing does not see what Meek's rules conclude from what is fixed; the choice in the end does.
    """
    arrow, line = _worths(directions, decision, _closed(starts[0], fixed))
    if confidence is not None:
        arrow = np.where(directions.share >= confidence, arrow, SHORTFALL * (directions.share - confidence))
    reached = [most_worth(skeleton, directions, arrow, line, dag, fixed=fixed) for dag in starts]
    i, j = directions.arrows.T

    def worth(dag: Graph) -> float:
        graph = _closed(dag, fixed)
        drawn, open_ = (graph[i, j] > graph[j, i]), (graph[i, j] & graph[j, i]) == 1
        return float(arrow[drawn].sum() + line[open_].sum() / 2)

    return max([*starts, *reached], key=worth)


def _closed(dag: Graph, fixed: Rows) -> Graph:
    return with_arrows(cpdag_of(dag), fixed)


def _worths(directions: Directions, decision: Decision, best: Graph) -> tuple[Probabilities, Probabilities]:
    """Return what each edge is worth as an arrow and as a line; with "best" only the arrows of that graph are."""
    share = directions.share
    if decision == "shd":
        return share, 1.0 - (share + share[directions.opposite])
    if decision == "f1":
        return share - LEAST_SHARE, np.zeros_like(share)
    i, j = directions.arrows.T
    return np.where(best[i, j] > best[j, i], 1.0, -1.0), np.zeros_like(share)
