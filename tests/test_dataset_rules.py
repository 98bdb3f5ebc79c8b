"""What may be a column: missing values, continuous columns and their bins, identifiers."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml4c.dataset import Dataset
from ml4c.errors import DataError


def table(**columns: Any) -> pl.DataFrame:
    """Return a frame of the columns beside one that is of no interest."""
    frame = pl.DataFrame(columns)
    return frame.with_columns(other=pl.Series(np.arange(len(frame)) % 2))


def test_missing_values_are_an_error_by_default() -> None:
    frame = table(a=[1, None, None, 2], b=["x", "y", "x", "y"], c=[None, "p", "q", "q"])
    with pytest.raises(DataError) as error:
        Dataset.from_frame(frame)
    message = str(error.value)
    assert "in 4 rows: 'a' 2, 'c' 1. Fill" in message
    assert "'b'" not in message
    assert "missing='available'" in message
    assert "missing='category'" in message


def test_missing_values_of_many_columns_are_listed_in_part() -> None:
    frame = pl.DataFrame({f"c{j:02}": [None, 1, 2] for j in range(13)})
    with pytest.raises(DataError, match=r"'c00' 1, .*'c09' 1 and 3 more") as error:
        Dataset.from_frame(frame)
    assert "c10" not in str(error.value)


def test_available_and_category() -> None:
    frame = table(a=[3, None, 1, 3])
    available = Dataset.from_frame(frame, missing="available")
    assert available.categories[0] == (1, 3)
    assert available.codes[:, 0].tolist() == [1, 2, 0, 1]
    assert available.missing_counts.tolist() == [1, 0]
    category = Dataset.from_frame(frame, missing="category")
    assert category.categories == ((1, 3, None), (0, 1))
    assert category.codes[:, 0].tolist() == [1, 2, 0, 1]
    assert category.missing_counts.tolist() == [0, 0]


def test_a_column_without_values() -> None:
    frame = table(a=pl.Series([None, None], dtype=pl.Float64))
    for missing in ("error", "available"):
        with pytest.raises(DataError, match=r"'a' has no values .*drop it.*missing='category'"):
            Dataset.from_frame(frame, missing=missing)  # type: ignore[arg-type]
    data = Dataset.from_frame(frame, missing="category", discretize={"a": 3})
    assert data.categories[0] == (None,)
    assert data.constant == ("a",)


def test_missing_must_be_one_of_three() -> None:
    with pytest.raises(DataError, match="missing='drop': choose one of 'error', 'available', 'category'"):
        Dataset.from_frame(table(a=[1, 2]), missing="drop")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "values",
    [
        np.tile(np.arange(256), 10),
        [str(i) for i in range(256)] * 10,
        np.arange(21) + 0.5,
        np.r_[np.arange(21), 0.5, np.arange(19)],
        [str(i / 4) for i in range(30)],
    ],
)
def test_columns_that_look_continuous(values: Any) -> None:
    frame = table(age=values)
    with pytest.raises(DataError, match=r"'age' looks continuous \(\d+ different values in [\d,]+ rows\)") as error:
        Dataset.from_frame(frame)
    assert "discretize=5" in str(error.value)
    assert "discretize={'age': 5}" in str(error.value)
    assert set(Dataset.from_frame(frame, discretize=4).bins) == {"age"}


@pytest.mark.parametrize(
    "values",
    [
        np.tile(np.arange(255), 2),
        [f"v{i}" for i in range(300)] * 2,
        np.arange(20) + 0.5,
        np.tile(np.arange(21) + 0.5, 2),
        np.arange(20),
    ],
)
def test_columns_that_do_not(values: Any) -> None:
    data = Dataset.from_frame(table(age=values), discretize=4)
    assert data.column("age") == list(values)
    assert data.bins == {}


@pytest.mark.parametrize("values", [[f"p{i}" for i in range(21)], np.arange(21), [f"p{i}" for i in range(300)]])
def test_identifiers(values: Any) -> None:
    with pytest.raises(DataError, match=r"'id' is an identifier \((21|300) different .*: drop it"):
        Dataset.from_frame(table(id=values))
    again = [*values[:-1], values[0]]
    assert len(Dataset.from_frame(table(id=again)).categories[0]) == len(values) - 1


def test_rows_where_a_column_is_missing_do_not_count() -> None:
    names = [f"p{i}" for i in range(21)]
    with pytest.raises(DataError, match="'id' is an identifier"):
        Dataset.from_frame(table(id=[*names, None, None]), missing="available")
    halves = [i + 0.5 for i in range(21)]
    with pytest.raises(DataError, match="'x' looks continuous"):
        Dataset.from_frame(table(x=halves + [0.5] * 10 + [None] * 30), missing="available")


def test_all_columns_with_the_same_trouble_are_named() -> None:
    halves = np.arange(30) + 0.5
    with pytest.raises(DataError, match=r"'a' looks continuous .*; the same holds for 'b', 'c':"):
        Dataset.from_frame(table(a=halves, b=halves, c=halves))


def test_too_many_categories() -> None:
    labels = [f"v{i}" for i in range(65_535)]
    with pytest.raises(DataError, match=r"'a' has more than 65,534 categories .*: group them, or drop it"):
        Dataset.from_frame(table(a=[*labels, "v0"]))
    most = table(a=[*labels[1:], "v1", None])
    assert Dataset.from_frame(most, missing="available").cardinalities[0] == 65_534
    with pytest.raises(DataError, match="'a' has more than 65,534 categories"):
        Dataset.from_frame(most, missing="category")


def test_quantile_bins() -> None:
    data = Dataset.from_frame(table(x=np.arange(100) / 4), discretize=4)
    assert data.categories[0] == ("(-inf, 6.1)", "[6.1, 12.4)", "[12.4, 18.6)", "[18.6, inf)")
    assert data.bins == {"x": (6.1, 12.4, 18.6)}
    assert np.bincount(data.codes[:, 0]).tolist() == [25, 25, 25, 25]


def test_explicit_edges_cut_on_the_left_and_empty_bins_vanish() -> None:
    frame = table(x=[-1.0, 0.0, 0.5, 2.0, 2.0, 9.0])
    data = Dataset.from_frame(frame, discretize={"x": [0, 1, 2, 30]})
    assert data.column("x") == ["(-inf, 0)", "[0, 1)", "[0, 1)", "[2, 30)", "[2, 30)", "[2, 30)"]
    assert data.categories[0] == ("(-inf, 0)", "[0, 1)", "[2, 30)")
    assert data.bins == {"x": (0.0, 1.0, 2.0, 30.0)}


def test_ties_are_never_split_and_the_mode_gets_its_own_bin() -> None:
    mostly_zero = [0.0] * 90 + [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5]
    data = Dataset.from_frame(table(x=mostly_zero), discretize={"x": 3})
    assert np.bincount(data.codes[:, 0]).tolist() == [90, 10]
    constant = Dataset.from_frame(table(x=[1.5, 1.5]), discretize={"x": 3})
    assert constant.categories[0] == ("(-inf, inf)",)
    assert constant.bins == {"x": ()}


def test_missing_cells_stay_missing_in_bins() -> None:
    frame = table(x=[0.5, None, 1.5, float("nan")])
    available = Dataset.from_frame(frame, missing="available", discretize={"x": 2})
    assert available.column("x") == ["(-inf, 1)", None, "[1, inf)", None]
    category = Dataset.from_frame(frame, missing="category", discretize={"x": 2})
    assert category.categories[0] == ("(-inf, 1)", "[1, inf)", None)
    with pytest.raises(DataError, match="in 4 rows: 'x' 2"):
        Dataset.from_frame(frame, discretize={"x": 2})


def test_an_identifier_can_be_binned_if_it_is_named() -> None:
    frame = table(year=np.arange(1990, 2020))
    with pytest.raises(DataError, match=r"'year' is an identifier .*discretize=\{'year': 5\}"):
        Dataset.from_frame(frame, discretize=2)
    assert Dataset.from_frame(frame, discretize={"year": 2}).bins == {"year": (2004.5,)}


@pytest.mark.parametrize(
    ("discretize", "message"),
    [
        ({"agee": 3}, "no column is named 'agee': did you mean 'age'"),
        ({"sex": 3}, "'sex' is not numeric .*: leave it out of discretize="),
        ({"flag": 3}, "'flag' is not numeric"),
        (1, "discretize=1: the number of bins must be from 2 to 255"),
        (256, "discretize=256: the number of bins"),
        (True, "discretize=True: the number of bins"),
        ({"age": 1}, r"discretize\['age'\]=1: the number of bins"),
        ({"age": [2, 1]}, r"discretize\['age'\]=\[2, 1\]: .*increasing edges"),
        ({"age": [1, 1]}, "increasing edges"),
        ({"age": [1, float("nan")]}, "increasing edges"),
        ({"age": []}, "increasing edges"),
        ({"age": "abc"}, "increasing edges"),
        ({"age": [[1, 2]]}, "increasing edges"),
        ("quantile", "discretize='quantile': give a number of bins, or a mapping"),
    ],
)
def test_discretize_refuses(discretize: Any, message: str) -> None:
    frame = table(age=[1, 2, 3], sex=["f", "m", "f"], flag=[True, False, True])
    with pytest.raises(DataError, match=message):
        Dataset.from_frame(frame, discretize=discretize)


def test_numpy_integers_count_bins() -> None:
    frame = table(x=np.arange(30) + 0.5)
    assert Dataset.from_frame(frame, discretize=np.int64(2)).bins == {"x": (15.0,)}  # type: ignore[arg-type]


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=40), st.integers(2, 6), st.randoms(use_true_random=False))
def test_quantile_bins_for_any_numbers(values: list[float], bins: int, random: Any) -> None:
    data = Dataset.from_frame(table(x=values), discretize={"x": bins})
    pairs = set(zip(values, data.codes[:, 0].tolist(), strict=True))
    codes = dict(pairs)
    assert len(pairs) == len(codes)
    ordered = [codes[v] for v in sorted(values)]
    assert ordered == sorted(ordered)
    assert ordered == np.searchsorted(data.bins["x"], sorted(values), side="right").tolist()
    assert len(data.categories[0]) == min(len(data.bins["x"]) + 1, bins)
    assert (len(data.categories[0]) > 1) == (len(set(values)) > 1)
    shuffled = random.sample(values, len(values))
    assert Dataset.from_frame(table(x=shuffled), discretize={"x": bins}).bins == data.bins


@settings(deadline=None)
@given(st.lists(NUMBERS, min_size=6, max_size=60, unique=True), st.integers(2, 6))
def test_bins_of_distinct_numbers_are_equal_to_one_row(values: list[float], bins: int) -> None:
    data = Dataset.from_frame(table(x=[v + 0.0 for v in values]), discretize={"x": bins})
    sizes = np.bincount(data.codes[:, 0])
    assert len(sizes) == bins
    assert sizes.max() - sizes.min() <= 1
