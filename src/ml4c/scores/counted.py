"""The scores `bic`, `bdeu` and `mix`: sums of terms that depend on a node's counts alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ml4c._kernels.arrays import Floats, Sets
from ml4c._kernels.families import Families, FamilyDesk, new_family_desk, score_families
from ml4c._kernels.terms import BDEU, LIKELIHOOD, MIX, SHORT, Terms, tabulate_rising
from ml4c.counting import Desks, Group, Packed, announce_compiling, log_terms, run, unit_for

STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""Dirichlet strengths that `mix` averages over."""
SMALLEST_LOG = 1e-12


class CountedScore:
    """One of the three on one table."""

    def __init__(self, packed: Packed, kind: str, ess: float) -> None:
        self._packed, self._kind = packed, kind
        self._terms = _TERMS[kind](packed, ess)
        n_sums = len(STRENGTHS) if kind == "mix" else 1
        self._n_sums = n_sums
        self._desks: Desks[FamilyDesk] = Desks(lambda depth: new_family_desk(packed.columns, depth, n_sums))

    def score(self, sets: Sets, group: Group, depth: int, n_jobs: int) -> Floats:
        """Return the score of every family of a group; families number parent sets in `sets`."""
        announce_compiling(score_families)
        sums = np.empty((len(group.second), self._n_sums + 1))

        def work(piece: Group) -> None:
            desk = self._desks.take(depth)
            asked = Families(piece.second, piece.begin, piece.end, piece.sets)
            score_families(self._packed.columns, sets, asked, self._terms, desk, sums)
            self._desks.leave(desk)

        run(work, group, self._packed.n_rows, n_jobs)
        scores = log_mean(sums[:, :-1]) if self._kind == "mix" else sums[:, 0]
        scores = to_all_rows(scores, sums[:, -1], self._packed.n_rows)
        return scores - self._penalty(sets, group) if self._kind == "bic" else scores

    def _penalty(self, sets: Sets, group: Group) -> Floats:
        """(log n) / 2 for each free parameter."""
        cards = self._packed.columns.cards.astype(np.float64)
        of_group = [np.prod(cards[sets.members[sets.start[s] : sets.start[s + 1]]]) for s in group.sets]
        configurations = np.empty(len(group.second))
        for begin, end, product in zip(group.begin, group.end, of_group, strict=True):
            configurations[begin:end] = product
        free = configurations * (cards[group.second] - 1.0)
        return np.asarray(0.5 * np.log(self._packed.n_rows) * free)


def log_mean(logs: Floats) -> Floats:
    """Log of the mean of exponentials, row by row, summed in the fixed order of the columns."""
    top = logs.max(axis=1)
    return np.asarray(top + np.log(np.exp(logs - top[:, None]).sum(axis=1) / logs.shape[1]))


def to_all_rows(scores: Floats, used: Floats, n_rows: int) -> Floats:
    """Scale scores of families that are complete in `used` rows, so that families compare."""
    return np.asarray(scores * (n_rows / np.maximum(used, 1.0)))


def largest_sum(rows: int) -> float:
    """Bound on the sum of log rising factorials of counts that add up to `rows`."""
    largest = max(rows, SHORT)
    return float(largest * (np.log(largest + 1.0) - 2.0 * np.log(SMALLEST_LOG)))


def _no_terms(packed: Packed, what: int, unit: float) -> Terms:
    start = np.cumsum(packed.columns.cards) - packed.columns.cards
    none = np.zeros((1, 1, 1), np.int64)
    return Terms(what, unit, none[0, 0], 0.0, np.zeros(1), np.zeros(1), start, none, none[0], np.zeros((1, 1)))


def _likelihood_terms(packed: Packed, _: float) -> Terms:
    terms, unit = log_terms(packed.n_rows)
    return _no_terms(packed, LIKELIHOOD, unit)._replace(log_terms=terms)


def _bdeu_terms(packed: Packed, ess: float) -> Terms:
    return _no_terms(packed, BDEU, unit_for(largest_sum(packed.n_rows)))._replace(ess=ess)


def _mix_terms(packed: Packed, _: float) -> Terms:
    base, strengths = marginals(packed, 1.0), np.array(STRENGTHS)
    terms = _no_terms(packed, MIX, unit_for(largest_sum(packed.n_rows)))._replace(
        strengths=strengths,
        base=base,
        rising=np.empty((len(base), SHORT, len(strengths)), np.int64),
        rising_total=np.empty((SHORT, len(strengths)), np.int64),
        start_of_base=np.empty((len(base), len(strengths))),
    )
    tabulate_rising(terms)
    return terms


def marginals(packed: Packed, pseudo: float) -> Floats:
    """Return the distributions of all columns, one after the other, with so many pseudo-counts for every state."""
    found = []
    for column, card in zip(packed.columns.codes, packed.columns.cards, strict=True):
        counts = np.bincount(column, minlength=card)[:card] + pseudo
        found.append(counts / counts.sum())
    return np.concatenate(found)


_TERMS: dict[str, Callable[[Packed, float], Terms]] = {
    "bdeu": _bdeu_terms,
    "bic": _likelihood_terms,
    "mix": _mix_terms,
}
