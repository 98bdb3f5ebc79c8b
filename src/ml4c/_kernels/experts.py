"""The local score `poe`: a node's rows around what its parents would say one by one.

Every parent is an expert: given its state it has a distribution of the node, from the same table. The base of a
configuration of parents is their product, p(k) prod_i [p(k | parent_i) / p(k)]^power, and the node's counts in that
configuration are judged under Dirichlet(strength * base). So a family pays for the *interaction* of its parents alone,
not for the size of their table. There is a sum for every power and strength; who averages them is not said here.

Terms are 64-bit fixed-point numbers, and so are the sums over experts and over states that make a base: neither the
order of rows nor that of columns and categories changes a bit. Configurations of a single row have no label (see
`partition`); whatever the
strength, such a row adds the log of its base.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Columns, Counts, Floats, Ints, Labels, Sets, Words, apart, kernel, step
from ml4c._kernels.bits import shared
from ml4c._kernels.families import (
    CROWDED,
    MOST_PLANES,
    Families,
    fixed,
    log_rising,
    narrow,
    new_totals,
    total_term,
)
from ml4c._kernels.partition import ALL_PAIRS, Trail, follow, new_trail, sort_rows
from ml4c._kernels.unsorted_routes import make_configuration_planes

UNIFORM = 0.001
"""Share of a base that is spread over all states: no expert rules out a state."""
SHARP = 2.0**40
"""What an expert says is a multiple of 1 / SHARP, so that sums over experts are exact."""
WHOLE = 2.0**50
"""Weights of states, at most 1, are added up as multiples of 1 / WHOLE."""


class Experts(NamedTuple):
    """What single parents say, and how it is used; units as in `families.Terms`."""

    says: Ints
    """log p(k | state) / p(k), in units of 1 / SHARP, for pairs of node and parent: a row of the node's states each."""
    start: Ints
    """(columns, columns): where in `says` the rows of [node, parent] begin, -1 where there are none."""
    marginal: Floats
    """log p(k) of all nodes, one after the other."""
    marginal_start: Ints
    powers: Floats
    """A single parent is taken with the first power only, which is 1."""
    strengths: Floats
    unit: float


class ExpertDesk(NamedTuple):
    """What a thread works with."""

    trail: Trail
    first: Labels
    """A row of every label."""
    cells: Counts
    states: Counts
    """States that occur in one configuration."""
    stops: Labels
    order: Labels
    base: Floats
    """(powers, states): the base of the configuration at hand."""
    joint: Ints
    """What all parents say together, in units of 1 / SHARP."""
    sums: Ints
    """(powers, strengths)"""
    totals: Ints
    """(rows, strengths): the term of a whole configuration of so many rows, EMPTY until needed."""
    given: Words
    """Planes of the configurations of a parent set, and one to work in."""
    config: Ints
    """The states of the parents in the configuration at hand."""


def new_expert_desk(columns: Columns, depth: int, experts: Experts) -> ExpertDesk:
    """Return a desk for parent sets of up to `depth` columns."""
    rows = columns.codes.shape[1]
    widest = int(columns.cards.max()) + 1
    powers, strengths = len(experts.powers), len(experts.strengths)
    return ExpertDesk(
        new_trail(rows, depth, widest),
        np.empty(rows + 1, np.int32),
        np.zeros(CROWDED * rows + 2 * widest, np.int32),
        apart(widest, np.int32),
        np.empty(rows + 1, np.int32),
        np.empty(rows, np.int32),
        apart(powers * widest, np.float64).reshape(powers, widest),
        apart(widest),
        apart(powers * strengths).reshape(powers, strengths),
        new_totals(rows, strengths),
        np.empty((MOST_PLANES + 1, columns.planes.shape[1]), np.uint64),
        apart(max(depth, 1)),
    )


@kernel
def score_experts(columns: Columns, sets: Sets, asked: Families, e: Experts, desk: ExpertDesk, out: Floats) -> None:
    """Fill `out`, a row for each family: the sums for every power and strength, rows used last.

    Families of fewer than two parents know one power; the sums of the others stay as they are.
    """
    for g in range(asked.parents.shape[0]):
        s = asked.parents[g]
        members = sets.members[sets.start[s] : sets.start[s + 1]]
        n_powers = e.powers.shape[0] if members.shape[0] > 1 else 1
        n_given, n_labels, some_alone = 0, -1, False
        for i in range(asked.begin[g], asked.end[g]):
            node = asked.node[i]
            desk.sums[:] = 0
            if _by_planes(columns, members, node):
                if n_given == 0:
                    n_given = make_configuration_planes(columns, members, desk.given)
                rows = _take_planes(columns, members, node, n_given, n_powers, e, desk)
            else:
                if n_labels < 0:
                    n_labels = follow(columns, members, desk.trail)
                    some_alone = _find_first(desk.trail.labels[members.shape[0]], desk)
                rows = _take_alone(columns, members, node, n_powers, e, desk) if some_alone else np.int64(0)
                rows += _take_labels(columns, members, node, n_labels, n_powers, e, desk)
            for b in range(n_powers):
                for j in range(e.strengths.shape[0]):
                    out[i, b * e.strengths.shape[0] + j] = desk.sums[b, j] / e.unit
            out[i, out.shape[1] - 1] = rows


