"""The 755 features of an unshielded triple (METHOD section 3), for all triples of a skeleton in batches.

Five scalings, seven overlaps, the p-value and severity of X~Y|T, and for the nineteen other combinations of bivariables
and conditionals the size of the list of answers, their moments and a kernel mean embedding. The two ends of a triple
are exchangeable: of the two orders the one is taken whose features of X come first (largest neighbourhood, then the
features in their order), so exchanging X and Y changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

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


_CELL_NAMES = [f"{pair}|{given}" for given in CONDITIONALS for pair in BIVARIABLES]
_GENERAL = len(SCALINGS) + len(OVERLAPS)


def _cell_names(cell: str, dimension: int) -> tuple[str, ...]:
    moments = [f"{cell} {quantity} {moment}" for quantity in QUANTITIES for moment in MOMENTS]
    embedded = [f"{cell} {quantity} kme{j:02d}" for quantity in QUANTITIES for j in range(1, dimension + 1)]
    return (f"{cell} size", *moments, *embedded)


def _layout(dimension: int) -> tuple[str, ...]:
    """Name all features in their order, with embeddings of so many numbers."""
    return (
        *SCALINGS,
        *OVERLAPS,
        *(f"{_CELL_NAMES[0]} {quantity}" for quantity in QUANTITIES),
        *(name for cell in _CELL_NAMES[1:] for name in _cell_names(cell, dimension)),
    )


FEATURE_NAMES: tuple[str, ...] = _layout(DIMENSION)
"""The names of the features, in the order of the columns of a feature matrix."""


@dataclass(frozen=True, eq=False)
class TripleFeatures:
    """The unshielded triples of a skeleton and their features."""

    triples: NDArray[np.int64]
    """(triples, 3): column numbers of X, T, Y."""
    matrix: Floats
    """(triples, features), in the order of their names."""
    sepsets: Sepsets | None = None
    """The separating sets of every triple, by column numbers."""

    def take(self, rows: NDArray[np.int64]) -> TripleFeatures:
        """Return some of the triples, in this order; a row may be taken more than once."""
        if self.sepsets is None:
            return TripleFeatures(self.triples[rows], self.matrix[rows])
        members, start = self.sepsets
        count = np.diff(start)[rows]
        offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        of_sets = np.arange(offsets[-1]) + np.repeat(start[:-1][rows] - offsets[:-1], count)
        return TripleFeatures(self.triples[rows], self.matrix[rows], Sepsets(members[of_sets], offsets))


def triple_features(
    test: CITest,
    skeleton: ArrayLike,
    *,
    embedding: Embedding,
    names: tuple[str, ...] = FEATURE_NAMES,
    progress: Progress | None = None,
) -> TripleFeatures:
    """Compute the features of these names of every unshielded triple of a skeleton over the columns of a test."""
    vicinity = vicinity_of(skeleton, test.names)
    sepsets = find_sepsets(test, vicinity)
    raw = raw_features(test, vicinity, embedding, names=names, sepsets=sepsets, progress=progress)
    in_columns = Sepsets(vicinity.in_columns(sepsets.members), sepsets.start)
    triples = vicinity.column[vicinity.triples].astype(np.int64)
    return TripleFeatures(triples, in_canonical_order(raw, names), in_columns)


def raw_features(
    test: CITest,
    vicinity: Vicinity,
    embedding: Embedding,
    limits: Limits = PAPER,
    *,
    names: tuple[str, ...] = FEATURE_NAMES,
    sepsets: Sepsets | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Compute the features of every triple with X and Y as they stand in the vicinity; sepsets: if found already."""
    sepsets = find_sepsets(test, vicinity, limits) if sepsets is None else sepsets
    general = np.empty((len(vicinity.triples), _GENERAL))
    describe_triples(vicinity.skeleton, vicinity.triples, sepsets, general)
    embedded = any(f"kme{DIMENSION:02d}" in name for name in names)
    layout = _layout(DIMENSION if embedded else 0)
    columns = [layout.index(name) for name in names]
    cells = _Cells(vicinity, sepsets, limits, _wanted_cells(names), embedding if embedded else None)
    matrix = np.empty((len(vicinity.triples), len(names)))
    part = np.cumsum(cells.sizes.sum(axis=1)) // BATCH
    for number in np.unique(part):
        begin, end = np.searchsorted(part, [number, number + 1]).tolist()
        every = np.hstack([general[begin:end], cells.answered(test, begin, end)])
        matrix[begin:end] = every[:, columns]
        if progress is not None:
            progress(end, len(matrix))
    return matrix


