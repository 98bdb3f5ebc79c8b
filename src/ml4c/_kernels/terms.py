"""What local scores add for the counts of a family: fixed-point terms, and the tables that keep them.

The sum of 64-bit fixed-point numbers is the same in any order of rows and categories. Most terms are logs of rising
factorials; those of short counts come from tables.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Counts, Floats, Ints, Labels, apart, kernel, step
from ml4c._kernels.logs import HALF_LOG_TAU, stirling

SHORT = 64
"""Counts of cells below this have their terms in tables."""
TALL = 2048
"""Configurations of fewer rows have theirs in tables, as far as the table that is scored has so many."""
FEW = 8
"""Short counts below this occur so often in sparse families that each is added once, as often as it occurs."""
EMPTY = np.iinfo(np.int64).min
CELL, CONFIGURATION = 0, 1


class Terms(NamedTuple):
    """Which scores are asked, and what they add for a count, in units of 1 / `unit`.

    `likelihood`, `bdeu`, `mix` and `experts` are the places of their first sums, -1 where a score is not asked.
    """

    likelihood: int
    bdeu: int
    mix: int
    experts: int
    unit: float
    log_terms: Ints
    """Likelihood: c log c for every count c."""
    ess: float
    """`bdeu`: equivalent sample size."""
    strengths: Floats
    """`mix`: the concentrations that are averaged."""
    base: Floats
    """`mix`: the base distribution of all nodes, one after the other."""
    base_start: Ints
    rising: Ints
    """`mix`: (states of all nodes, SHORT, strengths): the log of the rising factorial of strength * base."""
    start_of_base: Floats
    """`mix`: (states of all nodes, strengths): the log gamma of strength * base, from which long rises start."""
    totals: Totals
    """`mix`: of whole configurations."""


class Totals(NamedTuple):
    """What a whole configuration takes away at every strength, by its rows: the log of its rising factorial."""

    strengths: Floats
    short: Ints
    """(rows, strengths), up to TALL of them"""
    start: Floats
    """Log gammas of the strengths, from which long rises start."""


class Listing(NamedTuple):
    """What was counted of a family: for each configuration of the parents the states of the node that occur in it."""

    state: Counts
    count: Counts
    """Pairs of a state and how often it occurs, configuration after configuration."""
    stop: Counts
    """Where the pairs of each configuration end."""
    rows: Counts
    """How many rows each configuration has."""
    row: Labels
    """A row of each configuration, or its number: only experts want to know."""
    alone: Labels
    """Rows that have a configuration of their own, which is not listed."""
    alone_with: Counts
    """How many of those there are with each state of the node."""


class TermDesk(NamedTuple):
    """What a thread works with to add terms."""

    sums: Ints
    short: Ints
    """`bdeu`: (2, SHORT) terms of this family's cells and configurations, EMPTY until needed."""
    prior: Floats
    """`bdeu`: pseudo-counts of a cell and of a configuration, and the log gammas of both."""
    risen: Floats
    """The terms of one count at every strength."""
    times: Counts
    """How often a short count occurs: (states, FEW) of cells, SHORT of configurations; zeros between calls."""


def new_listing(rows: int, widest: int) -> Listing:
    """Return room for families on so many rows, with nodes of up to so many states."""
    return Listing(*np.empty((6, rows + 1), np.int32), apart(widest, np.int32))


def new_term_desk(n_sums: int, n_strengths: int, widest: int) -> TermDesk:
    """Return a desk for so many sums and strengths, and nodes of up to so many states."""
    return TermDesk(
        apart(n_sums),
        np.empty((2, SHORT), np.int64),
        apart(4, np.float64),
        apart(n_strengths, np.float64),
        apart(max(widest * FEW, SHORT), np.int32),
    )


@step
def add_counted(found: Listing, n: int, ways: float, card: int, base_start: int, terms: Terms, desk: TermDesk) -> None:
    """Add the terms of a family whose `n` configurations, of `ways` that there could be, are listed."""
    if terms.likelihood >= 0:
        _add_likelihood(found, n, terms, desk)
    if terms.bdeu >= 0:
        _add_bdeu(found, n, ways, card, terms, desk)
    if terms.mix >= 0:
        _add_mix(found, n, card, base_start, terms, desk)


@step
def _add_likelihood(found: Listing, n: int, terms: Terms, desk: TermDesk) -> None:
    """Add c log c for cells, take it for configurations: those of a single row add nothing."""
    total = np.int64(0)
    for i in range(found.stop[n - 1] if n > 0 else 0):
        total += terms.log_terms[found.count[i]]
    for c in range(n):
        total -= terms.log_terms[found.rows[c]]
    desk.sums[terms.likelihood] += total


@step
def _add_bdeu(found: Listing, n: int, ways: float, card: int, terms: Terms, desk: TermDesk) -> None:
    for count in range(1, SHORT):
        desk.short[CELL, count] = EMPTY
        desk.short[CONFIGURATION, count] = EMPTY
    desk.prior[CELL] = terms.ess / (ways * card)
    desk.prior[CONFIGURATION] = terms.ess / ways
    desk.prior[2 + CELL] = math.lgamma(desk.prior[CELL])
    desk.prior[2 + CONFIGURATION] = math.lgamma(desk.prior[CONFIGURATION])
    total = np.int64(0)
    for i in range(found.stop[n - 1] if n > 0 else 0):
        total += _bdeu_term(np.int64(found.count[i]), CELL, terms.unit, desk)
    for c in range(n):
        total -= _bdeu_term(np.int64(found.rows[c]), CONFIGURATION, terms.unit, desk)
    one = np.int64(1)
    for k in range(card):
        if found.alone_with[k] > 0:
            alone = _bdeu_term(one, CELL, terms.unit, desk) - _bdeu_term(one, CONFIGURATION, terms.unit, desk)
            total += found.alone_with[k] * alone
    desk.sums[terms.bdeu] += total


