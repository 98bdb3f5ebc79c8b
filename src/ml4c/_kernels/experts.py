"""What the score `poe` adds: a node's rows around what its parents would say one by one.

Every parent is an expert: given its state it has a distribution of the node, from the same table. The base of a
configuration of parents is their product, p(k) prod_i [p(k | parent_i) / p(k)]^power, and the node's counts in that
configuration are judged under Dirichlet(strength * base). So a family pays for the *interaction* of its parents alone,
not for the size of their table. There is a sum for every power and strength; who averages them is not said here.

Terms are 64-bit fixed-point numbers, and so are the sums over experts and over states that make a base: neither the
order of rows nor that of columns and categories changes a bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Columns, Floats, Ints, apart, kernel, leaf, step
from ml4c._kernels.bits import shared
from ml4c._kernels.logs import AHEAD, log_rises
from ml4c._kernels.terms import Listing, TermDesk, Terms, Totals, fixed, take_totals

UNIFORM = 0.001
"""Share of a base that is spread over all states: no expert rules out a state."""
SHARP = 2.0**40
"""What an expert says is a multiple of 1 / SHARP, so that sums over experts are exact."""
QUEUE = 32
"""Counts whose terms are computed together."""
WHOLE = 2.0**50
"""Weights of states, at most 1, are added up as multiples of 1 / WHOLE."""


class Experts(NamedTuple):
    """What single parents say, and how it is used."""

    says: Ints
    """log p(k | state) / p(k), in units of 1 / SHARP, for pairs of node and parent: a row of the node's states each."""
    start: Ints
    """(columns, columns): where in `says` the rows of [node, parent] begin, -1 where there are none."""
    marginal: Floats
    """log p(k) of all nodes, one after the other."""
    marginal_start: Ints
    powers: Floats
    """A single parent is taken with the first power only, which is 1."""
    totals: Totals
    """The strengths, and the terms of whole configurations."""


class ExpertDesk(NamedTuple):
    """What a thread works with to ask experts."""

    base: Floats
    """(powers, states): the base of the configuration at hand."""
    joint: Ints
    """What all parents say together, in units of 1 / SHARP."""
    config: Ints
    """The states of the parents in the configuration at hand."""
    at: Floats
    """(2, QUEUE * terms): where the rises of queued counts begin; short counts queue by themselves."""
    counts: Floats
    """Those counts, once for each term."""
    risen: Floats
    """What the rises amount to."""
    queued: Ints
    """How many counts are in either queue."""


def new_expert_desk(depth: int, widest: int, n_powers: int, n_strengths: int) -> ExpertDesk:
    """Return a desk for so many parents, states of a column, powers, and strengths."""
    room = QUEUE * n_powers * n_strengths
    return ExpertDesk(
        apart(n_powers * widest, np.float64).reshape(n_powers, widest),
        apart(widest),
        apart(max(depth, 1)),
        apart(2 * room, np.float64).reshape(2, room),
        apart(2 * room, np.float64).reshape(2, room),
        apart(room, np.float64),
        apart(2),
    )


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


@step
def add_judged(
    columns: Columns,
    members: Ints,
    node: int,
    found: Listing,
    n: int,
    n_alone: int,
    numbered: bool,
    terms: Terms,
    e: Experts,
    desk: TermDesk,
    experts: ExpertDesk,
) -> None:
    """Add the terms of a family whose `n` configurations and `n_alone` single rows are listed.

    numbered: whether configurations are listed by their number, otherwise by a row.
    """
    n_powers, n_strengths = e.powers.shape[0] if members.shape[0] > 1 else 1, e.totals.strengths.shape[0]
    sums = desk.sums[terms.experts : terms.experts + n_powers * n_strengths]
    begin = 0
    for c in range(n):
        if numbered:
            _decode(columns, members, np.int64(found.row[c]), experts)
        else:
            _read_config(columns, members, np.int64(found.row[c]), experts)
        _make_base(columns, members, node, n_powers, e, experts)
        for i in range(begin, found.stop[c]):
            queue = np.int64(found.count[i] >= AHEAD)
            if experts.queued[queue] == QUEUE:
                _add_queued(queue, terms.unit, experts, sums)
            _queue_count(found.state[i], found.count[i], queue, n_powers, e.totals.strengths, experts)
        begin = found.stop[c]
    for queue in range(2):
        _add_queued(queue, terms.unit, experts, sums)
    for b in range(n_powers):
        take_totals(e.totals, found.rows[:n], terms.experts + b * n_strengths, terms.unit, desk)
    for i in range(n_alone):
        _read_config(columns, members, np.int64(found.alone[i]), experts)
        _make_base(columns, members, node, n_powers, e, experts)
        for b in range(n_powers):
            # Whatever the strength, the term of a row that is alone is the log of its base.
            term = fixed(math.log(experts.base[b, columns.codes[node, found.alone[i]]]), terms.unit)
            for j in range(n_strengths):
                sums[b * n_strengths + j] += term


