"""Why the learner judged a triple as it did: its separating sets, and what each group of features added.

The features of the triples that matter most are kept with the result: those in the graph or against their probability
first, then the most probable ones. The learner is asked for its contributions only when they are told. Features about
one list of answers (X~Y|S+T, say), or of several scores about one thing, are one group: contributions are log-odds,
which add up. What is said of a group beside that is the mean severity of its answers, in standard deviations from
independence, the mean share of graphs, what the first of its scores says, or the feature itself where it is alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.vicinity import Sepsets
from ml4c.citest import DataTest
from ml4c.counting import Packed
from ml4c.features import TripleFeatures
from ml4c.graph import Graph, Triples
from ml4c.interop import FoundTriple
from ml4c.triple_scores import SCORE_GROUPS, untamed
from ml4c.triples import find_sepsets, vicinity_of

Floats: TypeAlias = NDArray[np.float64]

MOST_TRIPLES = 300
MOST_SETS = 3
"""Separating sets named on each side, with T and without."""
MOST_PARTS = 4
"""Groups of features named on each side, for and against."""
SPOKESMEN = {group: (name,) for name, group in reversed(SCORE_GROUPS.items())}
"""Of each group of features from scores the one that is shown: the first."""


@dataclass(frozen=True, eq=False)
class Witness:
    """How to ask what features were worth to the learner, and which sets separate the ends of triples.

    Both are asked when a result is told, not before.
    """

    feature_names: tuple[str, ...]
    contributions: Callable[[Floats], Floats]
    separating: Callable[[Triples], Sepsets]


def separating_sets(packed: Packed, skeleton: Graph, triples: Triples) -> Sepsets:
    """Find the sets of neighbours that separate the ends of these unshielded triples, by column numbers."""
    test = DataTest(packed)
    vicinity = vicinity_of(skeleton, test.names)
    column = vicinity.column[vicinity.triples].tolist()
    row_of = {(min(x, y), t, max(x, y)): row for row, (x, t, y) in enumerate(column)}
    rows = [row_of[min(x, y), t, max(x, y)] for x, t, y in triples.tolist()]
    found = find_sepsets(test, replace(vicinity, triples=vicinity.triples[rows]))
    return Sepsets(vicinity.in_columns(found.members), found.start)


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the learner saw of some triples, and how to ask it what that was worth.

    names: of the columns that the features' triples and sets are numbers of. features: a row for each triple.
    """

    triples: tuple[FoundTriple, ...]
    features: TripleFeatures
    names: tuple[str, ...]
    witness: Witness

    @classmethod
    def of_most_important(
        cls,
        triples: Sequence[FoundTriple],
        features: TripleFeatures,
        names: tuple[str, ...],
        witness: Witness,
    ) -> Judgement:
        """Keep what is about the triples that matter most, out of all of a result."""
        rows = sorted(sorted(range(len(triples)), key=lambda row: _importance(triples[row]))[:MOST_TRIPLES])
        chosen = tuple(triples[row] for row in rows)
        return cls(chosen, features.take(np.array(rows, np.int64)), names, witness)

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Plain facts about the triples, in their order: asked of the learner once."""
        if not self.triples:
            return []
        matrix, feature_names = self.features.matrix, self.witness.feature_names
        groups, of_group = _groups(feature_names)
        added = self.witness.contributions(matrix) @ of_group
        measured = np.column_stack([_measured(matrix, group, feature_names) for group in groups])
        sepsets = self.features.sepsets or self.witness.separating(self.features.triples)
        return [
            {
                "x": triple.x,
                "t": triple.t,
                "y": triple.y,
                **self._sets(sepsets, k),
                "parts": _parts(groups, added[k], measured[k]),
            }
            for k, triple in enumerate(self.triples)
        ]

    def _sets(self, sepsets: Sepsets, row: int) -> dict[str, Any]:
        """Count the separating sets with and without T, and name the first of each."""
        members, start = sepsets
        middle = int(self.features.triples[row, 1])
        sets = [[c for c in line if c >= 0] for line in members[start[row] : start[row + 1]].tolist()]
        with_t, without_t = ([s for s in sets if (middle in s) == inside] for inside in (True, False))
        return {
            "with_t": len(with_t),
            "without_t": len(without_t),
            "sets_with_t": [[self.names[c] for c in s] for s in with_t[:MOST_SETS]],
            "sets_without_t": [[self.names[c] for c in s] for s in without_t[:MOST_SETS]],
        }


def _importance(triple: FoundTriple) -> tuple[bool, float]:
    return triple.verdict == "rejected", -triple.probability


def _groups(names: tuple[str, ...]) -> tuple[list[str], Floats]:
    """Return the groups in the order of the features, and the matrix that sums features to groups."""
    of_feature = [_group(name) for name in names]
    groups = list(dict.fromkeys(of_feature))
    matrix = np.zeros((len(names), len(groups)))
    matrix[np.arange(len(names)), [groups.index(group) for group in of_feature]] = 1.0
    return groups, matrix


def _group(feature: str) -> str:
    if feature in SCORE_GROUPS:
        return SCORE_GROUPS[feature]
    return feature.split(" ")[0] if "~" in feature else feature


def _measured(matrix: Floats, group: str, names: tuple[str, ...]) -> Floats:
    """Return what is said of a group: the mean of its shares of graphs, or the feature that says most."""
    if group == "colliders":
        shares = [k for k, name in enumerate(names) if ": colliders at" in name]
        return np.asarray(matrix[:, shares].mean(axis=1))
    ways = (f"{group} severity mean", f"{group} severity", group, *SPOKESMEN.get(group, ()))
    return np.asarray(matrix[:, next(names.index(name) for name in ways if name in names)])


def _parts(groups: list[str], added: Floats, measured: Floats) -> list[dict[str, Any]]:
    """List the groups that added most for and against, largest first."""
    order = np.argsort(-np.abs(added), kind="stable").tolist()
    for_it = [g for g in order if added[g] > 0][:MOST_PARTS]
    against = [g for g in order if added[g] < 0][:MOST_PARTS]
    return [
        {"about": groups[g], "measured": _rounded(_plain(groups[g], measured[g])), "log_odds": _rounded(added[g])}
        for g in sorted((*for_it, *against), key=order.index)
    ]


def _plain(group: str, value: float) -> float:
    """Return a feature in the unit that people read: nats and numbers instead of their logarithms."""
    if group == "edges" or group.startswith("gain: "):
        return float(untamed(np.array(value)))
    return math.exp(value) if group in ("rows", "columns", "cells per row") else value


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")
