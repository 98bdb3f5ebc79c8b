"""Answers to questions about conditional dependence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, erfc

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Dependence:
    """Severity of each question: the largest distance of a cell from independence, in standard errors."""

    severity: Floats
    n: Floats
    """Rows in which no column of the question is missing."""

    @cached_property
    def p_value(self) -> Floats:
        """Probability of so large a severity under independence, erfc(severity / sqrt 2)."""
        return np.asarray(erfc(self.severity / np.sqrt(2.0)))


@dataclass(frozen=True, eq=False)
class Association:
    """Classical statistics of each question, with degrees of freedom counted on observed margins."""

    g2: Floats
    chi2: Floats
    dof: Floats
    n: Floats
    """Rows in which no column of the question is missing."""

    @cached_property
    def g2_p_value(self) -> Floats:
        """Upper tail of G2; 1 where there are no degrees of freedom."""
        return _upper_tail(self.g2, self.dof)

    @cached_property
    def chi2_p_value(self) -> Floats:
        """Upper tail of chi2; 1 where there are no degrees of freedom."""
        return _upper_tail(self.chi2, self.dof)


def _upper_tail(statistic: Floats, dof: Floats) -> Floats:
    tail = chdtrc(np.maximum(dof, 1.0), np.maximum(statistic, 0.0))
    return np.where(dof > 0, tail, 1.0)


@dataclass(frozen=True)
class Finding:
    """Everything about one question, by name."""

    x: str
    y: str
    given: tuple[str, ...]
    severity: float
    p_value: float
    g2: float
    g2_p_value: float
    chi2: float
    chi2_p_value: float
    dof: int
    n: int

    def __str__(self) -> str:
        given = f" | {', '.join(self.given)}" if self.given else ""
        return (
            f"{self.x} ~ {self.y}{given}: severity {self.severity:.2f} (p {self.p_value:.2g}), "
            f"G2 {self.g2:.1f} on {self.dof} df (p {self.g2_p_value:.2g}), {self.n} rows"
        )
