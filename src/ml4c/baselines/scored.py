"""What the score-based methods share: which pairs they may join, and how ties are broken.

Local scores tie: an edge alone explains as much in either direction, a copy as much as its original. What a search
looks at first then decides, and that must be neither where a column stands nor what it is called: a search sees
the columns in an order that is drawn from the seed of the problem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c.baselines.protocol import Problem
from ml4c.dataset import Dataset
from ml4c.graph import Graph
from ml4c.graph import skeleton as skeleton_of

ESS = 1.0
"""Equivalent sample size of BDeu in every method here: the default of GOBNILP and of bnlearn's hill climbing."""


class Scorer(Protocol):
    """Local scores of families, larger is better: rows node, parents, -1 for none."""

    def score(self, families: ArrayLike) -> NDArray[np.float64]:
        """Return the score of each family."""
        ...


def in_drawn_order(problem: Problem, search: Callable[[Dataset, Graph], Graph]) -> Graph:
    """Return what a search finds in a table, given the pairs that it may join: those of the skeleton, or all."""
    nodes = problem.data.n_columns
    usable = (1 - np.eye(nodes)).astype(np.int8) if problem.skeleton is None else skeleton_of(problem.skeleton)
    order = np.random.default_rng(problem.seed).permutation(nodes)
    found = search(problem.data.select(order.tolist()), np.ascontiguousarray(usable[np.ix_(order, order)]))
    rank = np.argsort(order)
    return np.ascontiguousarray(found[np.ix_(rank, rank)])
