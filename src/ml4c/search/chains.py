"""How often a triple is a collider, when orientations of a skeleton are as probable as a score says.

The orientations of the whole skeleton are walked by Markov chains under the sum of a local score, at falling
temperatures: at a high one the score hardly matters, at 1 the walk follows the score's own posterior, at 0 it climbs to
the best orientation in reach. Triples of which the score is sure are the same at all temperatures; the others are not,
which is what a learner can use.

The score of every node with every set of neighbours that may be its parents is computed beforehand, in one batch
(`parent_sets`). Sets are left out, as if they were no parent sets, when a node has too many of them, the large
ones first, and when their configurations outnumber the rows so much that no score would choose them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels import chains
from ml4c._kernels.arrays import Floats, Ints
from ml4c.graph import Graph, Triples
from ml4c.search.slots import Layout, lay_out, new_orientation
from ml4c.search.subsets import first_sets

MOST_PARENTS = 6
MOST_SETS = 2500
"""Sets of a node's neighbours that are scored, about: bounds the work at hubs."""
MOST_TRIPLETS = 4000
"""The same for sets of up to three, so that hubs of 28 neighbours still have them; pairs are never left out."""
LEAST_BITS, MOST_BITS = 12, 16
"""Neighbours up to which a node has a table of all their sets: the more, the quicker are walks over hubs."""
MOST_PLACES = 1 << 22
"""Places of these tables, from which on fewer nodes have one."""
CONFIGURATIONS_PER_ROW = 4.0
"""Sets of three or more whose cardinalities multiply to more than this are left out."""
START = 1000.0
"""Temperature at which a walk begins."""
END = 0.05
"""Temperature down to which it cools before it climbs."""
STARTS = 3
"""Walks, each from an orientation of its own: where a score has several summits, they see more than one."""
SWEEPS = 60
"""Moves for each edge between two temperatures."""
LOOKS = 100
"""Looks at the colliders at each temperature, half as many moves as edges apart."""


@dataclass(frozen=True, eq=False)
class ParentSets:
    """All sets of neighbours that may be parents, as families to score; numbered as `_kernels.chains` looks them up."""

    layout: Layout
    families: NDArray[np.int32]
    """Rows node, parents, -1."""
    first: Ints
    largest: Ints
    choose: Ints
    scored: NDArray[np.bool_]
    """Which families are worth scoring."""
    begin_bits: Ints
    """For each node: where its terms begin in a table by the bits of its parents; -1 for too many neighbours."""
    place: Ints
    """For each family: where it stands in that table, -1 for nowhere."""
    larger: Floats
    """That table with what sets larger than those listed cost."""


def parent_sets(skeleton: Graph, cards: Ints, n_rows: int) -> ParentSets:
    """List the sets of neighbours of every node of a skeleton over columns of these cardinalities."""
    n = len(skeleton)
    layout = lay_out(np.argwhere(skeleton), n, np.empty((0, 2), np.intp))
    degree = np.diff(layout.start)
    largest = np.array([_largest(int(k)) for k in degree], np.int64)
    begin_bits, larger = _by_bits(degree, largest)
    first = np.zeros((n, MOST_PARENTS + 1), np.int64)
    listed, places, at = [], [], 0
    for v in range(n):
        near = layout.neighbours[layout.start[v] : layout.start[v + 1]]
        for size in range(int(largest[v]) + 1):
            first[v, size] = at
            members = first_sets(comb(len(near), size), size)
            sets = np.full((len(members), 1 + MOST_PARENTS), -1, np.int32)
            sets[:, 0] = v
            sets[:, 1 : 1 + size] = near[members]
            listed.append(sets)
            few = begin_bits[v] >= 0
            places.append(begin_bits[v] + (1 << members).sum(axis=1) if few else np.full(len(members), -1))
            at += len(sets)
    families = np.concatenate(listed) if listed else np.empty((0, 1 + MOST_PARENTS), np.int32)
    place = np.concatenate(places) if places else np.empty(0, np.int64)
    parents = families[:, 1:]
    log_card = np.append(np.log(cards), 0.0)  # -1, for no parent, is the last place
    few = log_card[parents].sum(axis=1) <= np.log(CONFIGURATIONS_PER_ROW * max(n_rows, 1))
    scored = few | ((parents >= 0).sum(axis=1) <= 2)
    choose = np.array([[comb(a, b) for b in range(MOST_PARENTS + 1)] for a in range(int(degree.max(initial=0)) + 1)])
    return ParentSets(layout, families, first, largest, choose.astype(np.int64), scored, begin_bits, place, larger)


