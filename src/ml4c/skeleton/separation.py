"""Looking for a set that separates two columns, for many pairs at once.

A search is (x, y, pool): is there a set of `size` columns of the pool, given which x and y look independent? Its sets
are walked in colexicographic order, {0, 1}, {0, 2}, {1, 2}, {0, 3}, ...: with the pool sorted by strength, the
strongest columns are tried first, and a set is found from its rank alone, so that the questions of all searches are
written by array arithmetic. Rounds ask 1, 2, 4, ... sets of every search that is still open. The first set in that
order that separates is the answer; it does not depend on the rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ml4c.citest import CITest
from ml4c.search.subsets import LARGEST_COUNT, set_counts, unrank
from ml4c.skeleton.pairs import Columns, Floats, Ints, Ledger, Mask, number_of
from ml4c.skeleton.verdicts import Verdicts, by_g2

BATCH = 1 << 16
"""Questions asked at a time, about: bounds memory, and how long a budget of time may be overdrawn."""


@dataclass(frozen=True, eq=False)
class Searches:
    """Pairs and the pools in which a separating set is looked for: rows of `pool` filled from the left, then -1."""

    x: Columns
    y: Columns
    pool: Columns

    def __len__(self) -> int:
        return len(self.x)

    def take(self, rows: Ints) -> Searches:
        """Return some of the searches."""
        return Searches(self.x[rows], self.y[rows], self.pool[rows])


@dataclass(frozen=True, eq=False)
class Referee:
    """Asks the test, notes the answers, and stops when it is told to."""

    test: CITest
    alpha: float
    ledger: Ledger
    stop: Callable[[], bool]
    verdicts: Verdicts = by_g2

    def ask(self, questions: Columns) -> tuple[Floats, Floats]:
        """Return p-value and normal deviate of each question."""
        return self.verdicts(questions, self.test.association(questions))

    def marginal(self, x: Columns, y: Columns) -> None:
        """Note whether pairs are independent given nothing."""
        for begin in range(0, len(x), BATCH):
            if self.stop():
                return
            asked = np.column_stack([x[begin : begin + BATCH], y[begin : begin + BATCH]])
            p_value, z = self.ask(asked)
            self.ledger.note(number_of(asked[:, 0], asked[:, 1], self.ledger.n_columns), asked[:, 2:], p_value, z)

    def separated(self, searches: Searches, size: int, most: int = LARGEST_COUNT) -> Mask:
        """Tell which searches find a separating set of this size among their first `most` sets."""
        found = np.zeros(len(searches), np.bool_)
        in_pool = (searches.pool >= 0).sum(axis=1)
        total = np.minimum(set_counts(size)[np.minimum(in_pool, len(set_counts(size)) - 1)], most)
        done, share = 0, 1
        still = np.flatnonzero(total > 0)
        while len(still):
            for part in _parts(still, np.minimum(total[still] - done, share)):
                if self.stop():
                    return found
                found[part] = self._round(searches.take(part), np.minimum(total[part] - done, share), done, size)
            done += share
            share = min(2 * share, BATCH)
            still = still[~found[still] & (total[still] > done)]
        return found

    def separated_by_one(self, searches: Searches) -> tuple[Mask, Floats]:
        """Tell which searches with a single column in the pool it separates, and the normal deviates."""
        pairs = np.column_stack([searches.x, searches.y])
        p_value, z = self.ask(np.hstack([pairs, searches.pool]))
        self._note(pairs, searches.pool, p_value, z)
        return p_value > self.alpha, z

    def _round(self, searches: Searches, counts: Ints, done: int, size: int) -> Mask:
        """Ask the sets `done`, `done + 1`, ... of every search; of each note the first that separates, or the best."""
        of_question = np.repeat(np.arange(len(searches)), counts)
        begin = np.cumsum(counts) - counts
        rank = np.arange(len(of_question)) - np.repeat(begin, counts) + done
        given = searches.pool[of_question[:, None], unrank(rank, size)]
        pairs = np.column_stack([searches.x[of_question], searches.y[of_question]])
        p_value, z = self.ask(np.hstack([pairs, given]))
        separates = p_value > self.alpha
        order = np.lexsort((np.where(separates, 0.0, z), np.where(separates, -2.0, -p_value), of_question))
        best = order[begin]
        self._note(pairs[best], given[best], p_value[best], z[best])
        return np.asarray(separates[best])

    def _note(self, pairs: Columns, given: Columns, p_value: Floats, z: Floats) -> None:
        """Note one answer for each search; a pair may be searched from both of its ends."""
        number = number_of(pairs[:, 0], pairs[:, 1], self.ledger.n_columns)
        _, first = np.unique(number, return_index=True)
        self.ledger.note(number[first], given[first], p_value[first], z[first])
        if len(first) < len(number):
            again = np.delete(np.arange(len(number)), first)
            self.ledger.note(number[again], given[again], p_value[again], z[again])


def _parts(rows: Ints, counts: Ints) -> Iterator[Ints]:
    """Cut searches into stretches of about BATCH questions."""
    part = np.cumsum(counts) // BATCH
    yield from np.split(rows, np.flatnonzero(np.diff(part)) + 1)
