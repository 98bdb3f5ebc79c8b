"""BLIP (Scanagatta, de Campos, Corani and Zaffalon 2015; windows: Scanagatta, Corani and Zaffalon 2017).

Two parts: `exploration` scores promising parent sets of every node with BIC; `orders` chooses one of them for every
node so that no cycle arises. The authors give seconds to both; here both have budgets that can be counted, so that
the same table gives the same graph on any machine.
"""

from __future__ import annotations

import numpy as np

from ml4c.baselines.blip.exploration import BUDGET, explore
from ml4c.baselines.blip.orders import STARTS, FoundOrder, search_orders
from ml4c.baselines.protocol import Method, Problem
from ml4c.baselines.scored import in_drawn_order
from ml4c.graph import Graph
from ml4c.scores import LocalScores


def blip(problem: Problem) -> Graph:
    """Return the DAG of the largest BIC that was found."""
    rng = np.random.default_rng(problem.seed)
    return in_drawn_order(problem, lambda data, _: search(LocalScores(data, "bic", n_jobs=1), rng).dag)


def search(scores: LocalScores, rng: np.random.Generator, *, budget: int = BUDGET, starts: int = STARTS) -> FoundOrder:
    """Explore parent sets, then orders."""
    return search_orders(explore(scores, budget=budget), rng, starts=starts)


METHODS = (
    Method(
        "blip",
        "BLIP",
        "score-based",
        "Scanagatta, de Campos, Corani, Zaffalon 2015, NeurIPS; windows: Scanagatta, Corani, Zaffalon 2017, AMBN",
        f"ml4c, BIC, up to {BUDGET:,} sets a node, {STARTS} starts",
        "none",
        blip,
    ),
)
