"""Walking the vicinities of unshielded triples: which questions their features ask (METHOD sections 1 and 3).

Nodes are numbered in the order of their names, and every walk follows that order, so no list depends on the order of
columns. A list that is too long is thinned to a fixed length: it is cut into that many stretches, and one item
of each is kept, chosen by a hash of the triple's names.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats, Ints, Words, kernel, step
from ml4c._kernels.hashing import scramble

PAIR_LISTS, CONDITION_LISTS = 4, 5
CELLS = PAIR_LISTS * CONDITION_LISTS
GIVEN_T, GIVEN_S, GIVEN_S_T, GIVEN_I, GIVEN_S_I = range(CONDITION_LISTS)


class Skeleton(NamedTuple):
    """An undirected graph over nodes in the order of their names."""

    neighbours: Ints
    """Neighbours of node v: `neighbours[start[v]:start[v + 1]]`, ascending."""
    start: Ints
    adjacent: NDArray[np.uint8]
    hashes: Words
    """A hash of each node's name."""


class Sepsets(NamedTuple):
    """Sets of nodes; those of triple i are rows `start[i]:start[i + 1]`, -1 where a set is smaller."""

    members: NDArray[np.int32]
    start: Ints


class Walk(NamedTuple):
    """Room to work in: the lists of pairs of one triple, and one condition."""

    pairs: Ints
    """(pair lists, most pairs, 2)"""
    n_pairs: Ints
    condition: Ints


@step
def _seed_of(skeleton: Skeleton, triples: Ints, i: int, purpose: int) -> int:
    """Hash the names of a triple, X and Y in either order, and what is to be chosen."""
    ends = skeleton.hashes[triples[i, 0]] + skeleton.hashes[triples[i, 2]]
    return scramble(scramble(skeleton.hashes[triples[i, 1]] ^ np.uint64(purpose)) + ends)


@step
def _chosen(j: int, total: int, most: int, seed: int) -> int:
    """Return the j-th of `most` positions out of `total`: one in each stretch."""
    low, high = j * total // most, (j + 1) * total // most
    return low + np.int64(scramble(seed + np.uint64(j)) % np.uint64(high - low))


@step
def _next_combination(picks: Ints, size: int, n: int) -> bool:
    """Move to the next `size` of n places in lexicographic order; False after the last."""
    i = size - 1
    while i >= 0 and picks[i] == n - size + i:
        i -= 1
    if i < 0:
        return False
    picks[i] += 1
    for k in range(i + 1, size):
        picks[k] = picks[k - 1] + 1
    return True


@kernel
def list_candidates(
    skeleton: Skeleton, triples: Ints, largest: int, picks: Ints, counts: Ints, out: NDArray[np.int32]
) -> None:
    """Count, and write if `out` has room, the subsets of PC_X + T and of PC_Y + T for each triple."""
    place = 0
    for i in range(triples.shape[0]):
        before = place
        for end in range(2):
            node, other = triples[i, 2 * end], triples[i, 0]
            near = skeleton.neighbours[skeleton.start[node] : skeleton.start[node + 1]]
            for size in range(end, min(largest, near.shape[0]) + 1):
                for k in range(size):
                    picks[k] = k
                more = True
                while more:
                    # A subset that both ends have was listed with X.
                    known = end == 1
                    for k in range(size):
                        known = known and skeleton.adjacent[other, near[picks[k]]] == 1
                    if not known:
                        if place < out.shape[0]:
                            for k in range(largest):
                                out[place, k] = near[picks[k]] if k < size else -1
                        place += 1
                    more = _next_combination(picks, size, near.shape[0])
        counts[i] = place - before


@kernel
def choose_sepsets(
    skeleton: Skeleton,
    triples: Ints,
    candidates: Sepsets,
    severity: Floats,
    hurdle: float,
    most: int,
    chosen: NDArray[np.int32],
    start: Ints,
) -> None:
    """Keep the candidates with severity below the hurdle, at most so many; or the one with the least severity.

    `chosen` receives candidate numbers, those of triple i in `start[i]:start[i + 1]`.
    """
    place = 0
    for i in range(triples.shape[0]):
        begin, end = candidates.start[i], candidates.start[i + 1]
        total = 0
        best = begin
        for c in range(begin, end):
            total += severity[c] < hurdle
            if severity[c] < severity[best]:
                best = c
        if total == 0:
            chosen[place] = best
            place += 1
        else:
            seed = _seed_of(skeleton, triples, i, 0)
            kept = min(total, most)
            j = 0
            position = 0
            for c in range(begin, end):
                if severity[c] < hurdle and j < kept:
                    if total <= most or position == _chosen(j, total, most, seed):
                        chosen[place] = c
                        place += 1
                        j += 1
                    position += 1
        start[i + 1] = place


@step
def _is_pair(skeleton: Skeleton, x: int, t: int, y: int, kind: int, a: int, b: int) -> bool:
    """Tell whether (a, b) belongs to a list of bivariables: different, not adjacent, and not listed already."""
    if a == b or skeleton.adjacent[a, b] == 1:
        return False
    if kind == 3:
        # As an unordered pair of PC_X and PC_Y, (b, a) was listed if a and b are near both.
        twice = a > b and skeleton.adjacent[x, b] == 1 and skeleton.adjacent[y, a] == 1
        return not twice and a != t and b != t
    return True


