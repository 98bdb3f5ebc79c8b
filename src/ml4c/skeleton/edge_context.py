"""What surrounds a pair of columns: features from the graphs that the searches found.

- Parents: how much the two still have to do with each other given the parents that one of them has in a DAG, the other
  aside. A true DAG leaves nothing between columns that are not adjacent.
- Relatives: children and parents in common, descent; what PC found, neighbours in common and of either end.
- Detours: how the information of the pair compares with the weaker step of the best way through a third column. What
  passes through a column is never more than either step carries (the data processing inequality).
- What is left: the entropy of an end that its most telling neighbour does not explain. Where nothing is left, tests
  given that neighbour say nothing.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ml4c.citest import DataTest
from ml4c.graph import Graph, ancestors
from ml4c.skeleton.hybrid import parents_of
from ml4c.skeleton.pairs import Columns, Floats, Mask, as_matrix, in_common, number_of
from ml4c.skeleton.separation import BATCH
from ml4c.skeleton.sights import LIKELY, Sights, information_of
from ml4c.skeleton.verdicts import bic_gain, normal_deviate

NO_FREEDOM = -5.0
"""Stands for the deviate of a question without degrees of freedom."""
CELLS = 1 << 22
"""Cells of matrices that are made at a time."""

_OF_PARENTS = ("z", "bic gain", "information", "log rows/dof")
_DAGS = ("wide", "bdeu walked")
_PLAIN = ("pc", "pc z", "pc size", "pc common", "common children", "common parents", "descent", "detour", "any detour")
_OF_ENDS = ("pc degree", "all votes", "entropy left", "share left")

Named: TypeAlias = dict[str, Floats]


def context_names() -> tuple[str, ...]:
    """Return the names of the features."""
    given = (f"{what} given {dag} parents" for dag in _DAGS for what in _OF_PARENTS)
    return (*_PLAIN, *(f"{name} {end}" for name in (*_OF_ENDS, *given) for end in ("hi", "lo")))


def two(name: str, first: Floats, second: Floats) -> Named:
    """Return a feature of both ends; of one that exists at one end alone, that value twice."""
    return {f"{name} hi": np.fmax(first, second), f"{name} lo": np.fmin(first, second)}


def context_features(test: DataTest, sights: Sights, entropy: Floats, largest_set: int | None) -> Named:
    """Compute them for all pairs that are to be judged.

    entropy: of every column. largest_set: given more parents than this nothing is asked, None for any number.
    """
    found = {
        **_of_tests(sights),
        **_of_relatives(sights),
        **_of_detours(sights),
        **_of_rest(sights, entropy),
    }
    for name in _DAGS:
        found |= _given_parents(test, sights.pairs, sights.dags[name].dag, name, largest_set)
    return found


def _of_tests(sights: Sights) -> Named:
    x, y = sights.pairs.T
    by_pc = sights.by_pc
    number = number_of(x, y, len(sights.votes))
    near = as_matrix(by_pc.adjacent, len(sights.votes)) == 1
    degree = near.sum(axis=1).astype(np.float64)
    return {
        "pc": by_pc.adjacent[number].astype(np.float64),
        "pc z": by_pc.z[number],
        "pc size": by_pc.size[number].astype(np.float64),
        "pc common": in_common(near, x, y).astype(np.float64),
        **two("pc degree", degree[x], degree[y]),
    }


def _of_relatives(sights: Sights) -> Named:
    x, y = sights.pairs.T
    dag = sights.dags["wide"].dag
    arcs = dag == 1
    above = ancestors(dag)
    votes = sights.votes.sum(axis=1).astype(np.float64)
    return {
        "common children": in_common(arcs, x, y).astype(np.float64),
        "common parents": in_common(arcs.T, x, y).astype(np.float64),
        "descent": (above[x, y] | above[y, x]).astype(np.float64),
        **two("all votes", votes[x], votes[y]),
    }


def _of_detours(sights: Sights) -> Named:
    x, y = sights.pairs.T
    information = np.where(np.isfinite(sights.marginals.information), sights.marginals.information, 0.0)
    found = {"detour": sights.votes >= LIKELY, "any detour": sights.votes >= 1}
    return {name: _against_detours(information, near, x, y) for name, near in found.items()}


def _against_detours(information: Floats, near: Mask, x: Columns, y: Columns) -> Floats:
    """Return the information of each pair divided by that of its best detour; nan if there is none."""
    best = np.full(len(x), -np.inf)
    detoured = np.flatnonzero(in_common(near, x, y))
    step = max(1, CELLS // len(near))
    for begin in range(0, len(detoured), step):
        some = detoured[begin : begin + step]
        i, j = x[some], y[some]
        weaker = np.minimum(information[i], information[j])
        best[some] = np.where(near[i] & near[j], weaker, -np.inf).max(axis=1)
    return np.where(np.isfinite(best), information[x, y] / np.maximum(best, 1e-9), np.nan)


def _of_rest(sights: Sights, entropy: Floats) -> Named:
    x, y = sights.pairs.T
    told = np.where(sights.votes >= 1, sights.marginals.information, -np.inf)
    most = np.sort(told, axis=1)[:, -2:]
    found: list[Floats] = []
    for end, other in ((x, y), (y, x)):
        first, second = most[end, 1], most[end, 0]
        without = np.where(told[end, other] == first, second, first)
        found.append(np.where(np.isfinite(without), entropy[end] - without, np.nan))
    share = [left / np.maximum(entropy[end], 1e-9) for left, end in zip(found, (x, y), strict=True)]
    return {**two("entropy left", *found), **two("share left", *share)}


def _given_parents(test: DataTest, pairs: Columns, dag: Graph, name: str, largest_set: int | None) -> Named:
    """Ask about every pair given the parents of one end and of the other, without those that are of the pair."""
    parents = parents_of(dag)
    told = np.full((2, len(_OF_PARENTS), len(pairs)), np.nan)
    for side, (end, other) in enumerate((pairs.T, pairs.T[::-1])):
        given = np.where(parents[end] == other[:, None], -1, parents[end])
        questions = np.column_stack([end, other, given])
        rows = np.arange(len(pairs))
        if largest_set is not None:
            rows = np.flatnonzero((given >= 0).sum(axis=1) <= largest_set)
        for begin in range(0, len(rows), BATCH):
            some = rows[begin : begin + BATCH]
            told[side][:, some] = _ask(test, questions[some])
    found: Named = {}
    for what, first, second in zip(_OF_PARENTS, *told, strict=True):
        found |= two(f"{what} given {name} parents", first, second)
    return found


def _ask(test: DataTest, questions: Columns) -> Floats:
    found = test.association(questions)
    z = np.maximum(normal_deviate(found.g2, found.dof), NO_FREEDOM)
    spare = np.log(np.maximum(found.n, 1.0) / np.maximum(found.dof, 0.5))
    return np.stack([z, bic_gain(found), information_of(found), spare])
