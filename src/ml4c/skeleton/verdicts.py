"""What a statistic says about dependence: a p-value, and a normal deviate that does not underflow.

G2 is compared with the chi-squared distribution. Where a table has about as many degrees of freedom as rows (columns of
hundreds of values, or few rows) that comparison means nothing: G2 is then far below its degrees of freedom whatever
the columns have to do with each other, so all of them look independent. `SparseVerdicts` therefore

- judges a pair by itself by Pearson's chi2, whose mean and variance over all permutations of a column are known
  exactly for any margins (Haldane 1940; Dawson and Bell 1977), and takes the gamma distribution that has them;
- says nothing about a question given other columns (p-value 0: it separates nobody), for scores to decide.

On 12 synthetic networks each, F1 at 300 / 1,000 / 3,000 / 10,000 rows: columns of 50 to 300 values, .00 / .10 / .45 /
.71 by G2 alone, .92 / .76 / .76 / .83 so; columns of 2 to 80 values, .49 / .66 / .78 / .88 and .55 / .70 / .81 / .88;
usual columns, .58 / .71 / .78 / .86 and .58 / .72 / .77 / .86. The two limits were chosen on the same networks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy.special import gammaincc

from ml4c.citest import Association
from ml4c.counting import Packed
from ml4c.skeleton.pairs import Columns, Floats, Mask

ROWS_FOR_G2 = 5
"""Rows for each degree of freedom from which on a pair by itself is judged by G2."""
ROWS_FOR_POWER = 1
"""Rows for each degree of freedom below which a question given other columns is not judged."""

Verdicts: TypeAlias = Callable[[Columns, Association], tuple[Floats, Floats]]
"""Turns questions and their statistics into p-values and normal deviates."""


def by_g2(_: Columns, found: Association) -> tuple[Floats, Floats]:
    """Judge by G2 alone."""
    return found.g2_p_value, normal_deviate(found.g2, found.dof)


class SparseVerdicts:
    """Judges by G2 where there are rows enough for it."""

    def __init__(self, packed: Packed) -> None:
        # Sorted, because the order of a sum must not depend on names.
        seen = [np.sort(of[of > 0]).astype(np.float64) for of in packed.counts]
        self._values: Floats = np.array([len(of) for of in seen], np.float64)
        self._inverse: Floats = np.array([(of.sum() / of).sum() for of in seen])

    def __call__(self, questions: Columns, found: Association) -> tuple[Floats, Floats]:
        """Return p-value and normal deviate of each question."""
        p_value, z = by_g2(questions, found)
        alone = (questions[:, 2:] < 0).all(axis=1)
        powerless = ~alone & (found.n < ROWS_FOR_POWER * found.dof)
        p_value, z = np.where(powerless, 0.0, p_value), np.where(powerless, np.inf, z)
        sparse = alone & (found.n < ROWS_FOR_G2 * found.dof)
        if sparse.any():
            p_value[sparse], z[sparse] = self._by_chi2(questions, found, sparse)
        return p_value, z

    def _by_chi2(self, questions: Columns, found: Association, which: Mask) -> tuple[Floats, Floats]:
        """Judge pairs by chi2 with the moments that it has over permutations; without variance it tells nothing."""
        x, y = questions[which, 0], questions[which, 1]
        mean, variance = permutation_moments(
            found.n[which], self._values[x], self._values[y], self._inverse[x], self._inverse[y]
        )
        varies = variance > 0
        scale = np.where(varies, variance, 1.0) / (2.0 * mean)
        dof, chi2 = mean / scale, found.chi2[which] / scale
        tail = gammaincc(dof / 2.0, chi2 / 2.0)
        return np.where(varies, tail, 1.0), np.where(varies, normal_deviate(chi2, dof), -np.inf)


def permutation_moments(
    n: Floats, x_values: Floats, y_values: Floats, x_inverse: Floats, y_inverse: Floats
) -> tuple[Floats, Floats]:
    """Return mean and variance of chi2 over all permutations of one of two columns of n rows.

    values: how many different ones a column has; inverse: the sum of n / count over them. With three rows or fewer
    the variance is given as 0.
    """
    mean = n * (x_values - 1) * (y_values - 1) / (n - 1)
    few = n <= 3
    rows = np.where(few, 4.0, n)

    def parts(values: Floats, inverse: Floats) -> tuple[Floats, Floats]:
        return (values - 1) * (rows - values) / (rows - 1), (inverse - values**2) / (rows - 2)

    (x_even, x_skew), (y_even, y_skew) = parts(x_values, x_inverse), parts(y_values, y_inverse)
    usual = 2 * rows / (rows - 3) * (x_even - x_skew) * (y_even - y_skew)
    return mean, np.where(few, 0.0, usual + rows**2 / (rows - 1) * x_skew * y_skew)


def normal_deviate(statistic: Floats, dof: Floats) -> Floats:
    """Return a chi-squared statistic as standard deviations from independence (Wilson and Hilferty 1931).

    -inf without freedom. Unlike a p-value it does not underflow, so it ranks strong dependences of columns of any
    cardinality.
    """
    spread = 2.0 / (9.0 * np.maximum(dof, 1.0))
    z = (np.cbrt(statistic / np.maximum(dof, 1.0)) - (1.0 - spread)) / np.sqrt(spread)
    return np.where(dof > 0, z, -np.inf)


def bic_gain(found: Association) -> Floats:
    """Return the nats that BIC gives for each dependence: half of G2, less (log n) / 2 for each degree of freedom."""
    return np.asarray((found.g2 - found.dof * np.log(np.maximum(found.n, 1.0))) / 2.0)