def _by_bits(degree: Ints, largest: Ints) -> tuple[Ints, Floats]:
    """Lay out the table of all sets of neighbours by their bits, for nodes of few; fill in what larger sets cost."""
    few = degree <= _bits_at_most(degree)
    size = np.where(few, 1 << np.minimum(degree, MOST_BITS), 0)
    begin = np.where(few, np.cumsum(size) - size, -1)
    ones = np.zeros(1, np.int64)
    for _ in range(int(degree[few].max(initial=0))):
        ones = np.concatenate([ones, ones + 1])
    larger = [chains.FORBIDDEN * (ones[:k] - most) for k, most in zip(size.tolist(), largest.tolist(), strict=True)]
    return begin, np.concatenate(larger) if larger else np.empty(0)


def _bits_at_most(degree: Ints) -> int:
    """Return up to how many neighbours a node has a table."""
    places = (int((1 << degree[degree <= bits]).sum()) for bits in range(LEAST_BITS, MOST_BITS + 1))
    return LEAST_BITS - 1 + max(1, sum(taken <= MOST_PLACES for taken in places))


def _largest(degree: int) -> int:
    """Return the largest size of which all sets of so many neighbours are listed."""
    size, total = min(degree, 2), 1 + degree + comb(degree, 2)
    while size < min(degree, MOST_PARENTS):
        total += comb(degree, size + 1)
        if total > (MOST_TRIPLETS if size == 2 else MOST_SETS):
            break
        size += 1
    return size


@dataclass(frozen=True, eq=False)
class Walk:
    """What a walk saw of each triple: the share of looks in which it was a collider, and whether it ended as one."""

    frequency: Floats
    """(temperatures, triples)"""
    best: NDArray[np.bool_]
    inward: NDArray[np.uint8]
    """The slots of the last orientation."""
    value: float
    """Its score."""


def walk_orientations(
    sets: ParentSets, scores: Floats, triples: Triples, temperatures: tuple[float, ...], seed: int
) -> Walk:
    """Walk over the orientations of a skeleton under the scores of its parent sets, from hot to cold, a few times.

    scores: of `sets.families`; those that are not `sets.scored` do not matter. triples: unshielded, rows (x, t, y).
    Frequencies are means over the walks; the best orientation is the best of their ends.
    """
    unscored = chains.FORBIDDEN * (sets.families[:, 1:] >= 0).mean(axis=1)
    table = np.where(sets.scored, scores, unscored)
    q = _local_terms(sets, table)
    x, t, y = triples.T
    first, second = sets.layout.slot(t, x), sets.layout.slot(t, y)
    walks = [_walk(q, first, second, temperatures, np.random.default_rng([seed, i])) for i in range(STARTS)]
    best = max(walks, key=lambda walk: walk.value)
    return replace(best, frequency=np.mean([walk.frequency for walk in walks], axis=0))


def _local_terms(sets: ParentSets, table: Floats) -> chains.LocalTerms:
    layout, few = sets.layout, sets.place >= 0
    by_bits = sets.larger.copy()
    by_bits[sets.place[few]] = table[few]
    number = np.arange(len(layout.owner)) - layout.start[layout.owner]
    bit = np.where(sets.begin_bits[layout.owner] >= 0, 1 << np.minimum(number, MOST_BITS), 0)
    return chains.LocalTerms(*layout[:5], table, sets.first, sets.largest, sets.choose, by_bits, sets.begin_bits, bit)


def _walk(
    q: chains.LocalTerms, first: Ints, second: Ints, temperatures: tuple[float, ...], rng: np.random.Generator
) -> Walk:
    """Walk once, looking at how often both slots of each pair are inward; a slot may be paired with itself."""
    n, n_edges = len(q.largest), len(q.owner) // 2
    state = new_orientation(q, rng.permutation(n).astype(np.int64), rng)
    standing = chains.Standing(np.empty(n), np.empty(n, np.int64))
    chains.begin(q, state, standing)
    frequency, hot = np.empty((len(temperatures), len(first))), START
    for row, temperature in enumerate(temperatures):
        seen = chains.Pairs(first, second, np.zeros(len(first), np.int64))
        chains.walk(q, state, standing, SWEEPS * n_edges, hot, temperature)
        chains.observe(q, state, standing, LOOKS, max(1, n_edges // 2), temperature, seen)
        frequency[row], hot = seen.count / LOOKS, temperature
    chains.walk(q, state, standing, SWEEPS * n_edges, hot, END)
    chains.climb(q, state, standing)
    best = (state.inward[first] & state.inward[second]) == 1
    return Walk(frequency, best, state.inward, float(standing.terms.sum()))
