"""Two results side by side: the edges that one has and the other has not, and those that changed direction.

Columns are matched by name; one that only one of the results has counts as a column without edges in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ml4c.drawing import Look, svg_picture
from ml4c.graph import Graph
from ml4c.interop import GraphDocument, printable
from ml4c.interop.edges import from_edges
from ml4c.interop.storage import AnyPath, replace_files
from ml4c.report.page import read_result, render

CHANGES = ("added", "lost", "turned", "same")
LOOKS = {
    "added": Look(2.6, "#0b7d55"),
    "lost": Look(1.8, "#b4442f", "2 4"),
    "turned": Look(2.6, "#9a5b00"),
    "same": Look(1.1, "#8a95a3"),
}
LARGEST_PICTURE = 250
"""Changed edges and their neighbours are drawn up to so many columns."""


def compare(first: GraphDocument, second: GraphDocument) -> dict[str, Any]:
    """Count the changes, and return a row {a, b, before, after, change} for each edge of either; changes come first."""
    names = tuple(dict.fromkeys((*first.names, *second.names)))
    before, after = (from_edges(document.edges, names).matrix for document in (first, second))
    rows = []
    for i, j in np.argwhere(np.triu(before | before.T | after | after.T)).tolist():
        drawn = [_drawn(matrix, names, i, j) for matrix in (before, after)]
        rows.append({"a": names[i], "b": names[j], "before": drawn[0], "after": drawn[1], "change": _change(*drawn)})
    rows.sort(key=lambda row: (CHANGES.index(row["change"]), row["a"], row["b"]))
    return {
        "names": names,
        "counts": {change: sum(row["change"] == change for row in rows) for change in CHANGES},
        "only_first": sorted(set(first.names) - set(second.names)),
        "only_second": sorted(set(second.names) - set(first.names)),
        "rows": rows,
    }


def write_comparison(first: AnyPath, second: AnyPath, path: AnyPath | None = None) -> Path:
    """Write a page about two folders that results were saved in; by default comparison.html in the second."""
    documents = read_result(first), read_result(second)
    found = compare(*documents)
    place = Path(second if path is None else path)
    file = place if place.suffix.lower() in (".html", ".htm") else place / "comparison.html"
    page = render(
        "comparison.html.j2",
        title=printable(f"{first} and {second}"),
        first=printable(str(first)),
        second=printable(str(second)),
        comparison=found,
        rows=[{key: printable(value) for key, value in row.items()} for row in found["rows"]],
        picture_svg=_picture(found, *documents),
        looks=LOOKS,
    )
    replace_files({file: page})
    return file


def _drawn(matrix: Graph, names: Sequence[str], i: int, j: int) -> str:
    """Write the edge between two columns; nothing when there is none."""
    a, b = names[i], names[j]
    ways = {(0, 0): "", (1, 0): f"{a} -> {b}", (0, 1): f"{b} -> {a}", (1, 1): f"{a} - {b}"}
    return ways[int(matrix[i, j]), int(matrix[j, i])]


def _change(before: str, after: str) -> str:
    if before == after:
        return "same"
    return "added" if not before else "lost" if not after else "turned"


def _picture(found: dict[str, Any], first: GraphDocument, second: GraphDocument) -> str:
    """Draw the edges of both over the columns that a change touches and what these are joined with."""
    names = found["names"]
    before, after = (from_edges(document.edges, names).matrix for document in (first, second))
    index = {name: i for i, name in enumerate(names)}
    changed = [row for row in found["rows"] if row["change"] != "same"]
    near = {index[name] for row in changed for name in (row["a"], row["b"])}
    joined = before | before.T | after | after.T
    wide = near | {int(j) for i in near for j in np.flatnonzero(joined[i])}
    shown = sorted(wide if len(wide) <= LARGEST_PICTURE else near)
    if not shown or len(shown) > LARGEST_PICTURE:
        return ""
    keep = np.ix_(shown, shown)
    union = np.where((after | after.T)[keep] == 1, after[keep], before[keep]).astype(np.int8)
    place = {i: k for k, i in enumerate(shown)}
    looks = {}
    for row in found["rows"]:
        i, j = index[row["a"]], index[row["b"]]
        if i in place and j in place:
            look = LOOKS[row["change"]]
            title = printable(
                f"{row['change']}: {row['before'] or 'no edge'} before, {row['after'] or 'no edge'} after"
            )
            drawn = Look(look.width, look.colour, look.dash, title)
            looks[place[i], place[j]] = looks[place[j], place[i]] = drawn
    return svg_picture(union, [names[i] for i in shown], looks=looks, label="edges that changed")
