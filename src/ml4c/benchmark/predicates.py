"""The eight predicates of the paper's Table 2, each in the place of the learner.

A predicate says of every unshielded triple whether it is a v-structure, from the answers that the features are made
of; "dependent" is p <= 0.01 and an empty list agrees with anything. The rest is the published method: conflicts are
removed in pairs (all verdicts weigh the same here), Meek's rules close the graph. Each predicate asks its own questions
only. Where the paper writes "olp(T,S) >= t" a v-structure test must read "T is rarely in the separating sets".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c.baselines import Method, Problem
from ml4c.citest import DataTest
from ml4c.embedding import draw_embedding
from ml4c.errors import GraphError
from ml4c.features import raw_features
from ml4c.graph import Graph
from ml4c.orientation import orient_as_published
from ml4c.triples import Vicinity, find_sepsets, share_with_middle, vicinity_of

HURDLE = 2.5758293035489
"""Severity at p = 0.01: dependent from here on."""

Verdicts: TypeAlias = NDArray[np.bool_]
Rule: TypeAlias = Callable[[DataTest, Vicinity, int], Verdicts]
"""Judges the triples of a vicinity; the number is a seed."""


def _every(cell: str, dependent: bool, test: DataTest, vicinity: Vicinity, _seed: int) -> Verdicts:
    """Tell where every question of a cell is answered so."""
    names = (f"{cell} size", f"{cell} severity min", f"{cell} severity max")
    size, low, high = raw_features(test, vicinity, draw_embedding(0), names=names).T
    return np.asarray((size == 0) | ((low >= HURDLE) if dependent else (high < HURDLE)))


def _share(test: DataTest, vicinity: Vicinity) -> NDArray[np.float64]:
    return share_with_middle(vicinity, find_sepsets(test, vicinity))


def _rarely(test: DataTest, vicinity: Vicinity, seed: int) -> Verdicts:
    return np.asarray(_share(test, vicinity) < np.random.default_rng(seed).uniform())


def _never(test: DataTest, vicinity: Vicinity, _seed: int) -> Verdicts:
    return np.asarray(_share(test, vicinity) == 0)


def _never_and_dependent(test: DataTest, vicinity: Vicinity, seed: int) -> Verdicts:
    return _never(test, vicinity, seed) & _every("X~Y|S+T", True, test, vicinity, seed)


RULES: dict[str, Rule] = {
    "strong-1": _rarely,
    "strong-2": _never,
    "strong-3": _never_and_dependent,
    "strong-4": partial(_every, "X~Y|S+T", True),
    "weak-1": partial(_every, "PC_X~PC_Y|T", True),
    "weak-2": partial(_every, "PC_X~PC_Y|S+T", True),
    "weak-3": partial(_every, "X~Y|PC_T", False),
    "weak-4": partial(_every, "X~Y|S+PC_T", True),
}


def _orient(rule: Rule, problem: Problem) -> Graph:
    if problem.skeleton is None:
        raise GraphError("a predicate orients a skeleton: give it one")
    test = DataTest(problem.data, n_jobs=1)
    vicinity = vicinity_of(problem.skeleton, test.names)
    verdicts = rule(test, vicinity, problem.seed)
    triples = vicinity.column[vicinity.triples]
    return orient_as_published(problem.skeleton, triples, verdicts.astype(float)).cpdag


METHODS = tuple(
    Method(
        name,
        f"predicate {name}",
        "constraint-based",
        "Dai, Ding, Jiang, Han, Zhang 2023, Table 2",
        "ml4c",
        "given",
        partial(_orient, rule),
    )
    for name, rule in RULES.items()
)
