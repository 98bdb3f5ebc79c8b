"""The 755 features of an unshielded triple (METHOD section 3), for all triples of a skeleton in batches.

Five scalings, seven overlaps, the p-value and severity of X~Y|T, and for the nineteen other combinations of bivariables
and conditionals the size of the list of answers, their moments and a kernel mean embedding. The two ends of a triple
are exchangeable: of the two orders the one is taken whose features of X come first (largest neighbourhood, then the
features in their order), so exchanging X and Y changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c._kernels.arrays import Floats, Ints
from ml4c._kernels.summaries import describe_triples, summarise_cells
from ml4c._kernels.vicinity import CELLS, PAIR_LISTS, Sepsets, Walk, ask_cells
from ml4c.citest import CITest
from ml4c.embedding import DIMENSION, Embedding
from ml4c.triples import BATCH, PAPER, Limits, Vicinity, find_sepsets, vicinity_of

BIVARIABLES = ("X~Y", "X~PC_Y", "Y~PC_X", "PC_X~PC_Y")
CONDITIONALS = ("T", "S", "S+T", "PC_T", "S+PC_T")
SCALINGS = ("|PC_T|", "|PC_X|", "|PC_Y|", "sepsets", "mean sepset size")
OVERLAPS = (
    "olp(PC_X,PC_Y)",
    "olp(PC_X,PC_T)",
    "olp(PC_Y,PC_T)",
    "olp(T,S)",
    "olp(PC_X,S)",
    "olp(PC_Y,S)",
    "olp(PC_T,S)",
)
MOMENTS = ("mean", "std", "max", "min")
QUANTITIES = ("p", "severity")

Progress = Callable[[int, int], None]
"""Called with the number of triples done and the number of all."""


def _cell_names(cell: str) -> tuple[str, ...]:
    moments = [f"{cell} {quantity} {moment}" for quantity in QUANTITIES for moment in MOMENTS]
    embedded = [f"{cell} {quantity} kme{j:02d}" for quantity in QUANTITIES for j in range(1, DIMENSION + 1)]
    return (f"{cell} size", *moments, *embedded)


_CELL_NAMES = [f"{pair}|{given}" for given in CONDITIONALS for pair in BIVARIABLES]
FEATURE_NAMES: tuple[str, ...] = (
    *SCALINGS,
    *OVERLAPS,
    *(f"{_CELL_NAMES[0]} {quantity}" for quantity in QUANTITIES),
    *(name for cell in _CELL_NAMES[1:] for name in _cell_names(cell)),
)
"""The names of the features, in the order of the columns of a feature matrix."""

_CELL_WIDTH = len(_cell_names(""))
_GENERAL = len(SCALINGS) + len(OVERLAPS)


@dataclass(frozen=True, eq=False)
class TripleFeatures:
    """The unshielded triples of a skeleton and their features."""

    triples: NDArray[np.int64]
    """(triples, 3): column numbers of X, T, Y."""
    matrix: Floats
    """(triples, 755), in the order of FEATURE_NAMES."""


def triple_features(
    test: CITest, skeleton: ArrayLike, *, embedding: Embedding, progress: Progress | None = None
) -> TripleFeatures:
    """Compute the features of every unshielded triple of a skeleton over the columns of a test."""
    vicinity = vicinity_of(skeleton, test.names)
    matrix = in_canonical_order(raw_features(test, vicinity, embedding, progress=progress))
    return TripleFeatures(vicinity.column[vicinity.triples].astype(np.int64), matrix)


def raw_features(
    test: CITest,
    vicinity: Vicinity,
    embedding: Embedding,
    limits: Limits = PAPER,
    *,
    progress: Progress | None = None,
) -> Floats:
    """Compute the features of every triple with X and Y as they stand in the vicinity."""
    sepsets = find_sepsets(test, vicinity, limits)
    general = np.empty((len(vicinity.triples), _GENERAL))
    describe_triples(vicinity.skeleton, vicinity.triples, sepsets, general)
    cells = _Cells(vicinity, sepsets, limits)
    matrix = np.empty((len(vicinity.triples), len(FEATURE_NAMES)))
    matrix[:, :_GENERAL] = general
    part = np.cumsum(cells.sizes.sum(axis=1)) // BATCH
    for number in np.unique(part):
        begin, end = np.searchsorted(part, [number, number + 1]).tolist()
        matrix[begin:end, _GENERAL:] = cells.answered(test, embedding, begin, end)
        if progress is not None:
            progress(end, len(matrix))
    return matrix


class _Cells:
    """The twenty cells of every triple: bivariables under conditionals."""

    def __init__(self, vicinity: Vicinity, sepsets: Sepsets, limits: Limits) -> None:
        self._vicinity, self._sepsets, self._limits = vicinity, sepsets, limits
        self._combinations = np.zeros((len(vicinity.triples), CELLS), np.int64)
        self._walk(vicinity.triples, sepsets, self._combinations, self._room_for_questions(0))
        self.sizes: Ints = np.minimum(self._combinations, limits.combinations)

    def answered(self, test: CITest, embedding: Embedding, begin: int, end: int) -> Floats:
        """Ask the questions of some triples, and summarise the answers."""
        start = self._sepsets.start
        some = Sepsets(self._sepsets.members[start[begin] : start[end]], start[begin : end + 1] - start[begin])
        sizes = self.sizes[begin:end]
        questions = self._room_for_questions(int(sizes.sum()))
        self._walk(self._vicinity.triples[begin:end], some, self._combinations[begin:end], questions)
        severity = np.ascontiguousarray(test.dependence(self._vicinity.in_columns(questions)).severity)
        out = np.empty((end - begin, CELLS * _CELL_WIDTH))
        weights, phases = np.array(embedding.weights), np.array(embedding.phases)
        summarise_cells(sizes, severity, weights, phases, np.empty_like(severity), out)
        # Of the first cell, the single number X~Y|T, only the value itself is kept.
        return np.hstack([out[:, [1, 1 + len(MOMENTS)]], out[:, _CELL_WIDTH:]])

    def _room_for_questions(self, count: int) -> NDArray[np.int32]:
        return np.empty((count, 3 + self._sepsets.members.shape[1]), np.int32)

    def _walk(self, triples: Ints, sepsets: Sepsets, sizes: Ints, out: NDArray[np.int32]) -> None:
        room = Walk(
            np.empty((PAIR_LISTS, self._limits.pairs, 2), np.int64),
            np.zeros(PAIR_LISTS, np.int64),
            np.empty(sepsets.members.shape[1] + 1, np.int64),
        )
        ask_cells(self._vicinity.skeleton, triples, sepsets, self._limits.combinations, room, sizes, out)


def _mirror() -> NDArray[np.intp]:
    """Return, for each feature, the place of the one that takes its role when X and Y are exchanged."""
    place = {name: i for i, name in enumerate(FEATURE_NAMES)}
    exchanged = str.maketrans("XY", "YX")
    mirrored = []
    for name in FEATURE_NAMES:
        other = name.translate(exchanged)
        if other not in place:  # the unordered lists and overlaps name X first
            other = name
        mirrored.append(place[other])
    return np.array(mirrored)


_MIRROR = _mirror()


def in_canonical_order(matrix: Floats) -> Floats:
    """Exchange X and Y in every row whose features of Y come before those of X."""
    of_x = np.flatnonzero(np.arange(len(_MIRROR)) < _MIRROR)
    difference = matrix[:, of_x] - matrix[:, _MIRROR[of_x]]
    first = np.argmax(difference != 0, axis=1)
    swap = difference[np.arange(len(matrix)), first] < 0
    ordered = matrix.copy()
    ordered[swap] = matrix[swap][:, _MIRROR]
    return ordered
