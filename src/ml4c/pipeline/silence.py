"""Edges about whose direction the data say nothing.

A direction comes from unshielded triples: X and Y become dependent, or cease to be, once T is known. A constant column
takes part in no such change, and the edge between two copies in none that tells them apart. And where in all triples of
an edge what X and Y gain by each other is the same with T and without, to less than a nat under `poe` and `mix`,
nothing tells the ends of the edge apart either. The graph may still direct such an edge, by the habits of the training
networks or by Meek's rules: then it says so.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ml4c.features import TripleFeatures
from ml4c.graph import Graph
from ml4c.interop import Silence
from ml4c.triple_scores import SCORE_NAMES, untamed

SPEAKERS = ("poe", "mix")
"""Scores that are asked; `bdeu` charges for the larger table of X, Y and T even where it says nothing."""
LEAST_CHANGE = 1.0
"""Nats by which knowing T must change what X and Y gain by each other, for a triple to say anything.

Chosen over half a nat on one sample of 23 networks of the benchmark, where it marked 1,190 edges instead of 1,051.
"""

Pairs = dict[tuple[int, int], Silence]


def silent_edges(
    skeleton: Graph,
    features: TripleFeatures,
    names: tuple[str, ...],
    *,
    constant: Collection[int] = (),
    leader: NDArray[np.int64] | None = None,
) -> Pairs:
    """Return the edges (i, j), i < j, of which nothing is heard, with the reason.

    names: of the features; only those of scores tell more than the rest. constant: columns with one value. leader:
    for each column the one that stands for it and its copies.
    """
    pairs = np.argwhere(np.triu(skeleton)).tolist()
    found: Pairs = {(i, j): "copy" for i, j in pairs if leader is not None and leader[i] == leader[j]}
    found |= {(i, j): "constant" for i, j in pairs if i in constant or j in constant}
    if names == SCORE_NAMES:
        silent = _mute(skeleton, features)
        found |= {(i, j): "no interaction" for i, j in pairs if silent[i, j] and (i, j) not in found}
    return found


def _mute(skeleton: Graph, features: TripleFeatures) -> NDArray[np.bool_]:
    """Tell which pairs are in triples, but in none that says anything."""
    of = {name: features.matrix[:, place] for place, name in enumerate(SCORE_NAMES)}
    changes = [np.abs(untamed(of[f"{score}: X~Y|T"]) - untamed(of[f"{score}: X~Y"])) for score in SPEAKERS]
    speaks = np.max(changes, axis=0) >= LEAST_CHANGE
    return _touched(skeleton, features.triples) & ~_touched(skeleton, features.triples[speaks])


def _touched(skeleton: Graph, triples: NDArray[np.int64]) -> NDArray[np.bool_]:
    touched = np.zeros(skeleton.shape, np.bool_)
    x, t, y = triples.T
    for end in (x, y):
        touched[end, t] = touched[t, end] = True
    return touched
