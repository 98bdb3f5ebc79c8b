"""Which rule drew which arrow, and from what: the closure of a graph as a list of steps.

`meek_closure` says what follows; this module says why. Steps come in the rounds of the closure, and each names the
other nodes of its rule, the smallest where there is a choice, so the account is the same on every run. The premises
of a step are arrows and edges that were there before its round; following the arrows among them back to where
none was drawn by a rule gives the chain that forced an arrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy.typing as npt

from ml4c.graph import Adjacency, as_graph, edges

Arrow: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Step:
    """The arrow source -> target, drawn by a rule; `by` are the other nodes of the rule, k or k, m of `meek.rules`."""

    source: int
    target: int
    rule: int
    by: tuple[int, ...]

    @property
    def arrows(self) -> tuple[Arrow, ...]:
        """The arrows that the rule needs."""
        i, j, k = self.source, self.target, self.by[0]
        m = self.by[-1]
        needed = {1: ((k, i),), 2: ((i, k), (k, j)), 3: ((k, j), (m, j)), 4: ((k, m), (m, j))}
        return needed[self.rule]


def closure_steps(pdag: npt.ArrayLike) -> list[Step]:
    """Return the arrows that `meek_closure` adds to a graph, in its rounds, each with its rule."""
    a = as_graph(pdag)
    g = Adjacency(a)
    left = {(i, j) for i, j in edges(a).undirected.tolist()}
    steps = list[Step]()
    while True:
        asked = {(i, j): step for pair in left for i, j in (pair, pair[::-1]) if (step := _step(g, i, j))}
        drawn = [asked[arrow] for arrow in sorted(asked) if arrow[::-1] not in asked]
        if not drawn:
            return steps
        for step in drawn:
            g.orient(step.source, step.target)
            left.discard((min(step.source, step.target), max(step.source, step.target)))
        steps += drawn


def chain_to(arrow: Arrow, steps: Sequence[Step]) -> list[Step]:
    """Return the steps that lead to an arrow, premises first; none when no rule drew it."""
    by_arrow = {(step.source, step.target): step for step in steps}
    needed, waiting = set[Arrow](), [arrow]
    while waiting:
        found = waiting.pop()
        if found in by_arrow and found not in needed:
            needed.add(found)
            waiting += by_arrow[found].arrows
    return [step for step in steps if (step.source, step.target) in needed]


def _step(g: Adjacency, i: int, j: int) -> Step | None:
    """Return the first rule that makes i - j the arrow i -> j, with its smallest nodes."""
    for rule, witnesses in enumerate((_rule_1, _rule_2, _rule_3, _rule_4), start=1):
        by = min(witnesses(g, i, j), default=None)
        if by is not None:
            return Step(i, j, rule, by)
    return None


def _rule_1(g: Adjacency, i: int, j: int) -> Iterator[tuple[int, ...]]:
    yield from ((k,) for k in g.parents[i] - g.adjacent[j])


def _rule_2(g: Adjacency, i: int, j: int) -> Iterator[tuple[int, ...]]:
    yield from ((k,) for k in g.children[i] & g.parents[j])


def _rule_3(g: Adjacency, i: int, j: int) -> Iterator[tuple[int, ...]]:
    middles = g.neighbours[i] & g.parents[j]
    yield from ((k, m) for k in middles for m in middles - g.adjacent[k] if k < m)


def _rule_4(g: Adjacency, i: int, j: int) -> Iterator[tuple[int, ...]]:
    for m in g.adjacent[i] & g.parents[j]:
        yield from ((k, m) for k in (g.neighbours[i] & g.parents[m]) - g.adjacent[j])
