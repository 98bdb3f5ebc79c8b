"""The smallest set of statements that contradict each other.

Statements are few and plain, so a contradiction has one of three shapes: an arrow both required and excluded, an edge
that must be there with both directions excluded, or arrows that are all forced and form a directed cycle. (Forced
arrows without a cycle can always be completed to an acyclic orientation: take any order that they allow.) Of each
shape the smallest is found; the tiers count as one statement, however many arrows they force.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, TypeAlias

from ml4c.errors import KnowledgeError

Arrow: TypeAlias = tuple[int, int]

TIERS = ("tiers",)


@dataclass(frozen=True)
class Statement:
    """Something that a user stated. Those with one key are one statement; the text says what part of it matters."""

    key: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text


Cause: TypeAlias = tuple[Statement, ...]


class ContradictionError(KnowledgeError):
    """Statements that cannot all hold; `statements` is a smallest set of them."""

    def __init__(self, message: str, statements: Sequence[Statement]) -> None:
        super().__init__(message)
        self.statements = tuple(statements)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.statements)  # or workers could not send it


@dataclass(frozen=True)
class Conflict:
    """Statements that cannot all hold, and the edges of a skeleton (pairs of columns) that make it so."""

    cause: Cause
    edges: tuple[Arrow, ...] = ()

    @property
    def size(self) -> int:
        """The number of statements."""
        return len({statement.key for statement in self.cause})


def smallest(conflicts: Iterable[Conflict]) -> Conflict | None:
    """Return a conflict with the fewest statements, the first of equals."""
    return min(conflicts, key=lambda conflict: conflict.size, default=None)


def against_both(one: Sequence[Statement], other: Sequence[Statement]) -> Cause:
    """Choose from what excludes each direction of an edge: one statement that excludes both, if there is one."""
    keys = {statement.key for statement in other}
    both = [statement for statement in one if statement.key in keys]
    return (both[0],) if both else (one[0], other[0])


def smallest_cycle(forced: Mapping[Arrow, Sequence[Cause]]) -> Conflict | None:
    """Return the cycle of forced arrows that needs the fewest statements; each arrow has one or more causes.

    Two searches suffice: one without the tiers, and one in which they cost nothing, because they are paid once.
    """
    without = {arrow: [c for c in causes if not _uses_tiers(c)] for arrow, causes in forced.items()}
    found = (_cheapest_cycle(choices) for choices in (without, forced))
    return smallest(conflict for conflict in found if conflict is not None)


def _uses_tiers(cause: Cause) -> bool:
    return any(statement.key == TIERS for statement in cause)


def _cost(cause: Cause) -> int:
    return sum(statement.key != TIERS for statement in cause)


def _cheapest_cycle(forced: Mapping[Arrow, Sequence[Cause]]) -> Conflict | None:
    cheapest = {arrow: min(causes, key=_cost) for arrow, causes in forced.items() if causes}
    after: dict[int, list[tuple[int, int]]] = {}
    for (i, j), cause in sorted(cheapest.items(), key=lambda item: item[0]):
        # Among equally cheap cycles the shortest: every arrow costs a little beside its statements.
        after.setdefault(i, []).append((j, _cost(cause) * (len(cheapest) + 1) + 1))
    best: tuple[int, list[int]] | None = None
    for start in sorted(after):
        found = _way_back(after, start, None if best is None else best[0])
        best = found or best
    if best is None:
        return None
    nodes = best[1]
    arrows = list(zip(nodes, nodes[1:] + nodes[:1], strict=True))
    return Conflict(tuple(dict.fromkeys(s for arrow in arrows for s in cheapest[arrow])), tuple(arrows))


def _way_back(
    after: Mapping[int, list[tuple[int, int]]], start: int, limit: int | None
) -> tuple[int, list[int]] | None:
    """Return the cheapest cycle through a node, if it is cheaper than the limit (Dijkstra)."""
    queue, came = [(0, start, start)], dict[int, int]()
    while queue:
        cost, node, before = heappop(queue)
        if limit is not None and cost >= limit:
            return None
        if node == start and cost > 0:
            walk = [before]
            while walk[-1] != start:
                walk.append(came[walk[-1]])
            return cost, walk[::-1]
        if node not in came:
            came[node] = before
            for j, price in after.get(node, []):
                if j == start or j not in came:
                    heappush(queue, (cost + price, j, node))
    return None
