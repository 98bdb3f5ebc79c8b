"""How far a table is from what its model was trained on.

The card of the default model says where nearly all triples of its training networks lie: categories, neighbours, cells
for each row, strength of edges; and its recipe, how many rows and columns the networks have (small ones have few
triples, so among triples they would seem rare). What is measured on the triples of a table is put beside it. Far is
what many of them have beyond these ranges: there the probabilities were never checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ml4c.learner import ModelCard
from ml4c.triple_scores import SCORE_NAMES, untamed

FAR = 0.1
"""A share of triples outside of the range of training that is worth a warning."""
SLACK = 0.02
"""Ranges are widened by this part of their length: a table at the very edge is not outside."""


@dataclass(frozen=True)
class Shift:
    """One property: its range over the triples here and in training, and the share of triples beyond the latter."""

    what: str
    here: tuple[float, float]
    trained: tuple[float, float]
    outside: float

    @property
    def far(self) -> bool:
        """Whether so many triples are outside that probabilities should be taken with care."""
        return self.outside > FAR

    def __str__(self) -> str:
        return f"{self.what}: {_span(self.here)} here, {_span(self.trained)} in training"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"fact": self.what, "here": _span(self.here), "trained": _span(self.trained), "outside": self.outside}


_PROPERTIES: dict[str, tuple[str, Callable[[float], float]]] = {
    "rows": ("rows", math.exp),
    "columns": ("columns", math.exp),
    "cardinality max": ("categories of a column", float),
    "degree T": ("neighbours of a column", float),
    "cells per row": ("cells of three columns for each row", math.exp),
    "weaker edge": ("strength of an edge in nats", lambda tamed: float(untamed(np.array(tamed)))),
}


_OF_RECIPE = {"rows": "rows", "columns": "nodes"}
"""Properties of whole networks, and the field of the recipe that bounds them."""


def shifts(matrix: NDArray[np.float64], card: ModelCard) -> tuple[Shift, ...]:
    """Compare the features of a table's triples with the ranges that a card gives; nothing if it gives none."""
    if card.feature_names != SCORE_NAMES or not len(matrix):
        return ()
    found = []
    for name, (what, plain) in _PROPERTIES.items():
        if (trained := _trained_on(name, card)) is not None:
            least, most = trained
            here = matrix[:, SCORE_NAMES.index(name)]
            slack = SLACK * (most - least)
            outside = float(((here < least - slack) | (here > most + slack)).mean())
            ends = plain(float(here.min())), plain(float(here.max()))
            found.append(Shift(what, ends, (plain(least), plain(most)), outside))
    return tuple(found)


def _trained_on(name: str, card: ModelCard) -> tuple[float, float] | None:
    """Return the range of a feature in training, None if the card does not tell."""
    if name in _OF_RECIPE:
        span = card.recipe.get(_OF_RECIPE[name])
        return (math.log(span[0]), math.log(span[1])) if isinstance(span, (list, tuple)) else None
    least, most = card.figures.get(f"least {name}"), card.figures.get(f"most {name}")
    return None if least is None or most is None else (least, most)


def warning(found: tuple[Shift, ...]) -> str:
    """Say in a sentence in what a table is far from the training networks; empty if in nothing."""
    far = [str(shift) for shift in found if shift.far]
    if not far:
        return ""
    return f"far from what the model was trained on, take probabilities with care ({'; '.join(far)})"


def _span(ends: tuple[float, float]) -> str:
    low, high = (f"{round(end):,}" if abs(end) >= 10 or end == round(end) else f"{end:.2g}" for end in ends)
    return low if low == high else f"{low} to {high}"
