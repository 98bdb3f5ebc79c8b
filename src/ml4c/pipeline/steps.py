"""From a table to a result, step by step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ml4c.citest import CITest, DataTest
from ml4c.counting import Packed, pack_table
from ml4c.dataset import Dataset, Missing
from ml4c.embedding import Embedding
from ml4c.errors import KnowledgeError, ModelError, WorkError
from ml4c.features import FEATURE_NAMES, TripleFeatures, triple_features
from ml4c.graph import Graph, Triples, unshielded_triples
from ml4c.knowledge import Knowledge
from ml4c.learner import Learner, ModelCard, load_learner
from ml4c.orientation import EVEN, ON_GIVEN, THRESHOLD, Decision, Orientation, orient_as_published, orient_globally
from ml4c.pipeline.adjacencies import Adjacencies
from ml4c.pipeline.ahead import compile_ahead
from ml4c.pipeline.choice import Choice
from ml4c.pipeline.inputs import as_dataset, as_knowledge, as_skeleton
from ml4c.pipeline.result import Result, result_of
from ml4c.pipeline.shift import shifts
from ml4c.pipeline.silence import Pairs, silent_edges
from ml4c.pipeline.weighing import Judgement, Witness, separating_sets
from ml4c.skeleton import Method, Reason, Skeleton, edge_probabilities, leaders, learn_skeleton, merged
from ml4c.triple_scores import SCORE_NAMES, score_triples
from ml4c.units import number_of_jobs

Judge: TypeAlias = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
"""Turns a matrix of features, a row for each triple, into probabilities of a v-structure."""
Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of a phase, how much of it is done, and how much there is."""

DEPENDENT = 0.05
"""Columns whose independence has a p-value up to this depend on each other."""
DOUBT = 0.5
"""On a learned skeleton a triple counts by this power of the probability that it is one (`chances_of_triples`).

Chosen on new synthetic networks and on bnRep: so directions of edges, those of wrong ones included, are told with a log
loss of .443 instead of .455, and .363 instead of .384, and those of edges that are there with .392 instead of .396, and
.321 instead of .324. By the probability itself the latter are no better told than before. F1 is the same.
"""
PUBLISHED = "paper"
"""The model whose verdicts are put together by the published rule."""


class Rule(Protocol):
    """Puts the verdicts on all triples together."""

    def __call__(
        self, skeleton: Graph, triples: npt.ArrayLike, probabilities: npt.ArrayLike, *, names: Sequence[str]
    ) -> Orientation:
        """Orient a skeleton."""


