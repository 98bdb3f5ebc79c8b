"""The table that everything else works on: names, categories and a matrix of small integer codes.

A cell is the position of its label among the categories of its column. Every category occurs at least once
and the categories stand in their natural order, never in the order of the rows, so equal tables have equal
codes however their rows are arranged. Codes are column-major, one byte each (two if some column has more
than 255 categories), and read-only: a table is a value, and `select` and `take` give new ones.

Missing cells exist only with `missing="available"`: their code is the number of categories of the column.
With `missing="category"` they are the category labelled None, which is the last.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ml4c.dataset.binning import Discretize, binning
from ml4c.dataset.encoding import (
    MAX_CATEGORIES,
    Codes,
    Column,
    Missing,
    check_missing,
    code_type,
    encode,
    matrix,
)
from ml4c.dataset.factor import Factor, factor_of
from ml4c.dataset.memory import array_columns, frame_columns
from ml4c.dataset.names import check_header, check_names, listed, unknown_name
from ml4c.dataset.writing import write_table
from ml4c.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of categorical data; make one with `from_frame`, `from_array` or `read_table`.

    names: of the columns. categories: the labels of each column, all of which occur. codes: rows by columns.
    missing: how missing values were treated. bins: the edges of each column that was discretised.
    """

    names: tuple[str, ...]
    categories: tuple[tuple[object, ...], ...]
    codes: Codes
    missing: Missing = "error"
    bins: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        read_only = self.codes.view()
        read_only.setflags(write=False)
        object.__setattr__(self, "codes", read_only)

    @classmethod
    def from_frame(cls, frame: object, *, missing: Missing = "error", discretize: Discretize = None) -> Dataset:
        """Take a frame of pandas, polars or pyarrow, or of any library that narwhals knows.

        missing: "error" refuses missing values, "available" keeps them apart so that each test uses the rows
        where its variables are present, "category" makes them a category of their own.
        discretize: number of quantile bins for every column that looks continuous, or a mapping from
        names of columns to a number of quantile bins or to increasing edges.
        """
        names, columns = frame_columns(frame)
        return _from_series(names, columns, missing, discretize)

    @classmethod
    def from_array(
        cls,
        array: object,
        names: Sequence[str] | None = None,
        *,
        missing: Missing = "error",
        discretize: Discretize = None,
    ) -> Dataset:
        """Take a two-dimensional or structured array or a list of rows; by default the names are x0, x1, ...

        `missing` and `discretize` are those of `from_frame`.
        """
        own, columns = array_columns(array, names)
        return _from_series(own, columns, missing, discretize)

    @classmethod
    def from_codes(
        cls,
        names: Sequence[str],
        categories: Sequence[Sequence[object]],
        codes: npt.NDArray[np.integer[Any]],
    ) -> Dataset:
        """Take integers that already point into the given categories, whose order is kept.

        Categories that do not occur are dropped. The array is not copied if its layout is already right.
        """
        names = check_names(names)
        if codes.ndim != 2 or codes.shape[1] != len(names) or len(categories) != len(names):
            raise DataError(
                f"{len(names)} names, {len(categories)} lists of categories and codes of shape {codes.shape} "
                "do not fit: codes must be rows by columns"
            )
        return _compact(names, [tuple(labels) for labels in categories], codes, "error", {})

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.codes.shape[1])

    @cached_property
    def cardinalities(self) -> npt.NDArray[np.int64]:
        """Number of categories of each column, not counting the code of missing cells."""
        return np.array([len(labels) for labels in self.categories], dtype=np.int64)

    @cached_property
    def missing_counts(self) -> npt.NDArray[np.int64]:
        """Number of missing cells of each column; all zero unless `missing` is "available"."""
        if self.missing != "available":
            return np.zeros(self.n_columns, dtype=np.int64)
        pairs = zip(self.codes.T, self.cardinalities, strict=True)
        return np.array([np.count_nonzero(column == card) for column, card in pairs], dtype=np.int64)

    @property
    def constant(self) -> tuple[str, ...]:
        """Names of the columns with one category."""
        pairs = zip(self.names, self.categories, strict=True)
        return tuple(name for name, labels in pairs if len(labels) == 1)

    def __repr__(self) -> str:
        shape = f"{self.n_rows:,} rows x {self.n_columns:,} columns"
        states = f"{self.cardinalities.min()} to {self.cardinalities.max()} categories"
        absent = f", {self.missing_counts.sum():,} cells missing" if self.missing_counts.any() else ""
        return f"<Dataset: {shape}, {states}{absent}>"

    def summary(self) -> str:
        """Say in a few lines what was understood of the table."""
        absent = {n: c for n, c in zip(self.names, self.missing_counts.tolist(), strict=True) if c}
        of_their_own = [n for n, labels in zip(self.names, self.categories, strict=True) if labels[-1] is None]
        lines = {
            "rows": f"{self.n_rows:,}",
            "columns": f"{self.n_columns:,}: {listed(self.names)}",
            "categories": f"{self.cardinalities.min()} to {self.cardinalities.max()} in a column",
            "missing": listed(f"{name} {count:,}" for name, count in absent.items()),
            "missing as a category": listed(of_their_own),
            "constant": listed(self.constant),
            "discretised": listed(f"{name} at {', '.join(map(str, e))}" for name, e in self.bins.items()),
        }
        return "\n".join(f"{key}: {text or 'none'}" for key, text in lines.items())

    def index(self, name: str) -> int:
        """Return the position of the column of that name."""
        if name not in self.names:
            raise unknown_name(name, self.names)
        return self.names.index(name)

    def select(self, columns: Iterable[str | int]) -> Dataset:
        """Return the table of these columns, by name or position, in this order."""
        picks = [self.index(c) if isinstance(c, str) else int(c) for c in columns]
        if any(not 0 <= j < self.n_columns for j in picks):
            raise DataError(f"columns {picks} are not all from 0 to {self.n_columns - 1}: give names or positions")
        names = check_names([self.names[j] for j in picks])
        categories = tuple(self.categories[j] for j in picks)
        bins = {name: self.bins[name] for name in names if name in self.bins}
        return Dataset(names, categories, _smallest(self.codes.T[picks].T, categories), self.missing, bins)

    def take(self, rows: npt.ArrayLike) -> Dataset:
        """Return the table of these rows, by position or as a mask; categories that vanish are dropped."""
        codes = np.take(self.codes.T, _positions(rows, self.n_rows), axis=1).T
        return _compact(self.names, self.categories, codes, self.missing, self.bins)

    def column(self, name: str) -> list[object]:
        """Return the labels of a column, row by row; None where it is missing."""
        return self._labels(self.index(name)).to_list()

    def to_polars(self, rows: slice = slice(None)) -> pl.DataFrame:
        """Return the labels as a polars frame, text as Enum; null where they are missing."""
        return pl.DataFrame([self._labels(j, rows) for j in range(self.n_columns)])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the labels to .csv, .tsv (also .gz) or .parquet, or the codes to .npy, in one step."""
        write_table(self, path)

    def _labels(self, j: int, rows: slice = slice(None)) -> pl.Series:
        labels = self.categories[j]
        text = [label for label in labels if isinstance(label, str)]
        dtype = pl.Enum(text) if text else None
        return pl.Series(self.names[j], [*labels, None], dtype=dtype).gather(self.codes[rows, j])


def _positions(rows: npt.ArrayLike, n_rows: int) -> npt.NDArray[np.integer[Any]]:
    """Return the positions of the chosen rows, given so or as a mask."""
    picks = np.asarray(rows)
    if picks.dtype == np.bool_ and picks.shape == (n_rows,):
        return np.flatnonzero(picks)
    integers = picks.ndim == 1 and picks.size and picks.dtype.kind in "iu"
    if not integers or picks.min() < 0 or picks.max() >= n_rows:
        raise DataError(f"rows must be positions from 0 to {n_rows - 1}, or a mask of {n_rows} values")
    return picks


def _smallest(codes: npt.NDArray[np.integer[Any]], categories: Sequence[tuple[object, ...]]) -> Codes:
    return np.asarray(codes, dtype=code_type(map(len, categories)), order="F")


def _from_series(names: list[str], columns: Iterable[pl.Series], missing: Missing, discretize: Discretize) -> Dataset:
    pairs = zip(check_header(names), map(factor_of, columns), strict=True)
    return from_factors(names, pairs, missing, discretize)


def from_factors(
    names: Sequence[str], factors: Iterable[tuple[str, Factor]], missing: Missing, discretize: Discretize
) -> Dataset:
    """Encode the factors of the columns, whose names have been checked."""
    check_missing(missing)
    columns = encode(factors, missing, binning(discretize, names))
    bins = {column.name: column.edges for column in columns if column.edges is not None}
    return Dataset(tuple(names), tuple(c.categories for c in columns), matrix(columns), missing, bins)


def _compact(
    names: tuple[str, ...],
    categories: Sequence[tuple[object, ...]],
    codes: npt.NDArray[np.integer[Any]],
    missing: Missing,
    bins: Mapping[str, tuple[float, ...]],
) -> Dataset:
    """Build the table of the categories that occur in the codes."""
    if not codes.size:
        raise DataError("the table has no rows: nothing to learn from")
    columns = [
        _compact_column(n, c, codes[:, j], missing) for j, (n, c) in enumerate(zip(names, categories, strict=True))
    ]
    kept = tuple(column.categories for column in columns)
    unchanged = all(len(new) == len(old) for new, old in zip(kept, categories, strict=True))
    return Dataset(names, kept, _smallest(codes, kept) if unchanged else matrix(columns), missing, bins)


def _compact_column(name: str, labels: tuple[object, ...], codes: npt.NDArray[Any], missing: Missing) -> Column:
    top = len(labels) if missing == "available" else len(labels) - 1
    if codes.min() < 0 or codes.max() > top:
        raise DataError(f"column {name!r} has codes beyond its {len(labels)} categories")
    occurs = np.bincount(codes, minlength=len(labels) + 1)[: len(labels)] > 0
    if occurs.sum() > MAX_CATEGORIES:
        raise DataError(f"column {name!r} has more than {MAX_CATEGORIES:,} categories: group them, or drop it")
    if occurs.all():
        return Column(name, labels, codes, None)
    kept = tuple(label for label, here in zip(labels, occurs, strict=True) if here)
    if not kept:
        raise DataError(f"column {name!r} has no values in these rows: drop it")
    lookup = np.append(np.cumsum(occurs) - 1, len(kept)).astype(code_type([len(kept)]))
    return Column(name, kept, lookup[codes], None)
