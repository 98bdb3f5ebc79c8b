"""Local scores of a node given a parent set, from the same partitions as the tests.

A score is a sum over the parent configurations that occur, of terms that depend on the node's counts in each (`terms`)
and, for `poe`, on what the parents say one by one (`experts`). A family is counted once for all scores that are asked.
Configurations of a single row are not in the partition (see `partition`); what each of them adds is known without
counting.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Columns, Counts, Floats, Ints, Labels, Sets, Words, kernel, step
from ml4c._kernels.bits import shared
from ml4c._kernels.experts import ExpertDesk, Experts, add_judged, new_expert_desk
from ml4c._kernels.partition import ALL_PAIRS, Trail, follow, new_trail, sort_rows
from ml4c._kernels.terms import Listing, TermDesk, Terms, add_counted, new_listing, new_term_desk
from ml4c._kernels.unsorted_routes import make_configuration_planes

MOST_PLANES = 64
"""Parent sets of at most this many configurations of narrow columns are counted by planes."""
CROWDED = 4
"""One table for each label is counted at once while there are at most this many cells for each row."""


class Families(NamedTuple):
    """Nodes, sorted by parent set: group g is `begin[g]:end[g]`."""

    node: Ints
    begin: Ints
    end: Ints
    parents: Ints
    """The parent set of each group."""


class FamilyDesk(NamedTuple):
    """What a thread works with."""

    trail: Trail
    given: Words
    """Planes of the configurations of a parent set, and one to work in."""
    cells: Counts
    """Counts of the node's states, for every configuration or for one."""
    first: Labels
    """A row of every cell that is not empty."""
    stops: Labels
    order: Labels
    found: Listing
    terms: TermDesk
    experts: ExpertDesk


def new_family_desk(columns: Columns, depth: int, n_sums: int, terms: Terms, e: Experts) -> FamilyDesk:
    """Return a desk for parent sets of up to `depth` columns and so many sums of these terms and experts."""
    rows = columns.codes.shape[1]
    widest = int(columns.cards.max()) + 1
    return FamilyDesk(
        new_trail(rows, depth, widest),
        np.empty((MOST_PLANES + 1, columns.planes.shape[1]), np.uint64),
        np.zeros(CROWDED * rows + 2 * widest, np.int32),
        np.empty(CROWDED * rows + 2 * widest, np.int32),
        np.empty(rows + 1, np.int32),
        np.empty(rows, np.int32),
        new_listing(rows, widest),
        new_term_desk(n_sums, max(terms.strengths.shape[0], e.totals.strengths.shape[0]), widest),
        new_expert_desk(depth, widest, e.powers.shape[0], e.totals.strengths.shape[0]),
    )


@kernel
def score_families(
    columns: Columns, sets: Sets, asked: Families, terms: Terms, e: Experts, desk: FamilyDesk, out: Floats
) -> None:
    """Fill `out`, a row for each family: the sums of every score that is asked, rows used last.

    The experts of families of fewer than two parents know one power; the sums of the others stay 0.
    """
    listens = terms.experts >= 0
    for g in range(asked.parents.shape[0]):
        s = asked.parents[g]
        members = sets.members[sets.start[s] : sets.start[s + 1]]
        ways, narrow, whole = 1.0, True, True
        for m in range(members.shape[0]):
            ways *= columns.cards[members[m]]
            narrow = narrow and columns.first[members[m]] >= 0
            whole = whole and columns.complete[members[m]] == 1
        # A partition drops a configuration of a single row (see `partition`), so every route treats it so; but only
        # experts find that its terms are others, by their last bits.
        drops = listens and (not whole or ways * ALL_PAIRS > columns.codes.shape[1])
        n_given = 0
        for i in range(asked.begin[g], asked.end[g]):
            node = asked.node[i]
            desk.found.alone_with[: columns.cards[node]] = 0
            by_planes = narrow and not drops and _fits_planes(columns, node, ways)
            n_alone = 0
            if by_planes:
                if n_given == 0:
                    n_given = make_configuration_planes(columns, members, desk.given)
                n = _list_planes(columns, node, n_given, desk)
            else:
                n, n_alone = _list_labels(columns, members, node, drops, listens, desk)
            rows = n_alone
            for c in range(n):
                rows += desk.found.rows[c]
            desk.terms.sums[:] = 0
            add_counted(desk.found, n, ways, columns.cards[node], terms.base_start[node], terms, desk.terms)
            if listens:
                add_judged(
                    columns, members, node, desk.found, n, n_alone, by_planes, terms, e, desk.terms, desk.experts
                )
            for j in range(desk.terms.sums.shape[0]):
                out[i, j] = desk.terms.sums[j] / terms.unit
            out[i, out.shape[1] - 1] = rows


