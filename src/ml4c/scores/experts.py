"""What single parents say about a node, for the score `poe`: computed when first asked."""

from __future__ import annotations

import numpy as np

from ml4c._kernels.arrays import Ints, Sets
from ml4c._kernels.experts import SHARP, Experts, count_pairs
from ml4c._kernels.terms import Totals
from ml4c.counting import Group, Packed, for_each
from ml4c.scores.marginal import marginals

POWERS = (1.0, 0.6)
STRENGTHS = (1.0, 5.0, 25.0, 125.0, 1000.0)
PSEUDO = 2.0
"""Counts of the marginal added to what a parent's state says."""


class Testimony:
    """What has been said so far, on one table."""

    def __init__(self, packed: Packed, totals: Totals) -> None:
        self._packed = packed
        cards = packed.columns.cards
        self.experts = Experts(
            says=np.empty(0, np.int64),
            start=np.full((len(cards), len(cards)), -1, np.int64),
            marginal=np.log(marginals(packed, 0.5)),
            marginal_start=np.cumsum(cards) - cards,
            powers=np.array(POWERS),
            totals=totals,
        )

    def on(self, sets: Sets, group: Group) -> Experts:
        """Return what the parents of these families say one by one, among others; families number sets in `sets`."""
        of = for_each(group, group.sets)
        first, size = sets.start[of], sets.start[of + 1] - sets.start[of]
        place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        node, parent = np.repeat(group.second, size), sets.members[np.repeat(first, size) + place]
        asked = np.zeros(self.experts.start.shape, bool)
        asked[node, parent] = True
        new = np.nonzero(asked & (self.experts.start < 0))
        if len(new[0]):
            said, begin = self._says(*new)
            self.experts.start[new] = len(self.experts.says) + begin
            self.experts = self.experts._replace(says=np.concatenate([self.experts.says, said]))
        return self.experts

    def _says(self, node: Ints, parent: Ints) -> tuple[Ints, Ints]:
        """Return log p(k | state of the parent) / p(k), a row for each state, in units of 1 / SHARP.

        The tables of all pairs follow one another; the second result is where each begins.
        """
        cards, begin_of = self._packed.columns.cards, self.experts.marginal_start
        size = cards[node] * cards[parent]
        begin = np.cumsum(size) - size
        counts = np.zeros(int(size.sum()), np.int64)
        count_pairs(self._packed.columns, node, parent, begin, counts)
        width = np.repeat(cards[node], cards[parent])  # of every row of every table
        first = np.cumsum(width) - width
        state = np.arange(len(counts)) - np.repeat(first, width)
        marginal = np.exp(self.experts.marginal)[np.repeat(np.repeat(begin_of[node], cards[parent]), width) + state]
        rows = np.repeat(np.add.reduceat(counts, first), width)
        given = (counts + PSEUDO * marginal) / (rows + PSEUDO)
        return np.rint(np.log(given / marginal) * SHARP).astype(np.int64), begin


def silent(packed: Packed, totals: Totals) -> Experts:
    """Return what takes the place of experts where nobody asks them."""
    none = np.zeros(1, np.int64)
    return Experts(
        none, none.reshape(1, 1), np.zeros(1), np.zeros(len(packed.columns.cards), np.int64), np.ones(1), totals
    )
