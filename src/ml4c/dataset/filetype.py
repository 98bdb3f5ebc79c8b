"""What a file is: by its ending, and by its first bytes, which must agree.

A workbook or a web page saved under the wrong name parses as a table of garbage. The first bytes tell before
any parser sees it.
"""

from __future__ import annotations

from pathlib import Path

from ml4c.errors import DataError

SEPARATORS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
ENDINGS = (*SEPARATORS, ".parquet", ".npy")

TEXT = "text"
# How a file starts, what it then is, and the ending under which it can be read.
SIGNATURES = (
    (b"PAR1", "a Parquet file", ".parquet"),
    (b"\x93NUMPY", "a NumPy array", ".npy"),
    (b"\x1f\x8b", "compressed by gzip", ".csv.gz"),
    (b"PK\x03\x04", "a zip archive or a workbook (.xlsx)", None),
    (b"\xd0\xcf\x11\xe0", "an old office document (.xls)", None),
    (b"ARROW1", "an Arrow (Feather) file", None),
    (b"\x89HDF", "an HDF5 file", None),
    (b"SQLite format 3", "an SQLite database", None),
    (b"%PDF", "a PDF document", None),
    (b"BZh", "compressed by bzip2", None),
    (b"\xfd7zXZ", "compressed by xz", None),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", None),
    (b"\xff\xfe", "text in UTF-16", None),
    (b"\xfe\xff", "text in UTF-16", None),
)
WEB_PAGE = (b"<!doctype html", b"<html")
CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r"))
HEAD = 1024


def known_ending(path: Path) -> str:
    """Return the ending of the name of a file, which says what is in it."""
    for ending in ENDINGS:
        if path.name.lower().endswith(ending):
            return ending
    raise DataError(f"unknown ending: the endings known are {', '.join(ENDINGS)}")


def checked_ending(path: Path) -> str:
    """Return the ending of a file that exists, is not empty and is what its ending says."""
    if path.is_dir():
        raise DataError("this is a directory: give the path of a file")
    if not path.exists():
        raise DataError("there is no such file: check the path")
    ending = known_ending(path)
    with path.open("rb") as stream:
        check_content(stream.read(HEAD), ending)
    return ending


def check_content(head: bytes, ending: str) -> None:
    """Refuse a file whose first bytes contradict its ending."""
    if not head:
        raise DataError("the file is empty: it needs a header and rows")
    found, own = _content(head)
    expected = ".csv.gz" if ending.endswith(".gz") else ".csv" if ending in SEPARATORS else ending
    if own == expected:
        return
    remedy = f"give it the ending {own}" if own else "save it as CSV in UTF-8, or as Parquet"
    raise DataError(f"the file is not what its ending {ending} says, it is {found}: {remedy}")


def _content(head: bytes) -> tuple[str, str | None]:
    """Return what the first bytes say the file is, and the ending under which it can be read."""
    if head.lstrip().lower().startswith(WEB_PAGE):
        return "a web page", None
    # Text may well start with PAR1 or BZh, but it has no control characters.
    if head.translate(None, CONTROL) == head:
        return TEXT, ".csv"
    for start, what, ending in SIGNATURES:
        if head.startswith(start):
            return what, ending
    return ("binary", None) if b"\0" in head else (TEXT, ".csv")
