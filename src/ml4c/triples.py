"""Unshielded triples with their vicinities and separating sets (METHOD section 1).

For <X, T, Y> with X - T - Y and X, Y not adjacent, a separating set is a subset of PC_X + T or of PC_Y + T, of at most
two members, given which X and Y are independent at p > 0.01. When none is, the set with the largest p-value stands
in. Nodes are worked on in the order of their names, so nothing depends on the order of columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcinv

from ml4c import graph
from ml4c._kernels.arrays import Floats, Ints
from ml4c._kernels.vicinity import Sepsets, Skeleton, choose_sepsets, list_candidates
from ml4c.citest import CITest
from ml4c.errors import GraphError

BATCH = 1 << 20
"""Questions asked at a time: bounds the memory of a network of any size."""


@dataclass(frozen=True)
class Limits:
    """How far a triple is looked at; the defaults are the paper's and its reference's."""

    alpha: float = 0.01
    """X and Y are independent where the p-value is larger."""
    largest_sepset: int = 2
    sepsets: int = 50
    pairs: int = 100
    """Pairs in a list of bivariables."""
    combinations: int = 1000
    """Questions in a cell, i.e. a list of bivariables under a list of conditionals."""


PAPER = Limits()


@dataclass(frozen=True, eq=False)
class Vicinity:
    """A skeleton with nodes in the order of their names, and its unshielded triples."""

    skeleton: Skeleton
    column: NDArray[np.int32]
    """The column number of each node."""
    triples: Ints
    """(triples, 3): nodes X, T, Y; the name of X before that of Y."""

    def in_columns(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Turn node numbers into column numbers; -1 stays."""
        return np.where(nodes >= 0, self.column[nodes], np.int32(-1))


def vicinity_of(skeleton: ArrayLike, names: Sequence[str]) -> Vicinity:
    """Prepare a skeleton (or the skeleton of any graph) over named columns."""
    matrix = graph.skeleton(graph.as_graph(skeleton))
    if len(matrix) != len(names):
        raise GraphError(f"the skeleton has {len(matrix)} nodes and the data {len(names)} columns.")
    column = np.array(sorted(range(len(names)), key=names.__getitem__), np.int32)
    adjacent = np.ascontiguousarray(matrix[np.ix_(column, column)], np.uint8)
    rows, neighbours = np.nonzero(adjacent)
    start = np.searchsorted(rows, np.arange(len(names) + 1))
    hashes = [int.from_bytes(blake2b(names[c].encode(), digest_size=8).digest(), "little") for c in column]
    prepared = Skeleton(neighbours.astype(np.int64), start.astype(np.int64), adjacent, np.array(hashes, np.uint64))
    triples = graph.unshielded_triples(adjacent.astype(np.int8))
    return Vicinity(prepared, column, np.ascontiguousarray(triples, np.int64))


def find_sepsets(test: CITest, vicinity: Vicinity, limits: Limits = PAPER) -> Sepsets:
    """Return the separating sets of every triple."""
    parts = [_sepsets_of(test, vicinity, part, limits) for part in _batches(vicinity, limits.largest_sepset)]
    members = np.concatenate([np.empty((0, limits.largest_sepset), np.int32), *(p.members for p in parts)])
    counts = np.concatenate([np.empty(0, np.int64), *(np.diff(p.start) for p in parts)])
    return Sepsets(members, _offsets(counts))


def share_with_middle(vicinity: Vicinity, sepsets: Sepsets) -> Floats:
    """Return the share of each triple's separating sets that contain T.

    With an oracle and sets of any size it is 0 for every v-structure and 1 for every other triple. (The feature
    olp(T,S) is the same but for empty sets, which count as 1 there.)
    """
    counts = np.diff(sepsets.start)
    has_middle = (sepsets.members == np.repeat(vicinity.triples[:, 1], counts)[:, None]).any(axis=1)
    total = np.concatenate([[0], np.cumsum(has_middle)])
    return np.asarray((total[sepsets.start[1:]] - total[sepsets.start[:-1]]) / counts)


def _batches(vicinity: Vicinity, largest: int) -> Iterator[Ints]:
    """Cut the triples into parts of about BATCH candidates."""
    part = np.cumsum(_count(vicinity, vicinity.triples, largest)) // BATCH
    for number in np.unique(part):
        yield vicinity.triples[part == number]


def _sepsets_of(test: CITest, vicinity: Vicinity, triples: Ints, limits: Limits) -> Sepsets:
    largest = limits.largest_sepset
    counts = _count(vicinity, triples, largest)
    start = _offsets(counts)
    sets = np.empty((int(start[-1]), largest), np.int32)
    list_candidates(vicinity.skeleton, triples, largest, np.empty(largest + 1, np.int64), counts, sets)
    ends = np.repeat(triples[:, [0, 2]], counts, axis=0).astype(np.int32)
    severity = np.ascontiguousarray(test.dependence(vicinity.in_columns(np.hstack([ends, sets]))).severity)
    hurdle = float(np.sqrt(2.0) * erfcinv(limits.alpha))
    chosen, chosen_start = np.empty(len(sets), np.int32), np.zeros(len(triples) + 1, np.int64)
    candidates = Sepsets(sets, start)
    choose_sepsets(vicinity.skeleton, triples, candidates, severity, hurdle, limits.sepsets, chosen, chosen_start)
    return Sepsets(sets[chosen[: chosen_start[-1]]], chosen_start)


def _count(vicinity: Vicinity, triples: Ints, largest: int) -> Ints:
    """Count the candidates of each triple."""
    counts = np.zeros(len(triples), np.int64)
    nowhere = np.empty((0, largest), np.int32)
    list_candidates(vicinity.skeleton, triples, largest, np.empty(largest + 1, np.int64), counts, nowhere)
    return counts


def _offsets(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