@step
def _by_planes(columns: Columns, members: Ints, node: int) -> bool:
    """Tell whether a family is counted by planes: where no row is alone, so that its terms are those of labels."""
    if not narrow(columns, members, node):
        return False
    configurations = 1
    for m in range(members.shape[0]):
        configurations *= columns.cards[members[m]]
    return configurations * ALL_PAIRS <= columns.codes.shape[1]


@step
def _take_planes(
    columns: Columns, members: Ints, node: int, n_given: int, n_powers: int, e: Experts, desk: ExpertDesk
) -> int:
    """Count the node's states in every configuration by planes; return the rows used."""
    card, first, words = columns.cards[node], columns.first[node], desk.given.shape[1]
    for z in range(n_given):
        rows = shared(desk.given, z, desk.given, z, np.int64(0), words)
        if rows > 0:
            left = rows
            for k in range(card):
                count = shared(desk.given, z, columns.planes, first + k, np.int64(0), words) if k < card - 1 else left
                desk.cells[k] = count
                left -= count
            _decode(columns, members, z, desk)
            _make_base(columns, members, node, n_powers, e, desk)
            _add_configuration(np.int64(0), _list_states(np.int64(0), card, desk), rows, n_powers, e, desk)
    return columns.codes.shape[1]


@step
def _decode(columns: Columns, members: Ints, z: int, desk: ExpertDesk) -> None:
    """Put the states of the parents in configuration z on the desk; the last parent's change fastest."""
    for m in range(members.shape[0] - 1, -1, -1):
        desk.config[m] = z % columns.cards[members[m]]
        z //= columns.cards[members[m]]


@step
def _read_config(columns: Columns, members: Ints, row: int, desk: ExpertDesk) -> None:
    """Put the states of the parents in a row on the desk."""
    for m in range(members.shape[0]):
        desk.config[m] = columns.codes[members[m], row]


@step
def _list_states(start: int, card: int, desk: ExpertDesk) -> int:
    """List the states that occur among the counts from cell `start` on; return how many there are."""
    held = np.int64(0)
    for k in range(card):
        if desk.cells[start + k] > 0:
            desk.states[held] = k
            held += 1
    return held


@step
def _take_labels(
    columns: Columns, members: Ints, node: int, n_labels: int, n_powers: int, e: Experts, desk: ExpertDesk
) -> int:
    """Take the rows of a family that have a label; return how many there are."""
    if n_labels * columns.cards[node] <= CROWDED * columns.codes.shape[1] and columns.complete[node]:
        return _take_dense(columns, members, node, n_labels, n_powers, e, desk)
    return _take_sorted(columns, members, node, n_labels, n_powers, e, desk)


@step
def _find_first(labels: Labels, desk: ExpertDesk) -> bool:
    """Note a row of every label; tell whether some rows have none."""
    some = False
    for row in range(labels.shape[0]):
        if labels[row] >= 0:
            desk.first[labels[row]] = row
        else:
            some = True
    return some


@step
def _make_base(columns: Columns, members: Ints, node: int, n_powers: int, e: Experts, desk: ExpertDesk) -> None:
    """Put the base of the configuration at hand on the desk, for each power."""
    card, begin = columns.cards[node], e.marginal_start[node]
    for k in range(card):
        desk.joint[k] = 0
    for m in range(members.shape[0]):
        at = e.start[node, members[m]] + desk.config[m] * card
        for k in range(card):
            desk.joint[k] += e.says[at + k]
    for b in range(n_powers):
        share = e.powers[b] / SHARP
        top = e.marginal[begin] + share * desk.joint[0]
        for k in range(card):
            desk.base[b, k] = e.marginal[begin + k] + share * desk.joint[k]
            top = max(top, desk.base[b, k])
        total = np.int64(0)
        for k in range(card):
            desk.base[b, k] = math.exp(desk.base[b, k] - top)
            total += np.int64(desk.base[b, k] * WHOLE)
        scale = (1.0 - UNIFORM) * WHOLE / total
        for k in range(card):
            desk.base[b, k] = desk.base[b, k] * scale + UNIFORM / card