@step
def _fits_planes(columns: Columns, node: int, ways: float) -> bool:
    """Tell whether a node is counted best by planes under a narrow parent set: beyond, a pass over rows is cheaper."""
    return columns.first[node] >= 0 and ways <= MOST_PLANES and ways * columns.cards[node] <= 2 * MOST_PLANES


@step
def _list_planes(columns: Columns, node: int, n_given: int, desk: FamilyDesk) -> int:
    """Count by planes; the last state follows by subtraction. Return how many configurations there are."""
    card, first, words = columns.cards[node], columns.first[node], desk.given.shape[1]
    n, pairs = np.int64(0), np.int64(0)
    for z in range(n_given):
        left = shared(desk.given, z, desk.given, z, np.int64(0), words)
        if left > 0:
            desk.found.rows[n] = left
            for k in range(card):
                held = shared(desk.given, z, columns.planes, first + k, np.int64(0), words) if k < card - 1 else left
                if held > 0:
                    desk.found.state[pairs] = k
                    desk.found.count[pairs] = held
                    pairs += 1
                    left -= held
            desk.found.stop[n] = pairs
            desk.found.row[n] = z
            n += 1
    return n


@step
def _list_labels(
    columns: Columns, members: Ints, node: int, drops: bool, listens: bool, desk: FamilyDesk
) -> tuple[int, int]:
    """Count in labels; return how many configurations and how many single rows there are."""
    rows, width, size = columns.codes.shape[1], columns.cards[node] + 1, members.shape[0]
    if size > 0:
        # The labels by all parents but the last serve many sets, and spare those by all of them.
        n_before = follow(columns, members[:-1], desk.trail)
        if (n_before + 1) * (columns.cards[members[-1]] + 1) * width <= rows:
            return _list_dense(columns, members, node, size - 1, n_before, drops, listens, desk)
    n_labels = follow(columns, members, desk.trail)
    if (n_labels + 1) * width <= CROWDED * rows:
        return _list_dense(columns, members, node, size, n_labels, drops, listens, desk)
    return _list_sorted(columns, members, node, n_labels, drops, desk)


@step
def _list_dense(
    columns: Columns, members: Ints, node: int, depth: int, n_labels: int, drops: bool, listens: bool, desk: FamilyDesk
) -> tuple[int, int]:
    """Count all configurations at once, from the labels by the first `depth` parents: all of them, or all but the last.

    The table of rows without a label comes first. Return how many configurations and how many single rows there are.
    """
    labels, codes, at = desk.trail.labels[depth], columns.codes[node], desk.order
    # Where values are missing, they have a place of their own.
    width, states, places = columns.cards[node] + 1 - columns.complete[node], np.int64(1), np.int64(1)
    if depth < members.shape[0]:
        last = members[depth]
        states, places = columns.cards[last], columns.cards[last] + 1 - columns.complete[last]
        lasts, step_of_label, step_of_last = columns.codes[last], np.int32(places * width), np.int32(width)
        for row in range(labels.shape[0]):
            place = (labels[row] + np.int32(1)) * step_of_label + np.int32(lasts[row]) * step_of_last
            at[row] = place + np.int32(codes[row])
    else:
        for row in range(labels.shape[0]):
            at[row] = (labels[row] + np.int32(1)) * np.int32(width) + np.int32(codes[row])
    _count_cells(at, (n_labels + 1) * places * width, desk.cells)
    if listens:
        for row in range(labels.shape[0]):
            desk.first[np.uint32(at[row])] = row
    n, n_alone, pairs, card = np.int64(0), np.int64(0), np.int64(0), columns.cards[node]
    for label in range(1, n_labels + 1):
        for state in range(states):
            start = (label * places + state) * width
            begin, rows = pairs, np.int64(0)
            for k in range(card):
                # Written in any case and kept if it occurs, which is anyone's guess.
                desk.found.state[pairs] = k
                desk.found.count[pairs] = desk.cells[start + k]
                rows += desk.cells[start + k]
                pairs += np.int64(desk.cells[start + k] > 0)
            if rows > 0:
                row = desk.first[start + desk.found.state[begin]] if listens else np.int32(0)
                if rows == 1 and drops:
                    pairs = begin
                    desk.found.alone[n_alone] = row
                    desk.found.alone_with[desk.found.state[begin]] += np.int32(1)
                    n_alone += 1
                else:
                    desk.found.stop[n] = pairs
                    desk.found.rows[n] = rows
                    desk.found.row[n] = row
                    n += 1
    left = np.int64(0)
    for i in range(places * width):
        left += desk.cells[i]
    if left > 0:
        n_alone = _list_alone(columns, members, node, labels, n_alone, desk.found)
    return n, n_alone


