"""The DAG of the best score among all, by integer programming, as GOBNILP finds it (Bartlett and Cussens 2017).

`parent_sets` lists what each node may have for parents, `program` chooses one set for each node so that no cycle arises
and the score is best, `clusters` are the inequalities that forbid cycles, `placing` makes a DAG of any solution. Given
the skeleton, the best DAG is mostly proven within seconds. Without one, or with hubs of wide columns, time may run out:
then the best DAG found is the answer, and `ExactDag.gap` says what that leaves open.
"""

from __future__ import annotations

from ml4c.baselines.gobnilp.parent_sets import ParentSets, list_parent_sets
from ml4c.baselines.gobnilp.program import ExactDag, best_of
from ml4c.baselines.protocol import Method, Problem
from ml4c.baselines.scored import ESS, in_drawn_order
from ml4c.dataset import Dataset
from ml4c.graph import Graph
from ml4c.meek import cpdag_of
from ml4c.scores import LocalScores

__all__ = ["METHODS", "ExactDag", "ParentSets", "best_of", "exact_dag", "gobnilp", "list_parent_sets"]

MOST_PARENTS = 3
"""Parents of a node at most: GOBNILP's default."""
SECONDS = 300.0
"""Time that a problem may take to solve; only answers that are not proven by then depend on the machine."""


def gobnilp(problem: Problem) -> Graph:
    """Return the CPDAG of the best DAG."""
    return in_drawn_order(problem, lambda data, usable: cpdag_of(exact_dag(data, usable).dag))


def exact_dag(data: Dataset, usable: Graph, *, ess: float = ESS, seconds: float | None = SECONDS) -> ExactDag:
    """Find the DAG of the best BDeu with at most MOST_PARENTS parents of a node, arcs within `usable`."""
    scores = LocalScores(data, "bdeu", ess=ess, n_jobs=1)
    return best_of(list_parent_sets(scores, usable, MOST_PARENTS), seconds=seconds)


METHODS = (
    Method(
        "gobnilp",
        "GOBNILP",
        "score-based",
        "Bartlett, Cussens 2017, Artificial Intelligence 244:258-271",
        "ml4c with HiGHS (scipy), BDeu with ess 1",
        "either",
        gobnilp,
    ),
)
