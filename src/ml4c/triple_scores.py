"""What scores say about an unshielded triple: numbers for the learner of the default model.

The 755 features of the paper ask tests about a triple and its vicinity. These ask scores about the whole skeleton: how
often is the triple a collider when orientations are as probable as the score says, at several temperatures, and in the
best orientation; by how much do X, Y and T by themselves prefer the collider; what do X and Y gain by each other,
without T and with it. Three scores and their mean are asked, because they err differently (`bdeu` refuses colliders of
wide columns, `mix` less, `poe` hardly; `bdeu` is the safest on few rows). Then what the learner needs to weigh them:
rows, cardinalities, degrees, entropies, strengths of the two edges, and whether the skeleton was given, so that it can
be trusted, or learned from the same table, with the errors that learning makes.

All of it is symmetric in X and Y. Gains in nats are taken as sign(v) log(1 + |v|).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ml4c.counting import Packed
from ml4c.graph import Graph, Triples, unshielded_triples
from ml4c.scores import JointScores
from ml4c.search.chains import ParentSets, parent_sets, walk_orientations

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]
"""Called with the number of steps done and the number of all."""

SCORES = ("poe", "mix", "bdeu")
MEAN = "mean"
"""The mean of the three."""
TEMPERATURES: dict[str, tuple[float, ...]] = {
    "poe": (200.0, 25.0, 5.0, 1.0),
    "mix": (200.0, 20.0, 2.0),
    "bdeu": (20.0, 2.0),
    MEAN: (200.0, 20.0, 2.0),
}
STRETCHES = 4
"""Families are scored in so many stretches, between which progress is told."""
GAINS = ("collider", "X~Y", "X~Y|T", "both parents")
CONTEXT = (
    "best orientations that agree",
    "weaker edge",
    "stronger edge",
    "rows",
    "columns",
    "cells per row",
    "skeleton learned",
    *(f"{what} {of}" for what in ("cardinality", "degree", "entropy") for of in ("T", "min", "max")),
)
SCORE_NAMES = (
    *(f"{score}: colliders at {t:g}" for score, temperatures in TEMPERATURES.items() for t in temperatures),
    *(f"{score}: best" for score in TEMPERATURES),
    *(f"{score}: {gain}" for score in SCORES for gain in GAINS),
    *CONTEXT,
)
"""The names of the features, in their order."""
SCORE_GROUPS = {
    **{f"{score}: colliders at {t:g}": "colliders" for score in (MEAN, *SCORES) for t in TEMPERATURES[score][::-1]},
    **{f"{score}: best": "colliders" for score in TEMPERATURES},
    "best orientations that agree": "colliders",
    **{f"{score}: {gain}": f"gain: {gain}" for score in SCORES for gain in GAINS},
    "weaker edge": "edges",
    "stronger edge": "edges",
    **{name: name.split(" ")[0] for name in CONTEXT if name.split(" ")[0] in ("cardinality", "degree", "entropy")},
}
"""Features that say one thing, by name: for explanations. Those of a group that say most come first."""


@dataclass(frozen=True, eq=False)
class ScoredTriples:
    """The unshielded triples of a skeleton with their features."""

    triples: Triples
    """(triples, 3): column numbers of X, T, Y."""
    matrix: Floats
    """(triples, features), in the order of SCORE_NAMES."""


def score_triples(
    packed: Packed,
    skeleton: Graph,
    *,
    learned: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ScoredTriples:
    """Compute the features of every unshielded triple of a skeleton over the columns of a table.

    learned: whether the skeleton comes from the table. seed: of the walks over orientations.
    """
    triples = unshielded_triples(skeleton)
    if not len(triples):
        return ScoredTriples(triples, np.empty((0, len(SCORE_NAMES))))
    say = progress or (lambda _done, _all: None)
    sets = parent_sets(skeleton, packed.columns.cards, packed.n_rows)
    scores = JointScores(packed, SCORES, n_jobs=n_jobs)
    by_kind = _scored(sets, scores, lambda done: say(done, STRETCHES + 1)).T
    tables = {**dict(zip(SCORES, by_kind, strict=True)), MEAN: by_kind.mean(axis=0)}
    found: dict[str, Floats] = _gains(scores, triples)
    found |= _walked(sets, tables, triples, seed)
    found |= _context(packed, skeleton, triples) | {"skeleton learned": np.full(len(triples), float(learned))}
    say(STRETCHES + 1, STRETCHES + 1)
    return ScoredTriples(triples, np.column_stack([found[name] for name in SCORE_NAMES]))


def best_by_score(packed: Packed, skeleton: Graph, kind: str, *, seed: int = 0, n_jobs: int | None = None) -> Graph:
    """Return the best orientation of a skeleton, a DAG, that walks find under one score: no learner is asked."""
    sets = parent_sets(skeleton, packed.columns.cards, packed.n_rows)
    table = _scored(sets, JointScores(packed, (kind,), n_jobs=n_jobs))[:, 0]
    walk = walk_orientations(sets, table, np.empty((0, 3), np.intp), (), seed)
    dag = np.zeros_like(skeleton)
    dag[sets.layout.neighbours[walk.inward == 1], sets.layout.owner[walk.inward == 1]] = 1
    return dag


def _scored(sets: ParentSets, scores: JointScores, say: Callable[[int], None] = lambda _done: None) -> Floats:
    """Score the families that are worth it, in some stretches: families by kinds."""
    table = np.zeros((len(sets.families), len(scores.kinds)))
    for done, stretch in enumerate(np.array_split(np.flatnonzero(sets.scored), STRETCHES)):
        say(done)
        table[stretch] = scores.score(sets.families[stretch])
    say(STRETCHES)
    return table


def _walked(sets: ParentSets, tables: dict[str, Floats], triples: Triples, seed: int) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for kind, temperatures in TEMPERATURES.items():
        walk = walk_orientations(sets, tables[kind], triples, temperatures, seed)
        for temperature, frequency in zip(temperatures, walk.frequency, strict=True):
            found[f"{kind}: colliders at {temperature:g}"] = frequency
        found[f"{kind}: best"] = walk.best.astype(np.float64)
    agreeing = np.sum([found[f"{kind}: best"] for kind in TEMPERATURES], axis=0)
    return {**found, "best orientations that agree": agreeing}


def _gains(scores: JointScores, triples: Triples) -> dict[str, Floats]:
    """Compare the ways to draw X - T - Y, and what X and Y gain by each other, with and without T."""
    found: dict[str, Floats] = {}
    for kind, of in _families_of(scores, triples).items():
        chain = np.maximum(of["x"] + of["tx"] + of["yt"], of["y"] + of["ty"] + of["xt"])
        other = np.maximum(chain, of["t"] + (of["xt"] + of["yt"]))
        each_other = (of["xy"] - of["x"]) + (of["yx"] - of["y"])
        given_t = (of["xyt"] - of["xt"]) + (of["yxt"] - of["yt"])
        gains = {
            "collider": of["txy"] + (of["x"] + of["y"]) - other,
            "X~Y": each_other / 2,
            "X~Y|T": given_t / 2,
            "both parents": of["txy"] - np.maximum(of["tx"], of["ty"]),
        }
        found |= {f"{kind}: {name}": _tamed(values) for name, values in gains.items()}
        if kind == "mix":
            edges = np.sort([of["tx"] - of["t"], of["ty"] - of["t"]], axis=0)
            found |= {"weaker edge": _tamed(edges[0]), "stronger edge": _tamed(edges[1])}
    return found


def _families_of(scores: JointScores, triples: Triples) -> dict[str, dict[str, Floats]]:
    """Score X, T and Y with each other as parents, in one batch: by kind, then "txy" is T with the parents X and Y."""
    column = dict(zip("xty", triples.astype(np.int32).T, strict=True))
    names = ("x", "t", "y", "xt", "yt", "tx", "ty", "txy", "xy", "yx", "xyt", "yxt")
    rows = np.full((len(names), len(triples), 3), -1, np.int32)
    for family, name in zip(rows, names, strict=True):
        family[:, : len(name)] = np.column_stack([column[letter] for letter in name])
    found = scores.score(rows.reshape(-1, 3)).reshape(len(names), len(triples), -1)
    return {kind: dict(zip(names, found[:, :, i], strict=True)) for i, kind in enumerate(SCORES)}


def _context(packed: Packed, skeleton: Graph, triples: Triples) -> dict[str, Floats]:
    x, t, y = triples.T
    cards = packed.columns.cards.astype(np.float64)
    found = {
        "rows": np.full(len(triples), np.log(packed.n_rows)),
        "columns": np.full(len(triples), np.log(len(skeleton))),
        "cells per row": np.log(cards[t] * (cards[x] * cards[y]) / packed.n_rows),
    }
    degree = skeleton.sum(axis=0).astype(np.float64)
    for what, of in (("cardinality", cards), ("degree", degree), ("entropy", packed.entropies)):
        found[f"{what} T"] = of[t]
        found[f"{what} min"], found[f"{what} max"] = np.minimum(of[x], of[y]), np.maximum(of[x], of[y])
    return found


def _tamed(nats: Floats) -> Floats:
    return np.asarray(np.sign(nats) * np.log1p(np.abs(nats)))


def untamed(value: Floats) -> Floats:
    """Return the nats of gains as they stand among the features."""
    return np.asarray(np.sign(value) * np.expm1(np.abs(value)))
