"""`Dataset`: the invariant of its codes, and what can be done with a table."""

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml4c.dataset import Dataset
from ml4c.errors import DataError

TABLE = Dataset.from_array(
    [["b", 10, None], ["a", 9, True], ["b", 9, False], ["b", 100, None]],
    names=["text", "number", "flag"],
    missing="available",
)


def check_invariant(data: Dataset) -> None:
    """Every category occurs, codes are read-only, column-major, of the smallest type and in range."""
    assert data.codes.shape == (data.n_rows, data.n_columns)
    assert len(data.names) == len(data.categories) == data.n_columns
    assert data.codes.flags.f_contiguous
    assert not data.codes.flags.writeable
    assert data.codes.dtype == (np.uint8 if data.cardinalities.max() <= 255 else np.uint16)
    for j, labels in enumerate(data.categories):
        allowed = set(range(len(labels) + (data.missing == "available")))
        seen = set(data.codes[:, j].tolist())
        assert set(range(len(labels))) <= seen <= allowed


def rows_of(data: Dataset) -> list[tuple[object, ...]]:
    return list(zip(*(data.column(name) for name in data.names), strict=True))


def test_what_the_table_says_about_itself() -> None:
    check_invariant(TABLE)
    assert TABLE.names == ("text", "number", "flag")
    assert TABLE.categories == (("a", "b"), (9, 10, 100), (False, True))
    assert TABLE.codes.tolist() == [[1, 1, 2], [0, 0, 1], [1, 0, 0], [1, 2, 2]]
    assert (TABLE.n_rows, TABLE.n_columns) == (4, 3)
    assert TABLE.cardinalities.tolist() == [2, 3, 2]
    assert TABLE.missing_counts.tolist() == [0, 0, 2]
    assert TABLE.constant == ()
    assert TABLE.column("flag") == [None, True, False, None]


def test_repr_and_summary() -> None:
    assert repr(TABLE) == "<Dataset: 4 rows x 3 columns, 2 to 3 categories, 2 cells missing>"
    lines = TABLE.summary().splitlines()
    assert lines == [
        "rows: 4",
        "columns: 3: text, number, flag",
        "categories: 2 to 3 in a column",
        "missing: flag 2",
        "missing as a category: none",
        "constant: none",
        "discretised: none",
    ]
    other = Dataset.from_array([[1.5, None, 0], [2.5, "x", 0]], missing="category", discretize={"x0": [2]}).summary()
    assert "missing as a category: x1" in other
    assert "constant: x2" in other
    assert "discretised: x0 at 2.0" in other


def test_codes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        TABLE.codes[0, 0] = 1
    with pytest.raises(AttributeError):
        TABLE.names = ("a",)  # type: ignore[misc]


def test_pickle_keeps_everything() -> None:
    back = pickle.loads(pickle.dumps(TABLE))  # noqa: S301
    assert (back.names, back.categories, back.missing) == (TABLE.names, TABLE.categories, TABLE.missing)
    np.testing.assert_array_equal(back.codes, TABLE.codes)


def test_from_codes_keeps_the_order_and_drops_what_does_not_occur() -> None:
    codes = np.array([[2, 0], [0, 1], [2, 0]])
    data = Dataset.from_codes(["x", "y"], [["high", "mid", "low"], ["b", "a"]], codes)
    check_invariant(data)
    assert data.categories == (("high", "low"), ("b", "a"))
    assert data.codes.tolist() == [[1, 0], [0, 1], [1, 0]]


def test_from_codes_copies_nothing_if_the_layout_is_right() -> None:
    codes = np.asfortranarray(np.array([[0, 1], [1, 0]], dtype=np.uint8))
    assert np.shares_memory(Dataset.from_codes(["x", "y"], ["ab", "ab"], codes).codes, codes)
    assert codes.flags.writeable