@step
def _bdeu_term(count: int, kind: int, unit: float, desk: TermDesk) -> int:
    """Return the term of a CELL or of a CONFIGURATION, computing each short one once."""
    if count >= SHORT:
        return fixed(stirling(desk.prior[kind] + count) + (HALF_LOG_TAU - desk.prior[2 + kind]), unit)
    if desk.short[kind, count] == EMPTY:
        desk.short[kind, count] = fixed(_log_rising(desk.prior[kind], desk.prior[2 + kind], count), unit)
    return desk.short[kind, count]


@step
def _add_mix(found: Listing, n: int, card: int, base_start: int, terms: Terms, desk: TermDesk) -> None:
    """Add the terms of cells under Dirichlet(strength * base), one for each strength."""
    n_strengths, sums = terms.strengths.shape[0], desk.sums[terms.mix : terms.mix + terms.strengths.shape[0]]
    cells = found.stop[n - 1] if n > 0 else np.int32(0)
    least = FEW if cells > FEW * card else 0
    if least > 0:
        _add_few(found, cells, card, terms.rising[base_start : base_start + card], desk.times, sums)
    for i in range(cells):
        entry, count = base_start + found.state[i], found.count[i]
        if count < least:
            continue
        if count < SHORT:
            for j in range(n_strengths):
                sums[j] += terms.rising[entry, count, j]
        else:
            for j in range(n_strengths):
                at = terms.strengths[j] * terms.base[entry] + np.float64(count)
                desk.risen[j] = stirling(at) - terms.start_of_base[entry, j]
            for j in range(n_strengths):
                sums[j] += fixed(desk.risen[j], terms.unit)
    take_totals(terms.totals, found.rows[:n], terms.mix, terms.unit, desk)
    for k in range(card):
        if found.alone_with[k] > 0:
            for j in range(n_strengths):
                sums[j] += found.alone_with[k] * (terms.rising[base_start + k, 1, j] - terms.totals.short[1, j])


@step
def _add_few(found: Listing, cells: int, card: int, rising: Ints, times: Counts, sums: Ints) -> None:
    """Add the terms of all cells of few rows, each kind of them at once."""
    for i in range(cells):
        count = found.count[i]
        times[found.state[i] * FEW + (count if count < FEW else 0)] += np.int32(1)
    for state in range(card):
        for count in range(1, FEW):
            often = np.int64(times[state * FEW + count])
            if often > 0:
                for j in range(sums.shape[0]):
                    sums[j] += often * rising[state, count, j]
    times[: card * FEW] = 0


@step
def take_totals(totals: Totals, rows: Counts, first: int, unit: float, desk: TermDesk) -> None:
    """Take the terms of whole configurations of so many rows from the sums, one for each strength, from `first` on."""
    n_strengths = totals.strengths.shape[0]
    sums = desk.sums[first : first + n_strengths]
    least = SHORT if rows.shape[0] > SHORT and totals.short.shape[0] >= SHORT else 0
    if least > 0:
        _take_short_totals(totals, rows, desk.times, sums)
    for c in range(rows.shape[0]):
        if rows[c] < least:
            continue
        if rows[c] < totals.short.shape[0]:
            for j in range(n_strengths):
                sums[j] -= totals.short[rows[c], j]
        else:
            for j in range(n_strengths):
                desk.risen[j] = stirling(totals.strengths[j] + np.float64(rows[c])) - totals.start[j]
            for j in range(n_strengths):
                sums[j] -= fixed(desk.risen[j], unit)


@step
def _take_short_totals(totals: Totals, rows: Counts, times: Counts, sums: Ints) -> None:
    """Take the terms of all configurations of few rows, those of equally many at once."""
    for c in range(rows.shape[0]):
        times[rows[c] if rows[c] < SHORT else 0] += np.int32(1)
    for count in range(1, SHORT):
        often = np.int64(times[count])
        if often > 0:
            for j in range(sums.shape[0]):
                sums[j] -= often * totals.short[count, j]
    times[:SHORT] = 0


@step
def fixed(value: float, unit: float) -> int:
    """Round to fixed point, halves away from zero."""
    scaled = value * unit
    return np.int64(scaled + math.copysign(0.5, scaled))


@step
def _log_rising(a: float, log_gamma: float, count: int) -> float:
    """Return log a (a + 1) ... (a + count - 1), with the log gamma of a."""
    if count <= 3:
        product = 1.0
        for i in range(count):
            product *= a + i
        return math.log(product)
    return math.lgamma(a + count) - log_gamma


@kernel
def tabulate_rises(at: Floats, unit: float, rising: Ints, start: Floats) -> None:
    """Fill `rising[i, count, j]` with the terms of counts and `start` with what long ones start from."""
    for i in range(at.shape[0]):
        for j in range(at.shape[1]):
            log_gamma = math.lgamma(at[i, j])
            start[i, j] = log_gamma - HALF_LOG_TAU
            for count in range(SHORT):
                rising[i, count, j] = fixed(_log_rising(at[i, j], log_gamma, np.int64(count)), unit)
            for count in range(SHORT, rising.shape[1]):
                rising[i, count, j] = fixed(stirling(at[i, j] + np.float64(count)) - start[i, j], unit)
