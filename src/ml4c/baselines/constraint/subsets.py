"""Sets to condition on: the subsets of many pools of columns, size by size, and what a test says given each of them.

A case is an unshielded triple with the two pools that its sets come from: neighbours or blankets of its ends. All sets
of one size of all cases are one batch of questions. A hub has 2^degree sets, so `Effort` bounds both their size and
their number: where a pool has more than `most_sets` sets of one size, their list is cut into that many stretches and
one set of each is drawn, by a generator whose seed is a hash of the names of the two ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ml4c.citest import CITest
from ml4c.graph import Graph, Triples
from ml4c.search.subsets import unrank
from ml4c.skeleton.pairs import Columns, Floats, Ints, Mask
from ml4c.skeleton.verdicts import normal_deviate


@dataclass(frozen=True)
class Effort:
    """How a question is decided, and how many of them are asked."""

    alpha: float
    """X and Y are independent where the p-value is larger."""
    largest: int
    """Size of the largest sets."""
    most_sets: int
    """Sets of one size that are taken from one pool."""


@dataclass(frozen=True, eq=False)
class Cases:
    """Unshielded triples <x, t, y>, each with a pool of x and one of y: rows filled from the left, then -1."""

    triples: Triples
    pools: tuple[Columns, Columns]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.triples)

    def sizes(self, effort: Effort) -> range:
        """Return the sizes of the sets that there are, and are to be asked about."""
        return range(min(effort.largest, max(pool.shape[1] for pool in self.pools)) + 1)

    def take(self, rows: Ints) -> Cases:
        """Return some of the cases."""
        of_x, of_y = self.pools
        return Cases(self.triples[rows], (of_x[rows], of_y[rows]), self.names)


@dataclass(frozen=True, eq=False)
class Answers:
    """What the test said about the ends of cases given sets: the case, the set (-1 for none), p-value and deviate."""

    case: Ints
    sets: Columns
    p_value: Floats
    z: Floats
    """G2 in standard deviations from independence: ranks dependences whose p-values underflow."""

    def best(self) -> Ints:
        """Return, for each case that has answers, the row of the largest p-value; on a tie of the smallest deviate."""
        order = np.lexsort((self.z, -self.p_value, self.case))
        _, first = np.unique(self.case[order], return_index=True)
        return np.asarray(order[first])


def neighbour_cases(skeleton: Graph, triples: Triples, names: tuple[str, ...]) -> Cases:
    """Return the cases of triples whose pools are the neighbours of x and those of y."""
    near = padded(skeleton.astype(np.bool_))
    return Cases(triples, (near[triples[:, 0]], near[triples[:, 2]]), names)


def padded(mask: Mask) -> Columns:
    """Return the marked columns of every row, ascending, then -1."""
    counts = mask.sum(axis=1)
    listed = np.full((len(mask), int(counts.max(initial=0))), -1, np.int32)
    row, column = np.nonzero(mask)
    listed[row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)] = column
    return listed


def without(pool: Columns, column: NDArray[Any]) -> Columns:
    """Return the pools without one column each, which may or may not be in them."""
    gone = pool == column[:, None]
    order = np.argsort(gone | (pool < 0), axis=1, kind="stable")
    return np.take_along_axis(np.where(gone, -1, pool), order, axis=1)


def ask_given_subsets(test: CITest, cases: Cases, size: int, most_sets: int, *, with_middle: bool = False) -> Answers:
    """Ask about x and y of every case given each set of one size from its pools, with t added if so wanted.

    A set that is in both pools is asked about once.
    """
    (case_x, sets_x), (case_y, sets_y) = (_subsets(cases, pool, size, most_sets) for pool in cases.pools)
    new = ~_within(cases.pools[0], case_y, sets_y, len(cases.names))
    case, sets = np.concatenate([case_x, case_y[new]]), np.concatenate([sets_x, sets_y[new]])
    if with_middle:
        sets = np.column_stack([sets, cases.triples[case, 1].astype(np.int32)])
    return ask(test, cases.triples, case, sets)


def ask(test: CITest, triples: Triples, case: Ints, sets: Columns) -> Answers:
    """Ask about x and y of the triple of each set, given that set."""
    found = test.association(np.column_stack([triples[case][:, [0, 2]].astype(np.int32), sets]))
    return Answers(case, sets, found.g2_p_value, normal_deviate(found.g2, found.dof))


def _subsets(cases: Cases, pool: Columns, size: int, most_sets: int) -> tuple[Ints, Columns]:
    """List the sets of one size from each pool, with their cases."""
    in_pool = (pool >= 0).sum(axis=1)
    total = np.array([comb(n, size) for n in range(pool.shape[1] + 1)], np.int64)[in_pool]
    counts = np.minimum(total, most_sets)
    begin = np.cumsum(counts) - counts
    case = np.repeat(np.arange(len(pool)), counts)
    rank = np.arange(len(case)) - begin[case]
    for i in np.flatnonzero(total > most_sets).tolist():
        x, _, y = cases.triples[i].tolist()
        key = (cases.names[x], cases.names[y], str(size))
        rank[begin[i] : begin[i] + most_sets] = _one_of_each_stretch(int(total[i]), most_sets, key)
    return case, pool[case[:, None], unrank(rank, size)]


def _one_of_each_stretch(total: int, most: int, key: Sequence[str]) -> Ints:
    """Draw `most` different numbers below `total`."""
    seed = int.from_bytes(blake2b("\0".join(key).encode(), digest_size=8).digest(), "little")
    ends = np.arange(most + 1) * total // most
    return np.random.default_rng(seed).integers(ends[:-1], ends[1:])


def _within(pool: Columns, case: Ints, sets: Columns, n_columns: int) -> Mask:
    """Tell which sets lie within the pool of their case."""
    inside = np.zeros((len(pool), n_columns + 1), np.bool_)
    inside[np.arange(len(pool))[:, None], pool] = True  # -1 marks the last place, which is nobody's
    return np.asarray(inside[case[:, None], sets].all(axis=1))
