"""Means and spreads of cells, and how many cells they cover.

A network's figure is the mean over its seeds; a method's figure is the mean over networks of these. Whoever lacks a
network has a mean over other networks than the rest, so every mean says over how many it is, and can be asked for on
the networks that another method has too.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ml4c.benchmark.cells import Record, SkeletonSource

LOWER_IS_BETTER = ("shd",)


@dataclass(frozen=True)
class Spread:
    """The mean of some numbers, their standard deviation, and how many they are."""

    mean: float
    deviation: float
    count: int

    def words(self, digits: int) -> str:
        """Return mean and deviation; of a single number, the number."""
        alone = f"{self.mean:.{digits}f}"
        return alone if self.count == 1 else f"{alone} ± {self.deviation:.{digits}f}"


def spread(values: Sequence[float]) -> Spread | None:
    """Return the spread of numbers, None if there are none."""
    return Spread(float(np.mean(values)), float(np.std(values)), len(values)) if len(values) else None


@dataclass(frozen=True)
class Series:
    """A method under one condition: its row of a table."""

    method: str
    rows: int
    skeleton: SkeletonSource


def figures(score: str, found: Spread | None) -> dict[str, float | None]:
    """Return mean and deviation as columns of a CSV file."""
    if found is None:
        return {f"{score}_mean": None, f"{score}_deviation": None}
    return {f"{score}_mean": found.mean, f"{score}_deviation": found.deviation}


class Results:
    """Cells, found by what they are about."""

    def __init__(self, records: Iterable[Record], networks: Sequence[str]) -> None:
        self.networks = tuple(networks)
        self._cells: dict[tuple[str, Series], list[Record]] = {}
        for record in sorted(records, key=lambda record: record.cell):
            cell = record.cell
            series = Series(cell.method, cell.rows, cell.skeleton)
            self._cells.setdefault((cell.network, series), []).append(record)

    def cells(self, series: Series, network: str | None = None) -> list[Record]:
        """Return the cells of a series, on one network or on all."""
        networks = self.networks if network is None else (network,)
        return [record for name in networks for record in self._cells.get((name, series), [])]

    def done(self, series: Series, network: str | None = None) -> list[Record]:
        """Return the cells of a series that have a graph."""
        return [record for record in self.cells(series, network) if record.done]

    def on(self, network: str, series: Series, score: str) -> Spread | None:
        """Return a score of a series on a network, over seeds."""
        return spread([record.scores[score] for record in self.done(series, network) if score in record.scores])

    def covered(self, series: Series) -> list[str]:
        """Return the networks on which a series has a graph."""
        return [name for name in self.networks if self.done(series, name)]

    def over(self, networks: Iterable[str], series: Series, score: str) -> Spread | None:
        """Return a score of a series over those of the networks that it covers."""
        means = [self.on(name, series, score) for name in networks]
        return spread([one.mean for one in means if one is not None])

    def ranks(self, rivals: Sequence[Series], score: str) -> dict[Series, Spread]:
        """Return the rank of each series, 1 the best, over the networks where it was run.

        Equals share their mean rank. Who was run on a network and has no graph there is last.
        """
        found: dict[Series, list[float]] = {}
        for network in self.networks:
            run = [series for series in rivals if self.cells(series, network)]
            for series, rank in zip(run, _ranks([self._badness(network, s, score) for s in run]), strict=True):
                found.setdefault(series, []).append(rank)
        return {series: one for series, values in found.items() if (one := spread(values)) is not None}

    def _badness(self, network: str, series: Series, score: str) -> float:
        found = self.on(network, series, score)
        if found is None:
            return np.inf
        return round(found.mean if score in LOWER_IS_BETTER else -found.mean, 12)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1 on, the smallest first; equals share the mean of theirs."""
    ordered = sorted(values)
    return [(2 * bisect_left(ordered, v) + ordered.count(v) + 1) / 2 for v in values]