@step
def _add_configuration(start: int, held: int, rows: int, n_powers: int, e: Experts, desk: ExpertDesk) -> None:
    """Add the terms of one configuration: `held` states occur, with counts from cell `start` on."""
    for j in range(e.strengths.shape[0]):
        strength = e.strengths[j]
        whole = total_term(e.strengths, j, rows, e.unit, desk.totals)
        for b in range(n_powers):
            total = -whole
            for i in range(held):
                k = desk.states[i]
                total += fixed(log_rising(strength * desk.base[b, k], np.int64(desk.cells[start + k])), e.unit)
            desk.sums[b, j] += total


@step
def _take_alone(columns: Columns, members: Ints, node: int, n_powers: int, e: Experts, desk: ExpertDesk) -> int:
    """Take the rows that have a configuration of their own; return how many there are."""
    labels, codes, card = desk.trail.labels[members.shape[0]], columns.codes[node], columns.cards[node]
    used = np.int64(0)
    for row in range(labels.shape[0]):
        if labels[row] < 0 and codes[row] < card:
            here = True
            for m in range(members.shape[0]):
                here = here and columns.codes[members[m], row] < columns.cards[members[m]]
            if here:
                used += 1
                _read_config(columns, members, row, desk)
                _make_base(columns, members, node, n_powers, e, desk)
                for b in range(n_powers):
                    term = fixed(math.log(desk.base[b, codes[row]]), e.unit)
                    for j in range(e.strengths.shape[0]):
                        desk.sums[b, j] += term
    return used


@step
def _take_dense(
    columns: Columns, members: Ints, node: int, n_labels: int, n_powers: int, e: Experts, desk: ExpertDesk
) -> int:
    """Count the node's states in all labels in one pass over the rows; return the rows used."""
    labels, codes, width = desk.trail.labels[members.shape[0]], columns.codes[node], np.uint32(columns.cards[node])
    for i in range((n_labels + 1) * columns.cards[node]):
        desk.cells[i] = 0
    for row in range(labels.shape[0]):
        # The first table is that of rows without a label.
        desk.cells[np.uint32(labels[row] + np.int32(1)) * width + np.uint32(codes[row])] += np.int32(1)
    used = np.int64(0)
    for label in range(n_labels):
        start = (label + 1) * columns.cards[node]
        held, rows = _list_states(start, columns.cards[node], desk), np.int64(0)
        for i in range(held):
            rows += desk.cells[start + desk.states[i]]
        if rows > 0:
            used += rows
            _read_config(columns, members, np.int64(desk.first[label]), desk)
            _make_base(columns, members, node, n_powers, e, desk)
            _add_configuration(start, held, rows, n_powers, e, desk)
    return used


@step
def _take_sorted(
    columns: Columns, members: Ints, node: int, n_labels: int, n_powers: int, e: Experts, desk: ExpertDesk
) -> int:
    """Count the node's states label by label, for many labels, many states, missing values; return the rows used."""
    codes, card = columns.codes[node], columns.cards[node]
    for k in range(card):
        desk.cells[k] = 0
    sort_rows(desk.trail.labels[members.shape[0]], desk.stops[: n_labels + 1], desk.order)
    used, begin = np.int64(0), 0
    for label in range(n_labels):
        end = desk.stops[label]
        held, rows = np.int64(0), np.int64(0)
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
            used += rows
            _read_config(columns, members, np.int64(desk.first[label]), desk)
            _make_base(columns, members, node, n_powers, e, desk)
            _add_configuration(np.int64(0), held, rows, n_powers, e, desk)
        for i in range(held):
            desk.cells[desk.states[i]] = 0
    return used


@kernel
def count_pairs(columns: Columns, node: Ints, parent: Ints, begin: Ints, counts: Ints) -> None:
    """Count the states of nodes given those of parents: row after row of a pair's table, from `begin` on."""
    words = columns.planes.shape[1]
    for i in range(node.shape[0]):
        v, p, at = node[i], parent[i], begin[i]
        card = columns.cards[v]
        if columns.first[v] >= 0 and columns.first[p] >= 0:
            for state in range(columns.cards[p]):
                for k in range(card):
                    here = shared(
                        columns.planes,
                        columns.first[p] + state,
                        columns.planes,
                        columns.first[v] + k,
                        np.int64(0),
                        words,
                    )
                    counts[at + state * card + k] = here
        else:
            for row in range(columns.codes.shape[1]):
                if columns.codes[v, row] < card and columns.codes[p, row] < columns.cards[p]:
                    counts[at + np.int64(columns.codes[p, row]) * card + columns.codes[v, row]] += 1
