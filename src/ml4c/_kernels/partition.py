"""Rows grouped by the configuration of a set of columns.

A partition is a label for every row, refined column by column. Unless they are few beside the rows, only
configurations that occur get a label, so the product of the cardinalities never matters. A configuration that holds
a single row says nothing about any dependence and its row is dropped (label -1), as is a row in which a column of
the set is missing. Sets that come in lexicographic order share the refinements of their common prefix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Codes, Columns, Ints, Labels, apart, leaf, step

ALL_PAIRS = 16
"""With this many rows for each (label, code) pair, all pairs get a label, occurring or not: nothing is counted."""
SMALL = 64
"""Labels of fewer rows are sorted by their number, larger ones by its binary digits only."""
SIZES = 32 + SMALL
"""Room to sort by sizes."""
DIRECT_MAP = 4
"""A map over all (label, code) pairs is used while it has at most this many entries for each row."""


class Trail(NamedTuple):
    """Partitions by every prefix of the last set seen, and room to work in."""

    labels: Labels
    """(depth + 1, rows): row i is the partition by the first i columns of `path`."""
    path: Ints
    """The last set."""
    counts: Ints
    """[0] is the length of `path`; [1 + i] the number of labels of partition i."""
    room: Labels
    """To work in; what it holds means nothing between calls."""
    order: Labels
    """Rows, for the sorted refinement."""


def new_trail(rows: int, depth: int, widest: int) -> Trail:
    """Return a trail for sets of up to `depth` columns; it holds the partition by the empty set."""
    counts = apart(depth + 2)
    counts[1] = 1
    return Trail(
        np.zeros((depth + 1, rows), np.int32),
        apart(max(depth, 1)),
        counts,
        np.empty(DIRECT_MAP * rows + 2 * widest + 2 * SIZES, np.int32),
        np.empty(rows, np.int32),
    )


@step
def follow(columns: Columns, members: Ints, trail: Trail) -> int:
    """Bring the trail to this set; return the number of labels of its partition."""
    shared = 0
    while shared < min(trail.counts[0], members.shape[0]) and trail.path[shared] == members[shared]:
        shared += 1
    for depth in range(shared, members.shape[0]):
        column = members[depth]
        trail.counts[2 + depth] = _refine(columns, column, depth, trail)
        trail.path[depth] = column
    trail.counts[0] = members.shape[0]
    return trail.counts[1 + members.shape[0]]


@step
def _refine(columns: Columns, column: int, depth: int, trail: Trail) -> int:
    """Refine the partition at a depth by one more column; return the number of labels."""
    labels, out = trail.labels[depth], trail.labels[depth + 1]
    n_labels = trail.counts[1 + depth]
    codes, card = columns.codes[column], columns.cards[column]
    rows = labels.shape[0]
    if columns.complete[column] and n_labels * card * ALL_PAIRS <= rows:
        for row in range(rows):
            out[row] = labels[row] * np.int32(card) + np.int32(codes[row]) if labels[row] >= 0 else -1
        return n_labels * card
    if n_labels * (card + 1) <= DIRECT_MAP * rows:
        return _refine_by_map(labels, n_labels, codes, card, trail.room, out)
    return _refine_by_sorting(labels, n_labels, codes, card, trail, out)


@step
def _refine_by_map(labels: Labels, n_labels: int, codes: Codes, card: int, room: Labels, out: Labels) -> int:
    """Count the rows of every (label, code) pair, number the pairs with two rows or more, look them up."""
    width = card + 1
    room[: n_labels * width + 1] = 0
    for row in range(labels.shape[0]):
        # Entry 0 collects dropped rows, so that the loop has no branch and becomes vector code.
        out[row] = (labels[row] * width + codes[row] + 1) * (labels[row] >= 0)
    for row in range(labels.shape[0]):
        room[np.uint32(out[row])] += np.int32(1)
    found = 0
    room[0] = -1
    for label in range(n_labels):
        for code in range(card):
            key = np.uint32(label * width + code + 1)
            # Whether a pair has rows enough is anyone's guess, so this must not become a jump.
            enough = room[key] > 1
            room[key] = (np.int32(found) + np.int32(1)) * np.int32(enough) - np.int32(1)
            found += np.int64(enough)
        room[(label + 1) * width] = -1
    for row in range(labels.shape[0]):
        out[row] = room[np.uint32(out[row])]
    return found


@step
def _refine_by_sorting(labels: Labels, n_labels: int, codes: Codes, card: int, trail: Trail, out: Labels) -> int:
    """Walk the rows label by label, with one small map from codes that is wiped after each label."""
    rows = labels.shape[0]
    stops = trail.room[: n_labels + 1]
    sort_rows(labels, stops, trail.order)
    size = trail.room[n_labels + 1 : n_labels + 2 + card]
    size[:] = 0
    number = trail.room[n_labels + 2 + card : n_labels + 3 + 2 * card]
    out[:rows] = -1
    found = 0
    begin = 0
    for label in range(n_labels):
        end = stops[label]
        for i in range(begin, end):
            size[codes[trail.order[i]]] += 1
        size[card] = 0
        for i in range(begin, end):
            # Whether a pair has rows enough, and was seen before, is anyone's guess, so neither must become a jump.
            code = codes[trail.order[i]]
            fresh = size[code] > 1
            number[code] = found if fresh else number[code]
            size[code] = -1 if fresh else size[code]
            found += np.int64(fresh)
            out[trail.order[i]] = number[code] if size[code] == -1 else -1
        for i in range(begin, end):
            size[codes[trail.order[i]]] = 0
        begin = end
    return found


@step
def sort_rows(labels: Labels, stops: Labels, order: Labels) -> None:
    """List the rows that have a label, label by label; `stops[l]` becomes the place where label l ends."""
    n_labels = stops.shape[0] - 1
    stops[:] = 0
    for row in range(labels.shape[0]):
        stops[np.uint32(labels[row] + np.int32(1))] += np.int32(1)
    # Rows without a label go behind all others, where nobody looks: cheaper than asking of each.
    begin = np.int32(0)
    for label in range(1, n_labels + 1):
        begin, stops[label] = begin + stops[label], begin
    stops[0] = begin
    for row in range(labels.shape[0]):
        label = np.uint32(labels[row] + np.int32(1))
        order[np.uint32(stops[label])] = row
        stops[label] += np.int32(1)
    for label in range(n_labels):
        stops[label] = stops[label + 1]


@step
def sort_rows_by_size(labels: Labels, n_labels: int, stops: Labels, order: Labels, room: Labels) -> None:
    """List the rows label by label, large labels first: sizes fall one by one, large ones by powers of two.

    `stops[i]` becomes the place where the i-th label in that order ends.
    """
    bucket = room[:SIZES]
    bucket[:] = 0
    size = room[SIZES : SIZES + n_labels + 1]
    size[:] = 0
    rank = room[SIZES + n_labels + 1 : SIZES + 2 * n_labels + 1]
    for row in range(labels.shape[0]):
        size[np.uint32(labels[row] + np.int32(1))] += np.int32(1)
    for label in range(1, n_labels + 1):
        bucket[_bucket(size[label]) + 1] += np.int32(1)
    for b in range(SIZES - 1):
        bucket[b + 1] += bucket[b]
    for label in range(n_labels):
        b = _bucket(size[label + 1])
        rank[label] = bucket[b]
        stops[bucket[b]] = size[label + 1]
        bucket[b] += np.int32(1)
    for i in range(1, n_labels):
        stops[i] += stops[i - 1]
    # Rows without a label go behind all others, where nobody looks: cheaper than asking of each.
    size[0] = stops[n_labels - 1] if n_labels > 0 else 0
    for label in range(n_labels):
        size[label + 1] = stops[rank[label]] - size[label + 1]
    for row in range(labels.shape[0]):
        label = np.uint32(labels[row] + np.int32(1))
        order[np.uint32(size[label])] = row
        size[label] += np.int32(1)


@leaf
def _bucket(size: int) -> int:
    """Return the place of a size, the largest first: small ones one by one, large ones by their binary digits."""
    if size < SMALL:
        return np.uint32(SIZES - 2 - size)
    digits = 0
    while size > 0:
        size >>= 1
        digits += 1
    return np.uint32(32 - digits)
