"""`Dataset.write`: what is written is read back, and a file is replaced as a whole or not at all."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ml4c.dataset import MISSING_WORDS, Dataset, read_table, writing
from ml4c.errors import DataError


def is_label(text: str) -> bool:
    """Tell whether the text is not an infinite number, which is refused."""
    return text.strip("+-").lower() not in ("inf", "infinity")


LABELS = st.one_of(
    st.sampled_from([word for word in MISSING_WORDS if word]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4).filter(is_label),
)
NAMES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), min_size=1, max_size=4).filter(str.strip),
    min_size=2,
    max_size=4,
    unique=True,
)


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Draw a table of text with missing cells, where no column is empty."""
    rows = draw(st.integers(1, 10))
    cells = st.lists(st.one_of(st.none(), LABELS), min_size=rows, max_size=rows)
    column = cells.filter(lambda values: any(v is not None for v in values))
    return pl.DataFrame({name: pl.Series(draw(column), dtype=pl.String) for name in draw(NAMES)})


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet"])
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(frame=tables(), missing=st.sampled_from(["available", "category"]))
def test_round_trip_of_text(tmp_path: Path, ending: str, frame: pl.DataFrame, missing: Any) -> None:
    data = Dataset.from_frame(frame, missing=missing)
    data.write(tmp_path / f"data.{ending}")
    back = read_table(tmp_path / f"data.{ending}", missing=missing)
    assert back.names == data.names
    assert back.categories == data.categories
    np.testing.assert_array_equal(back.codes, data.codes)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_round_trip_of_other_types_keeps_codes(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame(
        {
            "n": [10, 9, None, -1],
            "f": [0.5, 1e-9, 1e20, None],
            "b": [True, False, None, True],
            "d": pl.Series(["2024-01-02", "2023-12-31", "2024-01-02", None]).str.to_date(),
        }
    )
    data = Dataset.from_frame(frame, missing="available")
    data.write(tmp_path / f"data.{ending}")
    back = read_table(tmp_path / f"data.{ending}", missing="available")
    np.testing.assert_array_equal(back.codes, data.codes)
    assert (back.categories == data.categories) == (ending == "parquet")


def test_npy_holds_the_codes(tmp_path: Path) -> None:
    data = Dataset.from_array([["b", 1], ["a", 2], ["b", None]], missing="category")
    data.write(tmp_path / "data.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "data.npy"), [[1, 0], [0, 1], [1, 2]])
    np.testing.assert_array_equal(read_table(tmp_path / "data.npy").codes, data.codes)


def test_text_is_written_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Dataset.from_array([[i % 3, "x"] for i in range(10)])
    data.write(tmp_path / "whole.csv")
    monkeypatch.setattr(writing, "SLICE", 6)
    data.write(tmp_path / "slices.csv")
    assert (tmp_path / "slices.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_labels_are_quoted_only_if_they_would_be_read_as_missing(tmp_path: Path) -> None:
    Dataset.from_array([["a", 1], ["b", 2]], ["x", "y"]).write(tmp_path / "plain.csv")
    assert (tmp_path / "plain.csv").read_text() == "x,y\na,1\nb,2\n"
    Dataset.from_array([["a", 1], ["NA", None]], ["x", "y"], missing="available").write(tmp_path / "words.csv")
    assert '"NA"' in (tmp_path / "words.csv").read_text()


def test_compressed_text_is_the_same_every_time(tmp_path: Path) -> None:
    data = Dataset.from_array([["a", 1], ["b", 2]])
    data.write(tmp_path / "a.csv.gz")
    data.write(tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (Dataset.from_array([["", 1], ["b", 2]]), "x.csv", "column 'x0' has an empty label.*write .parquet"),
        (
            Dataset.from_array([[None, 1], [3, 2]], missing="available"),
            "x.npy",
            "cannot say which are missing",
        ),
        (Dataset.from_array([[1, 2]]), "x.xlsx", r"unknown ending: the endings known are \.csv"),
        (Dataset.from_array([[1, 2]]), "none/x.csv", "cannot be written .*check the path"),
    ],
)
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, data: Dataset, name: str, message: str
) -> None:
    if "/" not in name:
        (tmp_path / name).write_text("old")
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    with pytest.raises(DataError, match=f"{name}: .*{message}"):
        data.write(tmp_path / name)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def test_a_write_that_breaks_off_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    data = Dataset.from_array([[1, 2], [3, 4]])

    def break_off(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pl.DataFrame, "write_csv", break_off)
    with pytest.raises(KeyboardInterrupt):
        data.write(path)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("x.csv", "old")]
