"""Local scores of many families at once: batched, memoised, on as many threads as there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c._kernels.arrays import Floats, Sets
from ml4c.counting import Group, Packed, Registry, available_cores, group_new, pack_table
from ml4c.dataset import Dataset
from ml4c.errors import DataError
from ml4c.scores.counted import CountedScore
from ml4c.scores.experts import ExpertScore

KINDS = ("bdeu", "bic", "mix", "poe")
ESS = 10.0
"""Equivalent sample size of `bdeu` unless told otherwise."""
BATCH = 1 << 17


class _Score(Protocol):
    def score(self, sets: Sets, group: Group, depth: int, n_jobs: int) -> Floats: ...


class LocalScores:
    """One kind of local score on one table.

    ess: of `bdeu`. mix: scores of that kind on the same table, for `poe`, which is half made of them; given, no family
    is counted twice.
    """

    def __init__(
        self,
        data: Dataset | Packed,
        kind: str = "bdeu",
        *,
        ess: float = ESS,
        n_jobs: int | None = None,
        mix: LocalScores | None = None,
    ) -> None:
        if kind not in KINDS:
            raise DataError(f"there is no score {kind!r}; choose one of {', '.join(KINDS)}.")
        if not ess > 0:
            raise DataError(f"ess must be positive, not {ess}.")
        self.kind = kind
        self.packed = pack_table(data)
        self.n_jobs = available_cores() if n_jobs is None else n_jobs
        if kind == "poe":
            mix = LocalScores(self.packed, "mix", n_jobs=n_jobs) if mix is None else mix
            self._score: _Score = ExpertScore(self.packed, mix.score)
        else:
            self._score = CountedScore(self.packed, kind, ess)
        self._known = Registry(self.names, heads=1, width=1)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that families number."""
        return self.packed.names

    def score(self, families: ArrayLike) -> Floats:
        """Return the score of each family: rows node, parents in any order, -1 for none."""
        rows = self._known.checked(families)
        return self._known.answers(rows, BATCH, lambda new: self._count(new, rows.shape[1] - 1))[:, 0]

    def of(self, node: str | int, parents: Iterable[str | int] = ()) -> float:
        """Return the score of one family, asked by names or numbers of columns."""
        return float(self.score([self.packed.indices([node, *parents])])[0])

    def _count(self, new: slice, depth: int) -> None:
        group = group_new(self._known, new, max(256, (new.stop - new.start) // (2 * self.n_jobs)))
        self._known.values[group.entry, 0] = self._score.score(self._known.sets, group, depth, self.n_jobs)


def families(pairs: Iterable[tuple[int, Sequence[int]]]) -> NDArray[np.int32]:
    """Write (node, parents) pairs as a matrix of families."""
    rows = [(node, *parents) for node, parents in pairs]
    matrix = np.full((len(rows), max((len(row) for row in rows), default=1)), -1, np.int32)
    for row, columns in zip(matrix, rows, strict=True):
        row[: len(columns)] = columns
    return matrix
