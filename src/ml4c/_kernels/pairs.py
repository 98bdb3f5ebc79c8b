"""The counting engine: many questions (x, y | S), grouped by S.

Everything about a set S is done once for all its pairs. A pair's table is counted by one of four routes, whichever
a cost model expects to be cheapest:

- planes: AND and population count of bit planes, one pass for each configuration of S; narrow columns;
- direct: one pass over the rows into the whole table; when the table is small beside the rows;
- sorted planes: rows sorted by S, so that a configuration is a run of words; narrow columns that share S;
- sorted codes: rows sorted by S, one small table at a time, largest configurations first, until no configuration
  left can hold a worse cell; wide columns never build the full table.

All routes feed the same integer counts to `evaluate`, so the answer does not depend on the route.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Columns, Floats, Ints, Sets, kernel, leaf, step
from ml4c._kernels.evaluate import Tally, begin_question, end_question
from ml4c._kernels.grouping import Group
from ml4c._kernels.partition import Trail, follow, new_trail
from ml4c._kernels.sorted_routes import (
    MOST_PLANES,
    Block,
    new_block,
    new_place,
    sort_block,
    take_sorted_codes,
    take_sorted_planes,
)
from ml4c._kernels.tabulate import Table, new_table
from ml4c._kernels.unsorted_routes import Given, make_given, new_given, take_direct, take_planes

AUTOMATIC, PLANES, DIRECT, SORTED_PLANES, SORTED_CODES = 0, 1, 2, 3, 4

# Costs in nanoseconds, measured; they steer speed, never results.
WORD, PASS = 0.35, 12.0  # of a population count, and of starting one
TABLE, TABLE_ROW, CELL = 30.0, 8.0, 1.2  # of judging a table
SCREEN = 6.0  # of screening a cell before it is counted
ROW, SPARSE_ROW = 0.6, 4.0  # of counting a row into a dense and a sparse table
LABEL, SORT, GATHER = (
    1.0,
    2.5,
    2.5,
)  # of a row, for each column of the set, for the set, for each column of a pair
CROWDED = 4
"""The direct route takes tables of at most this many cells for each row."""


class Pairs(NamedTuple):
    """Pairs that share their conditioning set; `entry` is the row of the answers in which each one's own belongs."""

    x: Ints
    y: Ints
    entry: Ints


class Desk(NamedTuple):
    """What a thread works with."""

    trail: Trail
    block: Block
    given: Given
    table: Table


def new_desk(columns: Columns, depth: int) -> Desk:
    """Return a desk for sets of up to `depth` columns."""
    rows = columns.codes.shape[1]
    widest = int(columns.cards.max()) + 1
    return Desk(
        new_trail(rows, depth, widest),
        new_block(columns),
        new_given(columns.planes.shape[1]),
        new_table(CROWDED * rows + widest * widest, widest),
    )


@kernel
def answer(columns: Columns, sets: Sets, asked: Group, route: int, desk: Desk, tally: Tally, out: Floats) -> None:
    """Fill the row of `out` of each question: severity, rows used; or G2, chi2, degrees of freedom, rows used.

    `route` is AUTOMATIC; the others are tried first wherever they apply, for tests and measurements.
    """
    for g in range(asked.sets.shape[0]):
        s = asked.sets[g]
        members = sets.members[sets.start[s] : sets.start[s + 1]]
        begin = asked.begin[g]
        while begin < asked.end[g]:
            end = _list_columns(asked, begin, asked.end[g], desk.block)
            some = Pairs(asked.first[begin:end], asked.second[begin:end], asked.entry[begin:end])
            if _sorting_pays(columns, members, some, desk.block.state[0], route):
                _answer_sorted(columns, members, some, route, desk, tally, out)
            else:
                _answer_unsorted(columns, members, some, route, desk, tally, out)
            begin = end


@step
def _list_columns(asked: Group, begin: int, limit: int, block: Block) -> int:
    """Give the columns of as many pairs as the block holds a place; return where those pairs end."""
    for i in range(block.state[0]):
        block.place[block.listed[i]] = -1
    block.state[0] = 0
    for i in range(begin, limit):
        new = (block.place[asked.first[i]] < 0) + (block.place[asked.second[i]] < 0)
        if block.state[0] + new > block.codes.shape[0]:
            return i
        for column in (asked.first[i], asked.second[i]):
            if block.place[column] < 0:
                new_place(column, block)
    return limit


@leaf
def _configurations(columns: Columns, members: Ints) -> float:
    """Multiply the cardinalities of a set."""
    product = 1.0
    for i in range(members.shape[0]):
        product *= columns.cards[members[i]]
    return product


@leaf
def _judging_cost(kx: int, ky: int) -> float:
    """Return the expected cost of evaluating one dense table."""
    return TABLE + kx * (TABLE_ROW + ky * CELL)


@step
def _given_planes(columns: Columns, members: Ints) -> float:
    """Return the number of configurations that are planes; infinite where they are too many or a column is wide."""
    product = _configurations(columns, members)
    for i in range(members.shape[0]):
        if columns.first[members[i]] < 0:
            return np.inf
    return product if product <= MOST_PLANES else np.inf


@leaf
def _planes_cost(columns: Columns, x: int, y: int, configurations: float) -> float:
    """Return the expected cost of the planes route for one pair; infinite where it does not apply."""
    if columns.first[x] < 0 or columns.first[y] < 0:
        return np.inf
    kx, ky = columns.cards[x], columns.cards[y]
    passes = (kx - 1) * (ky - 1)
    return configurations * (passes * (columns.planes.shape[1] * WORD + PASS) + SCREEN * kx * ky)