def _wanted_cells(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Mark the cells that some feature is about."""
    about = {name.split(" ")[0] for name in names}
    return np.array([cell in about for cell in _CELL_NAMES], np.uint8)


class _Cells:
    """The wanted ones of the twenty cells of every triple: bivariables under conditionals."""

    def __init__(
        self,
        vicinity: Vicinity,
        sepsets: Sepsets,
        limits: Limits,
        wanted: NDArray[np.uint8],
        embedding: Embedding | None,
    ) -> None:
        self._vicinity, self._sepsets, self._limits, self._wanted = vicinity, sepsets, limits, wanted
        self._weights = np.array(embedding.weights if embedding else ())
        self._phases = np.array(embedding.phases if embedding else ())
        self._combinations = np.zeros((len(vicinity.triples), CELLS), np.int64)
        self._walk(vicinity.triples, sepsets, self._combinations, self._room_for_questions(0))
        self.sizes: Ints = np.minimum(self._combinations, limits.combinations)

    def answered(self, test: CITest, begin: int, end: int) -> Floats:
        """Ask the questions of some triples, and summarise the answers."""
        start = self._sepsets.start
        some = Sepsets(self._sepsets.members[start[begin] : start[end]], start[begin : end + 1] - start[begin])
        sizes = self.sizes[begin:end]
        questions = self._room_for_questions(int(sizes.sum()))
        self._walk(self._vicinity.triples[begin:end], some, self._combinations[begin:end], questions)
        severity = np.ascontiguousarray(test.dependence(self._vicinity.in_columns(questions)).severity)
        width = len(_cell_names("", len(self._weights)))
        out = np.empty((end - begin, CELLS * width))
        summarise_cells(sizes, severity, self._weights, self._phases, np.empty_like(severity), out)
        # Of the first cell, the single number X~Y|T, only the value itself is kept.
        return np.hstack([out[:, [1, 1 + len(MOMENTS)]], out[:, width:]])

    def _room_for_questions(self, count: int) -> NDArray[np.int32]:
        return np.empty((count, 3 + self._sepsets.members.shape[1]), np.int32)

    def _walk(self, triples: Ints, sepsets: Sepsets, sizes: Ints, out: NDArray[np.int32]) -> None:
        room = Walk(
            np.empty((PAIR_LISTS, self._limits.pairs, 2), np.int64),
            np.zeros(PAIR_LISTS, np.int64),
            np.empty(sepsets.members.shape[1] + 1, np.int64),
        )
        most = self._limits.combinations
        ask_cells(self._vicinity.skeleton, triples, sepsets, self._wanted, most, room, sizes, out)


@lru_cache
def mirror(names: tuple[str, ...]) -> NDArray[np.intp]:
    """Return, for each feature, the place of the one that takes its role when X and Y are exchanged."""
    place = {name: i for i, name in enumerate(names)}
    exchanged = str.maketrans("XY", "YX")
    mirrored = []
    for name in names:
        other = name.translate(exchanged)
        if other not in place:  # the unordered lists and overlaps name X first
            other = name
        mirrored.append(place[other])
    return np.array(mirrored)


def in_canonical_order(matrix: Floats, names: tuple[str, ...] = FEATURE_NAMES) -> Floats:
    """Exchange X and Y in every row whose features of Y come before those of X."""
    other = mirror(names)
    of_x = np.flatnonzero(np.arange(len(other)) < other)
    difference = matrix[:, of_x] - matrix[:, other[of_x]]
    first = np.argmax(difference != 0, axis=1)
    swap = difference[np.arange(len(matrix)), first] < 0
    ordered = matrix.copy()
    ordered[swap] = matrix[swap][:, other]
    return ordered
