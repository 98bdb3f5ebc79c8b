"""What local scores add for a count: fixed-point terms, and the tables that keep them.

The sum of 64-bit fixed-point numbers is the same in any order of rows and categories. Most terms are logs of rising
factorials; those of short counts come from tables, those of whole configurations are computed once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Floats, Ints, kernel, step

LIKELIHOOD, BDEU, MIX = 0, 1, 2
SHORT = 64
"""Counts below this have their terms in tables."""
MOST_TOTALS = 1 << 14
"""Rows of a configuration up to which its terms are kept."""
EMPTY = np.iinfo(np.int64).min


class Terms(NamedTuple):
    """What a score adds for a count, in units of 1 / `unit`."""

    what: int
    """LIKELIHOOD, BDEU or MIX."""
    unit: float
    log_terms: Ints
    """LIKELIHOOD: c log c for every count c."""
    ess: float
    """BDEU: equivalent sample size."""
    strengths: Floats
    """MIX: the concentrations that are averaged."""
    base: Floats
    """MIX: the base distribution of all nodes, one after the other."""
    base_start: Ints
    rising: Ints
    """MIX: (states of all nodes, SHORT, strengths): the log of the rising factorial of strength * base."""
    rising_total: Ints
    """MIX: (SHORT, strengths): the same for a whole configuration."""
    start_of_base: Floats
    """MIX: (states of all nodes, strengths): log gamma of strength * base, from which long rises start."""


def new_totals(rows: int, strengths: int) -> Ints:
    """Return room for the terms of configurations of up to `rows` rows, as far as they are kept."""
    return np.full((min(rows, MOST_TOTALS) + 1, strengths), EMPTY, np.int64)


@step
def total_term(strengths: Floats, j: int, rows: int, unit: float, totals: Ints) -> int:
    """Return the term of a whole configuration, computing it once for each number of rows."""
    if rows >= totals.shape[0]:
        return fixed(log_rising(strengths[j], rows), unit)
    if totals[rows, j] == EMPTY:
        totals[rows, j] = fixed(log_rising(strengths[j], rows), unit)
    return totals[rows, j]


@step
def fixed(value: float, unit: float) -> int:
    """Round to fixed point, halves away from zero."""
    scaled = value * unit
    return np.int64(scaled + 0.5) if scaled >= 0 else np.int64(scaled - 0.5)


@step
def log_rising(a: float, count: int) -> float:
    """Return log a (a + 1) ... (a + count - 1)."""
    if count <= 3:
        product = 1.0
        for i in range(count):
            product *= a + i
        return math.log(product)
    return math.lgamma(a + count) - math.lgamma(a)


@kernel
def tabulate_rising(terms: Terms) -> None:
    """Fill the tables of MIX."""
    for j in range(terms.strengths.shape[0]):
        for count in range(SHORT):
            terms.rising_total[count, j] = fixed(log_rising(terms.strengths[j], np.int64(count)), terms.unit)
        for i in range(terms.base.shape[0]):
            a = terms.strengths[j] * terms.base[i]
            terms.start_of_base[i, j] = math.lgamma(a)
            for count in range(4):
                terms.rising[i, count, j] = fixed(log_rising(a, np.int64(count)), terms.unit)
            for count in range(4, SHORT):
                terms.rising[i, count, j] = fixed(math.lgamma(a + count) - terms.start_of_base[i, j], terms.unit)