@leaf
def _direct_cost(columns: Columns, x: int, y: int, configurations: float) -> float:
    """Return the expected cost of the direct route for one pair; infinite where it does not apply."""
    rows = columns.codes.shape[1]
    kx, ky = columns.cards[x], columns.cards[y]
    if kx * ky * configurations > CROWDED * rows or not (columns.complete[x] and columns.complete[y]):
        return np.inf
    return rows * ROW + configurations * _judging_cost(kx, ky)


@leaf
def _sorted_planes_cost(columns: Columns, x: int, y: int, configurations: float) -> float:
    """Return the expected cost of the sorted planes for one pair; infinite where they do not apply."""
    words = columns.planes.shape[1]
    if columns.first[x] < 0 or columns.first[y] < 0 or configurations > 2 * words + 1:
        return np.inf
    kx, ky = columns.cards[x], columns.cards[y]
    passes = (kx - 1) * (ky - 1)
    return passes * (words * WORD + PASS * configurations) + configurations * _judging_cost(kx, ky)


@leaf
def _sorted_codes_cost(columns: Columns, x: int, y: int, configurations: float) -> float:
    """Return the expected cost of the sorted codes for one pair."""
    rows = columns.codes.shape[1]
    kx, ky = columns.cards[x], columns.cards[y]
    if kx * ky * configurations <= CROWDED * rows:
        return rows * ROW + configurations * _judging_cost(kx, ky)
    return rows * SPARSE_ROW


@step
def _sorting_pays(columns: Columns, members: Ints, asked: Pairs, n_columns: int, route: int) -> bool:
    """Compare the expected costs of a group of pairs with and without sorting the rows first."""
    rows = columns.codes.shape[1]
    product, n_given = _configurations(columns, members), _given_planes(columns, members)
    occurring = min(product, rows * 0.5 + 1.0)
    unsorted = 0.0
    by_sorting = rows * (SORT + LABEL * members.shape[0] + GATHER * n_columns)
    for i in range(asked.x.shape[0]):
        x, y = asked.x[i], asked.y[i]
        direct = _direct_cost(columns, x, y, product) + LABEL * rows * members.shape[0]
        unsorted += min(_planes_cost(columns, x, y, n_given), direct)
        by_sorting += min(_sorted_planes_cost(columns, x, y, occurring), _sorted_codes_cost(columns, x, y, occurring))
    if route == AUTOMATIC or unsorted == np.inf:
        return by_sorting < unsorted
    return route >= SORTED_PLANES


@step
def _answer_unsorted(
    columns: Columns, members: Ints, asked: Pairs, route: int, desk: Desk, tally: Tally, out: Floats
) -> None:
    product, n_given = _configurations(columns, members), _given_planes(columns, members)
    desk.given.count[0] = 0
    for i in range(asked.x.shape[0]):
        x, y = asked.x[i], asked.y[i]
        by_planes = _planes_cost(columns, x, y, n_given)
        by_direct = _direct_cost(columns, x, y, product)
        begin_question(tally)
        prefer_planes = route == PLANES or (route != DIRECT and by_planes <= by_direct)
        if by_direct == np.inf or (by_planes < np.inf and prefer_planes):
            if desk.given.count[0] == 0:
                make_given(columns, members, desk.given)
            take_planes(columns, x, y, desk.given, desk.block, desk.table, tally)
        else:
            n_labels = follow(columns, members, desk.trail)
            take_direct(columns, x, y, desk.trail.labels[members.shape[0]], n_labels, desk.table, tally)
        end_question(tally, rows_present(columns, members, x, y), out, asked.entry[i])


@step
def _answer_sorted(
    columns: Columns, members: Ints, asked: Pairs, route: int, desk: Desk, tally: Tally, out: Floats
) -> None:
    n_labels = follow(columns, members, desk.trail)
    sort_block(desk.trail.labels[members.shape[0]], n_labels, desk.block, desk.trail.room)
    for i in range(asked.x.shape[0]):
        x, y = asked.x[i], asked.y[i]
        by_planes = _sorted_planes_cost(columns, x, y, float(n_labels))
        by_codes = _sorted_codes_cost(columns, x, y, float(n_labels))
        begin_question(tally)
        prefer_planes = route == SORTED_PLANES or (route != SORTED_CODES and by_planes <= by_codes)
        if by_planes < np.inf and prefer_planes:
            take_sorted_planes(columns, x, y, desk.block, desk.table, tally)
        else:
            take_sorted_codes(columns, x, y, desk.block, desk.table, tally)
        end_question(tally, rows_present(columns, members, x, y), out, asked.entry[i])


@leaf
def rows_present(columns: Columns, members: Ints, x: int, y: int) -> int:
    """Count the rows in which no column of the question is missing."""
    whole = columns.complete[x] and columns.complete[y]
    for m in range(members.shape[0]):
        whole = whole and columns.complete[members[m]]
    return columns.codes.shape[1] if whole else _count_present(columns, members, x, y)


@step
def _count_present(columns: Columns, members: Ints, x: int, y: int) -> int:
    rows = columns.codes.shape[1]
    present = 0
    for row in range(rows):
        here = columns.codes[x, row] < columns.cards[x] and columns.codes[y, row] < columns.cards[y]
        for m in range(members.shape[0]):
            here = here and columns.codes[members[m], row] < columns.cards[members[m]]
        present += here
    return present
