"""Frames, arrays and lists of rows: the same data gives the same codes, and labels are never merged."""

import datetime
import enum
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml4c.dataset import Dataset
from ml4c.errors import DataError

DAYS = [datetime.date(2024, 2, 1), datetime.date(2023, 12, 31)]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def labels_and_codes(values: Any, missing: Any = "available") -> tuple[tuple[object, ...], list[int]]:
    """Encode one column of a pandas frame, beside a column that is of no interest."""
    frame = pd.DataFrame({"x": values})
    frame["other"] = 0
    data = Dataset.from_frame(frame, missing=missing)
    return data.categories[0], data.codes[:, 0].tolist()


COLUMNS = st.sampled_from(
    [
        st.one_of(st.none(), st.booleans()),
        st.one_of(st.none(), st.integers(-9, 9)),
        st.one_of(st.none(), st.sampled_from([-2.5, -0.0, 0.0, 0.25, 3.0])),
        st.one_of(st.none(), st.text("aZ é1.", max_size=3)),
        st.one_of(st.none(), st.sampled_from(DAYS)),
    ]
)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Draw columns of one type each, none of them all missing."""
    rows = draw(st.integers(1, 12))
    names = draw(st.lists(st.text("abc ", min_size=1).filter(str.strip), min_size=2, max_size=4, unique=True))
    column = COLUMNS.flatmap(lambda cells: st.lists(cells, min_size=rows, max_size=rows))
    return {name: draw(column.filter(lambda cells: any(c is not None for c in cells))) for name in names}


def identical(a: Dataset, b: Dataset) -> bool:
    return (
        a.names == b.names
        and a.categories == b.categories
        and list(map(type, sum(a.categories, ()))) == list(map(type, sum(b.categories, ())))
        and a.codes.dtype == b.codes.dtype
        and np.array_equal(a.codes, b.codes)
    )


@settings(deadline=None)
@given(tables(), st.sampled_from(["available", "category"]))
def test_every_source_gives_the_same_table(columns: dict[str, list[Any]], missing: Any) -> None:
    frame = pl.DataFrame(columns, strict=False)
    data = Dataset.from_frame(frame, missing=missing)
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    objects = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})
    array = np.empty((len(rows), len(columns)), dtype=object)
    array[:] = rows
    for other in (
        Dataset.from_frame(frame.lazy(), missing=missing),
        Dataset.from_frame(frame.to_arrow(), missing=missing),
        Dataset.from_frame(frame.to_pandas(use_pyarrow_extension_array=True), missing=missing),
        Dataset.from_frame(objects, missing=missing),
        Dataset.from_array(rows, list(columns), missing=missing),
        Dataset.from_array(array, list(columns), missing=missing),
    ):
        assert identical(data, other)
    # In numpy a date becomes a point in time: another label, the same codes.
    np.testing.assert_array_equal(Dataset.from_frame(frame.to_pandas(), missing=missing).codes, data.codes)


@settings(deadline=None)
@given(tables(), st.sampled_from(["available", "category"]), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(columns: dict[str, list[Any]], missing: Any, random: Any) -> None:
    frame = pl.DataFrame(columns, strict=False)
    order = list(range(len(frame)))
    random.shuffle(order)
    data = Dataset.from_frame(frame, missing=missing)
    shuffled = Dataset.from_frame(frame[order], missing=missing)
    assert shuffled.categories == data.categories
    np.testing.assert_array_equal(shuffled.codes, data.codes[order])


@settings(deadline=None)
@given(tables(), st.sampled_from(["available", "category"]))
def test_decoding_gives_back_every_cell(columns: dict[str, list[Any]], missing: Any) -> None:
    data = Dataset.from_frame(pl.DataFrame(columns, strict=False), missing=missing)
    assert {name: data.column(name) for name in data.names} == columns


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([10, 9, -1], (-1, 9, 10)),
        ([2.0, 10.0, float("nan")], (2, 10)),
        ([2.5, 10.0, None], (2.5, 10.0)),
        ([True, False, True], (False, True)),
        (["b", "B", "é", "a"], ("B", "a", "b", "é")),
        (["10", "9", "9.5", "09"], ("09", "9", "9.5", "10")),
        (["10", "9", "x"], ("10", "9", "x")),
        (DAYS, (DAYS[1], DAYS[0])),
        (pd.to_datetime(["2024-01-02", None]), (datetime.datetime(2024, 1, 2),)),
        (pd.Categorical(["b", "a", None], categories=["unused", "b", "a"], ordered=True), ("a", "b")),
        (pd.Series([2**53 + 1, None, 2**53], dtype="Int64"), (2**53, 2**53 + 1)),
        (pd.Series([True, None, False], dtype="boolean"), (False, True)),
        (pd.Series([pd.NA, "x", "y"], dtype=object), ("x", "y")),
        (pd.Series([float("nan"), "x", np.float64("nan")], dtype=object), ("x",)),
        (pd.Series([pd.NaT, pd.Timestamp(2024, 1, 1)], dtype=object), (datetime.datetime(2024, 1, 1),)),
        (pd.cut(pd.Series([1, 2, 30]), [0, 5, 50]), ("(0, 5]", "(5, 50]")),
        ([Decimal("10.5"), Decimal("9"), None], ("9.0", "10.5")),
        ([Colour.RED, Colour.BLUE, None], ("Colour.BLUE", "Colour.RED")),
        (pd.Series([1, 1.0, 0.5], dtype=object), (0.5, 1.0)),
        ([0.0, -0.0, 0.5], (0.0, 0.5)),
        ([-0.0, 0.0, 0.5], (0.0, 0.5)),
        (np.array([1, 2], dtype=np.float16), (1, 2)),
        (np.array([1, 2], dtype=">i4"), (1, 2)),
    ],
)  # fmt: skip
def test_labels_are_kept_and_stand_in_natural_order(values: Any, labels: tuple[object, ...]) -> None:
    found, codes = labels_and_codes(values)
    assert found == labels
    assert list(map(type, found)) == list(map(type, labels))
    assert str(found) == str(labels)  # 0.0 and -0.0 are equal
    assert set(codes) - {len(labels)} == set(range(len(labels)))


def test_polars_enum_and_arrow_dictionary_keep_labels() -> None:
    frame = pl.DataFrame(
        {
            "a": pl.Series(["u", "v"], dtype=pl.Enum(["w", "v", "u"])),
            "b": pl.Series(["y", "x"], dtype=pl.Categorical),
        }
    )
    assert Dataset.from_frame(frame).categories == (("u", "v"), ("x", "y"))
    table = pa.table({"a": pa.array(["y", "x"]).dictionary_encode(), "b": [1.0, 2.0]})
    assert Dataset.from_frame(table).categories == (("x", "y"), (1, 2))


def test_strings_in_memory_are_labels_never_missing() -> None:
    labels, _ = labels_and_codes(["NA", "", "None"], missing="error")
    assert labels == ("", "NA", "None")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "1"], r"'x' mixes int \(1\) and str \('1'\): convert it to one type"),
        ([True, 1, None], r"'x' mixes bool \(True\) and int \(1\)"),
        ([datetime.date(2024, 1, 1), "a"], "'x' mixes date"),
        ([[1], [2]], "'x' holds objects of type list: convert them to text or numbers"),
        ([b"a", b"b"], "'x' holds objects of type bytes: convert"),
        ([2**70, 1], "'x' has integers beyond 64 bits: write them as text"),
        ([2**53 + 1, 0.5], r"'x' mixes fractions with numbers beyond 2\*\*53"),
        (np.array([1j, 2]), "'x' has the type complex128: convert"),
        ([1.0, float("inf")], "'x' has numbers that are not finite .*: replace them"),
        ([1.5, float("-inf")], "'x' has numbers that are not finite"),
    ],
)
def test_columns_that_cannot_be_categories(values: Any, message: str) -> None:
    column = values if isinstance(values, np.ndarray) else pd.Series(values, dtype=object)
    with pytest.raises(DataError, match=message):
        labels_and_codes(column)


@pytest.mark.parametrize("values", [[[1], [2]], [b"a", b"b"]])
def test_polars_types_that_cannot_be_categories(values: Any) -> None:
    with pytest.raises(DataError, match=r"column 'a' holds values of type .*convert them to text or numbers"):
        Dataset.from_frame(pl.DataFrame({"a": values, "b": [1, 2]}))


def test_names_of_any_type_become_text() -> None:
    assert Dataset.from_frame(pd.DataFrame([[1, 2]], columns=[1, ("a", "b")])).names == ("1", "('a', 'b')")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "'1' is used more than once .*columns 1, 2.*rename"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' is used more than once"),
        (pa.table([[1], [2]], names=["a", "a"]), "(?s)used more than once: rename.*'a'"),
        (pd.DataFrame([[1, 2, 3]], columns=["a", " ", "c"]), "column 2 of 3 has an empty name: name it"),
        (pd.DataFrame({"a": [1, 2]}), "one column only, 'a': a graph needs at least two"),
        (pd.DataFrame(), "no columns"),
        (pl.DataFrame({"a": [], "b": []}), "no rows"),
        (pl.Series([1, 2]), "from_frame cannot use a Series: pass a frame of pandas, polars or pyarrow"),
        ([[1, 2]], "from_frame cannot use a list.*from_array"),
    ],
)
def test_frames_that_are_no_table(frame: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_frame(frame)


def test_arrays_of_every_kind() -> None:
    integers = Dataset.from_array(np.array([[3, 0], [1, 0]]))
    assert integers.names == ("x0", "x1")
    assert integers.categories == ((1, 3), (0,))
    assert Dataset.from_array(np.array([[3.0, 0.5], [1.0, np.nan]]), missing="available").categories == (
        (1, 3),
        (0.5,),
    )
    assert Dataset.from_array(np.array([["b", "1"], ["a", "1"]])).categories == (("a", "b"), ("1",))
    assert Dataset.from_array(np.array([[True, False]])).categories == ((True,), (False,))
    records = np.array([(1, "a"), (2, "b")], dtype=[("n", int), ("t", "U1")])
    assert Dataset.from_array(records).names == ("n", "t")
    assert Dataset.from_array(records, ["p", "q"]).categories == ((1, 2), ("a", "b"))
    hours = np.array([[1, 2], [2, 2]], dtype="datetime64[h]")
    assert Dataset.from_array(hours).categories[1] == (datetime.datetime(1970, 1, 1, 2),)


def test_masked_cells_are_missing() -> None:
    array = np.ma.masked_array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    data = Dataset.from_array(array, missing="available")
    assert data.column("x1") == [None, 4]


def test_a_list_of_rows_keeps_the_type_of_each_cell() -> None:
    data = Dataset.from_array([(1, "1"), [2, "1"], np.array([1, "2"], dtype=object)])
    assert data.categories == ((1, 2), ("1", "2"))


@pytest.mark.parametrize(
    ("array", "names", "message"),
    [
        (np.zeros(3), None, r"shape \(3,\) is not a table: it must have two dimensions"),
        (np.zeros((2, 2, 2)), None, r"shape \(2, 2, 2\) is not a table"),
        (np.zeros((0, 2)), None, "no rows"),
        (np.zeros((2, 0)), None, "no columns"),
        (np.zeros((2, 1)), None, "one column only, 'x0'"),
        ([[1, 2], [3]], None, "row 1 has 1 values and row 0 has 2: make them equally long"),
        ([[1, 2], "ab"], None, "row 1 is a str: every row must be a list"),
        (np.zeros((2, 2)), ["a"], "1 names for 2 columns: give one name for each"),
        (np.zeros((2, 2)), ["a", "a"], "'a' is used more than once"),
        (np.array([[b"a", b"b"]]), None, "'x0' has the type .*S1: convert it"),
        (pd.DataFrame({"a": [1]}), None, "from_array cannot use a DataFrame: .*pass a frame to from_frame"),
    ],
)
def test_arrays_that_are_no_table(array: Any, names: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_array(array, names)
