"""Edges of copies: who takes part in learning, and who gets what was found.

Copies divide the rows into the same groups, whatever these are called (`twins`). Given one of them, the others are
independent of everything, so only one takes part in learning, whichever it is. And no data tell which of them owns an
edge that was found: every pair of copies may, and has an equal share of the edge's probability. An edge is drawn at all
of them where the share reaches the least probability of an edge, by default with up to two pairs; where it does not, at
the first by name, for what depends on a copy should not seem to stand alone. Copies themselves are linked: a tree over
c of them has c - 1 of their c (c - 1) / 2 pairs, so each pair has the share 2 / c.

Knowledge takes part: pairs that it keeps apart have no share, and where it states edges these have all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from ml4c.counting import Packed
from ml4c.graph import Graph
from ml4c.skeleton.assembly import is_present
from ml4c.skeleton.pairs import Floats, Ints, Mask, all_pairs, number_of, of_pairs
from ml4c.skeleton.result import Evidence, Reason, Skeleton
from ml4c.skeleton.rules import Rules
from ml4c.skeleton.twins import Copies, find_copies

EVEN_SHARE = 0.5
"""Share from which on every copy gets the edge where a method knows no probabilities."""


@dataclass(frozen=True)
class Least:
    """The least probability of an edge; strict: nothing below it is drawn, because the user said so."""

    probability: float = EVEN_SHARE
    strict: bool = False


@dataclass(frozen=True, eq=False)
class Groups:
    """The columns of a table in groups of copies.

    copies: the groups of more than one. by_name: the columns in the order of their names. leader: for each column the
    first of its group by name. active: the columns that take part, by name: leaders that vary. rules: over all columns.
    """

    copies: tuple[Copies, ...]
    by_name: Ints
    leader: Ints
    active: Ints
    rules: Rules

    @classmethod
    def of(cls, packed: Packed, rules: Rules) -> Groups:
        """Find the copies of a table."""
        by_name = np.array(sorted(range(packed.n_columns), key=packed.names.__getitem__), np.int64)
        found = find_copies(packed.select(by_name))
        copies = tuple(
            Copies(int(by_name[group.leader]), tuple(by_name[list(group.copies)].tolist())) for group in found
        )
        leader = leaders(copies, packed.n_columns)
        takes_part = (packed.columns.cards[by_name] > 1) & (leader[by_name] == by_name)
        return cls(copies, by_name, leader, by_name[takes_part], rules)

    @property
    def active_rules(self) -> Rules:
        """What is known of the columns that take part, each for its group.

        Groups must not be joined if none of their pairs may be, and must be if one of them must. Arcs that must be
        there are those between leaders alone, for copies may stand at both ends of a path.
        """
        if not self.copies:
            return self.rules.select(self.active)
        belongs = csr_array((self.leader[:, None] == self.active[None, :]).astype(np.float32))
        pairs = np.outer(belongs.sum(axis=0), belongs.sum(axis=0))

        def of_groups(of: Mask) -> Floats:
            return np.asarray(belongs.T @ of.astype(np.float32) @ belongs)

        adjacent = of_groups(self.rules.adjacent) > 0
        np.fill_diagonal(adjacent, 0)
        forbidden, absent = (of_groups(of) == pairs for of in (self.rules.forbidden, self.rules.absent))
        cells = np.ix_(self.active, self.active)
        return Rules(self.rules.required[cells], forbidden, adjacent, absent & ~adjacent)

    @cached_property
    def shares(self) -> Ints:
        """Into how many shares what is found about each pair of active columns is divided; 0 where none is open."""
        row, open_ = self._row, self._open
        return np.bincount(row[open_ & (row >= 0)], minlength=len(self.active) * (len(self.active) - 1) // 2)

    @cached_property
    def links(self) -> Floats:
        """The probabilities of links between copies."""
        return np.asarray(2.0 / self._size[self._linked & self._open])

    def evidence(self, found: Evidence, least: Least, *, first_only: bool = False) -> Evidence:
        """Return evidence about the active columns as evidence about all pairs of the table.

        first_only: whether of copies the first by name gets all edges. Pairs with constants are left UNDECIDED.
        """
        known = self._row >= 0
        row = self._row[known]
        pairs = all_pairs(len(self.leader))
        given = np.full((len(pairs), max(1, found.given.shape[1])), -1, np.int32)
        columns = np.where(found.given >= 0, self.active[found.given], -1)
        given[known, : columns.shape[1]] = columns[row]
        reason = np.full(len(pairs), Reason.UNDECIDED, np.uint8)
        reason[known] = found.reason[row]
        floats = []
        for of_active in (found.p_value, found.z, found.gain, found.probability):
            floats.append(np.full(len(pairs), np.nan))
            floats[-1][known] = of_active[row]
        evidence = Evidence(pairs, reason, given, *floats)
        if self.copies:
            self._divide(evidence, least, first_only)
        return evidence

    def added(self, evidence: Evidence) -> Mask:
        """Mark edges that are there because of copies: links, and edges of all but the first."""
        return is_present(evidence.reason) & (self._linked | (self._row >= 0) & ~self._first)

    def part(self, evidence: Evidence, which: Mask) -> None:
        """Part pairs of which another has the edge: another of its group separates a column from everything.

        Of two columns that have such another, it is that of the first by name.
        """
        evidence.reason[which] = Reason.COPY
        evidence.gain[which] = np.nan
        evidence.p_value[which], evidence.z[which] = 1.0, -np.inf
        evidence.given[which] = -1
        other = np.where(self.leader == np.arange(len(self.leader)), -1, self.leader)
        rank = np.argsort(self.by_name)
        x, y = self.by_name[np.sort(rank[evidence.pairs[which]], axis=1)].T
        leading = (other[x] < 0) & (other[y] < 0)
        for group in self.copies:
            other[group.leader] = group.copies[0]
        evidence.given[which, 0] = np.where((self.leader[x] != x) | leading & (other[x] >= 0), other[x], other[y])

    def _divide(self, evidence: Evidence, least: Least, first_only: bool) -> None:
        """Divide what was found about groups between their pairs, and link copies."""
        linked, copied = self._linked, self._copied
        share = np.ones(len(evidence))
        share[copied] = 1.0 / np.maximum(self.shares[self._row[copied]], 1)
        share[linked] = 2.0 / self._size[linked]
        if not np.isnan(evidence.probability).all():
            evidence.probability[linked] = 1.0
        evidence.probability[:] = np.where(self._open, share * evidence.probability, np.nan)
        evidence.reason[linked] = Reason.COPY_LINK
        enough = np.where(np.isnan(evidence.probability), share, evidence.probability) >= least.probability
        kept = self._open & (enough | (self._first & (not least.strict)))
        if first_only:
            kept &= self._first
        left_out = (copied | linked) & is_present(evidence.reason) & ~kept
        if least.strict:
            evidence.reason[left_out] = Reason.WEAK
        else:
            self.part(evidence, left_out)

    @cached_property
    def _row(self) -> Ints:
        """For each pair of the table the number of its pair of active columns; -1 for constants and within a group."""
        place = np.full(len(self.leader), -1, np.int64)
        place[self.active] = np.arange(len(self.active))
        x, y = place[self.leader[all_pairs(len(self.leader))]].T
        return np.where((x >= 0) & (y >= 0) & (x != y), number_of(x, y, len(self.active)), -1)

    @cached_property
    def _copied(self) -> Mask:
        """Mark the pairs of different groups that have copies."""
        size = np.bincount(self.leader, minlength=len(self.leader))[self.leader]
        return np.asarray((size[all_pairs(len(size))] > 1).any(axis=1) & (self._row >= 0))

    @cached_property
    def _linked(self) -> Mask:
        """Mark the pairs of copies."""
        x, y = self.leader[all_pairs(len(self.leader))].T
        return np.asarray(x == y)

    @cached_property
    def _size(self) -> Ints:
        """For each pair how many columns the group of its first has."""
        x, _ = all_pairs(len(self.leader)).T
        return np.asarray(np.bincount(self.leader, minlength=len(self.leader))[self.leader[x]])

    @cached_property
    def _open(self) -> Mask:
        """Mark the pairs that may have an edge: those that knowledge states, or else all that it does not forbid."""
        stated, allowed = of_pairs(self.rules.adjacent), ~of_pairs(self.rules.absent)
        if not self.copies:
            return allowed
        row = self._row
        settled = np.zeros(row.max(initial=0) + 1, np.bool_)
        settled[row[stated & (row >= 0)]] = True
        return np.asarray(np.where(settled[row] & (row >= 0), stated, allowed))

    @cached_property
    def _first(self) -> Mask:
        """Mark of every pair of groups the first open pair by name, and of every group the links of its leader."""
        rank = np.argsort(self.by_name)
        pairs = all_pairs(len(self.leader))
        low, high = np.sort(rank[pairs], axis=1).T
        first = np.zeros(len(pairs), np.bool_)
        candidates = np.flatnonzero(self._open & (self._row >= 0))
        candidates = candidates[np.lexsort((high[candidates], low[candidates], self._row[candidates]))]
        _, of_row = np.unique(self._row[candidates], return_index=True)
        first[candidates[of_row]] = True
        return np.asarray(first | (self._linked & (self.leader[pairs] == pairs).any(axis=1)))


def leaders(copies: tuple[Copies, ...], n_columns: int) -> Ints:
    """Return for each column the one that stands for its group: itself, unless it is a copy."""
    leader = np.arange(n_columns)
    for group in copies:
        leader[list(group.copies)] = group.leader
    return leader


def merged(graph: Graph, leader: Ints) -> Graph:
    """Return the graph of the groups: leaders have the edges of all of their copies, which have none."""
    joined: Graph = np.zeros_like(graph)
    i, j = np.nonzero(graph)
    joined[leader[i], leader[j]] = 1
    np.fill_diagonal(joined, 0)
    return joined


def edge_probabilities(found: Skeleton, leader: Ints, stated: Mask) -> Floats:
    """Return how probable an edge between each two groups is, at the places of their leaders: what their pairs share.

    An edge that no learner judged is there; a pair that none judged is not. stated: pairs of which knowledge says that
    they are adjacent, whatever was judged.
    """
    total = np.zeros(found.matrix.shape)
    for evidence, unjudged in ((found.present, 1.0), (found.absent, 0.0)):
        x, y = leader[evidence.pairs].T
        share = np.where(np.isnan(evidence.probability), unjudged, evidence.probability)
        np.add.at(total, (x, y), share)
        np.add.at(total, (y, x), share)
    i, j = leader[np.argwhere(stated)].T
    total[i, j] = total[j, i] = 1.0
    return np.asarray(np.minimum(total, 1.0))
