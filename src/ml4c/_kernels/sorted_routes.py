"""Two ways to count a table with the rows sorted by the conditioning set: bit planes, and codes.

The columns that a group of pairs needs are brought into sorted order once, when first asked for, and by codes only as
far as anyone asks: configurations that can hold no worse cell than one found before are not even looked up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Codes, Columns, Counts, Ints, Labels, apart, leaf, step
from ml4c._kernels.bits import pack_run, shared
from ml4c._kernels.evaluate import (
    SEVERITY,
    SLACK,
    Tally,
    add_cell,
    can_skip,
    cannot_win,
    cell_severity,
    clamp_bounds,
    counts_cannot_win,
    margins_cannot_win,
    take_table,
    varies_too_little,
)
from ml4c._kernels.partition import SMALL, sort_rows_by_size
from ml4c._kernels.tabulate import Table, count_pairs, largest, sum_margins

SORTED_ENTRIES = 1 << 22
"""Codes that one block holds in sorted order: bounds the memory of a thread."""
MOST_PLANES = 64
"""Sets of at most this many configurations are counted by planes with the rows as they lie."""
AHEAD = 512
"""Rows that are brought into sorted order at once, at least."""
FEW = 8
"""Margins are looked through state by state while there are at most this many states for each row."""
CROWDED = 6
"""A dense table is worth its scan while it has at most this many cells for each row."""


class Block(NamedTuple):
    """Columns in the order of one partition."""

    place: Ints
    """Place of each column in the block, -1 outside it."""
    listed: Ints
    """The column in each place."""
    state: Ints
    """Number of columns, of configurations, of words."""
    packed: NDArray[np.uint8]
    """1 where a place has its planes."""
    in_order: Ints
    """Configurations that each place has in sorted order."""
    topped: Ints
    """Configurations of which each place knows the commonest state."""
    codes: Codes
    """(places, rows)"""
    planes: NDArray[np.uint64]
    """(places, states, words)"""
    margins: Counts
    """(places, configurations, states)"""
    tops: Counts
    """(places, configurations): rows of the commonest state."""
    order: Labels
    """Rows, configuration by configuration."""
    stops: Labels
    """Where each configuration ends in `order`."""
    word_stops: Ints
    """Where each configuration ends in a sorted plane."""
    blank: Counts
    """Zeros, for sparse tables and their margins; left as found."""
    kept: Codes
    """Two columns, less the rows in which either is missing."""
    kept_stops: Labels


def new_block(columns: Columns) -> Block:
    """Return an empty block with room for as many columns as the memory bound allows."""
    d, rows = columns.codes.shape
    places = max(2, min(d, SORTED_ENTRIES // rows))
    words = columns.planes.shape[1]
    states = int(columns.cards.max(initial=1, where=columns.first >= 0))
    widest = int(columns.cards.max()) + 1
    return Block(
        np.full(d, -1, np.int64),
        apart(places),
        apart(3),
        apart(places, np.uint8),
        apart(places),
        apart(places),
        np.empty((places, rows), np.uint16),
        np.empty((places, states, 3 * words + 2), np.uint64),
        np.empty((places, max(2 * words + 2, MOST_PLANES), states), np.int32),
        np.empty((places, rows // 2 + 1), np.int32),
        np.empty(rows, np.int32),
        np.empty(rows + 1, np.int32),
        np.empty(rows + 1, np.int64),
        apart(widest * widest + 2 * widest, np.int32),
        np.empty((2, rows), np.uint16),
        np.empty(rows + 1, np.int32),
    )


@step
def sort_block(labels: Labels, n_labels: int, block: Block, room: Labels) -> None:
    """Sort the rows by a partition, large configurations first; columns follow when asked for."""
    sort_rows_by_size(labels, n_labels, block.stops, block.order, room)
    block.state[1] = n_labels
    begin = 0
    words = np.int64(0)
    for z in range(n_labels):
        words += (block.stops[z] - begin + 63) >> 6
        block.word_stops[z] = words
        begin = block.stops[z]
    block.state[2] = words


@leaf
def new_place(column: int, block: Block) -> None:
    """Give a column a place, which holds nothing yet."""
    place = block.state[0]
    block.place[column] = place
    block.listed[place] = column
    block.packed[place] = 0
    block.in_order[place] = 0
    block.topped[place] = 0
    block.state[0] += 1


@step
def _sort_codes(columns: Columns, column: int, z: int, block: Block) -> None:
    """Bring a column into sorted order up to configuration z, and some more."""
    place = block.place[column]
    source, codes = columns.codes[column], block.codes[place]
    begin = block.stops[block.in_order[place] - 1] if block.in_order[place] > 0 else np.int32(0)
    last = z
    while last < block.state[1] - 1 and block.stops[last] - begin < AHEAD:
        last += 1
    for i in range(begin, block.stops[last]):
        codes[i] = source[np.uint32(block.order[i])]
    block.in_order[place] = last + 1


@step
def _pack_sorted(columns: Columns, column: int, block: Block) -> None:
    """Make the planes of a column in sorted order, each configuration from a new word on."""
    place = block.place[column]
    if block.in_order[place] < block.state[1]:
        _sort_codes(columns, column, block.state[1] - 1, block)
    codes = block.codes[place]
    card = columns.cards[column]
    begin = 0
    word = np.int64(0)
    for z in range(block.state[1]):
        end = block.stops[z]
        pack_run(codes[begin:end], block.planes[place], card - 1, word)
        left = end - begin
        for state in range(card - 1):
            held = shared(block.planes[place], state, block.planes[place], state, word, block.word_stops[z])
            block.margins[place, z, state] = held
            left -= held
        block.margins[place, z, card - 1] = left
        begin = end
        word = block.word_stops[z]
    block.packed[place] = 1


@step
def _find_tops(column: int, block: Block) -> None:
    """Count, in each configuration in sorted order, the rows of its commonest state."""
    place = block.place[column]
    begin = block.stops[block.topped[place] - 1] if block.topped[place] > 0 else np.int32(0)
    for z in range(block.topped[place], block.in_order[place]):
        run = block.codes[place, begin : block.stops[z]]
        top = np.int32(0)
        for i in range(run.shape[0]):
            block.blank[run[i]] += np.int32(1)
            top = max(top, block.blank[run[i]])
        for i in range(run.shape[0]):
            block.blank[run[i]] = 0
        block.tops[place, z] = top
        begin = block.stops[z]
    block.topped[place] = block.in_order[place]


@leaf
def take_sorted_planes(columns: Columns, x: int, y: int, block: Block, table: Table, tally: Tally) -> None:
    """Count a pair by sorted planes; last states follow by subtraction from the margins."""
    kx, ky = columns.cards[x], columns.cards[y]
    for column in (x, y):
        if not block.packed[block.place[column]]:
            _pack_sorted(columns, column, block)
    place_x, place_y = block.place[x], block.place[y]
    of_x, of_y, cells = block.planes[place_x], block.planes[place_y], table.cells
    begin = 0
    word = np.int64(0)
    for z in range(block.state[1]):
        rows = block.stops[z] - begin
        end = block.word_stops[z]
        in_x, in_y = block.margins[place_x, z, :kx], block.margins[place_y, z, :ky]
        if not can_skip(rows, tally) and not (
            tally.what == SEVERITY and margins_cannot_win(in_x, in_y, rows, tally.worst[0])
        ):
            for j in range(ky):
                cells[(kx - 1) * ky + j] = in_y[j]
            for i in range(kx - 1):
                left = in_x[i]
                for j in range(ky - 1):
                    both = shared(of_x, i, of_y, j, word, end)
                    cells[i * ky + j] = both
                    cells[(kx - 1) * ky + j] -= both
                    left -= both
                cells[i * ky + ky - 1] = left
                cells[kx * ky - 1] -= left
            take_table(cells, np.int64(0), in_x, in_y, rows, tally)
        begin = block.stops[z]
        word = end


@step
def take_sorted_codes(columns: Columns, x: int, y: int, block: Block, table: Table, tally: Tally) -> None:
    """Count a pair by sorted codes, a small table for each configuration that can still matter."""
    kx, ky = columns.cards[x], columns.cards[y]
    # The bounds cost a pass over each column, so they pay where columns serve several pairs.
    sparse = kx * ky * block.state[1] > CROWDED * columns.codes.shape[1]
    bounded = tally.what == SEVERITY and sparse and block.state[0] > 2
    place_x, place_y = block.place[x], block.place[y]
    xs, ys = block.codes[place_x], block.codes[place_y]
    stops = block.stops[: block.state[1]]
    whole = columns.complete[x] and columns.complete[y]
    if not whole and block.state[1] > 0:
        _look_up(columns, x, y, block.state[1] - 1, bounded, block)
        _keep_present(xs, ys, kx, ky, block)
        xs, ys, stops = block.kept[0], block.kept[1], block.kept_stops[: block.state[1]]
    in_x, in_y = table.in_x[:kx], table.in_y[:ky]
    known = 0
    begin = 0
    for z in range(stops.shape[0]):
        end = stops[z]
        rows = end - begin
        skipped = can_skip(rows, tally)
        if skipped and whole and rows < SMALL:
            return  # none of the others has more rows
        if not skipped and z >= known:
            known = _look_up(columns, x, y, z, bounded, block)
        if bounded and not skipped:
            top_x, top_y, worst = block.tops[place_x, z], block.tops[place_y, z], tally.worst[0]
            # Where rows were left out, tops are no longer what the commonest states have, but still no state has more.
            skipped = cannot_win(top_x, top_y, rows, worst) or (whole and varies_too_little(top_x, top_y, rows, worst))
        if skipped:
            begin = end
            continue
        some_x, some_y = xs[begin:end], ys[begin:end]
        begin = end
        if kx * ky <= CROWDED * rows:
            count_pairs(some_x, some_y, kx, ky, table.keys, table.cells)
            sum_margins(table.cells, np.int64(0), in_x, in_y)
            take_table(table.cells, np.int64(0), in_x, in_y, rows, tally)
        else:
            _take_sparse(some_x, some_y, kx, ky, block.blank, tally)


@step
def _look_up(columns: Columns, x: int, y: int, z: int, bounded: bool, block: Block) -> int:
    """Make sure that the block knows a configuration of two columns; return how many it knows of both."""
    known = block.state[1]
    for column in (x, y):
        place = block.place[column]
        if block.in_order[place] <= z:
            _sort_codes(columns, column, z, block)
        if bounded and block.topped[place] <= z:
            _find_tops(column, block)
        known = min(known, block.topped[place] if bounded else block.in_order[place])
    return known


@step
def _keep_present(xs: Codes, ys: Codes, kx: int, ky: int, block: Block) -> None:
    """Keep the rows in which neither is missing."""
    kept = 0
    begin = 0
    for z in range(block.state[1]):
        for i in range(begin, block.stops[z]):
            block.kept[0, kept] = xs[i]
            block.kept[1, kept] = ys[i]
            kept += xs[i] < kx and ys[i] < ky
        begin = block.stops[z]
        block.kept_stops[z] = kept


@step
def _take_sparse(xs: Codes, ys: Codes, kx: int, ky: int, blank: Counts, tally: Tally) -> None:
    """Take a configuration with fewer rows than cells: visit the observed cells, row by row."""
    _count_sparse(xs, ys, kx, ky, blank)
    if tally.what == SEVERITY:
        top, top_x, top_y = _wipe_sparse(xs, ys, kx, ky, blank)
        if counts_cannot_win(top, top_x, top_y, xs.shape[0], tally.worst[0]):
            return  # as nearly all do
        _count_sparse(xs, ys, kx, ky, blank)
        _severity_of_sparse(xs, ys, kx, ky, top_x, top_y, blank, tally)
    else:
        _association_of_sparse(xs, ys, kx, ky, blank, tally)
    _wipe_sparse(xs, ys, kx, ky, blank)


@leaf
def _sparse_margins(kx: int, ky: int, blank: Counts) -> tuple[Counts, Counts]:
    """Return the margins of a sparse table, which follow its cells."""
    end_of_x = kx * ky + kx
    return blank[kx * ky : end_of_x], blank[end_of_x : end_of_x + ky]


@step
def _count_sparse(xs: Codes, ys: Codes, kx: int, ky: int, blank: Counts) -> None:
    in_x, in_y = _sparse_margins(kx, ky, blank)
    for i in range(xs.shape[0]):
        blank[np.uint32(xs[i]) * np.uint32(ky) + np.uint32(ys[i])] += np.int32(1)
        in_x[xs[i]] += np.int32(1)
        in_y[ys[i]] += np.int32(1)


@step
def _wipe_sparse(xs: Codes, ys: Codes, kx: int, ky: int, blank: Counts) -> tuple[int, int, int]:
    """Return the largest count of a cell, of a state of x and of a state of y, and leave zeros."""
    in_x, in_y = _sparse_margins(kx, ky, blank)
    top = top_x = top_y = np.int32(0)
    for i in range(xs.shape[0]):
        cell = np.uint32(xs[i]) * np.uint32(ky) + np.uint32(ys[i])
        top = max(top, blank[cell])
        blank[cell] = 0
    if kx + ky <= FEW * xs.shape[0]:
        top_x, top_y = largest(in_x), largest(in_y)
        in_x[:] = 0
        in_y[:] = 0
    else:
        for i in range(xs.shape[0]):
            top_x, top_y = max(top_x, in_x[xs[i]]), max(top_y, in_y[ys[i]])
            in_x[xs[i]] = 0
            in_y[ys[i]] = 0
    return np.int64(top), np.int64(top_x), np.int64(top_y)


@step
def _severity_of_sparse(
    xs: Codes, ys: Codes, kx: int, ky: int, top_x: int, top_y: int, blank: Counts, tally: Tally
) -> None:
    rows = xs.shape[0]
    in_x, in_y = _sparse_margins(kx, ky, blank)
    worst = tally.worst[0]
    width = np.uint32(ky)
    n = float(rows)
    low, high = clamp_bounds(rows)
    hurdle = worst * worst * n * n * n * SLACK
    for i in range(rows):
        a, b = in_x[xs[i]], in_y[ys[i]]
        both = blank[np.uint32(xs[i]) * width + np.uint32(ys[i])]
        product = float(a) * b
        p = product / (n * n)
        p = low if p < low else p
        p = high if p > high else p
        difference = both * n - product
        if difference * difference > hurdle * (p * (1.0 - p)):
            worst = max(worst, cell_severity(both, a, b, rows))
            hurdle = worst * worst * n * n * n * SLACK
    # An empty cell is the worse the more it was expected to hold: below this product of margins it cannot win.
    needed = n * n * (worst * worst / (n + worst * worst)) * SLACK
    if float(top_x) * top_y > needed:
        for i in range(kx):
            if float(in_x[i]) * top_y > needed:
                for j in range(ky):
                    if float(in_x[i]) * in_y[j] > needed and blank[i * ky + j] == 0:
                        worst = max(worst, cell_severity(np.int32(0), in_x[i], in_y[j], rows))
    tally.worst[0] = worst


@step
def _association_of_sparse(xs: Codes, ys: Codes, kx: int, ky: int, blank: Counts, tally: Tally) -> None:
    rows = xs.shape[0]
    in_x, in_y = _sparse_margins(kx, ky, blank)
    for i in range(rows):
        cell = np.uint32(xs[i]) * np.uint32(ky) + np.uint32(ys[i])
        if blank[cell] > 0:
            add_cell(blank[cell], in_x[xs[i]], in_y[ys[i]], rows, tally)
            blank[cell] = 0
    seen_x = 0
    seen_y = 0
    logs = np.int64(0)
    for i in range(rows):
        if in_x[xs[i]] > 0:
            logs += tally.log_terms[in_x[xs[i]]]
            seen_x += 1
            in_x[xs[i]] = 0
        if in_y[ys[i]] > 0:
            logs += tally.log_terms[in_y[ys[i]]]
            seen_y += 1
            in_y[ys[i]] = 0
    tally.sums[0] += tally.log_terms[rows] - logs
    tally.sums[1] -= np.int64(rows * tally.chi2_unit + 0.5)
    tally.sums[2] += (seen_x - 1) * (seen_y - 1)
