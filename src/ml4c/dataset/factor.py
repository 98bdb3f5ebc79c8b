"""A column as its distinct values and, for each row, which of them it holds.

This is the common form between every source and the codes of a table. The distinct values stand in their
natural order: numbers by size, False before True, dates by time, text by code point; but text that spells
nothing but numbers is ordered by size too, so a table has the same codes whether its numbers come typed or
from a text file. Whole numbers stored as floats become integers, so 1.0 is labelled 1. Nothing depends on
the order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ml4c.errors import DataError

MAX_EXACT = 2**53  # beyond it, floats skip integers


@dataclass(frozen=True, eq=False)
class Factor:
    """Distinct values in natural order; codes into them, where `len(values)` stands for missing."""

    values: pl.Series
    codes: npt.NDArray[np.unsignedinteger[Any]]
    numbers: npt.NDArray[np.float64] | None  # the values as numbers, if all of them are

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Rows of each value, and last of the missing ones."""
        return np.bincount(self.codes, minlength=len(self.values) + 1).astype(np.int64)


def factor_of(series: pl.Series) -> Factor:
    """Return the factor of a typed column; its nulls and NaN are missing."""
    series = _plain(series)
    values, numbers = in_natural_order(series.drop_nulls().unique())
    return Factor(values, positions(series, values), numbers)


def in_natural_order(values: pl.Series) -> tuple[pl.Series, npt.NDArray[np.float64] | None]:
    """Return distinct values sorted, and what they are as numbers if every one of them is a number."""
    numbers = _as_numbers(values)
    if numbers is None:
        return values.sort(), None
    order = pl.DataFrame({"number": numbers, "value": values}).sort("number", "value")
    return order["value"], order["number"].to_numpy()


def _as_numbers(values: pl.Series) -> pl.Series | None:
    if not len(values) or not (values.dtype.is_numeric() or values.dtype == pl.String):
        return None
    numbers = values.cast(pl.Float64, strict=False).fill_nan(None)  # the text "NaN" is a word
    return None if numbers.has_nulls() else numbers


def positions(series: pl.Series, values: pl.Series) -> npt.NDArray[np.unsignedinteger[Any]]:
    """Return for each row the position of its value among the values, or their number where it is null."""
    dtype = pl.UInt8 if len(values) < 2**8 else pl.UInt16 if len(values) < 2**16 else pl.UInt32
    if not len(values):
        return np.zeros(len(series), dtype=np.uint8)
    if series.dtype == pl.String:
        found = series.cast(pl.Enum(values)).to_physical().cast(dtype)  # twice as fast as replacing
    else:
        places = pl.Series(np.arange(len(values)), dtype=dtype)
        found = series.replace_strict(values, places, return_dtype=dtype)
    return found.fill_null(len(values)).to_numpy()


def _plain(series: pl.Series) -> pl.Series:
    """Reduce the many types of a column to those that are ordered and compared as their labels are."""
    dtype = series.dtype
    if dtype.is_float():
        return _integers_if_whole(series.fill_nan(None).set(series == 0, 0.0))  # or the label may be -0.0
    if dtype in (pl.Categorical, pl.Enum, pl.Null) or dtype.is_decimal():
        return series.cast(pl.String)
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        raise DataError(f"column {series.name!r} holds values of type {dtype}: convert them to text or numbers")
    return series


def _integers_if_whole(series: pl.Series) -> pl.Series:
    largest = series.abs().max()
    exact = isinstance(largest, float) and largest <= MAX_EXACT
    return series.cast(pl.Int64) if exact and (series == series.floor()).all() else series
