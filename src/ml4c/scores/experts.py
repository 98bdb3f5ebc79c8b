"""The score `poe`: parents as experts, whose product is what a family is compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats, Ints, Sets
from ml4c._kernels.expert_bases import SHARP, ExpertDesk, Experts, count_pairs, new_expert_desk
from ml4c._kernels.experts import score_experts
from ml4c._kernels.families import Families
from ml4c.counting import Desks, Group, Packed, announce_compiling, run, unit_for
from ml4c.scores.counted import largest_sum, log_mean, marginals, to_all_rows

Columns: TypeAlias = NDArray[np.int32]

POWERS = (1.0, 0.6)
STRENGTHS = (1.0, 5.0, 25.0, 125.0, 1000.0)
PSEUDO = 2.0
"""Counts of the marginal added to what a parent's state says."""


class ExpertScore:
    """`poe` on one table: half the score of the experts, half `mix`; what single parents say is computed when asked."""

    def __init__(self, packed: Packed, mix: Callable[[Columns], Floats]) -> None:
        self._packed = packed
        self._mix = mix
        cards = packed.columns.cards
        start = np.full((len(cards), len(cards)), -1, np.int64)
        self._experts = Experts(
            says=np.empty(0, np.int64),
            start=start,
            marginal=np.log(marginals(packed, 0.5)),
            marginal_start=np.cumsum(cards) - cards,
            powers=np.array(POWERS),
            strengths=np.array(STRENGTHS),
            unit=unit_for(largest_sum(packed.n_rows)),
        )
        self._desks: Desks[ExpertDesk] = Desks(lambda depth: new_expert_desk(packed.columns, depth, self._experts))

    def score(self, sets: Sets, group: Group, depth: int, n_jobs: int) -> Floats:
        """Return the score of every family of a group; families number parent sets in `sets`."""
        announce_compiling(score_experts)
        self._listen(sets, group)
        n_strengths = len(STRENGTHS)
        sums = np.full((len(group.second), len(POWERS) * n_strengths + 1), -np.inf)

        def work(piece: Group) -> None:
            desk = self._desks.take(depth)
            asked = Families(piece.second, piece.begin, piece.end, piece.sets)
            score_experts(self._packed.columns, sets, asked, self._experts, desk, sums)
            self._desks.leave(desk)

        run(work, group, self._packed.n_rows, n_jobs)
        single = np.isinf(sums[:, n_strengths])
        experts = log_mean(np.where(single[:, None], np.tile(sums[:, :n_strengths], len(POWERS)), sums[:, :-1]))
        experts = to_all_rows(experts, sums[:, -1], self._packed.n_rows)
        return np.asarray(np.logaddexp(experts, self._mix(_families(sets, group, depth))) - np.log(2.0))

    def _listen(self, sets: Sets, group: Group) -> None:
        """Compute what the parents of these families say one by one, where it is not known yet."""
        size = sets.start[group.sets + 1] - sets.start[group.sets]
        per_family = np.repeat(size, group.end - group.begin)
        family = np.concatenate([np.arange(b, e) for b, e in zip(group.begin, group.end, strict=True)])
        of_set = np.repeat(sets.start[group.sets], group.end - group.begin)
        place = np.arange(per_family.sum()) - np.repeat(np.cumsum(per_family) - per_family, per_family)
        node = np.repeat(group.second[family], per_family)
        parent = sets.members[np.repeat(of_set, per_family) + place]
        new = self._experts.start[node, parent] < 0
        pairs = np.unique(np.column_stack([node[new], parent[new]]), axis=0)
        if len(pairs):
            said, begin = self._says(*pairs.T)
            self._experts.start[pairs[:, 0], pairs[:, 1]] = len(self._experts.says) + begin
            self._experts = self._experts._replace(says=np.concatenate([self._experts.says, said]))

    def _says(self, node: Ints, parent: Ints) -> tuple[Ints, Ints]:
        """Return log p(k | state of the parent) / p(k), a row for each state, in units of 1 / SHARP.

        The tables of all pairs follow one another; the second result is where each begins.
        """
        cards, begin_of = self._packed.columns.cards, self._experts.marginal_start
        size = cards[node] * cards[parent]
        begin = np.cumsum(size) - size
        counts = np.zeros(int(size.sum()), np.int64)
        count_pairs(self._packed.columns, node, parent, begin, counts)
        width = np.repeat(cards[node], cards[parent])  # of every row of every table
        first = np.cumsum(width) - width
        state = np.arange(len(counts)) - np.repeat(first, width)
        marginal = np.exp(self._experts.marginal)[np.repeat(np.repeat(begin_of[node], cards[parent]), width) + state]
        rows = np.repeat(np.add.reduceat(counts, first), width)
        given = (counts + PSEUDO * marginal) / (rows + PSEUDO)
        return np.rint(np.log(given / marginal) * SHARP).astype(np.int64), begin


def _families(sets: Sets, group: Group, depth: int) -> Columns:
    """Write the families of a group as rows: node, parents, -1."""
    start, size = sets.start[group.sets], sets.start[group.sets + 1] - sets.start[group.sets]
    place = np.arange(depth)
    members = sets.members[np.minimum(start[:, None] + place, len(sets.members) - 1)]
    parents = np.where(place < size[:, None], members, -1)
    found = np.empty((len(group.second), 1 + depth), np.int32)
    found[:, 0] = group.second
    for begin, end, row in zip(group.begin.tolist(), group.end.tolist(), parents, strict=True):
        found[begin:end, 1:] = row
    return found