@pytest.mark.parametrize(
    ("names", "categories", "codes", "message"),
    [
        (["x", "x"], ["ab", "ab"], [[0, 1]], "'x' is used more than once .*columns 1, 2.*rename"),
        (["x", " "], ["ab", "ab"], [[0, 1]], "column 2 of 2 has an empty name"),
        (["x"], ["ab", "ab"], [[0, 1]], "1 names, 2 lists of categories and codes of shape"),
        (["x", "y"], ["ab", "ab"], [0, 1], "codes must be rows by columns"),
        (["x", "y"], ["ab", "ab"], [[0, 2]], "'y' has codes beyond its 2 categories"),
        (["x", "y"], ["ab", "ab"], [[-1, 0]], "'x' has codes beyond its 2 categories"),
        (["x", "y"], ["ab", "ab"], np.zeros((0, 2), dtype=int), "no rows"),
        ([], [], np.zeros((3, 0), dtype=int), "no columns"),
    ],
)
def test_from_codes_refuses(names: list[str], categories: list[str], codes: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_codes(names, categories, np.array(codes))


def test_from_codes_refuses_too_many_categories() -> None:
    labels = range(65_535)
    codes = np.column_stack([np.arange(65_535), np.zeros(65_535, dtype=int)])
    with pytest.raises(DataError, match=r"'x' has more than 65,534 categories: group them, or drop it"):
        Dataset.from_codes(["x", "y"], [labels, "a"], codes)
    fewer = Dataset.from_codes(["x", "y"], [labels, "a"], codes[:-1])
    check_invariant(fewer)
    assert fewer.codes[-1, 0] == 65_533


@pytest.mark.parametrize(("cardinality", "dtype"), [(255, np.uint8), (256, np.uint16)])
def test_the_code_of_missing_cells_always_fits(cardinality: int, dtype: type) -> None:
    labels = [f"v{i}" for i in range(cardinality)]
    frame = pl.DataFrame({"a": [*labels, None], "b": [0, 1] + [1] * (cardinality - 1)})
    data = Dataset.from_frame(pl.concat([frame, frame]), missing="available")
    check_invariant(data)
    assert data.codes.dtype == dtype
    assert data.missing_counts.tolist() == [2, 0]


def test_select_by_name_and_position() -> None:
    part = TABLE.select(["flag", 0])
    check_invariant(part)
    assert part.names == ("flag", "text")
    assert rows_of(part) == [(None, "b"), (True, "a"), (False, "b"), (None, "b")]
    assert TABLE.select(["number"]).column("number") == [10, 9, 9, 100]


def test_select_keeps_the_edges_of_its_columns() -> None:
    data = Dataset.from_array([[0.5, 1], [2.5, 2]], ["a", "b"], discretize={"a": [1], "b": [2]})
    assert data.select(["b"]).bins == {"b": (2.0,)}
    assert data.take([0, 1]).bins == data.bins


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["texd"], "no column is named 'texd': did you mean 'text'"),
        (["zzz"], "no column is named 'zzz': the columns are 'text', 'number', 'flag'"),
        ([3], r"\[3\] are not all from 0 to 2"),
        ([-1], r"\[-1\] are not all from 0 to 2"),
        (["text", 0], "'text' is used more than once"),
        ([], "no columns"),
    ],
)
def test_select_refuses(columns: list[str | int], message: str) -> None:
    with pytest.raises(DataError, match=message):
        TABLE.select(columns)


@pytest.mark.parametrize("rows", [[0, 2, 2], np.array([0, 2, 2], dtype=np.uint8)])
def test_take_positions_drops_categories_that_vanish(rows: Any) -> None:
    part = TABLE.take(rows)
    check_invariant(part)
    assert part.categories == (("b",), (9, 10), (False,))
    assert part.constant == ("text", "flag")
    assert rows_of(part) == [("b", 10, None), ("b", 9, False), ("b", 9, False)]


def test_take_mask() -> None:
    part = TABLE.take([False, True, True, False])
    assert rows_of(part) == [("a", 9, True), ("b", 9, False)]


def test_take_makes_codes_small_again() -> None:
    wide = Dataset.from_codes(["x", "y"], [range(300), "ab"], np.column_stack([np.arange(300), np.arange(300) % 2]))
    assert wide.codes.dtype == np.uint16
    part = wide.take([299, 0, 5])
    check_invariant(part)
    assert part.column("x") == [299, 0, 5]


@pytest.mark.parametrize("rows", [[4], [-1], [True], [0.5], [], [[0]], ["a"], [True, False, True, False, True]])
def test_take_refuses_rows_that_do_not_exist(rows: Any) -> None:
    with pytest.raises(DataError, match="rows must be positions from 0 to 3, or a mask of 4 values"):
        TABLE.take(rows)


def test_take_refuses_to_empty_a_column() -> None:
    with pytest.raises(DataError, match="'flag' has no values in these rows: drop it"):
        TABLE.take([0, 3])
    with pytest.raises(DataError, match="no rows"):
        TABLE.take([False] * 4)


def test_to_polars_gives_the_labels() -> None:
    expected = pl.DataFrame(
        {"text": ["b", "a", "b", "b"], "number": [10, 9, 9, 100], "flag": [None, True, False, None]}
    )
    assert TABLE.to_polars().with_columns(pl.col("text").cast(pl.String)).equals(expected)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 300)), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_take_of_select_is_the_table_of_those_cells(rows: list[tuple[int, int]], random: Any) -> None:
    data = Dataset.from_codes(["x", "y"], [range(10, 15), range(500, 801)], np.array(rows))
    picks = [random.randrange(len(rows)) for _ in range(5)]
    part = data.take(picks).select(["y", "x"])
    check_invariant(part)
    assert rows_of(part) == [(500 + rows[i][1], 10 + rows[i][0]) for i in picks]
    assert list(part.categories[0]) == sorted(part.categories[0])  # type: ignore[type-var]
