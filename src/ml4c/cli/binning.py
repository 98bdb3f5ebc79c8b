"""The option --discretize: bins for all columns that look continuous, or for those named."""

from __future__ import annotations

from collections.abc import Sequence

from ml4c.errors import DataError


def bins(words: Sequence[str] | None) -> int | dict[str, int] | None:
    """Return one number for all columns, or one for each column named."""
    named = {}
    for word in words or ():
        column, _, number = word.rpartition("=")
        if not number.isdecimal() or (not column and len(words or ()) > 1):
            raise DataError(f"--discretize {word}: give one number of bins, or COLUMN=BINS for each column")
        named[column] = int(number)
    return named.get("", named) if named else None
