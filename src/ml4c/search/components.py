"""One connected component of a skeleton as a problem in whole numbers, and what a solution of it is.

Worths become whole numbers, so that equal is equal and the order of additions cannot matter. Ties are broken by the
number of colliders, and then by a key: the sum of a number for each of them that is fixed and looks random
(`ml4c.search.orientations` states the rule).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ml4c._kernels.annealing import Objective
from ml4c._kernels.arrays import Floats, Ints
from ml4c.graph import Graph, Triples, unshielded_triples
from ml4c.search.slots import lay_out

FINEST = 1 << 16
"""Worths are rounded to this part of a unit."""
LARGEST_SUM = 1 << 61
KEY_BITS = 40


@dataclass(frozen=True, eq=False)
class Component:
    """One component in its own numbers: nodes are places in `nodes`, triples rows of numbers."""

    nodes: NDArray[np.intp]
    objective: Objective
    keys: Objective
    stated: NDArray[np.bool_]
    """For each slot: whether the neighbour is fixed as a parent of the owner."""
    n_triples: int
    typical: float
    """Mean size of a worth, as a whole number, for the temperatures."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The inward slots of an orientation, its value and its key; the value of the best other one, if known."""

    inward: NDArray[np.uint8]
    value: int
    key: int
    rival: int | None


@dataclass(frozen=True, eq=False)
class Judged:
    """All unshielded triples of a skeleton with their worths."""

    triples: Triples
    worth: Floats


def all_triples(skeleton: Graph, triples: Triples, worth: Floats) -> Judged:
    """Match the given triples with those of the skeleton; what is not given is worth 0."""
    every, d = unshielded_triples(skeleton), len(skeleton)
    x, t, y = triples.T
    given = (t * d + np.minimum(x, y)) * d + np.maximum(x, y)
    known = (every[:, 1] * d + every[:, 0]) * d + every[:, 2]  # ascending: rows are sorted by t, x, y
    full = np.zeros(len(every))
    full[np.searchsorted(known, given)] = worth
    return Judged(every, full)


def components_of(skeleton: Graph, judged: Judged, arrows: NDArray[np.intp]) -> Iterable[Component]:
    """Cut the problem into connected components with edges, in the order of their first nodes."""
    count, label = connected_components(csr_array(skeleton), directed=False)
    local = np.empty(len(label), np.intp)
    owner, neighbour = np.nonzero(skeleton)
    for number in range(count):
        nodes = np.flatnonzero(label == number)
        if len(nodes) > 1:
            local[nodes] = np.arange(len(nodes))
            mine = label[owner] == number
            its = label[judged.triples[:, 1]] == number
            yield _component(
                nodes,
                local[np.column_stack([owner, neighbour])[mine]],
                Judged(local[judged.triples[its]], judged.worth[its]),
                local[arrows[label[arrows[:, 0]] == number]],
            )


def _component(nodes: NDArray[np.intp], slots: NDArray[np.intp], judged: Judged, arrows: NDArray[np.intp]) -> Component:
    """Lay out one component; slots: rows (owner, neighbour), sorted."""
    q = lay_out(slots, len(nodes), arrows)
    degree = np.diff(q.start)
    corner = np.concatenate([[0], np.cumsum(degree**2)[:-1]]).astype(np.int64)
    unit, count = _units(len(judged.triples))
    whole = np.rint(judged.worth * unit).astype(np.int64)
    x, t, y = judged.triples.T
    first, second = q.slot(t, x) - q.start[t], q.slot(t, y) - q.start[t]
    places = np.concatenate([corner[t] + first * degree[t] + second, corner[t] + second * degree[t] + first])
    weights = _filled(int((degree**2).sum()), places, whole * count - 1)
    objective = Objective(q.neighbours, q.start, q.owner, q.reverse, q.fixed, weights, corner)
    keys = objective._replace(weights=_filled(len(objective.weights), places, _keys(judged.triples)))
    typical = count * float(np.abs(whole).mean() if len(t) else 0)
    return Component(nodes, objective, keys, q.stated, len(t), typical)


def _filled(size: int, places: NDArray[np.intp], values: Ints) -> Ints:
    squares = np.zeros(size, np.int64)
    squares[places] = np.concatenate([values, values])
    return squares


def _units(n_triples: int) -> tuple[int, int]:
    """Return what a worth of 1 becomes, and by what that is multiplied so that a collider may cost 1 to break ties."""
    count = n_triples + 1
    return max(1, min(FINEST, LARGEST_SUM // (16 * count * count))), count


def _keys(triples: Triples) -> Ints:
    """Give every triple a number that looks random, from its nodes."""
    code = np.zeros(len(triples), np.uint64)
    for column in (1, 0, 2):
        code = _scrambled(code * np.uint64(0x9E3779B97F4A7C15) + triples[:, column].astype(np.uint64) + np.uint64(1))
    return (code >> np.uint64(64 - KEY_BITS)).astype(np.int64) + 1


def _scrambled(code: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit words (the finaliser of splitmix64)."""
    code = (code ^ (code >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return code ^ (code >> np.uint64(31))


def worth_of(component: Component, value: int) -> float:
    """Return a value as a sum of worths: the number of colliders, by which it was lessened, rounds away."""
    unit, count = _units(component.n_triples)
    return -(-value // count) / unit


def unit_of(component: Component) -> float:
    """Return a worth of 1 as a whole number: the temperature at which orientations are as probable as their worth."""
    unit, count = _units(component.n_triples)
    return float(unit * count)
