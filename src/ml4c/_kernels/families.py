"""Local scores of a node given a parent set, from the same partitions as the tests.

A score is a sum over the parent configurations that occur, of terms that depend on the node's counts alone. The
terms are 64-bit fixed-point numbers, so the sum is the same in any order of rows and categories; and most come from
tables, so that a cell costs a look-up. Configurations of a single row are not in the partition (see `partition`);
what each of them would add is known without counting.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Columns, Counts, Floats, Ints, Labels, Sets, Words, apart, kernel, step
from ml4c._kernels.bits import shared
from ml4c._kernels.partition import Trail, follow, new_trail, sort_rows
from ml4c._kernels.terms import BDEU, EMPTY, LIKELIHOOD, MIX, SHORT, Terms, fixed, log_rising, new_totals, total_term
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
    alone: Counts
    """Counts of the node's states in configurations of a single row."""
    states: Counts
    """States that occur in one configuration."""
    stops: Labels
    order: Labels
    sums: Ints
    short: Ints
    """BDEU: (2, SHORT) terms of this family's cells and configurations, EMPTY until needed."""
    prior: Floats
    """BDEU: pseudo-counts of a cell and of a configuration, and the log gammas of both."""
    totals: Ints
    """MIX: (rows, strengths): the term of a whole configuration of so many rows, EMPTY until needed."""


def new_family_desk(columns: Columns, depth: int, n_sums: int) -> FamilyDesk:
    """Return a desk for parent sets of up to `depth` columns and scores of so many sums."""
    rows = columns.codes.shape[1]
    widest = int(columns.cards.max()) + 1
    return FamilyDesk(
        new_trail(rows, depth, widest),
        np.empty((MOST_PLANES + 1, columns.planes.shape[1]), np.uint64),
        np.zeros(CROWDED * rows + 4 * MOST_PLANES + 2 * widest, np.int32),
        apart(widest, np.int32),
        apart(widest, np.int32),
        np.empty(rows + 1, np.int32),
        np.empty(rows, np.int32),
        apart(n_sums),
        np.empty((2, SHORT), np.int64),
        apart(4, np.float64),
        new_totals(rows, n_sums),
    )


@kernel
def score_families(columns: Columns, sets: Sets, asked: Families, terms: Terms, desk: FamilyDesk, out: Floats) -> None:
    """Fill `out`, a row for each family: the terms added up (for MIX one sum for each strength), rows used last."""
    for g in range(asked.parents.shape[0]):
        s = asked.parents[g]
        members = sets.members[sets.start[s] : sets.start[s + 1]]
        n_given = 0
        for i in range(asked.begin[g], asked.end[g]):
            node = asked.node[i]
            _begin_family(columns, members, node, terms, desk)
            if narrow(columns, members, node):
                if n_given == 0:
                    n_given = make_configuration_planes(columns, members, desk.given)
                _take_planes(columns, node, n_given, terms, desk)
                rows = columns.codes.shape[1]
            else:
                n_labels = follow(columns, members, desk.trail)
                rows = _count_alone(columns, members, node, desk)
                if n_labels * columns.cards[node] <= CROWDED * columns.codes.shape[1] and columns.complete[node]:
                    _take_dense(columns, members.shape[0], node, n_labels, terms, desk)
                else:
                    _take_sorted(columns, members.shape[0], node, n_labels, terms, desk)
            _end_family(columns.cards[node], terms.base_start[node], terms, desk)
            for j in range(desk.sums.shape[0]):
                out[i, j] = desk.sums[j] / terms.unit
            out[i, out.shape[1] - 1] = rows


@step
def narrow(columns: Columns, members: Ints, node: int) -> bool:
    """Tell whether a family is counted best by planes."""
    configurations = 1
    for m in range(members.shape[0]):
        configurations *= columns.cards[members[m]]
        if columns.first[members[m]] < 0 or configurations > MOST_PLANES:
            return False
    if columns.first[node] < 0:
        return False
    # Beyond this, one pass over the rows is cheaper.
    return configurations * columns.cards[node] <= 2 * MOST_PLANES


