"""From a table to a skeleton: which columns take part, in which order, and what becomes of the others.

Columns are taken in the order of their names, so nothing depends on their order in the table. Constants and copies do
not take part; their pairs get their evidence afterwards (see `copies`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ml4c.citest import DataTest
from ml4c.counting import Packed, pack_table
from ml4c.dataset import Dataset
from ml4c.errors import DataError
from ml4c.graph import find_cycle
from ml4c.skeleton import accurate, hybrid, pc
from ml4c.skeleton.accurate import Judge
from ml4c.skeleton.assembly import evidence_of, is_present, obey, skeleton_of
from ml4c.skeleton.copies import Groups, Least
from ml4c.skeleton.edge_features import EDGE_FEATURE_NAMES, edge_features
from ml4c.skeleton.judge import load_judge
from ml4c.skeleton.pairs import Columns, Ints, Ledger, all_pairs, as_matrix, of_pairs
from ml4c.skeleton.result import Evidence, Reason, Skeleton
from ml4c.skeleton.rules import Constraining, Rules
from ml4c.skeleton.separation import BATCH
from ml4c.skeleton.twins import Function, find_functions
from ml4c.skeleton.watch import Progress, Watch

Method: TypeAlias = Literal["auto", "fast", "accurate", "pc"]
METHODS: tuple[str, ...] = get_args(Method)
PC_MAX_CONDITION = 2
LEAST_COLUMNS, MOST_COLUMNS, MOST_CELLS = 5, 500, 20_000_000
"""Other tables are learned by "fast" unless told otherwise: none of fewer or more columns is in the training of
"accurate", and it takes two to four times as long."""


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """The pairs of columns that `accurate` judges, with their features.

    columns: those that take part; leader: for each column of the table the one that takes part for it and its copies.
    """

    columns: Ints
    leader: Ints
    pairs: Columns
    matrix: NDArray[np.float32]


def learn_skeleton(
    data: Dataset | Packed,
    method: Method = "fast",
    *,
    constraints: Constraining | None = None,
    max_condition: int | None = None,
    max_degree: int | None = None,
    edge_threshold: float | None = None,
    time_budget: float | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    judge: Judge | None = None,
) -> Skeleton:
    """Learn which columns of a table are adjacent, with the evidence for and against every pair.

    method: "fast" (tests propose, a score decides), "accurate" (several searches, weighed by a learner), "pc" (tests
    alone), or "auto": "accurate", but "fast" for a tiny or large table (`usual_method`). constraints: over the
    columns of the table. max_condition: largest set that tests condition on, by default 1 for "fast" and 2 for the
    others. max_degree: most edges of a column, those that knowledge requires or that link copies aside.
    edge_threshold: the least probability of an edge, higher for fewer and surer edges, lower for more; only "accurate"
    knows probabilities, so "auto" takes it; by default what makes the expected F1 largest. time_budget: seconds; when
    they are over, the best skeleton so far is returned. n_jobs: threads, all cores by default. progress: called with
    phase, done, total. judge: the learner of "accurate" (`load_judge`), by default that of the package, with this
    threshold. Neither threads nor the order of rows, columns or categories changes a bit.
    """
    _check(method, max_condition, max_degree, time_budget)
    _check_threshold(method, edge_threshold, judge)
    packed = pack_table(data)
    if method == "auto":
        method = usual_method(packed.n_rows, packed.n_columns) if edge_threshold is None else "accurate"
    watch = Watch(time_budget, progress)
    groups = Groups.of(packed, Rules.of(constraints, packed.n_columns))
    if method == "accurate" and judge is None:
        judge = load_judge(threshold=edge_threshold)
    task = _Task(method, groups, watch, max_condition, max_degree, judge)
    found, least, functions = _learn(packed.select(groups.active), task, n_jobs)
    evidence = groups.evidence(found, least, first_only=max_degree is not None)
    _add_constants(evidence, packed)
    obey(evidence.reason, groups.rules)
    _drop_impossible(evidence, groups)
    return replace(
        skeleton_of(evidence, packed.n_columns, method, watch),
        constant=tuple(np.flatnonzero(packed.columns.cards == 1).tolist()),
        copies=groups.copies,
        functions=tuple(Function(int(groups.active[f.column]), int(groups.active[f.of])) for f in functions),
    )


def usual_method(n_rows: int, n_columns: int) -> Method:
    """Return "accurate" for a table like those that it was trained on and where it takes seconds, else "fast"."""
    usual = LEAST_COLUMNS <= n_columns <= MOST_COLUMNS and n_rows * n_columns <= MOST_CELLS
    return "accurate" if usual else "fast"


def pairs_to_judge(data: Dataset | Packed, *, n_jobs: int | None = None) -> JudgedPairs:
    """Return the features of the pairs that `accurate` judges in a table, to train a learner on."""
    packed = pack_table(data)
    groups = Groups.of(packed, Rules.of(None, packed.n_columns))
    active = groups.active
    if len(active) < 2:
        none = np.empty((0, len(EDGE_FEATURE_NAMES)), np.float32)
        return JudgedPairs(active, groups.leader, np.empty((0, 2), np.int32), none)
    test = DataTest(packed.select(active), n_jobs=n_jobs)
    sights, _ = accurate.see(test, groups.active_rules, Watch())
    return JudgedPairs(active, groups.leader, active[sights.pairs].astype(np.int32), edge_features(test, sights))


def _check(method: object, max_condition: object, max_degree: object, time_budget: object) -> None:
    if method not in METHODS:
        raise DataError(f"there is no skeleton method {method!r}: choose one of {', '.join(METHODS)}.")
    for name, value in (("max_condition", max_condition), ("max_degree", max_degree), ("time_budget", time_budget)):
        number = (int, np.integer) if name != "time_budget" else (int, float, np.integer, np.floating)
        if value is not None and (not isinstance(value, number) or not value >= 0):
            raise DataError(f"{name} must be a number from 0 on, but is {value!r}.")


def _check_threshold(method: str, edge_threshold: float | None, judge: Judge | None) -> None:
    if edge_threshold is not None and (not isinstance(edge_threshold, Real) or not 0.0 <= edge_threshold <= 1.0):
        raise DataError(f"edge_threshold must be a probability, but is {edge_threshold!r}.")
    if edge_threshold is not None and method not in ("auto", "accurate"):
        raise DataError(f"edge_threshold: method {method!r} knows no probabilities of edges; choose 'accurate'.")
    if edge_threshold is not None and judge is not None:
        raise DataError("edge_threshold and judge: a judge has a threshold of its own; leave one of the two out.")


@dataclass(frozen=True, eq=False)
class _Task:
    method: str
    groups: Groups
    watch: Watch
    max_condition: int | None
    max_degree: int | None
    judge: Judge | None

    def evidence(self, test: DataTest) -> tuple[Evidence, Least]:
        """Let the method decide about all pairs."""
        rules, watch = self.groups.active_rules, self.watch
        if self.judge is not None and self.method == "accurate":
            limits = {"max_condition": self.max_condition, "max_degree": self.max_degree}
            return accurate.find_accurate(test, rules, watch, self.judge, self.groups, **limits)
        if self.method == "fast":
            largest = hybrid.MAX_CONDITION if self.max_condition is None else self.max_condition
            return hybrid.find_fast(test, rules, watch, max_condition=largest, max_degree=self.max_degree), Least()
        largest = PC_MAX_CONDITION if self.max_condition is None else self.max_condition
        return pc.find_pc(test, rules, watch, pc.Limits(pc.ALPHA, largest, self.max_degree)), Least()


def _learn(packed: Packed, task: _Task, n_jobs: int | None) -> tuple[Evidence, Least, tuple[Function, ...]]:
    """Learn about columns that differ and vary."""
    if packed.n_columns < 2:
        return evidence_of(Ledger(packed.n_columns), np.empty(0, np.uint8)), Least(), ()
    test = DataTest(packed, n_jobs=n_jobs)
    functions = _functions(test, task.watch)
    return *task.evidence(test), functions


def _functions(test: DataTest, watch: Watch) -> tuple[Function, ...]:
    """Look for functions among all pairs; the answers are kept for the tests that follow."""
    pairs = all_pairs(test.packed.n_columns)
    found: list[Function] = []
    for begin in range(0, len(pairs), BATCH):
        if watch.half_over():
            break
        watch.say("pairs", begin, len(pairs))
        asked = pairs[begin : begin + BATCH]
        found += find_functions(test.packed, asked[:, 0], asked[:, 1], test.association(asked).g2)
    return tuple(sorted(found, key=lambda f: (f.column, f.of)))


def _drop_impossible(evidence: Evidence, groups: Groups) -> None:
    """Leave out links between copies and their shares of edges when, with them, knowledge would force a cycle."""
    if not groups.copies:
        return
    rules = groups.rules
    added = groups.added(evidence) & ~of_pairs(rules.adjacent)
    joined = as_matrix(is_present(evidence.reason), len(groups.leader)) == 1
    forced = (joined & (rules.required | (rules.forbidden.T & ~rules.forbidden))).astype(np.int8)
    if added.any() and find_cycle(forced):
        groups.part(evidence, added)


def _add_constants(evidence: Evidence, packed: Packed) -> None:
    constant = packed.columns.cards[evidence.pairs].min(axis=1) == 1
    evidence.reason[constant] = Reason.CONSTANT
    evidence.given[constant] = -1
    evidence.p_value[constant], evidence.z[constant] = 1.0, -np.inf