def discover(
    data: object,
    *,
    model: str | os.PathLike[str] = "default",
    skeleton_method: str = "auto",
    knowledge: Knowledge | str | os.PathLike[str] | None = None,
    threshold: float | None = None,
    decision: Decision = "best",
    confidence: float | None = None,
    max_condition: int | None = None,
    max_degree: int | None = None,
    edge_threshold: float | None = None,
    time_budget: float | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> Result:
    """Learn the causal graph of a table: which columns are adjacent, and in which direction.

    data: a Dataset, a frame, or the path of a table. skeleton_method: of `learn_skeleton`. knowledge: a
    `Knowledge`, or the path of a file with one. max_condition, max_degree, edge_threshold, time_budget: of the search
    for the skeleton, see `learn_skeleton`. The other options are those of `orient`.
    """
    limits = {
        "max_condition": max_condition,
        "max_degree": max_degree,
        "edge_threshold": edge_threshold,
        "time_budget": time_budget,
    }
    choice = Choice(threshold, decision, confidence)
    compile_ahead()
    job = _Job(as_dataset(data, missing), knowledge, model, choice, n_jobs, seed, progress, limits)
    learned = learn_skeleton(
        job.packed,
        cast("Method", skeleton_method),
        constraints=job.constraints,
        max_condition=max_condition,
        max_degree=max_degree,
        edge_threshold=edge_threshold,
        time_budget=time_budget,
        n_jobs=n_jobs,
        progress=progress,
    )
    return job.finish(learned.matrix, learned)


def orient(
    data: object,
    skeleton: object,
    *,
    model: str | os.PathLike[str] = "default",
    knowledge: Knowledge | str | os.PathLike[str] | None = None,
    threshold: float | None = None,
    decision: Decision = "best",
    confidence: float | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> Result:
    """Orient the edges of a skeleton as far as the data tell.

    data: a Dataset, a frame, or the path of a table. skeleton: a 0/1 matrix over the columns, a list of edges between
    names, a networkx graph, or the path of a file; directions are dropped. model: "default", "paper" (the published
    method, whose result may be no valid graph), or the folder of a trained model. knowledge: what must or must not be,
    a `Knowledge` or the path of a file with one; the result obeys it, or KnowledgeError says what contradicts what.
    threshold: from which probability on a v-structure is drawn for its own sake, by default 1/3 on a skeleton that is
    given and 1/2 on one that is learned (0.1 with "paper"); a higher one claims fewer arrows and leaves more edges
    undirected. decision: "best" (the best orientation), "f1" or "shd" (the graph with the largest expected F1 of its
    arrows, or the least expected number of wrong edges). confidence: no less probable arrow is drawn, where an
    orientation without is found. n_jobs: threads, all cores by default; neither it nor the order of columns, rows or
    categories changes a bit. seed: of the search for the best orientation, and of the draws behind the probabilities.
    missing: of frames and paths, as in `read_table`. progress: called with the name of a phase, how much of it is done
    and how much there is.
    """
    table = as_dataset(data, missing)
    given = as_skeleton(skeleton, table.names)
    job = _Job(table, knowledge, model, Choice(threshold, decision, confidence), n_jobs, seed, progress)
    return job.finish(given[np.ix_(job.place, job.place)], None)


class _Job:
    """What `discover` and `orient` share: columns in the order of their names, so that their order means nothing."""

    def __init__(
        self,
        table: Dataset,
        knowledge: Knowledge | str | os.PathLike[str] | None,
        model: str | os.PathLike[str],
        choice: Choice,
        n_jobs: int | None,
        seed: int,
        progress: Progress | None,
        limits: Mapping[str, float | None] | None = None,
    ) -> None:
        number_of_jobs(n_jobs)
        if not isinstance(seed, (int, np.integer)) or seed < 0:
            raise WorkError(f"the seed must be a whole number from 0 on, not {seed!r}")
        self.table = table
        self.limits = limits
        self.place = np.array(sorted(range(table.n_columns), key=table.names.__getitem__), np.intp)
        self.names = tuple(table.names[i] for i in self.place)
        self.knowledge = as_knowledge(knowledge)
        self.constraints = None if self.knowledge is None else self.knowledge.bind(self.names)
        self.model = model
        self.choice = choice
        self.n_jobs, self.seed, self.progress = n_jobs, seed, progress
        if model == PUBLISHED:
            if knowledge is not None:
                raise KnowledgeError("the published rule (model paper) takes no knowledge: use the model default")
            choice.refuse_for_published()
        self.learner = load_learner(model)
        self.packed: Packed = pack_table(table.select(self.place.tolist()))

    def finish(self, skeleton: Graph, learned: Skeleton | None) -> Result:
        """Orient a skeleton in the order of the names, and tell the result in the order of the table."""
        if self.constraints is not None:
            self.constraints.check_skeleton(skeleton)
        test = DataTest(self.packed, n_jobs=self.n_jobs)
        card = _card(self.learner)
        leader = leaders(() if learned is None else learned.copies, len(skeleton))
        of_leaders = merged(skeleton, leader)
        seen = look_at_triples(
            test,
            of_leaders,
            embedding=card.embedding,
            names=card.feature_names,
            learned=learned is not None,
            progress=self.progress,
        )
        if learned is not None and self.constraints is not None and seen.sepsets is None:
            seen = without_parted(seen, test, learned)
        triples, rows = triples_of_copies(skeleton, leader, seen.triples)
        seen = seen.take(rows)
        features = replace(seen, triples=triples)
        judge = partial(self.learner.probability, n_jobs=self.n_jobs)
        weights = 1.0 / np.bincount(rows)[rows]
        if learned is not None:
            nothing = np.zeros(skeleton.shape, np.bool_)
            stated = nothing if self.constraints is None else self.constraints.adjacent
            weights *= chances_of_triples(edge_probabilities(learned, leader, stated), seen.triples) ** DOUBT
        rule = self._rule(learned is not None, weights)
        found = put_together(features, skeleton, judge, test.names, rule=rule, progress=self.progress)
        rank = np.argsort(self.place)
        result = result_of(
            _renumbered(found, self.place),
            self.table,
            np.ascontiguousarray(skeleton[np.ix_(rank, rank)]),
            learned=None if learned is None else Adjacencies(self.names, learned),
            model=str(self.model),
            silent=self._silent(skeleton, features, card.feature_names, leader),
            knowledge=self.knowledge,
            seed=int(self.seed),
            decision=asdict(self.choice),
            limits=self.limits,
            trained_on=card.recipe,
        )
        learner = Witness(
            card.feature_names,
            self.learner.contributions,
            partial(separating_sets, self.packed, of_leaders),
        )
        judged = Judgement.of_most_important(result.triples, seen, self.names, learner)
        return replace(result, judged=judged, shift=shifts(features.matrix, card))

    def _silent(
        self, skeleton: Graph, features: TripleFeatures, names: tuple[str, ...], leader: npt.NDArray[np.int64]
    ) -> Pairs:
        """Find the edges of which the data say nothing, by the numbers of the table's columns."""
        single = set(self.table.constant)
        constant = [k for k, name in enumerate(self.names) if name in single]
        found = silent_edges(skeleton, features, names, constant=constant, leader=leader)
        return {(int(self.place[i]), int(self.place[j])): why for (i, j), why in found.items()}

    def _rule(self, learned: bool, weights: npt.NDArray[np.float64]) -> Rule:
        usual = THRESHOLD if self.model == PUBLISHED else EVEN if learned else ON_GIVEN
        threshold = usual if self.choice.threshold is None else self.choice.threshold
        if self.model == PUBLISHED:
            return partial(orient_as_published, threshold=threshold)
        return partial(
            orient_globally,
            weights=weights,
            constraints=self.constraints,
            seed=self.seed,
            threshold=threshold,
            decision=self.choice.decision,
            confidence=self.choice.confidence,
        )


def decide(
    test: CITest,
    skeleton: Graph,
    judge: Judge,
    *,
    embedding: Embedding,
    names: tuple[str, ...] = FEATURE_NAMES,
    rule: Rule = orient_as_published,
    progress: Progress | None = None,
) -> Orientation:
    """Judge every unshielded triple of a skeleton over the columns of a test, and put the verdicts together."""
    features = look_at_triples(test, skeleton, embedding=embedding, names=names, progress=progress)
    return put_together(features, skeleton, judge, test.names, rule=rule, progress=progress)


def look_at_triples(
    test: CITest,
    skeleton: Graph,
    *,
    embedding: Embedding,
    names: tuple[str, ...],
    learned: bool = False,
    progress: Progress | None = None,
) -> TripleFeatures:
    """Compute the features of these names of every unshielded triple.

    learned: whether the skeleton comes from the same table.
    """
    seen = None if progress is None else partial(progress, "features")
    if names != SCORE_NAMES:
        return triple_features(test, skeleton, embedding=embedding, names=names, progress=seen)
    if not isinstance(test, DataTest):
        raise ModelError("this model asks scores, which need a table: take a model of the published features")
    scored = score_triples(test.packed, skeleton, learned=learned, n_jobs=test.n_jobs, progress=seen)
    return TripleFeatures(scored.triples, scored.matrix)


def triples_of_copies(
    skeleton: Graph, leader: npt.NDArray[np.int64], known: Triples
) -> tuple[Triples, npt.NDArray[np.int64]]:
    """Return the triples of a skeleton of which something is known, and the rows of `known` that say it.

    Copies are the same column to the data: what is known of the triples of those that lead them holds for theirs. They
    share its weight, so that copies decide nothing about the others.
    """
    if not len(known) or (leader == np.arange(len(leader))).all():
        return known, np.arange(len(known))

    def key(triples: Triples) -> npt.NDArray[np.int64]:
        x, t, y = triples.T
        return np.asarray((np.minimum(x, y) * len(leader) + t) * len(leader) + np.maximum(x, y))

    triples = unshielded_triples(skeleton)
    wanted, order = key(leader[triples]), np.argsort(key(known))
    there = key(known)[order]
    place = np.searchsorted(there, wanted).clip(max=len(known) - 1)
    found = there[place] == wanted
    return triples[found], order[place[found]]


def chances_of_triples(edge: npt.NDArray[np.float64], triples: Triples) -> npt.NDArray[np.float64]:
    """Return how probable it is that each triple is one: that its two edges are there, and the third is not."""
    x, t, y = triples.T
    return np.asarray(edge[x, t] * edge[y, t] * (1.0 - edge[x, y]))


def without_parted(features: TripleFeatures, test: DataTest, learned: Skeleton) -> TripleFeatures:
    """Leave out triples whose ends depend on each other and are kept apart by knowledge alone.

    A learner takes a missing edge for what the data say; where they say the opposite, it would see colliders.
    """
    absent = learned.absent
    stated = np.zeros((len(test.names),) * 2, np.bool_)
    i, j = absent.pairs[absent.reason == Reason.FORBIDDEN].T
    stated[i, j] = stated[j, i] = True
    x, _, y = features.triples.T
    row = np.flatnonzero(stated[x, y])
    asked = test.association(np.column_stack([x[row], y[row]]).astype(np.int32))
    parted = row[asked.g2_p_value <= DEPENDENT]
    return features.take(np.setdiff1d(np.arange(len(features.triples)), parted))


def put_together(
    features: TripleFeatures,
    skeleton: Graph,
    judge: Judge,
    columns: Sequence[str],
    *,
    rule: Rule,
    progress: Progress | None = None,
) -> Orientation:
    """Judge the triples of a skeleton over named columns, and orient it."""
    judged = judge(features.matrix) if len(features.triples) else np.empty(0)
    # Nodes are numbered by name while equals are told apart, so that the order of the columns changes no word.
    column = np.array(sorted(range(len(columns)), key=columns.__getitem__), np.intp)
    rank = np.argsort(column)
    if progress is not None:
        progress("orientation", 0, 1)
    by_name = skeleton[np.ix_(column, column)]
    found = rule(by_name, rank[features.triples], judged, names=[columns[i] for i in column])
    return _renumbered(found, column)


def _renumbered(found: Orientation, column: npt.NDArray[np.intp]) -> Orientation:
    """Return the same with node i called column[i]."""
    rank = np.argsort(column)
    cpdag = np.ascontiguousarray(found.cpdag[np.ix_(rank, rank)])
    fixed = None if found.fixed is None else column[found.fixed]
    directions = None if found.directions is None else found.directions.renumbered(column)
    return replace(found, cpdag=cpdag, triples=column[found.triples], fixed=fixed, directions=directions)


def _card(learner: Learner) -> ModelCard:
    """Return what the learner was trained on: other features mean nothing to it."""
    if learner.card is None:
        raise ModelError("this model has no card, so the features that it was trained on are not known: train it again")
    return learner.card
