"""Candidate neighbours of every column: HITON-PC (Aliferis, Tsamardinos, Statnikov, AMIA 2003), all columns at once.

Each column t keeps a queue of the columns that depend on it. Again and again the head of the queue is tested against
sets of the members found so far and, unless one separates it from t, becomes a member; then everything left in the
queue is tested given the new member. The head is the column whose weakest dependence so far is strongest (the max-min
rule of Tsamardinos et al. 2006), which lets in fewer columns that must be thrown out later. At last every member is
tested against sets of the others, the last to enter first. One round serves all columns, in batches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ml4c.graph import Graph
from ml4c.skeleton.pairs import Columns, Floats, Ints, Mask, number_of
from ml4c.skeleton.separation import BATCH, Referee, Searches


@dataclass(frozen=True)
class Effort:
    """How far the search for candidates goes."""

    max_condition: int
    most_sets: int
    """Sets of one size tried for one pair, the strongest members first: bounds the work at hubs."""


class _Queues:
    """For every column (a row) the columns in its queue, with the weakest dependence found, and its members."""

    def __init__(self, waiting: Mask, strength: Floats, members: Mask) -> None:
        self.waiting = waiting & ~members
        self.strength = np.where(self.waiting, strength, -np.inf)
        self.count: Ints = members.sum(axis=1)
        self.members: Columns = np.full((len(waiting), int(self.count.max(initial=0))), -1, np.int32)
        row, column = np.nonzero(members)
        place = np.arange(len(row)) - np.repeat(np.cumsum(self.count) - self.count, self.count)
        self.members[row, place] = column

    def pop(self) -> tuple[Columns, Columns]:
        """Take the head of every queue that is not empty."""
        t = np.flatnonzero(self.waiting.any(axis=1))
        head = self.strength[t].argmax(axis=1)
        self.drop(t, head)
        return t.astype(np.int32), head.astype(np.int32)

    def drop(self, t: Ints | Columns, column: Ints | Columns) -> None:
        """Take columns out of queues."""
        self.waiting[t, column] = False
        self.strength[t, column] = -np.inf

    def enter(self, t: Columns, column: Columns) -> None:
        """Make one column a member of each of some rows."""
        if len(t) and int(self.count[t].max()) == self.members.shape[1]:
            room = np.full((len(self.members), 8), -1, np.int32)
            self.members = np.hstack([self.members, room])
        self.members[t, self.count[t]] = column
        self.count[t] += 1

    def leave(self, t: Columns, place: int) -> None:
        """Take the member in one place out of some rows; those behind it move up."""
        self.members[t, place:-1] = self.members[t, place + 1 :]
        self.members[t, -1] = -1
        self.count[t] -= 1


def find_candidates(referee: Referee, effort: Effort, *, absent: Mask, adjacent: Mask) -> Graph:
    """Return, in row t, the candidate neighbours of column t; pairs known to be absent or adjacent are not tested.

    When the time is over, members found so far are returned.
    """
    n_columns = len(absent)
    x, y = (side.astype(np.int32) for side in np.nonzero(np.triu(~absent, 1)))
    referee.marginal(x, y)
    number = number_of(x, y, n_columns)
    dependent = (referee.ledger.p_value[number] <= referee.alpha) & (referee.ledger.p_value[number] >= 0)
    x, y, number = x[dependent], y[dependent], number[dependent]
    waiting = np.zeros((n_columns, n_columns), np.bool_)
    strength = np.full((n_columns, n_columns), -np.inf)
    waiting[x, y] = waiting[y, x] = True
    strength[x, y] = strength[y, x] = referee.ledger.z[number]
    queues = _Queues(waiting, strength, adjacent)
    _grow(referee, effort, queues)
    _shrink(referee, effort, queues, adjacent)
    candidates = np.zeros((n_columns, n_columns), np.int8)
    row, place = np.nonzero(queues.members >= 0)
    candidates[row, queues.members[row, place]] = 1
    return candidates


def _grow(referee: Referee, effort: Effort, queues: _Queues) -> None:
    while queues.waiting.any() and not referee.stop():
        t, head = queues.pop()
        searches = Searches(t, head, queues.members[t])
        found = np.zeros(len(t), np.bool_)
        for size in range(2, effort.max_condition + 1):
            open_ = np.flatnonzero(~found)
            found[open_] = referee.separated(searches.take(open_), size, effort.most_sets)
        t, head = t[~found], head[~found]
        queues.enter(t, head)
        if effort.max_condition:
            _screen(referee, queues, t, head)


def _screen(referee: Referee, queues: _Queues, t: Columns, member: Columns) -> None:
    """Test all that wait in the queues of columns t given one new member each."""
    which, column = np.nonzero(queues.waiting[t])
    for begin in range(0, len(which), BATCH):
        if referee.stop():
            return
        rows = which[begin : begin + BATCH]
        searches = Searches(t[rows], column[begin : begin + BATCH].astype(np.int32), member[rows, None])
        found, z = referee.separated_by_one(searches)
        queues.drop(searches.x[found], searches.y[found])
        left = ~found
        cells = searches.x[left], searches.y[left]
        queues.strength[cells] = np.minimum(queues.strength[cells], z[left])


def _shrink(referee: Referee, effort: Effort, queues: _Queues, adjacent: Mask) -> None:
    for place in reversed(range(queues.members.shape[1])):
        t = np.flatnonzero(queues.count > place).astype(np.int32)
        member = queues.members[t, place]
        free = ~adjacent[t, member]
        t, member = t[free], member[free]
        others = np.delete(queues.members[t], place, axis=1)
        searches = Searches(t, member, others)
        found = np.zeros(len(t), np.bool_)
        for size in range(1, effort.max_condition + 1):
            open_ = np.flatnonzero(~found)
            found[open_] = referee.separated(searches.take(open_), size, effort.most_sets)
        queues.leave(t[found], place)
        if referee.stop():
            return
