"""From the cells of a contingency table to the statistics of METHOD section 2.

Severity is a maximum over cells, so most cells need no square root: a cell is first compared with the best so far by
products alone, and only one that may win is evaluated by the formula. Whatever the order in which cells come,
the result is the same to the bit, because the formula sees integer counts only.

G2 and chi2 are sums, and floating sums depend on their order. They are added in fixed point (64-bit integers), which
is exact in any order: relabelling categories or sorting rows otherwise cannot change the last bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Counts, Floats, Ints, leaf, step

PRIOR = 9.0
"""Weight that keeps the expected share of a cell away from 0 and 1 in the standard error."""
NEGLIGIBLE = 1e-8
"""A difference between observed and expected share below this counts as none."""
SLACK = 1.0 - 1e-9
"""Screens err on the side of evaluating: far more than rounding can amount to."""

SEVERITY, ASSOCIATION = 0, 1
G2, CHI2, DOF = 0, 1, 2


class Tally(NamedTuple):
    """What is asked for, and what the configurations seen so far amount to."""

    what: int
    """SEVERITY or ASSOCIATION."""
    log_terms: Ints
    """c log c for every count c, in units of 1 / `g2_unit`."""
    g2_unit: float
    chi2_unit: float
    worst: Floats
    """[0]: the largest severity."""
    sums: Ints
    """G2 / 2 and chi2 in fixed point, degrees of freedom."""


@leaf
def clamp_bounds(rows: int) -> tuple[float, float]:
    """Return the bounds of the expected share."""
    low, high = PRIOR / (PRIOR + rows), rows / (PRIOR + rows)
    return min(low, high), max(low, high)


@step
def cell_severity(both: int, in_x: int, in_y: int, rows: int) -> float:
    """Distance of one cell from independence, in standard errors."""
    expected = (in_x / rows) * (in_y / rows)
    difference = abs(both / rows - expected)
    if difference < NEGLIGIBLE:
        return 0.0
    low, high = clamp_bounds(rows)
    p = min(max(expected, low), high)
    return difference / math.sqrt(p * (1.0 - p) / rows)


@leaf
def can_win(rows: int, best: float) -> bool:
    """Tell whether a configuration of so many rows can hold a cell worse than `best`.

    Indicators of two events differ from independence by at most 1/4, and by at most sqrt(e) - e where e is the
    expected share; with the clamp on e, no cell of n rows exceeds (n + 9) / 12, nor sqrt(n + 9) - 3 from 27 rows on.
    """
    if best >= 3.0:
        return rows > (best + 3.0) * (best + 3.0) * SLACK - 9.0
    return rows > 12.0 * best * SLACK - 9.0


@leaf
def counts_cannot_win(top: int, top_x: int, top_y: int, rows: int, best: float) -> bool:
    """Tell whether no cell can be worse than `best` when none has more rows than `top`, no state more than its top.

    A cell of m rows has margins of at least m, so it exceeds its expectation by at most m/n - (m/n)^2; it falls short
    by at most the expectation itself; and no standard error is below 3 / (n + 9).
    """
    share = min(top / rows, 0.5)
    furthest = max(share - share * share, (top_x / rows) * (top_y / rows))
    return furthest * (rows + PRIOR) <= 3.0 * best * SLACK


@step
def cannot_win(top_x: int, top_y: int, rows: int, best: float) -> bool:
    """Tell whether no cell can be worse than `best` when no state of x or y has more rows than its top."""
    return counts_cannot_win(min(top_x, top_y), top_x, top_y, rows, best)


@step
def varies_too_little(top_x: int, top_y: int, rows: int, best: float) -> bool:
    """Tell whether no cell can be worse than `best` when the commonest states of x and y have that many rows.

    A cell differs from its expectation by at most the product of the standard deviations of being in either state, and
    none deviates more than the commonest, whether that has less than half of the rows or more.
    """
    share_x, share_y = top_x / rows, top_y / rows
    variances = share_x * (1.0 - share_x) * (share_y * (1.0 - share_y))
    reach = 3.0 * best * SLACK / (rows + PRIOR)
    return variances <= reach * reach


@leaf
def to_screen(margin: Counts) -> tuple[int, int]:
    """Return the states that a screen must look at, from the first to the last: of two, only the rarer one.

    The cells of two states differ from independence equally, and the rarer state has the smaller standard error.
    """
    if margin.shape[0] != 2:
        return np.int64(0), np.int64(margin.shape[0])
    rarer = np.int64(margin[1] < margin[0])
    return rarer, rarer + np.int64(1)


@step
def margins_cannot_win(in_x: Counts, in_y: Counts, rows: int, best: float) -> bool:
    """Tell whether no table with these margins has a cell worse than `best`."""
    n = float(rows)
    per_cell = 1.0 / (n * n)
    low, high = clamp_bounds(rows)
    hurdle = best * best * n * n * n * SLACK
    first_x, end_x = to_screen(in_x)
    first_y, end_y = to_screen(in_y)
    for i in range(first_x, end_x):
        a = float(in_x[i])
        for j in range(first_y, end_y):
            b = float(in_y[j])
            product = a * b
            p = min(max(product * per_cell, low), high)
            furthest = max(min(a, b) * n - product, product - max(a + b - n, 0.0) * n)
            if furthest * furthest > hurdle * (p * (1.0 - p)):
                return False
    return True


@step
def worst_cell(cells: Counts, start: int, in_x: Counts, in_y: Counts, rows: int, best: float) -> float:
    """Return the larger of `best` and the severity of the worst cell of a dense table."""
    n = float(rows)
    per_cell = 1.0 / (n * n)
    low, high = clamp_bounds(rows)
    hurdle = best * best * n * n * n * SLACK
    width = in_y.shape[0]
    first_x, end_x = to_screen(in_x)
    first_y, end_y = to_screen(in_y)
    for i in range(first_x, end_x):
        a = float(in_x[i])
        if a == 0.0:
            continue
        row = cells[start + i * width : start + (i + 1) * width]
        candidates = 0
        for j in range(first_y, end_y):
            product = a * in_y[j]
            p = product * per_cell
            p = low if p < low else p
            p = high if p > high else p
            difference = row[j] * n - product
            candidates += difference * difference > hurdle * (p * (1.0 - p))
        for j in range(first_y, end_y if candidates > 0 else first_y):
            best = max(best, worst_of_likes(row[j], i, j, in_x, in_y, rows))
        hurdle = best * best * n * n * n * SLACK
    return best


@step
def worst_of_likes(both: int, i: int, j: int, in_x: Counts, in_y: Counts, rows: int) -> float:
    """Evaluate a cell by the formula, and with it those that `to_screen` left out because of it."""
    worst = cell_severity(both, in_x[i], in_y[j], rows)
    if in_x.shape[0] == 2:
        worst = max(worst, cell_severity(np.int32(in_y[j] - both), in_x[1 - i], in_y[j], rows))
    if in_y.shape[0] == 2:
        worst = max(worst, cell_severity(np.int32(in_x[i] - both), in_x[i], in_y[1 - j], rows))
    if in_x.shape[0] == 2 and in_y.shape[0] == 2:
        opposite = np.int32(in_x[1 - i] - (in_y[j] - both))
        worst = max(worst, cell_severity(opposite, in_x[1 - i], in_y[1 - j], rows))
    return worst


@step
def add_cell(both: int, in_x: int, in_y: int, rows: int, tally: Tally) -> None:
    """Add one observed cell to the sums of G2 and chi2."""
    tally.sums[G2] += tally.log_terms[both]
    share = (float(both) * rows) * both / (float(in_x) * in_y)
    tally.sums[CHI2] += np.int64(share * tally.chi2_unit + 0.5)


@step
def add_margins(in_x: Counts, in_y: Counts, rows: int, tally: Tally) -> None:
    """Add the margins of one configuration to the sums, and its degrees of freedom."""
    seen_x = 0
    for i in range(in_x.shape[0]):
        tally.sums[G2] -= tally.log_terms[in_x[i]]
        seen_x += in_x[i] > 0
    seen_y = 0
    for j in range(in_y.shape[0]):
        tally.sums[G2] -= tally.log_terms[in_y[j]]
        seen_y += in_y[j] > 0
    tally.sums[G2] += tally.log_terms[rows]
    tally.sums[CHI2] -= np.int64(rows * tally.chi2_unit + 0.5)
    tally.sums[DOF] += (seen_x - 1) * (seen_y - 1)


@step
def take_table(cells: Counts, start: int, in_x: Counts, in_y: Counts, rows: int, tally: Tally) -> None:
    """Take one configuration, given as a dense table with its margins, into the tally."""
    if tally.what == SEVERITY:
        tally.worst[0] = worst_cell(cells, start, in_x, in_y, rows, tally.worst[0])
        return
    width = in_y.shape[0]
    for i in range(in_x.shape[0]):
        for j in range(width):
            both = cells[start + i * width + j]
            if both > 0:
                add_cell(both, in_x[i], in_y[j], rows, tally)
    add_margins(in_x, in_y, rows, tally)


@leaf
def can_skip(rows: int, tally: Tally) -> bool:
    """Tell whether a configuration of so many rows is sure to change nothing."""
    return rows < 2 or (tally.what == SEVERITY and not can_win(rows, tally.worst[0]))


@leaf
def begin_question(tally: Tally) -> None:
    """Empty the tally for a new question."""
    tally.worst[0] = 0.0
    for i in range(3):
        tally.sums[i] = 0


@leaf
def end_question(tally: Tally, rows: int, out: Floats, i: int) -> None:
    """Write the answer to a question that used so many rows."""
    if tally.what == SEVERITY:
        out[i, 0] = tally.worst[0]
        out[i, 1] = rows
        return
    out[i, 0] = 2.0 * (tally.sums[G2] / tally.g2_unit)
    out[i, 1] = tally.sums[CHI2] / tally.chi2_unit
    out[i, 2] = tally.sums[DOF]
    out[i, 3] = rows