@step
def _take_planes(columns: Columns, node: int, n_given: int, terms: Terms, desk: FamilyDesk) -> None:
    """Count the node's states in every configuration by planes; the last state follows by subtraction."""
    card, first, words = columns.cards[node], columns.first[node], desk.given.shape[1]
    for z in range(n_given):
        left = shared(desk.given, z, desk.given, z, np.int64(0), words)
        if left > 0:
            for k in range(card - 1):
                held = shared(desk.given, z, columns.planes, first + k, np.int64(0), words)
                desk.cells[k] = held
                left -= held
            desk.cells[card - 1] = left
            _take_table(np.int64(0), card, terms.base_start[node], terms, desk)


@step
def _take_dense(columns: Columns, depth: int, node: int, n_labels: int, terms: Terms, desk: FamilyDesk) -> None:
    """Count the node's states in all labels in one pass over the rows."""
    labels, codes, width = desk.trail.labels[depth], columns.codes[node], np.uint32(columns.cards[node])
    for i in range((n_labels + 1) * columns.cards[node]):
        desk.cells[i] = 0
    for row in range(labels.shape[0]):
        # The first table is that of rows without a label.
        desk.cells[np.uint32(labels[row] + np.int32(1)) * width + np.uint32(codes[row])] += np.int32(1)
    for label in range(1, n_labels + 1):
        _take_table(label * columns.cards[node], columns.cards[node], terms.base_start[node], terms, desk)


@step
def _take_table(start: int, card: int, base_start: int, terms: Terms, desk: FamilyDesk) -> None:
    """Take one configuration whose counts start in a cell."""
    held = np.int64(0)
    rows = np.int64(0)
    for k in range(card):
        count = desk.cells[start + k]
        if count > 0:
            desk.states[held] = k
            held += 1
            rows += count
    if rows > 0:
        _add_configuration(start, held, rows, base_start, terms, desk)


@step
def _take_sorted(columns: Columns, depth: int, node: int, n_labels: int, terms: Terms, desk: FamilyDesk) -> None:
    """Count the node's states label by label, visiting rows only: for many labels, many states, missing values."""
    codes, card = columns.codes[node], columns.cards[node]
    for k in range(card):
        desk.cells[k] = 0
    sort_rows(desk.trail.labels[depth], desk.stops[: n_labels + 1], desk.order)
    begin = 0
    for label in range(n_labels):
        end = desk.stops[label]
        held = np.int64(0)
        rows = np.int64(0)
        for i in range(begin, end):
            state = codes[desk.order[i]]
            if state < card:
                if desk.cells[state] == 0:
                    desk.states[held] = state
                    held += 1
                desk.cells[state] += 1
                rows += 1
        begin = end
        if rows > 0:
            _add_configuration(np.int64(0), held, rows, terms.base_start[node], terms, desk)
        for i in range(held):
            desk.cells[desk.states[i]] = 0


@step
def _count_alone(columns: Columns, members: Ints, node: int, desk: FamilyDesk) -> int:
    """Count the node's states in rows that have a configuration of their own; return the rows used in all."""
    labels, codes, card = desk.trail.labels[members.shape[0]], columns.codes[node], columns.cards[node]
    whole = columns.complete[node] == 1
    for m in range(members.shape[0]):
        whole = whole and columns.complete[members[m]] == 1
    if whole:
        for row in range(labels.shape[0]):
            if labels[row] < 0:
                desk.alone[codes[row]] += 1
        return labels.shape[0]
    used = 0
    for row in range(labels.shape[0]):
        here = codes[row] < card
        for m in range(members.shape[0]):
            here = here and columns.codes[members[m], row] < columns.cards[members[m]]
        used += here
        if here and labels[row] < 0:
            desk.alone[codes[row]] += 1
    return used


