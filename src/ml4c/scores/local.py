"""Local scores of many families at once: batched, memoised, on as many threads as there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c._kernels.arrays import Floats
from ml4c.counting import Packed, Registry, available_cores, group_new, pack_table
from ml4c.dataset import Dataset
from ml4c.errors import DataError
from ml4c.scores.counted import CountedScores

KINDS = ("bdeu", "bic", "mix", "poe")
ESS = 10.0
"""Equivalent sample size of `bdeu` unless told otherwise."""
BATCH = 1 << 17


class JointScores:
    """Several kinds of local scores on one table: every family is counted once for all of them. ess: of `bdeu`."""

    def __init__(
        self, data: Dataset | Packed, kinds: Sequence[str], *, ess: float = ESS, n_jobs: int | None = None
    ) -> None:
        for kind in kinds:
            if kind not in KINDS:
                raise DataError(f"there is no score {kind!r}; choose one of {', '.join(KINDS)}.")
        if not ess > 0:
            raise DataError(f"ess must be positive, not {ess}.")
        self.packed = pack_table(data)
        self.n_jobs = available_cores() if n_jobs is None else n_jobs
        self.kinds = tuple(kinds)
        self._counted = CountedScores(self.packed, kinds, ess)
        self._known = Registry(self.packed.names, heads=1, width=len(kinds))

    def only(self, kind: str) -> LocalScores:
        """Return one of the kinds; what is counted for it is counted for all, and the other way round."""
        if kind not in self.kinds:
            raise DataError(f"the scores are {', '.join(self.kinds)}; {kind!r} is not among them.")
        return LocalScores._sharing(self, kind)

    def score(self, families: ArrayLike) -> Floats:
        """Return the scores of each family, a column for each kind; rows node, parents in any order, -1 for none."""
        rows = self._known.checked(families)
        return self._known.answers(rows, BATCH, lambda new: self._count(new, rows.shape[1] - 1))

    def _count(self, new: slice, depth: int) -> None:
        group = group_new(self._known, new, max(256, (new.stop - new.start) // (2 * self.n_jobs)))
        self._known.values[group.entry] = self._counted.score(self._known.sets, group, depth, self.n_jobs)


class LocalScores:
    """One kind of local score on one table. ess: of `bdeu`."""

    def __init__(
        self, data: Dataset | Packed, kind: str = "bdeu", *, ess: float = ESS, n_jobs: int | None = None
    ) -> None:
        self._see(JointScores(data, (kind,), ess=ess, n_jobs=n_jobs), kind)

    @classmethod
    def _sharing(cls, joint: JointScores, kind: str) -> LocalScores:
        one = cls.__new__(cls)
        one._see(joint, kind)
        return one

    def _see(self, joint: JointScores, kind: str) -> None:
        self.kind, self.packed = kind, joint.packed
        self._scores, self._place = joint, joint.kinds.index(kind)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that families number."""
        return self.packed.names

    def score(self, families: ArrayLike) -> Floats:
        """Return the score of each family: rows node, parents in any order, -1 for none."""
        return self._scores.score(families)[:, self._place]

    def of(self, node: str | int, parents: Iterable[str | int] = ()) -> float:
        """Return the score of one family, asked by names or numbers of columns."""
        return float(self.score([self.packed.indices([node, *parents])])[0])


def families(pairs: Iterable[tuple[int, Sequence[int]]]) -> NDArray[np.int32]:
    """Write (node, parents) pairs as a matrix of families."""
    rows = [(node, *parents) for node, parents in pairs]
    matrix = np.full((len(rows), max((len(row) for row in rows), default=1)), -1, np.int32)
    for row, columns in zip(matrix, rows, strict=True):
        row[: len(columns)] = columns
    return matrix