@step
def _list_pairs(skeleton: Skeleton, triples: Ints, i: int, walk: Walk) -> None:
    """List the bivariables X~Y, X~PC_Y, Y~PC_X, PC_X~PC_Y of a triple, thinned."""
    x, t, y = triples[i, 0], triples[i, 1], triples[i, 2]
    near_x = skeleton.neighbours[skeleton.start[x] : skeleton.start[x + 1]]
    near_y = skeleton.neighbours[skeleton.start[y] : skeleton.start[y + 1]]
    most = walk.pairs.shape[1]
    walk.pairs[0, 0, 0] = x
    walk.pairs[0, 0, 1] = y
    walk.n_pairs[0] = 1
    for kind in range(1, PAIR_LISTS):
        n_left = near_x.shape[0] if kind == 3 else 1
        n_right = near_x.shape[0] if kind == 2 else near_y.shape[0]
        total = 0
        for count_only in range(2):
            kept = 0
            position = 0
            for left in range(n_left):
                a = near_x[left] if kind == 3 else (y if kind == 2 else x)
                for right in range(n_right):
                    b = near_x[right] if kind == 2 else near_y[right]
                    if b == t or not _is_pair(skeleton, x, t, y, kind, a, b):
                        continue
                    if count_only == 0:
                        total += 1
                    elif kept < most:
                        seed = _seed_of(skeleton, triples, i, kind)
                        if total <= most or position == _chosen(kept, total, most, seed):
                            walk.pairs[kind, kept, 0] = a
                            walk.pairs[kind, kept, 1] = b
                            kept += 1
                    position += 1
        walk.n_pairs[kind] = kept


@step
def _condition(
    skeleton: Skeleton, triples: Ints, sepsets: Sepsets, i: int, kind: int, number: int, condition: Ints
) -> int:
    """Write the members of one conditional of a triple; return their number, or -1 if there is no such conditional."""
    x, t, y = triples[i, 0], triples[i, 1], triples[i, 2]
    near_t = skeleton.neighbours[skeleton.start[t] : skeleton.start[t + 1]]
    size = 0
    s, extra = -1, -1
    if kind == GIVEN_T:
        extra = t
    elif kind == GIVEN_I:
        extra = near_t[number]
    elif kind == GIVEN_S_I:
        s, extra = number // near_t.shape[0], near_t[number % near_t.shape[0]]
    else:
        s = number
        extra = t if kind == GIVEN_S_T else -1
    if kind >= GIVEN_I and extra in (x, y):
        return -1
    if s >= 0:
        row = sepsets.members[sepsets.start[i] + s]
        for k in range(row.shape[0]):
            if row[k] >= 0:
                condition[size] = row[k]
                size += 1
                if row[k] == extra:
                    if kind == GIVEN_S_I:
                        return -1
                    extra = -1
    if extra >= 0:
        condition[size] = extra
        size += 1
    return size


@step
def _n_conditions(skeleton: Skeleton, triples: Ints, sepsets: Sepsets, i: int, kind: int) -> int:
    t = triples[i, 1]
    n_near = skeleton.start[t + 1] - skeleton.start[t]
    n_sets = sepsets.start[i + 1] - sepsets.start[i]
    if kind == GIVEN_T:
        return 1
    if kind == GIVEN_I:
        return n_near
    return n_sets * n_near if kind == GIVEN_S_I else n_sets


@kernel
def ask_cells(
    skeleton: Skeleton,
    triples: Ints,
    sepsets: Sepsets,
    wanted: NDArray[np.uint8],
    most: int,
    walk: Walk,
    sizes: Ints,
    out: NDArray[np.int32],
) -> None:
    """Write the questions of the wanted cells of all triples, one after the other; `sizes` is (triples, CELLS).

    Called twice: without room in `out` it fills in the number of combinations of every cell, before thinning; then,
    with that known, it writes at most `most` of each.
    """
    writing = out.shape[0] > 0
    place = 0
    for i in range(triples.shape[0]):
        _list_pairs(skeleton, triples, i, walk)
        for kind in range(CONDITION_LISTS):
            for pair_list in range(PAIR_LISTS):
                cell = kind * PAIR_LISTS + pair_list
                if not wanted[cell]:
                    continue
                seed = _seed_of(skeleton, triples, i, 16 + cell)
                total = sizes[i, cell] if writing else 0
                position = 0
                kept = 0
                for number in range(_n_conditions(skeleton, triples, sepsets, i, kind)):
                    size = _condition(skeleton, triples, sepsets, i, kind, number, walk.condition)
                    if size < 0:
                        continue
                    for p in range(walk.n_pairs[pair_list]):
                        a, b = walk.pairs[pair_list, p, 0], walk.pairs[pair_list, p, 1]
                        apart = True
                        for k in range(size):
                            apart = apart and walk.condition[k] != a and walk.condition[k] != b
                        if not apart:
                            continue
                        if writing and kept < most and (total <= most or position == _chosen(kept, total, most, seed)):
                            out[place, 0] = a
                            out[place, 1] = b
                            for k in range(out.shape[1] - 2):
                                out[place, 2 + k] = walk.condition[k] if k < size else -1
                            place += 1
                            kept += 1
                        position += 1
                if not writing:
                    sizes[i, cell] = position
