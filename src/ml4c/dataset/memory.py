"""Columns of data that are already in memory: frames of any library, arrays, lists of rows.

A frame is taken apart column by column, so only one column at a time exists twice. Frames and arrays of
objects are asked for the types of their values first: `1` and `"1"`, or `True` and `1`, are never merged,
a column that mixes them is refused. Strings are labels as they are: in memory only null, None, NaN
and NaT are missing, never a word such as "NA".
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from ml4c.dataset.factor import MAX_EXACT
from ml4c.errors import DataError

Table = tuple[list[str], Iterator[pl.Series]]

NULL_TYPES = frozenset({"NoneType", "NAType", "NaTType"})  # by name: pandas need not be installed
NEVER_NAN = frozenset({str, int, bool, type(None)})
POLARS_TYPES = (datetime.date, datetime.time, datetime.timedelta, Decimal)
NUMPY_TIMES = frozenset({"D", "ms", "us", "ns"})


def frame_columns(frame: object) -> Table:
    """Return the names and the columns of a frame."""
    if nw.dependencies.is_pandas_like_dataframe(frame):
        return _pandas_columns(frame)
    try:
        table = nw.from_native(frame)  # type: ignore[call-overload]
    except nw.exceptions.DuplicateError as error:
        raise DataError(f"column names are used more than once: rename all but one. {error}") from None
    except TypeError:
        raise DataError(
            f"from_frame cannot use a {type(frame).__name__}: pass a frame of pandas, polars or pyarrow, or "
            "pass an array or a list of rows to from_array"
        ) from None
    if isinstance(table, nw.LazyFrame):
        table = table.collect()
    names = list(table.columns)
    return names, (_typed(table.get_column(name).to_polars()) for name in names)


def _pandas_columns(frame: Any) -> Table:
    """By position and through numpy: names may be of any type, and pyarrow need not be installed."""
    names = [str(name) for name in frame.columns]
    return names, (_pandas_series(name, frame.iloc[:, j]) for j, name in enumerate(names))


def _pandas_series(name: str, column: Any) -> pl.Series:
    if isinstance(column.dtype, np.dtype):
        return array_series(name, column.to_numpy())
    # Types of pandas itself: text, categories, integers with gaps. Only the distinct values become objects.
    codes, values = column.factorize()
    return object_series(name, [*values.tolist(), None]).gather(np.where(codes < 0, len(values), codes))


def _typed(series: pl.Series) -> pl.Series:
    return object_series(series.name, series.to_list()) if series.dtype == pl.Object else series


def array_columns(array: object, names: Sequence[str] | None) -> Table:
    """Return the names and the columns of a two-dimensional or structured array, or of a list of rows."""
    own: tuple[str, ...] = ()
    columns: Sequence[npt.NDArray[Any] | list[Any]]
    if isinstance(array, np.ndarray):
        columns, own = _split(array), array.dtype.names or ()
    elif isinstance(array, (list, tuple)):
        columns = _split_rows(array)
    else:
        raise DataError(
            f"from_array cannot use a {type(array).__name__}: pass a two-dimensional array or a list of "
            "rows, or pass a frame to from_frame"
        )
    default = list(own) or [f"x{j}" for j in range(len(columns))]
    given = default if names is None else [str(name) for name in names]
    if len(given) != len(columns):
        raise DataError(f"{len(given)} names for {len(columns)} columns: give one name for each column")
    return given, map(array_series, given, columns)


def _split(array: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    if isinstance(array, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(array)
        array = array.data.astype(object)
        array[hidden] = None
    if array.dtype.names and array.ndim == 1:
        return [array[name] for name in array.dtype.names]
    if array.ndim != 2 or array.dtype.names:
        raise DataError(
            f"an array of shape {array.shape} is not a table: it must have two dimensions, rows and columns"
        )
    return list(array.T)


def _split_rows(rows: Sequence[Any]) -> list[list[Any]]:
    for i, row in enumerate(rows):
        if not isinstance(row, (list, tuple, np.ndarray)):
            raise DataError(f"row {i} is a {type(row).__name__}: every row must be a list, a tuple or an array")
        if len(row) != len(rows[0]):
            raise DataError(f"row {i} has {len(row)} values and row 0 has {len(rows[0])}: make them equally long")
    return list(map(list, zip(*rows, strict=True)))


def array_series(name: str, column: npt.NDArray[Any] | list[Any]) -> pl.Series:
    """Return a one-dimensional array, or a list of objects, as a typed column."""
    if isinstance(column, list):
        return object_series(name, column)
    kind = column.dtype.kind
    if kind in "OT":
        return object_series(name, column.tolist())
    if kind == "U":
        return pl.Series(name, column.tolist(), dtype=pl.String)
    if kind in "Mm" and np.datetime_data(column.dtype)[0] not in NUMPY_TIMES:
        column = column.astype(f"{kind}8[us]")
    if kind == "f" and column.dtype.itemsize not in (4, 8):
        column = column.astype(np.float64)
    if kind not in "biufMm":
        raise DataError(f"column {name!r} has the type {column.dtype}: convert it to text or numbers")
    native = np.ascontiguousarray(column, dtype=column.dtype.newbyteorder("="))
    return pl.Series(name, native)


def object_series(name: str, values: list[Any]) -> pl.Series:
    """Return Python objects as a typed column; refuse a mixture of types."""
    values = _nulled(values)
    kinds = sorted(set(map(type, values)) - {type(None)}, key=lambda kind: kind.__name__)
    families = {_family(kind): kind for kind in kinds}
    if len(families) > 1:
        examples = [next(v for v in values if type(v) is kind) for kind in families.values()]
        shown = " and ".join(f"{type(value).__name__} ({value!r})" for value in examples)
        raise DataError(f"column {name!r} mixes {shown}: convert it to one type")
    family = next(iter(families), "text")
    if family == "number":
        return _number_series(name, values, kinds)
    if family in ("text", "boolean"):
        return pl.Series(name, values, dtype=pl.String if family == "text" else pl.Boolean)
    return _other_series(name, values, kinds[0])


def _nulled(values: list[Any]) -> list[Any]:
    """Replace every kind of missing value by None."""
    kinds = set(map(type, values))
    if kinds <= NEVER_NAN:
        return values
    nulls = {kind for kind in kinds if kind.__name__ in NULL_TYPES}
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    cells[np.fromiter(map(nulls.__contains__, map(type, values)), bool, len(values))] = None
    cells[cells != cells] = None  # NaN and NaT alone differ from themselves
    return cells.tolist()


def _family(kind: type) -> str:
    """Name the family of a type: values of different families are never the same label."""
    if issubclass(kind, (bool, np.bool_)):
        return "boolean"
    if issubclass(kind, (int, float, np.integer, np.floating)):
        return "number"
    return "text" if issubclass(kind, str) else kind.__name__


def _number_series(name: str, values: list[Any], kinds: Sequence[type]) -> pl.Series:
    whole = [issubclass(kind, (int, np.integer)) for kind in kinds]
    try:
        series = pl.Series(name, values, dtype=pl.Int64 if all(whole) else pl.Float64)
    except (TypeError, OverflowError):
        raise DataError(f"column {name!r} has integers beyond 64 bits: write them as text") from None
    if any(whole) and not all(whole) and (series.abs() >= MAX_EXACT).any():
        raise DataError(f"column {name!r} mixes fractions with numbers beyond 2**53: write them as text")
    return series


def _other_series(name: str, values: list[Any], kind: type) -> pl.Series:
    """Dates and times as such; any other objects by their text, if that tells them apart."""
    if issubclass(kind, POLARS_TYPES):
        with suppress(TypeError, ValueError, pl.exceptions.PolarsError):
            return pl.Series(name, values)
    try:
        texts = {value: str(value) for value in set(values) - {None}}
    except TypeError:
        texts = {}
    if len(set(texts.values())) < max(len(texts), 1) or issubclass(kind, bytes):
        raise DataError(f"column {name!r} holds objects of type {kind.__name__}: convert them to text or numbers")
    return pl.Series(name, list(map(texts.get, values)), dtype=pl.String)
