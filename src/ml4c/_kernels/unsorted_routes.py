"""Two ways to count a table with the rows as they lie: bit planes, and one direct pass."""

from __future__ import annotations

import numpy as np

from ml4c._kernels.arrays import Columns, Ints, Labels, Words, step
from ml4c._kernels.bits import intersect, shared
from ml4c._kernels.evaluate import Tally, can_skip, take_table
from ml4c._kernels.tabulate import Table, count_triples, sum_margins


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
def take_planes(columns: Columns, x: int, y: int, given: Words, n_given: int, table: Table, tally: Tally) -> None:
    """Count a pair by planes, configuration by configuration; last states follow by subtraction.

    `given` holds the planes of the configurations, and one more to work in.
    """
    kx, ky = columns.cards[x], columns.cards[y]
    first_x, first_y = columns.first[x], columns.first[y]
    in_x, in_y, cells = table.in_x[:kx], table.in_y[:ky], table.cells
    states, words = columns.planes, given.shape[1]
    for z in range(n_given):
        rows = shared(given, z, given, z, np.int64(0), words)
        if can_skip(rows, tally):
            continue
        in_y[ky - 1] = rows
        for j in range(ky - 1):
            in_y[j] = shared(given, z, states, first_y + j, np.int64(0), words)
            in_y[ky - 1] -= in_y[j]
        for j in range(ky):
            cells[(kx - 1) * ky + j] = in_y[j]
        in_x[kx - 1] = rows
        for i in range(kx - 1):
            in_x[i] = intersect(given, z, states, first_x + i, given, n_given)
            in_x[kx - 1] -= in_x[i]
            left = in_x[i]
            for j in range(ky - 1):
                both = shared(given, n_given, states, first_y + j, np.int64(0), words)
                cells[i * ky + j] = both
                cells[(kx - 1) * ky + j] -= both
                left -= both
            cells[i * ky + ky - 1] = left
            cells[kx * ky - 1] -= left
        take_table(cells, np.int64(0), in_x, in_y, rows, tally)


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