@leaf
def _queue_count(state: int, count: int, queue: int, n_powers: int, strengths: Floats, desk: ExpertDesk) -> None:
    """Put how often a state occurs in the configuration at hand into a queue, once for each power and strength."""
    n_strengths = strengths.shape[0]
    place = desk.queued[queue] * (n_powers * n_strengths)
    for b in range(n_powers):
        for j in range(n_strengths):
            desk.at[queue, place] = strengths[j] * desk.base[b, state]
            desk.counts[queue, place] = np.float64(count)
            place += 1
    desk.queued[queue] += 1


@step
def _add_queued(queue: int, unit: float, desk: ExpertDesk, sums: Ints) -> None:
    """Empty a queue into the sums."""
    n_terms = sums.shape[0]
    size = desk.queued[queue] * n_terms
    log_rises(desk.at[queue, :size], desk.counts[queue, :size], desk.risen[:size], queue == 0)
    for place in range(0, size, n_terms):
        for j in range(n_terms):
            sums[j] += fixed(desk.risen[place + j], unit)
    desk.queued[queue] = 0


@leaf
def _decode(columns: Columns, members: Ints, z: int, desk: ExpertDesk) -> None:
    """Put the states of the parents in configuration z on the desk; the last parent's change fastest."""
    for m in range(members.shape[0] - 1, -1, -1):
        desk.config[m] = z % columns.cards[members[m]]
        z //= columns.cards[members[m]]


@leaf
def _read_config(columns: Columns, members: Ints, row: int, desk: ExpertDesk) -> None:
    """Put the states of the parents in a row on the desk."""
    for m in range(members.shape[0]):
        desk.config[m] = columns.codes[members[m], row]


@leaf
def _make_base_of_two(members: Ints, node: int, n_powers: int, e: Experts, desk: ExpertDesk) -> None:
    """Do the same, to the bit, for a node of two states: loops over two would cost more than what is in them."""
    begin = e.marginal_start[node]
    joint_0, joint_1 = np.int64(0), np.int64(0)
    for m in range(members.shape[0]):
        at = e.start[node, members[m]] + desk.config[m] * 2
        joint_0 += e.says[at]
        joint_1 += e.says[at + 1]
    for b in range(n_powers):
        share = e.powers[b] / SHARP
        log_0, log_1 = e.marginal[begin] + share * joint_0, e.marginal[begin + 1] + share * joint_1
        # The likelier state has weight 1, the other one this:
        weight = math.exp(min(log_0, log_1) - max(log_0, log_1))
        scale = (1.0 - UNIFORM) * WHOLE / (np.int64(WHOLE) + np.int64(weight * WHOLE))
        desk.base[b, 0] = (weight if log_0 < log_1 else 1.0) * scale + UNIFORM / 2
        desk.base[b, 1] = (weight if log_1 < log_0 else 1.0) * scale + UNIFORM / 2


@leaf
def _make_base(columns: Columns, members: Ints, node: int, n_powers: int, e: Experts, desk: ExpertDesk) -> None:
    """Put the base of the configuration at hand on the desk, for each power."""
    card, begin = columns.cards[node], e.marginal_start[node]
    if card == 2:
        _make_base_of_two(members, node, n_powers, e, desk)
        return
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
