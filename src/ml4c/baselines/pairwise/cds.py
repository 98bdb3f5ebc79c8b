"""CDS, the conditional distribution similarity statistic (Fonollosa 2016), as the toolbox `cdt` defines it.

If x causes y, the distributions of y given each value of x tend to have one shape that is only moved about. So each
distribution is first moved to where it resembles the distribution of y most; the spread of what is left, the standard
deviation of its probabilities around their mean, is smaller in the causal direction. Values of x with at most 12 rows
are left out.

Moving a distribution needs an order: that of the categories in the table, so CDS depends on it by its definition (the
toolbox takes codes for numbers). Columns of more than 13 categories are binned by their codes, in half standard
deviations up to three; distributions of such a y are centred instead of moved.
"""

from __future__ import annotations

import numpy as np

from ml4c.baselines.pairwise.direction import oriented, skeleton_pairs
from ml4c.baselines.pairwise.tables import Floats, Table, contingency_tables, standardised, turned
from ml4c.baselines.protocol import Problem
from ml4c.graph import Graph

BINS_PER_DEVIATION = 2
MAX_DEVIATION = 3
OUTERMOST = BINS_PER_DEVIATION * MAX_DEVIATION
MOST_VALUES = 2 * OUTERMOST + 1
MIN_ROWS = 12
"""A conditional distribution needs more rows than these."""


def cds(problem: Problem) -> Graph:
    """Orient every edge towards the smaller spread; an edge of two equal spreads stays undirected."""
    pairs = skeleton_pairs(problem.skeleton)
    tables = contingency_tables(problem.data, pairs)
    score = [conditional_spread(turned(table)) - conditional_spread(table) for table in tables]
    return oriented(pairs, np.array(score), problem.data.n_columns)


def conditional_spread(table: Table) -> float:
    """Return the spread of the distributions of the second column given each value of the first."""
    given = _binned(table)
    given = given[given.sum(axis=1) > MIN_ROWS]
    if not len(given):
        return 0.0
    shapes = _centred(given, table) if table.shape[1] > MOST_VALUES else _moved(given, table.sum(axis=0))
    shares = shapes / shapes.sum(axis=1, keepdims=True)
    return float(np.std(shares - shares.mean(axis=0)))


def _binned(table: Table) -> Table:
    """Return the table with the values of the first column in at most 13 bins, empty ones left out."""
    counts = table.sum(axis=1)
    if len(counts) <= MOST_VALUES:
        return table
    z = standardised(np.arange(len(counts), dtype=np.float64), counts)
    core = np.where(np.abs(z) < MAX_DEVIATION, counts, 0)
    mean = core @ z / core.sum()
    z = (z - mean) / np.sqrt(core @ (z - mean) ** 2 / core.sum())
    found = np.zeros((MOST_VALUES, table.shape[1]), dtype=np.int64)
    np.add.at(found, _bins(z), table)
    return found


def _bins(z: Floats) -> Table:
    """Return the numbers, from 0 on, of the bins of standardised values."""
    return np.clip(np.rint(z * BINS_PER_DEVIATION), -OUTERMOST, OUTERMOST).astype(np.int64) + OUTERMOST


def _moved(given: Table, whole: Table) -> Table:
    """Move each row of counts to where it agrees most with the whole, the first place of several."""
    values = len(whole)
    moved = np.zeros((len(given), 3 * values - 2), dtype=np.int64)
    for row, counts in zip(moved, given, strict=True):
        agreement = np.correlate(np.pad(counts, values - 1), whole, "valid")
        start = 2 * values - 2 - int(np.argmax(agreement))
        row[start : start + values] = counts
    return moved


def _centred(given: Table, table: Table) -> Table:
    """Centre each row of counts at its mean and bin it in units of the deviation of the whole second column."""
    codes, whole = np.arange(table.shape[1], dtype=np.float64), table.sum(axis=0)
    deviation = np.sqrt(whole @ (codes - whole @ codes / whole.sum()) ** 2 / whole.sum())
    centred = np.zeros((len(given), MOST_VALUES), dtype=np.int64)
    for row, counts in zip(centred, given, strict=True):
        np.add.at(row, _bins((codes - counts @ codes / counts.sum()) / deviation), counts)
    return centred
