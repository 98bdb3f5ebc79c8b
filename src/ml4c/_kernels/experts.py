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

import numpy as np

from ml4c._kernels.arrays import Columns, Floats, Ints, Labels, Sets, kernel, step
from ml4c._kernels.bits import shared
from ml4c._kernels.expert_bases import ExpertDesk, Experts, decode, make_base, read_config
from ml4c._kernels.families import CROWDED, Families, narrow
from ml4c._kernels.partition import ALL_PAIRS, follow, sort_rows
from ml4c._kernels.terms import fixed, log_rising, total_term
from ml4c._kernels.unsorted_routes import make_configuration_planes


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
            decode(columns, members, z, desk)
            make_base(columns, members, node, n_powers, e, desk)
            _add_configuration(np.int64(0), _list_states(np.int64(0), card, desk), rows, n_powers, e, desk)
    return columns.codes.shape[1]


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
                read_config(columns, members, row, desk)
                make_base(columns, members, node, n_powers, e, desk)
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
            read_config(columns, members, np.int64(desk.first[label]), desk)
            make_base(columns, members, node, n_powers, e, desk)
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
            read_config(columns, members, np.int64(desk.first[label]), desk)
            make_base(columns, members, node, n_powers, e, desk)
            _add_configuration(np.int64(0), held, rows, n_powers, e, desk)
        for i in range(held):
            desk.cells[desk.states[i]] = 0
    return used
