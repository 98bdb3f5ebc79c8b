"""Reading a table from a file, by the ending of its name: `read_table`."""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import numpy as np
import polars as pl
from polars import selectors

from ml4c.dataset.binning import Discretize
from ml4c.dataset.delimited import MISSING_WORDS, read_delimited
from ml4c.dataset.encoding import Missing, check_missing
from ml4c.dataset.factor import Factor, factor_of
from ml4c.dataset.filetype import HEAD, SEPARATORS, check_content, checked_ending
from ml4c.dataset.memory import array_columns
from ml4c.dataset.names import check_header
from ml4c.dataset.table import Dataset, from_factors
from ml4c.errors import DataError

Source = tuple[tuple[str, ...], Iterator[tuple[str, Factor]]]

CHUNK = 2**24  # cells of a Parquet file that are in memory as text at one time
READ_ERRORS = (OSError, EOFError, ValueError, zlib.error, csv.Error, pl.exceptions.PolarsError)


def read_table(
    path: str | os.PathLike[str],
    *,
    missing: Missing = "error",
    discretize: Discretize = None,
    separator: str | None = None,
) -> Dataset:
    """Read a .csv, .tsv (also .gz), .parquet or .npy file.

    Cells of text files are labels to the letter ("01" stays "01"), ordered as numbers if all are numbers. A
    cell is missing if it is empty or NA, N/A, NaN, nan, null, NULL or None without quotes.

    missing: "error" refuses missing values, "available" keeps them apart so that each test uses the rows
    where its variables are present, "category" makes them a category of their own.
    discretize: number of quantile bins for every column that looks continuous, or a mapping from
    names of columns to a number of quantile bins or to increasing edges.
    separator: of a text file, by default a comma in .csv and a tab in .tsv.
    """
    check_missing(missing)
    file = Path(path)
    try:
        names, factors = _open(file, separator)
        return from_factors(names, factors, missing, discretize)
    except DataError as error:
        raise DataError(f"{file}: {error}") from None
    except READ_ERRORS as error:
        raise DataError(f"{file}: cannot be read ({error}): is it complete, and may you read it?") from error


def _open(file: Path, separator: str | None) -> Source:
    ending = checked_ending(file)
    if ending in SEPARATORS:
        return _read_text(file, ending, SEPARATORS[ending] if separator is None else separator)
    if separator is not None:
        raise DataError(f"separator={separator!r} is for text files: leave it out")
    return _read_parquet(file) if ending == ".parquet" else _read_npy(file)


def _read_text(file: Path, ending: str, separator: str) -> Source:
    if not ending.endswith(".gz"):
        with file.open("rb") as stream:
            return read_delimited(stream, separator)
    with gzip.open(file) as unpacked:
        check_content(unpacked.read(HEAD), ending.removesuffix(".gz"))
        unpacked.seek(0)
        return read_delimited(cast(IO[bytes], unpacked), separator)


def _read_parquet(file: Path) -> Source:
    with file.open("rb") as stream:
        names = check_header(list(pl.read_parquet_schema(stream)))
    return names, _parquet_factors(file, names)


def _parquet_factors(file: Path, names: tuple[str, ...]) -> Iterator[tuple[str, Factor]]:
    """Read some columns at a time, as many as fit into a chunk."""
    scan = pl.scan_parquet(file, glob=False)
    rows = scan.select(pl.len()).collect().item()
    step = max(1, CHUNK // max(1, rows))
    for first in range(0, len(names), step):
        chosen = range(first, min(first + step, len(names)))
        frame = scan.select(selectors.by_index(chosen)).collect()  # by name, "*" would be all of them
        yield from ((series.name, factor_of(series)) for series in frame.iter_columns())


def _read_npy(file: Path) -> Source:
    try:
        array = np.load(file, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        if "objects" in str(error):
            raise DataError("an array of objects is not unpickled: save it as numbers or text") from None
        raise
    names, columns = array_columns(array, None)
    checked = check_header(names)
    return checked, zip(checked, (factor_of(_without_words(c)) for c in columns), strict=True)


def _without_words(series: pl.Series) -> pl.Series:
    """Text in an array has no null: there, too, a missing value is a word."""
    if series.dtype != pl.String:
        return series
    return series.set(series.is_in(MISSING_WORDS), None)
