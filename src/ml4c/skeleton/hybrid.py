"""The preset `fast`: tests propose, a score decides.

1. HITON-PC proposes candidate neighbours, generously: sets of one column, and a pair stays if either end wants it.
2. Tabu search finds the best DAG within the candidates under the score `mix`.
3. That DAG claims that a column is independent of its non-descendants given its parents. Pairs for which a test refutes
   this become candidates, and the search goes on from where it stood.
4. Edges that gain less than MIN_GAIN nats are dropped.
5. So are edges between columns that are independent by themselves and share a neighbour: two causes of one effect,
   joined because the search drew the effect as their cause. (A column that acts only together with another is also
   independent by itself, but then has no such neighbour.)

The constants were chosen among some forty variants on synthetic networks, none of them held out: 30 of 15 to 90
columns with 2 to 25 states, and 22 with up to 80. F1 at 10,000 / 1,000 rows on the 30: without step 3 .810 / .669,
with it .835 / .700. Sets of two columns instead of one change little once step 3 follows (.831 / .695 against
.830 / .703, before ROWS_PER_DOF) and cost more. Where all columns are wide and ordinal, step 3 harms:
.778 / .594 without, .769 / .585 with. Step 5 came later: on 25 further networks at 10,000 rows it dropped 38 false
and 15 true edges, F1 .824 / .701 without, .826 / .700 with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ml4c.citest import DataTest
from ml4c.graph import Graph, ancestors
from ml4c.scores import LocalScores
from ml4c.search.dags import PATIENCE, FoundDag, best_dag
from ml4c.skeleton.assembly import evidence_of, obey
from ml4c.skeleton.candidates import Effort, find_candidates
from ml4c.skeleton.pairs import Columns, Floats, Ledger, Mask, all_pairs, as_matrix, in_common, number_of, of_pairs
from ml4c.skeleton.result import Evidence, Reason
from ml4c.skeleton.rules import Rules
from ml4c.skeleton.separation import BATCH, Referee
from ml4c.skeleton.verdicts import SparseVerdicts, bic_gain, normal_deviate
from ml4c.skeleton.watch import Watch

SCORE = "mix"
"""The score that decides."""
ALPHA = 0.01
"""Candidates depend on a column with a p-value up to this."""
REFUTED = 0.001
"""A p-value below this refutes an independence that the DAG claims."""
ROWS_PER_DOF = 5
"""A test on fewer rows for each degree of freedom refutes nothing."""
MIN_GAIN = 4.0
"""Nats that an edge must add to the score."""
INDEPENDENT = 0.05
"""Columns are independent by themselves with a p-value above this."""
MAX_CONDITION = 1
MOST_SETS = 1000
"""Sets of one size tried for a pair of candidates."""


@dataclass(frozen=True, eq=False)
class GivenParents:
    """What every column has to do with column t given t's parents in the first DAG, in cell [t, c].

    nan where c is a parent or a descendant of t, where knowledge rules the pair out, or when the time was over.
    """

    z: NDArray[np.float32]
    """G2 as standard deviations from independence."""
    gain: NDArray[np.float32]
    """Nats of BIC that c would add."""
    refuted: Mask
    """No candidate, but so dependent that the DAG is wrong."""


@dataclass(frozen=True, eq=False)
class Exploration:
    """What tests and searches have found before anything is decided."""

    referee: Referee
    scores: LocalScores
    wanted: Mask
    """[t, c]: HITON-PC keeps c for t."""
    given_parents: GivenParents
    candidates: Mask
    found: FoundDag


def find_fast(
    test: DataTest, rules: Rules, watch: Watch, *, max_condition: int = MAX_CONDITION, max_degree: int | None = None
) -> Evidence:
    """Return the evidence about all pairs of columns of a test."""
    scores = LocalScores(test.packed, SCORE, n_jobs=test.n_jobs)
    return decide(explore(test, scores, rules, watch, max_condition=max_condition, max_degree=max_degree), rules)


def explore(
    test: DataTest,
    scores: LocalScores,
    rules: Rules,
    watch: Watch,
    *,
    max_condition: int = MAX_CONDITION,
    max_degree: int | None = None,
) -> Exploration:
    """Propose candidates, search within them, propose what the DAG has wrong, search again: steps 1 to 3.

    scores: of kind SCORE; others of the same table may share their counts.
    """
    watch.say("candidates", 0, 1)
    # Half of the time is left for the search, without which candidates are not a skeleton.
    referee = Referee(test, ALPHA, Ledger(len(test.names)), watch.half_over, SparseVerdicts(test.packed))
    effort = Effort(max_condition, MOST_SETS)
    wanted = find_candidates(referee, effort, absent=rules.absent, adjacent=rules.adjacent).astype(np.bool_)
    candidates = wanted | wanted.T
    watch.say("search", 0, 2)
    found = search(scores, candidates, None, rules, max_degree, watch)
    watch.say("search", 1, 2)
    given_parents = _look_beyond(test, found.dag, candidates, rules.absent, watch)
    if given_parents.refuted.any():
        candidates = candidates | given_parents.refuted | given_parents.refuted.T
        found = search(scores, candidates, found.dag, rules, max_degree, watch)
    watch.say("search", 2, 2)
    return Exploration(referee, scores, wanted, given_parents, candidates, found)


def decide(seen: Exploration, rules: Rules) -> Evidence:
    """Keep the edges of the DAG that are worth it: steps 4 and 5."""
    gain = _gain_of_pairs(seen.found)
    reason = _reasons(seen.referee.ledger, seen.found, gain, seen.candidates)
    reason[_covers(seen.referee, reason == Reason.DEPENDENT)] = Reason.SEPARATED
    obey(reason, rules)
    return evidence_of(seen.referee.ledger, reason, gain)


def search(
    scores: LocalScores,
    candidates: Mask,
    start: Graph | None,
    rules: Rules,
    max_degree: int | None,
    watch: Watch,
    *,
    patience: int = PATIENCE,
) -> FoundDag:
    """Search for the best DAG among those that knowledge allows; without patience, tell only what arcs would gain."""
    return best_dag(
        scores,
        candidates & ~rules.forbidden,
        required=rules.required,
        start=start,
        max_degree=max_degree,
        patience=patience,
        stop=watch.over,
    )


def _look_beyond(test: DataTest, dag: Graph, candidates: Mask, absent: Mask, watch: Watch) -> GivenParents:
    """Ask about every column and every other that is none of its descendants, given its parents."""
    own = np.eye(len(dag), dtype=np.bool_)
    t, c = np.nonzero(~(absent | own | (dag.T == 1) | ancestors(dag).T))
    parents = parents_of(dag)
    z, gain = (np.full(dag.shape, np.nan, np.float32) for _ in range(2))
    refuted = np.zeros(dag.shape, np.bool_)
    for begin in range(0, len(t), BATCH):
        if watch.over():
            break
        cells = t[begin : begin + BATCH], c[begin : begin + BATCH]
        found = test.association(np.column_stack([*cells, parents[cells[0]]]).astype(np.int32))
        z[cells] = normal_deviate(found.g2, found.dof)
        gain[cells] = bic_gain(found)
        refuted[cells] = (found.g2_p_value < REFUTED) & (found.n >= ROWS_PER_DOF * found.dof) & ~candidates[cells]
    return GivenParents(z, gain, refuted)


def parents_of(dag: Graph) -> Columns:
    """List the parents of every column, then -1."""
    child, parent = np.nonzero(dag.T)
    count = np.bincount(child, minlength=len(dag))
    place = np.arange(len(child)) - np.repeat(np.cumsum(count) - count, count)
    listed = np.full((len(dag), count.max(initial=0)), -1, np.int32)
    listed[child, place] = parent
    return listed


def _gain_of_pairs(found: FoundDag) -> Floats:
    """Return what the edge of each pair gains in the better of the directions that the DAG allows; nan if none."""
    n_columns = len(found.dag)
    gain = np.full(n_columns * (n_columns - 1) // 2, -np.inf)
    tail, head = found.arcs[found.legal].T
    # Of an edge in the DAG the other direction is not legal: it would close a cycle.
    np.maximum.at(gain, number_of(tail, head, n_columns), found.gain[found.legal])
    return np.where(np.isinf(gain), np.nan, gain)


def _covers(referee: Referee, edges: Mask) -> Mask:
    """Mark the edges, a cell for each pair, that join independent columns with a common neighbour."""
    n_columns = referee.ledger.n_columns
    pairs = all_pairs(n_columns)
    independent = np.zeros(len(edges), np.bool_)
    independent[edges] = referee.ask(pairs[edges])[0] > INDEPENDENT
    solid = as_matrix(edges & ~independent, n_columns) == 1
    covers = independent.copy()
    covers[independent] = in_common(solid, *pairs[independent].T) > 0
    return covers


def _reasons(ledger: Ledger, found: FoundDag, gain: Floats, candidates: Mask) -> NDArray[np.uint8]:
    reason = np.where(ledger.p_value >= 0, Reason.SEPARATED, Reason.UNDECIDED).astype(np.uint8)
    in_dag = of_pairs((found.dag | found.dag.T).astype(np.bool_))
    worth_it = gain >= MIN_GAIN
    reason[of_pairs(candidates)] = Reason.WEAK
    # The search passed by a gain: there was no room, or no time.
    reason[of_pairs(candidates) & worth_it] = Reason.DEGREE if found.complete else Reason.UNDECIDED
    reason[in_dag] = np.where(worth_it[in_dag], Reason.DEPENDENT, Reason.WEAK)
    return reason
