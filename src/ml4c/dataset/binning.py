"""Bins for columns that look continuous: `discretize=`, quantiles by value, and the labels of the bins.

A bin is an interval closed on the left, `[0.5, 1.25)`; the outer two are open-ended, so every number has a
bin. Quantile edges lie between the values at equal steps of the sorted rows, at the number with the fewest
digits. A cell goes into a bin by its value alone: equal values are never split, the order of the rows does
not matter, and where ties swallow a whole step there are fewer bins than asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ml4c.dataset.names import unknown_name
from ml4c.errors import DataError

Bins = int | Sequence[float]
Discretize = int | Mapping[str, Bins] | None

MAX_BINS = 255


@dataclass(frozen=True)
class Binning:
    """Which columns to bin: those named, and with `others` all further ones that look continuous."""

    named: Mapping[str, int | tuple[float, ...]]
    others: int | None

    def of(self, name: str, looks_continuous: bool) -> int | tuple[float, ...] | None:
        """Return the number of bins or the edges for a column, or None to leave it as it is."""
        return self.named.get(name, self.others if looks_continuous else None)


def binning(discretize: Discretize, names: Sequence[str]) -> Binning:
    """Check the argument `discretize` against the names of the table."""
    if discretize is None:
        return Binning({}, None)
    if isinstance(discretize, Mapping):
        for name in discretize:
            if name not in names:
                raise unknown_name(name, names)
        return Binning({n: _checked(b, f"discretize[{n!r}]") for n, b in discretize.items()}, None)
    if isinstance(discretize, (int, np.integer)):
        return Binning({}, _count(discretize, "discretize"))
    raise DataError(f"discretize={discretize!r}: give a number of bins, or a mapping from column to bins or edges")


def _checked(bins: Bins, argument: str) -> int | tuple[float, ...]:
    return _count(bins, argument) if isinstance(bins, (int, np.integer)) else _edges(bins, argument)


def _count(bins: int, argument: str) -> int:
    if isinstance(bins, bool) or not 2 <= bins <= MAX_BINS:
        raise DataError(f"{argument}={bins!r}: the number of bins must be from 2 to {MAX_BINS}")
    return int(bins)


def _edges(bins: Sequence[float], argument: str) -> tuple[float, ...]:
    try:
        edges = np.array(bins, dtype=np.float64)
    except (TypeError, ValueError):
        edges = np.array([])
    listable = edges.ndim == 1 and 1 <= edges.size < MAX_BINS
    if not listable or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        raise DataError(f"{argument}={bins!r}: give a number of bins, or at most {MAX_BINS - 1} increasing edges")
    return tuple(edges.tolist())


def quantile_edges(numbers: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], bins: int) -> tuple[float, ...]:
    """Return the edges that cut sorted numbers, each with its count, into about equal shares of the rows."""
    values, places = np.unique(numbers, return_inverse=True)
    ends = np.cumsum(np.bincount(places, weights=counts))
    steps = np.arange(1, bins) * counts.sum() // bins
    # The value that starts each further bin; not the minimum, which would leave the first bin empty.
    starts = np.unique(np.maximum(np.searchsorted(ends, steps, side="right"), 1))
    pairs = [(values[i - 1].item(), values[i].item()) for i in starts if i < len(values)]
    return tuple(_shortest_between(below, start) for below, start in pairs)


def _shortest_between(below: float, start: float) -> float:
    """Return the number with the fewest digits that is above the one and at most the other."""
    middle = below + (start - below) / 2
    for digits in range(1, 18):
        edge = float(f"{middle:.{digits}g}")
        if below < edge <= start:
            return edge
    return start


def bin_labels(edges: Sequence[float]) -> list[str]:
    """Return the label of each of the `len(edges) + 1` bins."""
    shown = [repr(float(edge)).removesuffix(".0") for edge in edges]
    lows = ["(-inf", *(f"[{edge}" for edge in shown)]
    highs = [*shown, "inf"]
    return [f"{low}, {high})" for low, high in zip(lows, highs, strict=True)]
