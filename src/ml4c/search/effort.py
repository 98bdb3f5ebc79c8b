"""How long the search for the best orientation of a component may take."""

from __future__ import annotations

from dataclasses import dataclass

EXACT_NODES = 16
"""Components of so many nodes are solved exactly: 2^16 sets take a tenth of a second."""
STARTS = 6
"""Most starts of annealing, when no two agree."""
RUNS = 2
"""Runs of annealing whose best regions make the result of one start."""
MOVES = 1000
"""Moves of one run for each edge."""
LARGE_NODES, LARGE_MOVES = 500, 2000
"""Components of more nodes than this have more near-optima: there runs take longer."""


@dataclass(frozen=True)
class Effort:
    """How long to search; the defaults suit a thousand nodes within seconds."""

    exact_nodes: int = EXACT_NODES
    starts: int = STARTS
    runs: int = RUNS
    moves: int = MOVES


def usual_effort(nodes: int) -> Effort:
    """Return how long to search a component of so many nodes unless told otherwise."""
    return Effort() if nodes <= LARGE_NODES else Effort(moves=LARGE_MOVES)
