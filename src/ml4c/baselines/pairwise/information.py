"""Entropies and mutual information of counts, as Jarfo takes them.

Entropy has a part of the Miller-Madow correction for the bias of counted shares. Mutual information is also adjusted
for chance: its mean over all tables of the same margins is subtracted (Vinh, Epps & Bailey 2010).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import gammaln

from ml4c.baselines.pairwise.tables import Floats, Table

BIAS_FACTOR = 0.7
TAIL_DEVIATIONS, TAIL_COUNTS = 10, 40
"""How far from its mean a hypergeometric count is looked at: what lies beyond has no weight in double precision."""


def entropy(counts: Table) -> float:
    """Return the entropy of the counted shares in nats, corrected for bias; zero counts are no values."""
    present = counts[counts > 0]
    return plain_entropy(present) + BIAS_FACTOR * (len(present) - 1) / (2 * float(present.sum()))


def plain_entropy(counts: Table) -> float:
    """Return the entropy of the counted shares in nats."""
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log(share)).sum())


def adjusted_information(table: Table) -> float:
    """Return mutual information less what chance gives, over the most there could be: 1 for equal columns.

    The most is the mean of both entropies; 0 where a column is constant.
    """
    margins = table.sum(axis=1), table.sum(axis=0)
    first, second = (plain_entropy(counts) for counts in margins)
    found = first + second - plain_entropy(table.ravel())
    chance = expected_information(*margins)
    most = (first + second) / 2 - chance
    return (found - chance) / most if min(first, second) > 0 and most > 0 else 0.0


def expected_information(rows: Table, columns: Table) -> float:
    """Return the mean of the mutual information over all tables with these margins, equally likely as permutations."""
    n = int(rows.sum())
    return sum(_expected_term(a, b, n) for a in rows.tolist() for b in columns.tolist())


def _expected_term(a: int, b: int, n: int) -> float:
    """Return the mean of m/n log(n m / (a b)) over the hypergeometric count m of a cell with margins a and b."""
    mean = a * b / n
    reach = TAIL_DEVIATIONS * (mean * (1 - a / n) * (1 - b / n)) ** 0.5 + TAIL_COUNTS
    lowest, highest = max(1, a + b - n, int(mean - reach)), min(a, b, int(mean + reach) + 1)
    m = np.arange(lowest, highest + 1)
    log = _log_factorials(n)
    fixed = log[a] + log[b] + log[n - a] + log[n - b] - log[n]
    chance = np.exp(fixed - log[m] - log[a - m] - log[b - m] - log[n - a - b + m])
    return float((chance * m / n * np.log(m * (n / (a * b)))).sum())


@lru_cache(maxsize=4)
def _log_factorials(n: int) -> Floats:
    return np.asarray(gammaln(np.arange(1.0, n + 2.0)))
