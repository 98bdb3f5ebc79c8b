"""The preset `accurate`: several searches testify, a learner weighs what they say.

1. `fast` explores (`hybrid.explore`); PC, a second search and walks over all DAGs see further (`sights`).
2. Every pair that might be an edge gets its features (`edge_features`).
3. The learner, trained on synthetic networks whose edges are known, gives each pair the probability of an edge.
4. Pairs from a threshold on are edges. Unless the user gives one, it is the one with the best expected F1 (`judge`) of
   all edges of the table, those of copies included (`copies`).

Knowledge rules: what must not be adjacent is not judged, what must be is an edge whatever its probability. Pairs that
are not judged have no probability: nothing spoke for them. When the time is over before all is judged, `fast` decides.

Mean F1 on the 1,250 training networks, each judged by a learner fitted without it, copies taken as one: .830.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ml4c.citest import DataTest
from ml4c.scores import JointScores
from ml4c.search.orders import score_ahead
from ml4c.skeleton import hybrid
from ml4c.skeleton.assembly import evidence_of, keep_strongest, obey
from ml4c.skeleton.copies import Groups, Least
from ml4c.skeleton.edge_features import edge_features
from ml4c.skeleton.pairs import Floats, number_of, of_pairs
from ml4c.skeleton.result import Evidence, Reason
from ml4c.skeleton.rules import Rules
from ml4c.skeleton.sights import WALKED, Sights, look
from ml4c.skeleton.watch import Watch


class Judge(Protocol):
    """Tells how probable edges are, and from which probability on a pair is taken to be one."""

    def probability(self, matrix: NDArray[np.float32], *, n_jobs: int | None = None) -> Floats:
        """Return the probability of an edge for every row of features."""

    def least(self, probability: Floats) -> Least:
        """Return the least probability of an edge among pairs with these probabilities."""


def find_accurate(
    test: DataTest,
    rules: Rules,
    watch: Watch,
    judge: Judge,
    groups: Groups,
    *,
    max_condition: int | None = None,
    max_degree: int | None = None,
) -> tuple[Evidence, Least]:
    """Return the evidence about all pairs of columns of a test, the active ones of groups, and what makes an edge."""
    sights, fast = see(test, rules, watch, max_condition=max_condition, max_degree=max_degree)
    if watch.over():
        return fast, Least()
    watch.say("edges", 0, 1)
    matrix = edge_features(test, sights, largest_set=max_condition)
    judged = judge.probability(matrix, n_jobs=test.n_jobs)
    probability = np.full(len(fast), np.nan)
    x, y = sights.pairs.T
    number = number_of(x, y, len(test.names))
    probability[number] = judged
    shares = groups.shares[number]
    least = judge.least(np.concatenate([np.repeat(judged / np.maximum(shares, 1), shares), groups.links]))
    watch.say("edges", 1, 1)
    ledger = sights.explored.referee.ledger
    reason = np.where(ledger.p_value > hybrid.ALPHA, Reason.SEPARATED, Reason.WEAK).astype(np.uint8)
    reason[probability >= least.probability] = Reason.DEPENDENT
    obey(reason, rules)
    if max_degree is not None:
        by_name = np.arange(len(test.names))
        keep_strongest(reason, probability, by_name, max_degree, of_pairs(rules.adjacent))
    return evidence_of(ledger, reason, fast.gain, probability), least


def see(
    test: DataTest, rules: Rules, watch: Watch, *, max_condition: int | None = None, max_degree: int | None = None
) -> tuple[Sights, Evidence]:
    """Let all searches look, and return what they saw and what `fast` makes of it."""
    largest = hybrid.MAX_CONDITION if max_condition is None else max_condition
    scores = JointScores(test.packed, tuple(WALKED), n_jobs=test.n_jobs)
    if not watch.limited:  # within a budget `fast` comes first, whatever it costs later
        score_ahead(scores)
    own = scores.only(hybrid.SCORE)  # one of WALKED
    explored = hybrid.explore(test, own, rules, watch, max_condition=largest, max_degree=max_degree)
    fast = hybrid.decide(explored, rules)
    return look(test, scores, explored, fast, rules, watch, max_condition=max_condition, max_degree=max_degree), fast