@step
def _count_cells(at: Labels, size: int, cells: Counts) -> None:
    """Count how often each of `size` cells is named."""
    quarter = at.shape[0] // 4
    if 4 * size > cells.shape[0]:
        quarter = 0
        cells[:size] = 0
    else:
        # Counting up a cell waits for the last time that it was counted up, so four tables take turns.
        cells[: 4 * size] = 0
        one, two, three, four = (
            cells[:size],
            cells[size : 2 * size],
            cells[2 * size : 3 * size],
            cells[3 * size : 4 * size],
        )
        for i in range(quarter):
            one[np.uint32(at[i])] += np.int32(1)
            two[np.uint32(at[i + quarter])] += np.int32(1)
            three[np.uint32(at[i + 2 * quarter])] += np.int32(1)
            four[np.uint32(at[i + 3 * quarter])] += np.int32(1)
        for i in range(size):
            one[i] += two[i] + three[i] + four[i]
    for i in range(4 * quarter, at.shape[0]):
        cells[np.uint32(at[i])] += np.int32(1)


@step
def _list_sorted(
    columns: Columns, members: Ints, node: int, n_labels: int, drops: bool, desk: FamilyDesk
) -> tuple[int, int]:
    """Count label by label, visiting rows only: for many labels and many states.

    Return how many configurations and how many single rows there are.
    """
    codes, card, cells, found = columns.codes[node], columns.cards[node], desk.cells, desk.found
    labels = desk.trail.labels[members.shape[0]]
    cells[:card] = 0
    sort_rows(labels, desk.stops[: n_labels + 1], desk.order)
    n, n_alone, pairs, begin = np.int64(0), np.int64(0), np.int64(0), 0
    for label in range(n_labels):
        end = desk.stops[label]
        start, rows, row = pairs, np.int64(0), np.int32(0)
        for i in range(begin, end):
            state = codes[desk.order[i]]
            if state < card:
                # Written in any case and kept if it is new, which is anyone's guess.
                found.state[pairs] = state
                pairs += np.int64(cells[state] == 0)
                cells[state] += np.int32(1)
                rows += 1
                row = desk.order[i]
        for i in range(start, pairs):
            found.count[i] = cells[found.state[i]]
            cells[found.state[i]] = 0
        if rows == 1 and drops:
            pairs = start
            found.alone[n_alone] = row
            found.alone_with[codes[row]] += np.int32(1)
            n_alone += 1
        elif rows > 0:
            found.stop[n] = pairs
            found.rows[n] = rows
            found.row[n] = row
            n += 1
        begin = end
    return n, _list_alone(columns, members, node, labels, n_alone, found)


@step
def _list_alone(columns: Columns, members: Ints, node: int, labels: Labels, n_alone: int, found: Listing) -> int:
    """List the rows without a label in which nothing is missing, after others; return how many are listed now."""
    codes, card = columns.codes[node], columns.cards[node]
    for row in range(labels.shape[0]):
        if labels[row] < 0 and codes[row] < card:
            here = True
            for m in range(members.shape[0]):
                here = here and columns.codes[members[m], row] < columns.cards[members[m]]
            if here:
                found.alone[n_alone] = row
                found.alone_with[codes[row]] += 1
                n_alone += 1
    return n_alone
