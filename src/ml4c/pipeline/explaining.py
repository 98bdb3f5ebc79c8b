"""Why an edge is there and has its direction, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ml4c.dataset.names import listed, unknown_name
from ml4c.errors import DataError

if TYPE_CHECKING:
    from ml4c.interop import FoundEdge
    from ml4c.pipeline.result import Result

SILENT = {
    "constant": "The data say nothing about the direction: one of the two has a single value.",
    "copy": "The data say nothing about the direction: the two are copies of one another.",
    "no interaction": "The data say nothing about the direction: no third column tells the two ends apart.",
}
"""What to say of an edge whose direction the data leave undetermined."""


def explanation(result: Result, a: str, b: str) -> str:
    """Say why two columns are adjacent or not, and what gives their edge its direction."""
    for name in (a, b):
        if name not in result.names:
            raise unknown_name(name, result.names)
    if a == b:
        raise DataError(f"{a!r} is one column: name two")
    i, j = result.names.index(a), result.names.index(b)
    sentences = [result.learned.explain(a, b) if result.learned else _as_given(result, a, b)]
    if result.cpdag[i, j] or result.cpdag[j, i]:
        sentences.append(_direction(result, a, b))
    return " ".join(sentences)


def _as_given(result: Result, a: str, b: str) -> str:
    joined = result.skeleton[result.names.index(a), result.names.index(b)]
    return f"{a} and {b} are {'' if joined else 'not '}adjacent in the skeleton that was given."


def _direction(result: Result, a: str, b: str) -> str:
    edge = next(edge for edge in result.edges if {edge.source, edge.target} == {a, b})
    if (edge.source, edge.target) in result.known:
        return f"{edge.source} -> {edge.target} follows from what the user knows."
    return " ".join(filter(None, (_reason(result, edge), _odds(edge), SILENT.get(edge.undetermined or "", ""))))


def _odds(edge: FoundEdge) -> str:
    """Say how probable each direction is."""
    if edge.forward_probability is None or edge.backward_probability is None:
        return ""
    line = max(0.0, 1 - (edge.forward_probability + edge.backward_probability))
    return (
        f"Over all orientations: {edge.source} -> {edge.target} {edge.forward_probability:.2f}, "
        f"{edge.target} -> {edge.source} {edge.backward_probability:.2f}, undirected {line:.2f}."
    )


def _reason(result: Result, edge: FoundEdge) -> str:
    if edge.type == "undirected":
        return "This graph leaves the direction open: graphs with either direction explain the same independences."
    drawn = [t for t in result.triples if t.verdict in ("accepted", "implied") and t.t == edge.target]
    by = [f"{triple} ({triple.probability:.2f})" for triple in drawn if edge.source in (triple.x, triple.y)]
    arrow = f"{edge.source} -> {edge.target}"
    if by:
        return f"{arrow} because of the v-structures {listed(by)}."
    return f"{arrow} follows from other arrows."
