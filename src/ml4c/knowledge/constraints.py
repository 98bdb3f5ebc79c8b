"""Knowledge by column numbers: what each ordered pair of columns must and must not be, and who said so.

The matrices are for searches. The statements behind a cell are looked up when an error needs them, not stored for
every cell: tiers over a thousand columns exclude half a million arrows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ml4c.errors import KnowledgeError
from ml4c.graph import Graph, as_graph, find_cycle
from ml4c.graph import skeleton as skeleton_of
from ml4c.knowledge.contradiction import (
    TIERS,
    Arrow,
    Cause,
    Conflict,
    ContradictionError,
    Statement,
    against_both,
    smallest,
    smallest_cycle,
)

Cells = npt.NDArray[np.bool_]

NO_TIER = -1


@dataclass(frozen=True)
class Sources:
    """The statements, by the columns that they are about."""

    required: Mapping[Arrow, Statement] = field(default_factory=dict)
    forbidden: Mapping[Arrow, Statement] = field(default_factory=dict)
    adjacent: Mapping[Arrow, Statement] = field(default_factory=dict)
    """By the smaller number first."""
    tier: Mapping[int, int] = field(default_factory=dict)
    within: Mapping[int, Statement] = field(default_factory=dict)
    """By tier."""
    roots: Mapping[int, Statement] = field(default_factory=dict)
    leaves: Mapping[int, Statement] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Constraints:
    """What knowledge says about the columns 0 to n_columns - 1; [i, j] is about the arrow i -> j.

    required, forbidden: arrows that must, or must not, be there. adjacent: pairs that must be joined, in whichever
    direction, required ones included. absent: pairs that must not be joined, both directions being forbidden.
    """

    names: tuple[str, ...]
    required: Cells
    forbidden: Cells
    adjacent: Cells
    absent: Cells
    sources: Sources

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.names)

    @classmethod
    def none(cls, n_columns: int) -> Constraints:
        """Return constraints that allow everything."""
        return cls.of([str(i) for i in range(n_columns)], Sources())

    @classmethod
    def of(cls, names: list[str], sources: Sources) -> Constraints:
        """Fill in the matrices, or raise the smallest contradiction between the statements."""
        d = len(names)
        required, adjacent, forbidden = (np.zeros((d, d), np.bool_) for _ in range(3))
        for i, j in sources.required:
            required[i, j] = True
        for i, j in sources.adjacent:
            adjacent[i, j] = True
        for i, j in sources.forbidden:
            forbidden[i, j] = True
        tier = np.array([sources.tier.get(i, NO_TIER) for i in range(d)], np.intp)
        forbidden |= (tier[:, None] > tier) & (tier != NO_TIER)
        within = np.isin(tier, list(sources.within))
        forbidden |= (tier[:, None] == tier) & within
        forbidden[:, list(sources.roots)] = True
        forbidden[list(sources.leaves), :] = True
        np.fill_diagonal(forbidden, val=False)
        adjacent |= required
        made = cls(tuple(names), required, forbidden, adjacent | adjacent.T, forbidden & forbidden.T, sources)
        made._check()
        return made

    def against(self, i: int, j: int) -> list[Statement]:
        """List the statements that exclude the arrow i -> j by themselves."""
        s, found = self.sources, list[Statement]()
        if (i, j) in s.forbidden:
            found.append(s.forbidden[i, j])
        before, after = s.tier.get(i, NO_TIER), s.tier.get(j, NO_TIER)
        if NO_TIER != after < before:
            a, b = self.names[j], self.names[i]
            found.append(Statement(TIERS, f"tiers: {a!r} is in tier {after}, {b!r} in the later tier {before}"))
        if before == after and before in s.within:
            found.append(s.within[before])
        found += [s.roots[j]] if j in s.roots else []
        return found + ([s.leaves[i]] if i in s.leaves else [])

    def arrows(self, skeleton: npt.ArrayLike) -> npt.NDArray[np.intp]:
        """Return rows (i, j): the arrows that knowledge fixes on edges of a skeleton, sorted."""
        a = self._fitting(skeleton)
        return np.argwhere((self.required | self.forbidden.T) & (a == 1))

    def check_skeleton(self, skeleton: npt.ArrayLike) -> None:
        """Raise the smallest contradiction when no acyclic orientation of a skeleton satisfies everything."""
        conflict = smallest(self._conflicts_with(self._fitting(skeleton)))
        if conflict is None:
            return
        said = _listed(conflict.cause)
        if not conflict.edges:
            raise ContradictionError(f"the skeleton has no such edge, but knowledge states {said}", conflict.cause)
        drawn = ", ".join(f"{self.names[i]} - {self.names[j]}" for i, j in conflict.edges)
        raise ContradictionError(
            f"knowledge leaves no acyclic orientation of the skeleton's edges {drawn}: it states {said}. "
            "Take back one of these statements, or remove one of these edges",
            conflict.cause,
        )

    def violations(self, graph: npt.ArrayLike) -> tuple[str, ...]:
        """Say in a sentence each what in a graph (DAG, CPDAG or partly directed) is not as knowledge states."""
        a = as_graph(graph)
        self._fitting(a)
        return tuple(self._found_in(a))

    def _found_in(self, a: Graph) -> Iterator[str]:
        name, joined = self.names, (a | a.T) == 1
        for i, j in np.argwhere(self.required & ((a == 0) | (a.T == 1))).tolist():
            yield f"{name[i]} -> {name[j]} is required, but the graph has {self._drawn(a, i, j)}"
        for i, j in np.argwhere(np.triu(self.adjacent & ~self.required & ~self.required.T & ~joined)).tolist():
            yield f"{name[i]} - {name[j]} must be joined, but the graph has no edge there"
        for i, j in np.argwhere(self.forbidden & (a == 1)).tolist():
            yield f"the graph has {self._drawn(a, i, j)}, but knowledge states {_listed(self.against(i, j))}"

    def _drawn(self, a: Graph, i: int, j: int) -> str:
        x, y = self.names[i], self.names[j]
        if a[i, j] and a[j, i]:
            return f"{x} - {y}, which allows both directions"
        return f"{x} -> {y}" if a[i, j] else f"{y} -> {x}" if a[j, i] else "no edge there"

    def _fitting(self, skeleton: npt.ArrayLike) -> Graph:
        a = skeleton_of(as_graph(skeleton))
        if len(a) != self.n_columns:
            raise KnowledgeError(f"knowledge about {self.n_columns} columns does not fit a graph of {len(a)} nodes")
        return a

    def _check(self) -> None:
        conflict = smallest(self._conflicts())
        if conflict is not None:
            raise ContradictionError(
                f"these statements contradict each other: {_listed(conflict.cause)}. Take back one of them",
                conflict.cause,
            )

    def _conflicts(self) -> Iterator[Conflict]:
        """Between statements alone: of each shape the smallest."""
        s = self.sources
        for (i, j), stated in s.required.items():
            for other in self.against(i, j):
                yield Conflict((stated, other))
        for (i, j), stated in s.adjacent.items():
            if self.absent[i, j]:
                yield Conflict((stated, *against_both(self.against(i, j), self.against(j, i))))
        if found := smallest_cycle(dict(self._forced())):
            yield Conflict(found.cause)

    def _forced(self) -> Iterator[tuple[Arrow, list[Cause]]]:
        """Yield the arrows that must be there, whatever the data say, with their causes."""
        s = self.sources
        ways: dict[Arrow, list[Cause]] = {arrow: [(stated,)] for arrow, stated in s.required.items()}
        for (i, j), stated in s.adjacent.items():
            for x, y in ((i, j), (j, i)):
                ways.setdefault((x, y), []).extend((stated, other) for other in self.against(y, x))
        yield from ((arrow, causes) for arrow, causes in ways.items() if causes)

    def _conflicts_with(self, a: Graph) -> Iterator[Conflict]:
        """With a skeleton: of each shape the smallest."""
        s = self.sources
        for i, j in np.argwhere(np.triu(self.adjacent & (a == 0))).tolist():
            stated = s.adjacent.get((i, j)) or s.required.get((i, j)) or s.required[j, i]
            yield Conflict((stated,))
        for i, j in np.argwhere(np.triu(self.absent & (a == 1))).tolist():
            yield Conflict(against_both(self.against(i, j), self.against(j, i)), ((i, j),))
        fixed = self.arrows(a)
        drawn = np.zeros_like(a)
        drawn[tuple(fixed.T)] = 1
        pairs_both_ways = drawn & drawn.T  # reported above
        if find_cycle(drawn - pairs_both_ways) and (found := smallest_cycle(dict(self._fixed_on(fixed)))):
            yield found

    def _fixed_on(self, fixed: npt.NDArray[np.intp]) -> Iterator[tuple[Arrow, list[Cause]]]:
        for i, j in fixed.tolist():
            stated = self.sources.required.get((i, j))
            yield (i, j), [(cause,) for cause in (*([stated] if stated else []), *self.against(j, i))]


def _listed(cause: Cause | list[Statement]) -> str:
    return "; ".join(map(str, cause))
