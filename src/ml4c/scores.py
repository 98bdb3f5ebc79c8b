"""Local scores: how well a parent set explains a node, as a log (marginal) likelihood in nats.

- `bic`: maximised log likelihood less (log n) / 2 for each free parameter, q (r - 1) of them, where q is the product
  of the parents' cardinalities and r the node's.
- `bdeu`: log marginal likelihood under Dirichlet(ess / (q r)) for every cell (Heckerman et al. 1995).
- `mix`: log of the average, over strengths s, of the marginal likelihood under Dirichlet(s * base) for every
  configuration of the parents; base is the node's smoothed marginal. It charges for what a configuration changes,
  not for the size of the table, so it accepts true parents of wide columns that the other two refuse. One s is shared
  by all configurations of a family.

Cardinalities are those of the table, i.e. of values that occur. With missing values a family is scored on the rows
in which it is complete, scaled to the number of all rows so that families compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c._kernels.arrays import Floats
from ml4c._kernels.families import (
    BDEU,
    LIKELIHOOD,
    MIX,
    SHORT,
    Families,
    FamilyDesk,
    Terms,
    new_family_desk,
    score_families,
    tabulate_rising,
)
from ml4c.counting import (
    Desks,
    Group,
    Packed,
    Registry,
    announce_compiling,
    available_cores,
    group_new,
    log_terms,
    pack_table,
    run,
    unit_for,
)
from ml4c.dataset import Dataset
from ml4c.errors import DataError

ESS = 10.0
"""Equivalent sample size of `bdeu` unless told otherwise."""
STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""Dirichlet strengths that `mix` averages over."""
BATCH = 1 << 17
SMALLEST_LOG = 1e-12


class LocalScores:
    """One kind of local score on one table: batched, memoised, on as many threads as there are."""

    def __init__(
        self,
        data: Dataset | Packed,
        kind: str = "bdeu",
        *,
        ess: float = ESS,
        n_jobs: int | None = None,
    ) -> None:
        if kind not in _KINDS:
            raise DataError(f"there is no score {kind!r}; choose one of {', '.join(_KINDS)}.")
        if not ess > 0:
            raise DataError(f"ess must be positive, not {ess}.")
        self.kind = kind
        self.packed = pack_table(data)
        self.n_jobs = available_cores() if n_jobs is None else n_jobs
        self._terms = _KINDS[kind](self.packed, ess)
        self._n_sums = len(STRENGTHS) if kind == "mix" else 1
        self._known = Registry(self.names, heads=1, width=1)
        self._desks: Desks[FamilyDesk] = Desks(self._new_desk)

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
        announce_compiling(score_families)
        group = group_new(self._known, new, max(256, (new.stop - new.start) // (2 * self.n_jobs)))
        sums = np.empty((len(group.second), self._n_sums + 1))

        def work(piece: Group) -> None:
            desk = self._desks.take(depth)
            asked = Families(piece.second, piece.begin, piece.end, piece.sets)
            score_families(self.packed.columns, self._known.sets, asked, self._terms, desk, sums)
            self._desks.leave(desk)

        run(work, group, self.packed.n_rows, self.n_jobs)
        scores = _log_mean(sums[:, :-1]) if self.kind == "mix" else sums[:, 0]
        scores = scores * (self.packed.n_rows / np.maximum(sums[:, -1], 1.0))
        if self.kind == "bic":
            scores = scores - self._penalty(group)
        self._known.values[group.entry, 0] = scores

    def _new_desk(self, depth: int) -> FamilyDesk:
        return new_family_desk(self.packed.columns, depth, self._n_sums)

    def _penalty(self, group: Group) -> Floats:
        """(log n) / 2 for each free parameter."""
        cards = self.packed.columns.cards.astype(np.float64)
        sets = self._known.sets
        of_group = [np.prod(cards[sets.members[sets.start[s] : sets.start[s + 1]]]) for s in group.sets]
        configurations = np.empty(len(group.second))
        for begin, end, product in zip(group.begin, group.end, of_group, strict=True):
            configurations[begin:end] = product
        free = configurations * (cards[group.second] - 1.0)
        return np.asarray(0.5 * np.log(self.packed.n_rows) * free)


def families(pairs: Iterable[tuple[int, Sequence[int]]]) -> NDArray[np.int32]:
    """Write (node, parents) pairs as a matrix of families."""
    rows = [(node, *parents) for node, parents in pairs]
    matrix = np.full((len(rows), max((len(row) for row in rows), default=1)), -1, np.int32)
    for row, columns in zip(matrix, rows, strict=True):
        row[: len(columns)] = columns
    return matrix


def _log_mean(logs: Floats) -> Floats:
    """Log of the mean of exponentials, row by row, summed in the fixed order of the strengths."""
    top = logs.max(axis=1)
    return np.asarray(top + np.log(np.exp(logs - top[:, None]).sum(axis=1) / logs.shape[1]))


def _no_terms(packed: Packed, what: int, unit: float) -> Terms:
    start = np.cumsum(packed.columns.cards) - packed.columns.cards
    none = np.zeros((1, 1, 1), np.int64)
    return Terms(what, unit, none[0, 0], 0.0, np.zeros(1), np.zeros(1), start, none, none[0])


def _likelihood_terms(packed: Packed, _: float) -> Terms:
    terms, unit = log_terms(packed.n_rows)
    return _no_terms(packed, LIKELIHOOD, unit)._replace(log_terms=terms)


def _bdeu_terms(packed: Packed, ess: float) -> Terms:
    return _no_terms(packed, BDEU, unit_for(_largest_sum(packed.n_rows)))._replace(ess=ess)


def _mix_terms(packed: Packed, _: float) -> Terms:
    cards, codes = packed.columns.cards, packed.columns.codes
    unit = unit_for(_largest_sum(packed.n_rows))
    base = []
    for column, card in zip(codes, cards, strict=True):
        counts = np.bincount(column, minlength=card)[:card] + 1.0
        base.append(counts / counts.sum())
    strengths = np.array(STRENGTHS)
    rising = np.empty((int(cards.sum()), SHORT, len(strengths)), np.int64)
    total = np.empty((SHORT, len(strengths)), np.int64)
    tabulate_rising(np.concatenate(base), strengths, unit, rising, total)
    terms = _no_terms(packed, MIX, unit)
    return terms._replace(strengths=strengths, base=np.concatenate(base), rising=rising, rising_total=total)


def _largest_sum(rows: int) -> float:
    """Bound on the sum of log rising factorials of counts that add up to `rows`."""
    largest = max(rows, SHORT)
    return float(largest * (np.log(largest + 1.0) - 2.0 * np.log(SMALLEST_LOG)))


_KINDS: dict[str, Callable[[Packed, float], Terms]] = {
    "bdeu": _bdeu_terms,
    "bic": _likelihood_terms,
    "mix": _mix_terms,
}
