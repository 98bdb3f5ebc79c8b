"""Moves between equivalence classes of DAGs that differ by one edge (Chickering 2002, section 5).

Sets are those of the CPDAG: NA(y, x) are the neighbours of y that are adjacent to x, Pa(y) its parents.

- Insert(x, y, T), x and y not adjacent, T neighbours of y not adjacent to x: add x -> y, direct T -> y. Valid when
  NA + T is a clique and every semi-directed path from y to x runs through it (Theorem 15). What it adds is that
  of the parent x of y beside NA + T + Pa(y) (Corollary 16).
- Delete(x, y, H), x -> y or x - y, H within NA: remove the edge, direct y -> H and x -> H. Valid when NA - H is a
  clique (Theorem 17). What it takes away is the parent x of y beside NA - H + Pa(y) (Corollary 18).

Sets T and NA - H are found as cliques, never among all subsets, so that a hub costs no more than its cliques.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ml4c.graph import Adjacency, Graph
from ml4c.meek import cpdag_of
from ml4c.meek.extension import eliminate_sinks


class Operator(NamedTuple):
    """Insert(x, y, T) or Delete(x, y, H); `beside` are the parents of y beside which x is scored."""

    x: int
    y: int
    chosen: tuple[int, ...]
    beside: tuple[int, ...]


@dataclass(frozen=True)
class Kind:
    """Insertions or deletions."""

    adds: bool
    at: Callable[[Adjacency, int, int], Iterator[Operator]]
    """All operators on an ordered pair; of insertions those with a clique, whatever the paths."""
    forbidden: Callable[[Adjacency, Operator], bool]
    """Whether a path forbids the operator at present."""
    apply: Callable[[Graph, Operator], Graph]
    """The CPDAG that the operator leads to."""


def insertions(g: Adjacency, x: int, y: int) -> Iterator[Operator]:
    """List Insert(x, y, T) for nonadjacent x and y and every T that makes a clique with NA."""
    shared = g.neighbours[y] & g.adjacent[x]
    if not all(shared - g.adjacent[k] == {k} for k in shared):
        return
    free = sorted(k for k in g.neighbours[y] - g.adjacent[x] if shared <= g.adjacent[k])
    for chosen in _cliques(g, free):
        yield Operator(x, y, chosen, (*shared, *chosen, *g.parents[y]))


def deletions(g: Adjacency, x: int, y: int) -> Iterator[Operator]:
    """List Delete(x, y, H) for x -> y or x - y and every H that leaves a clique of NA."""
    shared = g.neighbours[y] & g.adjacent[x]
    for kept in _cliques(g, sorted(shared)):
        yield Operator(x, y, tuple(sorted(shared.difference(kept))), (*kept, *g.parents[y] - {x}))


def path_around(g: Adjacency, move: Operator) -> bool:
    """Tell whether a semi-directed path leads from y to x without touching NA + T."""
    blocked = (g.neighbours[move.y] & g.adjacent[move.x]) | set(move.chosen)
    seen, waiting = {move.y} | blocked, [move.y]
    while waiting:
        node = waiting.pop()
        new = (g.neighbours[node] | g.children[node]) - seen
        if move.x in new:
            return True
        seen |= new
        waiting.extend(new)
    return False


def insert(cpdag: Graph, move: Operator) -> Graph:
    """Add x -> y, direct T -> y, and return the CPDAG of what comes out."""
    drawn = cpdag.copy()
    drawn[move.x, move.y] = 1
    drawn[move.y, list(move.chosen)] = 0
    return _completed(drawn)


def delete(cpdag: Graph, move: Operator) -> Graph:
    """Remove the edge, direct y -> H and the undirected ones of x - H as x -> H, and return the CPDAG."""
    drawn, chosen = cpdag.copy(), list(move.chosen)
    drawn[move.x, move.y] = drawn[move.y, move.x] = 0
    drawn[chosen, move.y] = 0
    drawn[chosen, move.x] &= 1 - drawn[move.x, chosen]
    return _completed(drawn)


def _completed(pdag: Graph) -> Graph:
    """CPDAG of the DAGs that a valid operator's graph stands for; the theorems promise that there is one."""
    return cpdag_of(eliminate_sinks(pdag).dag)


def _cliques(g: Adjacency, nodes: list[int]) -> Iterator[tuple[int, ...]]:
    """All cliques among some nodes, the empty one first."""
    yield ()
    for place, node in enumerate(nodes):
        for clique in _cliques(g, [k for k in nodes[place + 1 :] if k in g.adjacent[node]]):
            yield (node, *clique)


INSERT = Kind(True, insertions, path_around, insert)
DELETE = Kind(False, deletions, lambda _, __: False, delete)