@step
def _begin_family(columns: Columns, members: Ints, node: int, terms: Terms, desk: FamilyDesk) -> None:
    """Clear the sums; tabulate the terms that this family alone has."""
    for j in range(desk.sums.shape[0]):
        desk.sums[j] = 0
    for k in range(columns.cards[node]):
        desk.alone[k] = 0
    if terms.what == BDEU:
        configurations = 1.0
        for m in range(members.shape[0]):
            configurations *= columns.cards[members[m]]
        for count in range(1, SHORT):
            desk.short[0, count] = EMPTY
            desk.short[1, count] = EMPTY
        desk.prior[0] = terms.ess / (configurations * columns.cards[node])
        desk.prior[1] = terms.ess / configurations
        desk.prior[2] = math.lgamma(desk.prior[0])
        desk.prior[3] = math.lgamma(desk.prior[1])


@step
def _add_configuration(start: int, held: int, rows: int, base_start: int, terms: Terms, desk: FamilyDesk) -> None:
    """Add the terms of one configuration: `held` states occur, with counts from cell `start` on."""
    if terms.what == LIKELIHOOD:
        total = -terms.log_terms[rows]
        for i in range(held):
            total += terms.log_terms[desk.cells[start + desk.states[i]]]
        desk.sums[0] += total
    elif terms.what == BDEU:
        total = -_bdeu_term(rows, np.int64(1), terms, desk)
        for i in range(held):
            total += _bdeu_term(np.int64(desk.cells[start + desk.states[i]]), np.int64(0), terms, desk)
        desk.sums[0] += total
    else:
        for i in range(held):
            _add_mix(base_start + desk.states[i], np.int64(desk.cells[start + desk.states[i]]), terms, desk)
        if rows < SHORT:
            for j in range(desk.sums.shape[0]):
                desk.sums[j] -= terms.rising_total[rows, j]
        else:
            for j in range(desk.sums.shape[0]):
                desk.sums[j] -= total_term(terms.strengths, j, rows, terms.unit, desk.totals)


@step
def _end_family(card: int, base_start: int, terms: Terms, desk: FamilyDesk) -> None:
    """Add what single rows contribute, with the same terms as if they had been counted."""
    cell, configuration = np.int64(0), np.int64(1)
    one = np.int64(1)
    for k in range(card):
        alone = desk.alone[k]
        if terms.what == BDEU and alone > 0:
            desk.sums[0] += alone * (_bdeu_term(one, cell, terms, desk) - _bdeu_term(one, configuration, terms, desk))
        elif terms.what == MIX and alone > 0:
            for j in range(desk.sums.shape[0]):
                desk.sums[j] += alone * (terms.rising[base_start + k, 1, j] - terms.rising_total[1, j])


@step
def _bdeu_term(count: int, kind: int, terms: Terms, desk: FamilyDesk) -> int:
    """Return the term of a cell (kind 0) or of a configuration (kind 1), computing each short one once."""
    if count >= SHORT:
        return fixed(math.lgamma(desk.prior[kind] + count) - desk.prior[2 + kind], terms.unit)
    if desk.short[kind, count] == EMPTY:
        desk.short[kind, count] = fixed(log_rising(desk.prior[kind], count), terms.unit)
    return desk.short[kind, count]


@step
def _add_mix(entry: int, count: int, terms: Terms, desk: FamilyDesk) -> None:
    """Add the terms of a cell under Dirichlet(strength * base), one for each strength."""
    if count < SHORT:
        for j in range(desk.sums.shape[0]):
            desk.sums[j] += terms.rising[entry, count, j]
    else:
        for j in range(desk.sums.shape[0]):
            risen = math.lgamma(terms.strengths[j] * terms.base[entry] + count) - terms.start_of_base[entry, j]
            desk.sums[j] += fixed(risen, terms.unit)
