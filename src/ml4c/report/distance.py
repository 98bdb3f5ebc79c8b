"""How far a table is from what its model was trained on.

What was measured on the triples is told if the model has ranges to compare it with, as the default has. Of other models
the sizes in their recipe are compared: rows, columns, categories, edges for each column, constants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ml4c.interop import GraphDocument
from ml4c.pipeline.shift import FAR

Row: TypeAlias = dict[str, Any]

FACTOR = 10
"""So many times fewer or more rows than in training are far."""
LOOSELY = 1.5
SOME = 0.05
"""A share of columns that is worth a warning."""


def distance_rows(document: GraphDocument) -> list[Row]:
    """Return rows {fact, here, trained, far, note}; none when the recipe of the model is not known."""
    if measured := document.run.get("shift"):
        return [_measured(shift) for shift in measured]
    recipe = document.run.get("trained_on")
    if not isinstance(recipe, dict) or not recipe:
        return []
    makers: tuple[Callable[[GraphDocument, dict[str, Any]], Row | None], ...] = (
        _rows,
        _columns,
        _categories,
        _edges,
        _constants,
    )
    found = []
    for make in makers:
        try:
            row = make(document, recipe)
        except (TypeError, ValueError, KeyError, IndexError):  # the recipe of another version
            row = None
        found += [row] if row else []
    return found


def _measured(shift: dict[str, Any]) -> Row:
    """Tell what was measured on the triples when the graph was found (`ml4c.pipeline.shift`)."""
    outside = float(shift["outside"])
    note = f"{outside:.0%} of the triples are outside: take probabilities with care" if outside > FAR else ""
    return _row(str(shift["fact"]).capitalize(), str(shift["here"]), str(shift["trained"]), note)


def _row(fact: str, here: str, trained: str, note: str) -> Row:
    return {"fact": fact, "here": here, "trained": trained, "far": bool(note), "note": note}


def _rows(document: GraphDocument, recipe: dict[str, Any]) -> Row | None:
    here, trained = document.run.get("rows"), int(recipe["rows"])
    if not isinstance(here, int):
        return None
    few, many = here * FACTOR < trained, here > trained * FACTOR
    note = "far fewer rows: probabilities may be too sure" if few else "far more rows: even tiny dependences show"
    return _row("Rows", f"{here:,}", f"{trained:,}", note if few or many else "")


def _columns(document: GraphDocument, recipe: dict[str, Any]) -> Row:
    here, sizes = len(document.names), np.array(recipe["sizes"])
    low, high = int(sizes.min()), int(sizes.max())
    note = "" if low <= here <= high else f"{'fewer' if here < low else 'more'} columns than any training network"
    return _row("Columns", f"{here:,}", f"{low:,} to {high:,}", note)


def _categories(document: GraphDocument, recipe: dict[str, Any]) -> Row | None:
    counts = [int(facts["categories"]) for facts in document.columns.values() if "categories" in facts]
    if not counts:
        return None
    most = int(recipe["max_cardinality"])
    wide = sum(count > most for count in counts)
    note = f"{wide:,} of {len(counts):,} columns have more than {most}" if wide > SOME * len(counts) else ""
    return _row("Categories in a column", f"{min(counts):,} to {max(counts):,}", f"2 to {most:,}", note)


def _edges(document: GraphDocument, recipe: dict[str, Any]) -> Row:
    here = len(document.edges) / max(1, len(document.names))
    low, high = (float(value) for value in recipe["edges_per_node"])
    far = here * LOOSELY < low or here > high * LOOSELY
    note = f"the graph is {'sparser' if here < low else 'denser'} than the training networks" if far else ""
    return _row("Edges for each column", f"{here:.2f}", f"{low:g} to {high:g}", note)


def _constants(document: GraphDocument, _recipe: dict[str, Any]) -> Row | None:
    constant = document.run.get("constant")
    if not isinstance(constant, list):
        return None
    note = "the data say nothing about them" if len(constant) > SOME * len(document.names) else ""
    return _row("Columns with one value", f"{len(constant):,}", "hardly any", note)
