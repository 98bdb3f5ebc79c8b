"""From factors to codes: what may be a column of a table, and what to say about one that may not.

A column looks continuous if its values are numbers and more than 255 of them are different, or if some are
not whole, more than 20 are different, and these are more than half as many as the rows. A column is an
identifier if every row has a value of its own and there are more than 20 rows. Neither says anything about
dependence, so both are refused with the way out: bins for the first, dropping it for the second. Rows where
the column is missing do not count. What is wrong is collected over all columns, so that one message names
every column with the same trouble.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ml4c.dataset.binning import Binning, bin_labels, quantile_edges
from ml4c.dataset.factor import Factor
from ml4c.dataset.names import listed
from ml4c.errors import DataError

Missing = Literal["error", "available", "category"]
Codes = npt.NDArray[np.unsignedinteger[Any]]

MAX_CATEGORIES = 65_534
MAX_NUMBERS = 255
FEW = 20

# What can be wrong with a column, in the order of reporting, and what to do about it.
REMEDIES = {
    "has no values": "drop it, or keep it as a constant with missing='category'",
    "has numbers that are not finite": "replace them, or leave those cells empty",
    "looks continuous": "pass discretize=5 for quantile bins of all such columns, or "
    "discretize={{{name!r}: 5}} for one; if its numbers are codes, write them as text "
    "such as 'c17'; if they tell rows apart, drop it",
    "is an identifier": "drop it, or if it is a quantity pass discretize={{{name!r}: 5}}",
    f"has more than {MAX_CATEGORIES:,} categories": "group them, or drop it",
    "is not numeric": "leave it out of discretize=",
}


@dataclass(frozen=True, eq=False)
class Column:
    """One encoded column: the code `len(categories)` is missing; the edges, if it was binned."""

    name: str
    categories: tuple[object, ...]
    codes: Codes
    edges: tuple[float, ...] | None


def check_missing(missing: str) -> None:
    """Refuse anything but the three ways to treat missing values."""
    if missing not in get_args(Missing):
        raise DataError(f"missing={missing!r}: choose one of {listed(map(repr, get_args(Missing)))}")


def encode(factors: Iterable[tuple[str, Factor]], missing: Missing, plan: Binning) -> list[Column]:
    """Encode the columns one by one; refuse the table if something is wrong with any of them."""
    columns: list[Column] = []
    troubles: dict[str, dict[str, str]] = {trouble: {} for trouble in REMEDIES}
    absent: dict[str, int] = {}
    for name, factor in factors:
        if not len(factor.codes):
            raise DataError("the table has no rows: nothing to learn from")
        counts = factor.counts
        bins = plan.of(name, looks_continuous(factor, counts))
        trouble = _trouble(factor, counts, missing, bins is not None)
        if trouble is not None:
            troubles[trouble][name] = f"{len(factor.values):,} different values in {counts.sum():,} rows"
            continue
        column = _as_it_is(name, factor) if bins is None else _binned(name, factor, counts, bins)
        columns.append(_with_category(column) if missing == "category" and counts[-1] else column)
        absent[name] = int(counts[-1])
    _refuse_troubles(troubles)
    if missing == "error" and any(absent.values()):
        _refuse_missing(absent, len(columns[0].codes))
    return columns


def looks_continuous(factor: Factor, counts: npt.NDArray[np.int64]) -> bool:
    """Tell whether the column is numbers that are too many, or fractions that are mostly unique."""
    if factor.numbers is None:
        return False
    distinct = len(factor.values)
    fractions = bool((factor.numbers != np.floor(factor.numbers)).any())
    return distinct > MAX_NUMBERS or (fractions and distinct > FEW and 2 * distinct > counts[:-1].sum())


def _trouble(factor: Factor, counts: npt.NDArray[np.int64], missing: Missing, binned: bool) -> str | None:
    """Return what is wrong with the column, a key of REMEDIES, if anything is."""
    distinct, numbers = len(factor.values), factor.numbers
    if not distinct:
        return None if missing == "category" else "has no values"
    if numbers is not None and not np.isfinite(numbers).all():
        return "has numbers that are not finite"
    if binned:
        return "is not numeric" if numbers is None else None
    if looks_continuous(factor, counts):
        return "looks continuous"
    if distinct > FEW and distinct == counts[:-1].sum():
        return "is an identifier"
    too_many = distinct + (missing == "category" and counts[-1] > 0) > MAX_CATEGORIES
    return f"has more than {MAX_CATEGORIES:,} categories" if too_many else None


def _as_it_is(name: str, factor: Factor) -> Column:
    return Column(name, tuple(factor.values.to_list()), factor.codes, None)


def _binned(name: str, factor: Factor, counts: npt.NDArray[np.int64], bins: int | tuple[float, ...]) -> Column:
    numbers = factor.numbers if factor.numbers is not None else np.array([])
    edges = quantile_edges(numbers, counts[:-1], bins) if isinstance(bins, int) else bins
    used, codes = np.unique(np.searchsorted(edges, numbers, side="right"), return_inverse=True)
    labels = bin_labels(edges)
    lookup = np.append(codes, len(used)).astype(np.uint16)
    return Column(name, tuple(labels[b] for b in used), lookup[factor.codes], edges)


def _with_category(column: Column) -> Column:
    """Make the missing cells a category: they already have the next free code."""
    return Column(column.name, (*column.categories, None), column.codes, column.edges)


def _refuse_troubles(troubles: Mapping[str, Mapping[str, str]]) -> None:
    for trouble, found in troubles.items():
        if found:
            (name, detail), *others = found.items()
            same = f"; the same holds for {listed(repr(other) for other, _ in others)}" if others else ""
            remedy = REMEDIES[trouble].format(name=name)
            raise DataError(f"column {name!r} {trouble} ({detail}){same}: {remedy}")


def _refuse_missing(absent: Mapping[str, int], rows: int) -> None:
    counted = listed(f"{name!r} {count:,}" for name, count in absent.items() if count)
    raise DataError(
        f"missing values, by column, in {rows:,} rows: {counted}. Fill them in, or pass missing='available' "
        "(each test uses the rows where its variables are present) or missing='category' (missing is a "
        "category of its own)"
    )


def code_type(cardinalities: Iterable[int]) -> type[np.uint8] | type[np.uint16]:
    """Return the smallest type that holds every category and the code of missing cells."""
    return np.uint8 if max(cardinalities, default=0) <= np.iinfo(np.uint8).max else np.uint16


def matrix(columns: Sequence[Column]) -> Codes:
    """Return the codes of the columns side by side, column-major and in the smallest type."""
    dtype = code_type(len(column.categories) for column in columns)
    codes = np.empty((len(columns[0].codes), len(columns)), dtype=dtype, order="F")
    for j, column in enumerate(columns):
        codes[:, j] = column.codes
    return codes
