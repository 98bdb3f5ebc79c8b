"""What the parents of a node say about it one by one, and together: the bases of the local score `poe` (`experts`).

Sums over experts and over states are 64-bit fixed-point numbers: the order of columns and categories changes no bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ml4c._kernels.arrays import Columns, Counts, Floats, Ints, Labels, Words, apart, kernel, step
from ml4c._kernels.bits import shared
from ml4c._kernels.families import CROWDED, MOST_PLANES
from ml4c._kernels.partition import Trail, new_trail
from ml4c._kernels.terms import new_totals

UNIFORM = 0.001
"""Share of a base that is spread over all states: no expert rules out a state."""
SHARP = 2.0**40
"""What an expert says is a multiple of 1 / SHARP, so that sums over experts are exact."""
WHOLE = 2.0**50
"""Weights of states, at most 1, are added up as multiples of 1 / WHOLE."""


class Experts(NamedTuple):
    """What single parents say, and how it is used; units as in `terms.Terms`."""

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
def decode(columns: Columns, members: Ints, z: int, desk: ExpertDesk) -> None:
    """Put the states of the parents in configuration z on the desk; the last parent's change fastest."""
    for m in range(members.shape[0] - 1, -1, -1):
        desk.config[m] = z % columns.cards[members[m]]
        z //= columns.cards[members[m]]


@step
def read_config(columns: Columns, members: Ints, row: int, desk: ExpertDesk) -> None:
    """Put the states of the parents in a row on the desk."""
    for m in range(members.shape[0]):
        desk.config[m] = columns.codes[members[m], row]


@step
def make_base(columns: Columns, members: Ints, node: int, n_powers: int, e: Experts, desk: ExpertDesk) -> None:
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
