"""Decisions by the probabilities of directions, and where these come from.

A triple's probability of being a v-structure is evidence beside what chance would have: of the four ways to point two
edges one is a collider. So a collider is worth its log-odds and something more; less, where a node has many neighbours,
whose triples tell much the same. SHARPNESS, SURPLUS and CROWDING were chosen on training networks by learners that had
not seen them, for the likelihood of the true directions: no network of the benchmark was looked at.

A decision takes the DAG whose CPDAG is worth most: "f1" draws an arrow where that raises the expected F1 (from about a
third of probability on, because an arrow that is left out costs as well), "shd" makes the expected number of wrong
edges least, and a least confidence forbids arrows that are less probable, as far as the skeleton lets it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ml4c.graph import Graph, Triples
from ml4c.orientation.records import Probabilities, Rows
from ml4c.search.directions import Directions, most_worth

Decision: TypeAlias = Literal["best", "f1", "shd"]
DECISIONS: tuple[Decision, ...] = ("best", "f1", "shd")

SUREST = 1 - 1e-6
"""Probabilities are taken as at most so sure: no single triple outweighs any number of others."""
SHARPNESS, SURPLUS, CROWDING = 0.7, 0.8, 0.25
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
    """Return the DAG that a decision takes, the best of what is reached from some DAGs."""
    arrow, line = _worths(directions, decision)
    if confidence is not None:
        arrow = np.where(directions.share >= confidence, arrow, SHORTFALL * (directions.share - confidence))
    reached = [most_worth(skeleton, directions, arrow, line, dag, fixed=fixed) for dag in starts]
    return max(reached, key=lambda found: found[1])[0]


def _worths(directions: Directions, decision: Decision) -> tuple[Probabilities, Probabilities]:
    """Return what each edge is worth as an arrow and as a line."""
    share = directions.share
    if decision == "shd":
        return share, 1.0 - share - share[directions.opposite]
    return (share - LEAST_SHARE if decision == "f1" else np.ones_like(share)), np.zeros_like(share)
