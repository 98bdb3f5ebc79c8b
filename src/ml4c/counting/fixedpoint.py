"""Scales of 64-bit fixed-point sums, as fine as a table allows without overflow."""

from __future__ import annotations

import numpy as np

from ml4c._kernels.arrays import Ints


def unit_for(largest: float) -> float:
    """Return the power of two by which a sum of at most `largest` fills 61 bits."""
    return float(2.0 ** (61 - int(np.ceil(np.log2(largest + 2.0)))))


def log_terms(rows: int) -> tuple[Ints, float]:
    """Return c log c for every count c of up to `rows`, in fixed point, and its unit."""
    counts = np.arange(rows + 1, dtype=np.float64)
    logs = counts * np.log(np.maximum(counts, 1.0))
    unit = unit_for(float(logs[-1]))
    return np.rint(logs * unit).astype(np.int64), unit
