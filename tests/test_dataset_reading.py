"""`read_table`: text, Parquet and NPY files, as they are found and as they go wrong."""

import csv
import gzip
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ml4c.dataset import MISSING_WORDS, Dataset, delimited, read_table, records
from ml4c.errors import DataError

Write = Callable[[str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file, by default a CSV, and returns its path."""

    def write_file(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


def rows_of(data: Dataset) -> list[list[object]]:
    return [list(row) for row in zip(*(data.column(name) for name in data.names), strict=True)]


def test_labels_are_kept_to_the_letter(write: Write) -> None:
    data = read_table(write("id,x\n01,a\n1, a\n10,A\n9,a \n1,a\n"))
    assert data.names == ("id", "x")
    assert data.categories == (("01", "1", "9", "10"), (" a", "A", "a", "a "))
    assert rows_of(data) == [["01", "a"], ["1", " a"], ["10", "A"], ["9", "a "], ["1", "a"]]


@pytest.mark.parametrize("word", MISSING_WORDS)
def test_missing_words(write: Write, word: str) -> None:
    data = read_table(write(f"a,b\nx,{word}\n{word},y\n"), missing="available")
    assert rows_of(data) == [["x", None], [None, "y"]]
    with pytest.raises(DataError, match=r"data\.csv: missing values, by column, in 2 rows: 'a' 1, 'b' 1\."):
        read_table(write(f"a,b\nx,{word}\n{word},y\n"))


def test_other_words_are_labels(write: Write) -> None:
    data = read_table(write("a,b\nna,-\nnone, NA\n?,NAN\n"))
    assert rows_of(data) == [["na", "-"], ["none", " NA"], ["?", "NAN"]]


def test_words_in_quotes_are_labels_but_nothing_in_quotes_is_missing(write: Write) -> None:
    text = '"None",b\n"NA",NA\n"NA","None"\r\nNone,""\n"x,""NA""",y\n'
    data = read_table(write(text), missing="available")
    assert data.names == ("None", "b")
    assert rows_of(data) == [["NA", None], ["NA", "None"], [None, None], ['x,"NA"', "y"]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_byte_order_mark_line_ends_quotes_and_blank_lines(write: Write, end: str, final: bool) -> None:
    lines = ['"a,b",c', "", '"x, ""y"""," 1"', "z,", "", '"p\nq",""', "", "r,2"]
    text = "\ufeff" + end.join(lines) + (end if final else "")
    data = read_table(write(text), missing="available")
    assert data.names == ("a,b", "c")
    assert rows_of(data) == [['x, "y"', " 1"], ["z", None], ["p\nq", None], ["r", "2"]]


def test_separators(write: Any) -> None:
    assert read_table(write("a;b\n1;2,5\n"), separator=";").categories == (("1",), ("2,5",))
    assert read_table(write("a\tb\n1\t2,5\n", "data.TSV")).categories == (("1",), ("2,5",))
    assert read_table(write("a|b\n1|2\n", "data.tsv"), separator="|").names == ("a", "b")
    with pytest.raises(DataError, match=r"separator='::': give one ASCII character"):
        read_table(write("a::b\n1::2\n"), separator="::")


def test_gzip(write: Any) -> None:
    packed = write(gzip.compress(b"a,b\n1,x\n2,y\n"), "data.csv.gz")
    assert rows_of(read_table(packed)) == [["1", "x"], ["2", "y"]]
    packed = write(gzip.compress(b"a\tb\n1\tx\n"), "data.tsv.gz")
    assert rows_of(read_table(packed)) == [["1", "x"]]


def test_a_path_is_not_a_pattern(tmp_path: Path) -> None:
    for name in ("data[1].csv", "data[1].parquet", "data*.npy"):
        Dataset.from_array([[1, 2], [3, 4]]).write(tmp_path / name)
        assert read_table(str(tmp_path / name)).n_rows == 2


def test_parquet_keeps_types(tmp_path: Path) -> None:
    frame = pl.DataFrame({"n": [10, 9, None], "t": ["NA", "b", ""], "f": [True, False, True]})
    frame.write_parquet(tmp_path / "data.parquet")
    data = read_table(tmp_path / "data.parquet", missing="category")
    assert data.categories == ((9, 10, None), ("", "NA", "b"), (False, True))


def test_parquet_is_read_in_chunks_of_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({f"c{j}": [j, j, j + 1] for j in range(7)})
    frame.write_parquet(tmp_path / "data.parquet")
    monkeypatch.setattr("ml4c.dataset.reading.CHUNK", 6)
    assert rows_of(read_table(tmp_path / "data.parquet")) == [list(row) for row in frame.rows()]


def test_npy(tmp_path: Path) -> None:
    path = tmp_path / "data.npy"
    np.save(path, np.array([[1.0, 0.5], [2.0, np.nan]]))
    assert read_table(path, missing="available").categories == ((1, 2), (0.5,))
    np.save(path, np.array([["NA", "x"], ["a", "nan"]]))
    assert rows_of(read_table(path, missing="available")) == [[None, "x"], ["a", None]]


# Every way in which a text file goes wrong, with the words that name the place and the remedy.
BAD_TEXT = {
    "no rows": ("a,b\n", "the table has no rows"),
    "no rows and no line end": ("a,b", "the table has no rows"),
    "empty file": ("", "the file is empty: it needs a header and rows"),
    "blank lines": ("\n\r\n\n", "the file is empty"),
    "one column": ("a\n1\n", "one column only, 'a': a graph needs at least two"),
    "semicolons": ("a;b\n1;2\n", "the header is one column, 'a;b': if it is several, pass separator=';'"),
    "tabs": ("a\tb\n1\t2\n", "pass separator='\\t'"),
    "repeated name": ("a,b,a\n1,2,3\n", "'a' is used more than once (columns 1, 3): rename"),
    "empty name": (",a,b\n1,2,3\n", "column 1 of 3 has an empty name: name it, or drop it"),
    "blank name": ("a,  \n1,2\n", "column 2 of 2 has an empty name"),
    "short row": ("a,b\n1,2\n3\n", "line 3 has 1 fields and the header has 2: mend the line"),
    "long row": ("a,b\n1,2\n3,4\n5,6,7\n", "line 4 has 3 fields and the header has 2"),
    "short row after a long cell": ('a,b\n"1\n\n",2\n\n3\n', "line 6 has 1 fields and the header has 2"),
    "short first row": ("a,b,c\n1,2\n", "line 2 has 2 fields and the header has 3"),
    "open quote": ('a,b\n1,2\n"3,4\n5,6\n', "line 3: a quote that opens here is never closed: close it"),
    "quote inside": ('a,b\n1,2\n3,4"5\n', "line 3: a quote inside a field: enclose the field in quotes"),
    "text after a quote": ('a,b\n"1"x,2\n3,4\n', "line 2: a quote inside a field"),
    "space before a quote": ('a,b\n1, "2"\n', "line 2: a quote inside a field"),
    "carriage returns": ("a,b\r1,2\r3,4\r", "carriage return alone: save the file with ordinary line ends"),
    "not UTF-8": (b"a,b\n1,2\n\n3,\xe9\n", "line 4: the byte 0xe9 is not text in UTF-8: save the file as"),
    "name not UTF-8": (b"caf\xe9,b\n1,2\n", "line 1: the byte 0xe9"),
    "null byte": (b"a,b\n" + b"1,2\n" * 1000 + b"\0,2\n", "line 1002: the byte 0x00 is not text"),
    "continuous": ("a,b\n" + "".join(f"{i}.5,x\n" for i in range(30)), "'a' looks continuous (30 different"),
    "identifier": ("a,b\n" + "".join(f"p{i},x\n" for i in range(30)), "'a' is an identifier (30 different"),
    "infinite": ("a,b\n1,2\ninf,2\n", "'a' has numbers that are not finite"),
    "no values": ("a,b\n1,\n2,NA\n", "'b' has no values (0 different values in 2 rows): drop it"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_TEXT)
def test_text_that_is_no_table(write: Write, case: str) -> None:
    content, message = BAD_TEXT[case]
    path = write(content)
    with pytest.raises(DataError, match=f"^{re.escape(str(path))}: .*{re.escape(message)}"):
        read_table(path)


@pytest.mark.parametrize("case", BAD_TEXT)
def test_text_that_is_no_table_in_small_blocks(write: Write, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BLOCK", 16)
    test_text_that_is_no_table(write, case)


def test_lines_are_counted_across_blocks(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BLOCK", 16)
    with pytest.raises(DataError, match="line 32 has 1 fields"):
        read_table(write("a,b\n" + '"x\ny\nz",1\n' * 10 + "3\n"))


def test_a_line_without_end(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BLOCK", 16)
    with pytest.raises(DataError, match="line 2 is longer than 16 bytes"):
        read_table(write("a,b\n" + "x" * 40 + ",1\n"))


def parquet_bytes() -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame({"a": [1, 2], "b": [3, 4]}).write_parquet(buffer)
    return buffer.getvalue()


def npy_bytes(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


TEXT = b"a,b\n1,2\n"
# Files that are not what their ending says, or are not whole, or have no table in them.
WRONG_FILES = {
    "Parquet as CSV": ("x.csv", parquet_bytes(), r"\.csv says, it is a Parquet file: give it the ending \.parquet"),
    "NPY as TSV": ("x.tsv", npy_bytes(np.zeros((2, 2))), r"it is a NumPy array: give it the ending \.npy"),
    "gzip as CSV": ("x.csv", gzip.compress(TEXT), r"it is compressed by gzip: give it the ending \.csv\.gz"),
    "workbook as CSV": ("x.csv", b"PK\x03\x04\x14\0\x06\0", r"it is a zip archive or a workbook .*save it as CSV"),
    "UTF-16": ("x.csv", TEXT.decode().encode("utf-16"), "it is text in UTF-16: save it as CSV in UTF-8"),
    "UTF-16 unmarked": ("x.csv", TEXT.decode().encode("utf-16-le"), "it is binary: save it as CSV in UTF-8"),
    "web page": ("x.csv", b"\n<!DOCTYPE html><html>", "it is a web page: save"),
    "CSV as Parquet": ("x.parquet", TEXT, r"ending \.parquet says, it is text: give it the ending \.csv"),
    "CSV as NPY": ("x.npy", TEXT, r"it is text: give it the ending \.csv"),
    "Parquet as NPY": ("x.npy", parquet_bytes(), "it is a Parquet file"),
    "CSV as gzip": ("x.csv.gz", TEXT, "it is text"),
    "Parquet in gzip": ("x.csv.gz", gzip.compress(parquet_bytes()), "it is a Parquet file"),
    "nothing in gzip": ("x.csv.gz", gzip.compress(b""), "the file is empty"),
    "half a gzip": ("x.csv.gz", gzip.compress(TEXT * 5000)[:-40], "cannot be read .*is it complete"),
    "half a Parquet": ("x.parquet", parquet_bytes()[:-20], "cannot be read .*is it complete"),
    "half an NPY": ("x.npy", npy_bytes(np.zeros((20, 20)))[:-20], "cannot be read .*is it complete"),
    "objects": ("x.npy", npy_bytes(np.array([[1, None]], dtype=object)), "of objects .*: save it as numbers or text"),
    "one dimension": ("x.npy", npy_bytes(np.zeros(5)), r"shape \(5,\) is not a table"),
    "three dimensions": ("x.npy", npy_bytes(np.zeros((2, 2, 2))), r"shape \(2, 2, 2\) is not a table"),
    "complex numbers": ("x.npy", npy_bytes(np.array([[1j, 2j]])), "'x0' has the type complex128"),
    "nothing": ("x.parquet", b"", "the file is empty"),
    "unknown ending": ("x.xlsx", TEXT, r"unknown ending: the endings known are \.csv, \.tsv, .*, \.parquet, \.npy"),
    "no ending": ("x", TEXT, "unknown ending"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG_FILES)
def test_files_that_are_not_what_their_ending_says(write: Any, case: str) -> None:
    name, content, message = WRONG_FILES[case]
    path = write(content, name)
    with pytest.raises(DataError, match=f"(?s)^{re.escape(str(path))}: .*{message}"):
        read_table(path)


def test_text_that_starts_like_another_format_is_text(write: Write) -> None:
    assert read_table(write("PAR1,BZh\n1,2\n")).names == ("PAR1", "BZh")


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv: there is no such file: check the path"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "dir.csv").mkdir()
    with pytest.raises(DataError, match=r"dir\.csv: this is a directory: give the path of a file"):
        read_table(tmp_path / "dir.csv")


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    Dataset.from_array([[1, 2], [3, 4]]).write(tmp_path / "x.parquet")
    with pytest.raises(DataError, match="separator=';' is for text files: leave it out"):
        read_table(tmp_path / "x.parquet", separator=";")
    with pytest.raises(DataError, match="missing='drop': choose one of"):
        read_table(tmp_path / "x.parquet", missing="drop")  # type: ignore[arg-type]


FIELD = st.text('ab",;\n\r é1', max_size=4)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(FIELD, FIELD, FIELD), min_size=1, max_size=12),
    block=st.sampled_from([64, 200, 2**20]),
)
def test_any_text_is_read_as_the_csv_module_reads_it(
    rows: list[tuple[str, str, str]], block: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "BLOCK", block)
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows([("p", "q,", 'r"'), ("x", "x", "x"), *rows])
    buffer.seek(0)
    header, *expected = csv.reader(buffer)
    data = read_table(write(buffer.getvalue()), missing="available")
    assert list(data.names) == header
    assert rows_of(data) == [[cell or None for cell in row] for row in expected]


def test_numbers_beyond_the_dictionary(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BLOCK", 64)
    cells = [f"{i * 7 % 100}.5" if i % 9 else ["", "NA", "nan"][i // 9 % 3] for i in range(100)]
    path = write("a,b\n" + "".join(f"{cell},{i % 3}\n" for i, cell in enumerate(cells)))
    plain = read_table(path, missing="available", discretize=4)
    monkeypatch.setattr(delimited, "MAX_CATEGORIES", 10)
    numbers = read_table(path, missing="available", discretize=4)
    assert numbers.bins == plain.bins
    assert numbers.bins.keys() == {"a"}
    assert numbers.categories == plain.categories
    np.testing.assert_array_equal(numbers.codes, plain.codes)
    with pytest.raises(DataError, match=r"'a' looks continuous \(88 different values in 100 rows\)"):
        read_table(path, missing="available")


@pytest.mark.parametrize("last", ["abc", '"NA"'])
def test_labels_beyond_the_dictionary(write: Write, monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    monkeypatch.setattr(records, "BLOCK", 64)
    monkeypatch.setattr(delimited, "MAX_CATEGORIES", 10)
    rows = "".join(f"{i}.5,x\n" for i in range(50))
    message = r"'a' has more than 10 different values, not all of them numbers \('(abc|NA)'\): drop it"
    with pytest.raises(DataError, match=message):
        read_table(write(f"a,b\n{rows}{last},x\n"))
    with pytest.raises(DataError, match=message):
        read_table(write(f"a,b\n{last},x\n{rows}"))


def test_a_table_of_many_blocks(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BLOCK", 4096)
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, high, 5_000) for high in (2, 7, 300)])
    labels = [["yes", "no"], [str(i) for i in range(7)], [f"v{i}" for i in range(300)]]
    data = Dataset.from_codes(["a", "b", "c"], labels, codes)
    path = write("")
    data.write(path)
    back = read_table(path)
    assert back.codes.dtype == np.uint16
    assert back.to_polars().cast(pl.String).equals(data.to_polars().cast(pl.String))
