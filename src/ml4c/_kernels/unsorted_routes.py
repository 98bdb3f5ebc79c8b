"""Two ways to count a table with the rows as they lie: bit planes, and one direct pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Columns, Counts, Ints, Labels, Words, apart, leaf, step
from ml4c._kernels.bits import intersect, shared, shared_by_three
from ml4c._kernels.evaluate import (
    SEVERITY,
    SLACK,
    Tally,
    can_skip,
    can_win,
    clamp_bounds,
    take_table,
    to_screen,
    worst_of_likes,
)
from ml4c._kernels.sorted_routes import MOST_PLANES, Block
from ml4c._kernels.tabulate import Table, count_triples, sum_margins


class Given(NamedTuple):
    """The configurations of a set of narrow columns, as planes."""

    planes: Words
    rows: Ints
    """Number of rows of each."""
    order: Ints
    """Their numbers, large ones first."""
    count: Ints
    """[0]: how many there are; 0 until they are needed."""


def new_given(words: int) -> Given:
    """Return room for the configurations of one set."""
    return Given(np.empty((MOST_PLANES, words), np.uint64), apart(MOST_PLANES), apart(MOST_PLANES), apart(1))


@step
def make_configuration_planes(columns: Columns, members: Ints, planes: Words) -> int:
    """Make a plane for every configuration of a set of narrow columns; return their number."""
    words = columns.planes.shape[1]
    for w in range(words):
        planes[0, w] = ~np.uint64(0)
    planes[0, words - 1] >>= np.uint64(words * 64 - columns.codes.shape[1])
    done = 1
    for m in range(members.shape[0]):
        card, first = columns.cards[members[m]], columns.first[members[m]]
        # Backwards, so that a plane is replaced by its finer ones only when no longer needed.
        for z in range(done - 1, -1, -1):
            for state in range(card - 1, -1, -1):
                intersect(planes, z, columns.planes, first + state, planes, z * card + state)
        done *= card
    return done


@step
def make_given(columns: Columns, members: Ints, given: Given) -> None:
    """Make the planes of a set's configurations, count their rows, and list them, large ones first."""
    given.count[0] = make_configuration_planes(columns, members, given.planes)
    for z in range(given.count[0]):
        rows = shared(given.planes, z, given.planes, z, np.int64(0), given.planes.shape[1])
        given.rows[z] = rows
        place = z
        while place > 0 and given.rows[given.order[place - 1]] < rows:
            given.order[place] = given.order[place - 1]
            place -= 1
        given.order[place] = z


@step
def _sum_planes(columns: Columns, column: int, given: Given, block: Block) -> None:
    """Count the states of a column in every configuration, once for all its pairs."""
    place = block.place[column]
    last, first, words = columns.cards[column] - 1, columns.first[column], given.planes.shape[1]
    for z in range(given.count[0]):
        left = given.rows[z]
        for state in range(last):
            held = shared(given.planes, z, columns.planes, first + state, np.int64(0), words)
            block.margins[place, z, state] = held
            left -= held
        block.margins[place, z, last] = left
    block.packed[place] = 1


@leaf
def take_planes(columns: Columns, x: int, y: int, given: Given, block: Block, table: Table, tally: Tally) -> None:
    """Count a pair by planes, configuration by configuration, large ones first."""
    for column in (x, y):
        if not block.packed[block.place[column]]:
            _sum_planes(columns, column, given, block)
    kx, ky, first_x, first_y = columns.cards[x], columns.cards[y], columns.first[x], columns.first[y]
    margins_x, margins_y = block.margins[block.place[x]], block.margins[block.place[y]]
    worst = 0.0
    for rank in range(given.count[0]):
        z = given.order[rank]
        rows = given.rows[z]
        if rows < 2 or (tally.what == SEVERITY and not can_win(rows, worst)):
            break
        in_x, in_y = margins_x[z, :kx], margins_y[z, :ky]
        if tally.what == SEVERITY:
            worst = _screen_planes(
                columns.planes, first_x, first_y, given.planes[z], in_x, in_y, rows, table.in_y, worst
            )
        else:
            _tabulate_planes(columns.planes, first_x, first_y, given.planes[z], in_x, in_y, table.cells)
            take_table(table.cells, np.int64(0), in_x, in_y, rows, tally)
    tally.worst[0] = worst


@leaf
def _screen_planes(
    planes: Words,
    first_x: int,
    first_y: int,
    given: Words,
    in_x: Counts,
    in_y: Counts,
    rows: int,
    left_y: Counts,
    worst: float,
) -> float:
    """Count the cells of a configuration that may be worse than the worst so far, and return the worst then.

    The last cell of a row or column follows by subtraction.
    """
    n = float(rows)
    per_cell = 1.0 / (n * n)
    low, high = clamp_bounds(rows)
    hurdle = worst * worst * n * n * n * SLACK
    x_begin, x_end = to_screen(in_x)
    y_begin, y_end = to_screen(in_y)
    for j in range(y_begin, y_end):
        left_y[j] = in_y[j] if in_x.shape[0] > 2 else -1
    for i in range(x_begin, x_end):
        a = float(in_x[i])
        left_x = in_x[i] if in_y.shape[0] > 2 else np.int32(-1)
        for j in range(y_begin, y_end):
            b = float(in_y[j])
            product = a * b
            p = min(max(product * per_cell, low), high)
            limit = hurdle * (p * (1.0 - p))
            furthest = max(min(a, b) * n - product, product - max(a + b - n, 0.0) * n)
            if furthest * furthest <= limit:
                left_x, left_y[j] = np.int32(-1), np.int32(-1)
                continue
            if j + 1 == y_end and left_x >= 0:
                both = left_x
            elif i + 1 == x_end and left_y[j] >= 0:
                both = left_y[j]
            else:
                both = np.int32(shared_by_three(given, planes[first_x + i], planes[first_y + j]))
            left_x = np.int32(left_x - both) if left_x >= 0 else left_x
            left_y[j] -= both if left_y[j] >= 0 else np.int32(0)
            difference = both * n - product
            if difference * difference > limit:
                worst = max(worst, worst_of_likes(both, i, j, in_x, in_y, rows))
                hurdle = worst * worst * n * n * n * SLACK
    return worst


@step
def _tabulate_planes(
    planes: Words, first_x: int, first_y: int, given: Words, in_x: Counts, in_y: Counts, cells: Counts
) -> None:
    """Count all cells of one configuration; last states follow by subtraction."""
    kx, ky = in_x.shape[0], in_y.shape[0]
    for j in range(ky):
        cells[(kx - 1) * ky + j] = in_y[j]
    for i in range(kx - 1):
        left = in_x[i]
        for j in range(ky - 1):
            both = shared_by_three(given, planes[first_x + i], planes[first_y + j])
            cells[i * ky + j] = both
            cells[(kx - 1) * ky + j] -= both
            left -= both
        cells[i * ky + ky - 1] = left
        cells[kx * ky - 1] -= left


@step
def take_direct(columns: Columns, x: int, y: int, labels: Labels, n_labels: int, table: Table, tally: Tally) -> None:
    """Count a pair of complete columns into one table over all configurations."""
    kx, ky = columns.cards[x], columns.cards[y]
    count_triples(labels, n_labels, columns.codes[x], columns.codes[y], kx, ky, table.keys, table.cells)
    in_x, in_y = table.in_x[:kx], table.in_y[:ky]
    for label in range(1, n_labels + 1):
        rows = sum_margins(table.cells, label * kx * ky, in_x, in_y)
        if not can_skip(rows, tally):
            take_table(table.cells, label * kx * ky, in_x, in_y, rows, tally)
