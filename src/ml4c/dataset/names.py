"""Names of columns, and the words for naming several of them in a message."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence

from ml4c.errors import DataError

MAX_NAMED = 10


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names as a tuple; refuse blank and repeated ones."""
    if not names:
        raise DataError("the table has no columns: nothing to learn from")
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(
                f"column {position} of {len(names)} has an empty name: name it, or drop it if it only numbers the rows"
            )
    if len(set(names)) < len(names):
        first = next(name for j, name in enumerate(names) if name in names[:j])
        places = listed(str(j) for j, name in enumerate(names, start=1) if name == first)
        raise DataError(f"the column name {first!r} is used more than once (columns {places}): rename all but one")
    return tuple(names)


def check_header(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a table that comes from outside: valid and at least two."""
    checked = check_names(names)
    if len(checked) == 1:
        raise DataError(f"the table has one column only, {checked[0]!r}: a graph needs at least two")
    return checked


def listed(items: Iterable[str]) -> str:
    """Join the first few items and count the others; no item breaks the line."""
    shown = [item.replace("\n", "\\n").replace("\r", "\\r") for item in items]
    more = f" and {len(shown) - MAX_NAMED} more" if len(shown) > MAX_NAMED else ""
    return ", ".join(shown[:MAX_NAMED]) + more


def unknown_name(name: object, known: Collection[str]) -> DataError:
    """Return the error for a column that does not exist, with the names that come near."""
    near = difflib.get_close_matches(str(name), known)
    if near:
        return DataError(f"no column is named {name!r}: did you mean {' or '.join(map(repr, near))}?")
    return DataError(f"no column is named {name!r}: the columns are {listed(map(repr, known))}")
