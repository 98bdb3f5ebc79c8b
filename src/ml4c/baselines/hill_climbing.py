"""Greedy hill climbing over DAGs: add, delete or reverse the arc that gains most, from the empty DAG until none gains.

BDeu, arcs of the skeleton alone, no restarts. It is the tabu search of `ml4c.search.dags` when no pair rests and the
first step without a gain is the last.
"""

from __future__ import annotations

from ml4c.baselines.protocol import Method, Problem
from ml4c.baselines.scored import ESS, in_drawn_order
from ml4c.dataset import Dataset
from ml4c.graph import Graph
from ml4c.scores import LocalScores
from ml4c.search.dags import FoundDag, best_dag


def hill_climbing(problem: Problem) -> Graph:
    """Return the DAG at which greedy steps end."""
    return in_drawn_order(problem, lambda data, usable: climb(data, usable).dag)


def climb(data: Dataset, usable: Graph, *, ess: float = ESS) -> FoundDag:
    """Climb within the arcs that `usable` has."""
    return best_dag(LocalScores(data, "bdeu", ess=ess, n_jobs=1), usable, rest=0, patience=1)


METHODS = (
    Method(
        "hc",
        "HC",
        "score-based",
        "Heckerman, Geiger, Chickering 1995, Machine Learning 20:197-243",
        "ml4c, BDeu with ess 1",
        "either",
        hill_climbing,
    ),
)
