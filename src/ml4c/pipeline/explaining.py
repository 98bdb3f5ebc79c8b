"""Why an edge is there and has its direction, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ml4c.dataset.names import listed, unknown_name
from ml4c.errors import DataError

if TYPE_CHECKING:
    from ml4c.pipeline.result import Result


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
    if edge.type == "undirected":
        return "No data can tell the direction: graphs with either direction explain the same independences."
    drawn = [t for t in result.triples if t.verdict in ("accepted", "implied") and t.t == edge.target]
    by = [f"{triple} ({triple.probability:.2f})" for triple in drawn if edge.source in (triple.x, triple.y)]
    arrow = f"{edge.source} -> {edge.target}"
    if by:
        return f"{arrow} because of the v-structures {listed(by)}."
    known = (edge.source, edge.target) in result.known
    return f"{arrow} {'follows from what the user knows' if known else 'follows from other arrows'}."
