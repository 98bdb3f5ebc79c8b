"""Columns that say the same: copies, and functions of another column.

Copies divide the rows into the same groups, whatever the groups are called. No data can tell which of them owns an edge
to a third column: `copies` says what becomes of their edges.

A function is a column whose value follows from one other column with more values. It takes part as every column does;
users are told, because tests given the other column say nothing about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from ml4c.counting import Packed
from ml4c.skeleton.pairs import Columns, Floats, Mask

SUPPORT = 5
"""Rows that must confirm a function: they repeat a value of its argument, and the commonest value does not count."""
SAME_BITS = 1e-9


@dataclass(frozen=True)
class Copies:
    """Columns that divide the rows alike; the `leader` takes part in learning for all (`copies.leaders`)."""

    leader: int
    copies: tuple[int, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns of the group."""
        return (self.leader, *self.copies)


@dataclass(frozen=True)
class Function:
    """A column whose value another column determines in every row where both are present."""

    column: int
    of: int


def find_copies(packed: Packed) -> tuple[Copies, ...]:
    """Group the columns that are copies of one another, constants aside; the lowest number leads a group."""
    # Copies have the same counts, which few other columns have: only these are looked at row by row.
    alike: dict[bytes, list[int]] = {}
    for column in np.flatnonzero(packed.columns.cards > 1).tolist():
        alike.setdefault(np.sort(packed.counts[column]).tobytes(), []).append(column)
    groups: dict[bytes, list[int]] = {}
    for column in sorted(column for some in alike.values() if len(some) > 1 for column in some):
        groups.setdefault(_fingerprint(packed, column), []).append(column)
    return tuple(Copies(first, tuple(rest)) for first, *rest in groups.values() if rest)


def _fingerprint(packed: Packed, column: int) -> bytes:
    """Return a hash of the column with its values numbered in the order of the rows; missing cells stay apart."""
    codes, card = packed.columns.codes[column], int(packed.columns.cards[column])
    first = np.zeros(card + 1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of repeated places the last, i.e. the earliest row, stays
    number = np.empty(card + 1, np.uint16)
    number[np.argsort(first[:card], kind="stable")] = np.arange(card, dtype=np.uint16)
    number[card] = np.iinfo(np.uint16).max
    return blake2b(number[codes].tobytes(), digest_size=16).digest()


def find_functions(packed: Packed, x: Columns, y: Columns, g2: Floats) -> tuple[Function, ...]:
    """List the functions among pairs x, y of different columns with these G2 statistics."""
    found = []
    for column, of in ((x, y), (y, x)):
        for i in np.flatnonzero(_may_be(packed, column, of, g2)).tolist():
            if _is_function(packed, int(column[i]), int(of[i])):
                found.append(Function(int(column[i]), int(of[i])))
    return tuple(sorted(found, key=lambda f: (f.column, f.of)))


def _may_be(packed: Packed, column: Columns, of: Columns, g2: Floats) -> Mask:
    """Mark pairs that share all of the column's entropy; where values are missing, that of the pair is not known."""
    cards, whole = packed.columns.cards, packed.columns.complete == 1
    all_of_it = g2 >= 2.0 * packed.n_rows * packed.entropies[column] * (1.0 - SAME_BITS)
    return np.asarray((cards[column] > 1) & (cards[column] < cards[of]) & (all_of_it | ~(whole[column] & whole[of])))


def _is_function(packed: Packed, column: int, of: int) -> bool:
    """Tell whether every value of `of` comes with one value of the column, in enough rows to mean something."""
    codes, cards = packed.columns.codes, packed.columns.cards
    here = (codes[column] < cards[column]) & (codes[of] < cards[of])
    value, argument = codes[column][here], codes[of][here]
    image = np.zeros(int(cards[of]), np.uint16)
    image[argument] = value
    if not (image[argument] == value).all():
        return False
    repeated = np.bincount(argument)[argument] > 1
    confirmed = np.bincount(value[repeated], minlength=1)
    return int(confirmed.sum() - confirmed.max()) >= SUPPORT
