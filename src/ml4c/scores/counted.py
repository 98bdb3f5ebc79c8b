"""Scores of families on one table, several kinds from one count of each family."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ml4c._kernels.arrays import Floats, Ints, Sets
from ml4c._kernels.families import Families, FamilyDesk, new_family_desk, score_families
from ml4c._kernels.terms import SHORT, TALL, Terms, Totals, tabulate_rises
from ml4c.counting import Desks, Group, Packed, announce_compiling, for_each, log_terms, run, unit_for
from ml4c.scores import experts
from ml4c.scores.marginal import marginals

STRENGTHS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""Dirichlet strengths that `mix` averages over."""
SMALLEST_LOG = 1e-12
SPARE = 2.0**10
"""By so much coarser are the units of scores than 64 bits would allow: sums and differences of scores, as floats, stay
exact, so that what ties in theory (`bdeu`, `bic`: a reversed edge) ties to the last bit."""


class CountedScores:
    """Some kinds of scores on one table; `ess` is that of `bdeu`."""

    def __init__(self, packed: Packed, kinds: Sequence[str], ess: float) -> None:
        self._packed, self._kinds = packed, kinds
        self._parts = _parts(kinds)
        self._terms = _terms(packed, self._parts, ess)
        asks_experts = "experts" in self._parts
        totals = _totals(experts.STRENGTHS if asks_experts else (1.0,), packed.n_rows, self._terms.unit)
        self._testimony = experts.Testimony(packed, totals) if asks_experts else None
        self._silent = experts.silent(packed, totals)
        n_sums = max(part.stop for part in self._parts.values())
        self._n_sums = n_sums
        asked = self._silent if self._testimony is None else self._testimony.experts
        self._desks: Desks[FamilyDesk] = Desks(
            lambda depth: new_family_desk(packed.columns, depth, n_sums, self._terms, asked)
        )

    def score(self, sets: Sets, group: Group, depth: int, n_jobs: int) -> Floats:
        """Return the scores of every family of a group, a column for each kind; families number sets in `sets`."""
        announce_compiling(score_families)
        asked_experts = self._silent if self._testimony is None else self._testimony.on(sets, group)
        sums = np.empty((len(group.second), self._n_sums + 1))

        def work(piece: Group) -> None:
            desk = self._desks.take(depth)
            asked = Families(piece.second, piece.begin, piece.end, piece.sets)
            score_families(self._packed.columns, sets, asked, self._terms, asked_experts, desk, sums)
            self._desks.leave(desk)

        run(work, group, self._packed.n_rows, n_jobs)
        # Families that are complete in a part of the rows are scaled to all of them, so that families compare.
        scale = self._packed.n_rows / np.maximum(sums[:, -1], 1.0)
        found = {name: log_mean(sums[:, part]) * scale for name, part in self._parts.items()}
        if "experts" in found:
            of = for_each(group, group.sets)
            single = sets.start[of + 1] - sets.start[of] < 2
            first = self._parts["experts"].start
            one_power = sums[single, first : first + len(experts.STRENGTHS)]
            found["experts"][single] = log_mean(one_power) * scale[single]
            found["poe"] = np.logaddexp(found["experts"], found["mix"]) - np.log(2.0)
        if "bic" in found:
            found["bic"] -= self._penalty(sets, group)
        return np.column_stack([found[kind] for kind in self._kinds])

    def _penalty(self, sets: Sets, group: Group) -> Floats:
        """(log n) / 2 for each free parameter."""
        cards = self._packed.columns.cards.astype(np.float64)
        ways = [np.prod(cards[sets.members[sets.start[s] : sets.start[s + 1]]]) for s in group.sets]
        free = for_each(group, np.array(ways)) * (cards[group.second] - 1.0)
        each = np.rint(0.5 * np.log(self._packed.n_rows) * self._terms.unit) / self._terms.unit
        return np.asarray(each * free)


def log_mean(logs: Floats) -> Floats:
    """Log of the mean of exponentials, row by row, summed in the fixed order of the columns."""
    if logs.shape[1] == 1:
        return logs[:, 0]
    top = logs.max(axis=1)
    return np.asarray(top + np.log(np.exp(logs - top[:, None]).sum(axis=1) / logs.shape[1]))


def _parts(kinds: Sequence[str]) -> dict[str, slice]:
    """Return the sums that kinds are made of, by name: where each begins and ends."""
    sizes = {"bic": 1, "bdeu": 1, "mix": len(STRENGTHS), "experts": len(experts.POWERS) * len(experts.STRENGTHS)}
    needed = {"poe": ("mix", "experts")}
    wanted = {part for kind in kinds for part in needed.get(kind, (kind,))}
    found: dict[str, slice] = {}
    stop = 0
    for name, size in sizes.items():
        if name in wanted:
            found[name] = slice(stop, stop + size)
            stop += size
    return found


def _terms(packed: Packed, parts: dict[str, slice], ess: float) -> Terms:
    """Return what the scores add; the tables of those that are not asked are empty."""
    unit = unit_for(_largest_sum(packed.n_rows)) / SPARE
    likelihood, bdeu, mix, asked_experts = (
        parts[name].start if name in parts else -1 for name in ("bic", "bdeu", "mix", "experts")
    )
    logs = np.zeros(1, np.int64)
    if "bic" in parts:
        terms, finer = log_terms(packed.n_rows)
        logs = np.rint(terms * (unit / finer)).astype(np.int64)
    base = marginals(packed, 1.0) if "mix" in parts else np.empty(0)
    strengths = np.array(STRENGTHS)
    rising, start = _rises(base[:, None] * strengths, SHORT, unit)
    cards = packed.columns.cards
    return Terms(
        likelihood=likelihood,
        bdeu=bdeu,
        mix=mix,
        experts=asked_experts,
        unit=unit,
        log_terms=logs,
        ess=ess,
        strengths=strengths,
        base=base,
        base_start=np.cumsum(cards) - cards,
        rising=rising,
        start_of_base=start,
        totals=_totals(STRENGTHS, packed.n_rows, unit),
    )


def _totals(strengths: Sequence[float], rows: int, unit: float) -> Totals:
    """Return what whole configurations of a table of so many rows take away at these strengths."""
    short, start = _rises(np.array([strengths]), min(max(SHORT, rows + 1), TALL), unit)
    return Totals(np.array(strengths), short[0], start[0])


def _rises(at: Floats, counts: int, unit: float) -> tuple[Ints, Floats]:
    """Return the terms of so many counts that rise from these numbers, and what higher ones start from."""
    rising, start = np.empty((len(at), counts, at.shape[1]), np.int64), np.empty(at.shape)
    tabulate_rises(at, unit, rising, start)
    return rising, start


def _largest_sum(rows: int) -> float:
    """Bound on the sum of log rising factorials of counts that add up to `rows`."""
    largest = max(rows, SHORT)
    return float(largest * (np.log(largest + 1.0) - 2.0 * np.log(SMALLEST_LOG)))
