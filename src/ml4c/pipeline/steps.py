"""From a table and a skeleton to a result, step by step."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.citest import CITest, DataTest
from ml4c.dataset import Missing
from ml4c.embedding import Embedding
from ml4c.errors import ModelError
from ml4c.features import Progress, triple_features
from ml4c.graph import Graph
from ml4c.learner import TripleLearner, load_learner
from ml4c.orientation import Orientation, orient_as_published
from ml4c.pipeline.inputs import as_dataset, as_skeleton
from ml4c.pipeline.result import Result, result_of

Judge: TypeAlias = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
"""Turns a matrix of features, a row for each triple, into probabilities of a v-structure."""


def orient(
    data: object,
    skeleton: object,
    *,
    model: str | os.PathLike[str] = "default",
    n_jobs: int | None = None,
    seed: int = 0,  # noqa: ARG001  (the published method draws nothing here)
    missing: Missing = "error",
    progress: Progress | None = None,
) -> Result:
    """Orient the edges of a skeleton as far as the data tell.

    data: a Dataset, a frame, or the path of a table. skeleton: a 0/1 matrix over the columns, a list of edges between
    names, a networkx graph, or the path of a .txt or .csv file; directions are dropped. model: "paper", or the folder
    of a trained model. n_jobs: threads, all cores by default; neither it nor the order of columns, rows or categories
    changes a bit. seed: for models that draw at random; "paper" does not. missing: of frames and paths, as in
    `read_table`. progress: called with the number of triples done and of all.
    """
    table = as_dataset(data, missing)
    edges = as_skeleton(skeleton, table.names)
    if model == "default":
        raise ModelError('the default model comes with a later version: pass model="paper", or the folder of a model')
    learner = load_learner(model)
    test = DataTest(table, n_jobs=n_jobs)
    judge = partial(learner.probability, n_jobs=n_jobs)
    found = decide(test, edges, judge, embedding=_embedding(learner), progress=progress)
    return result_of(found, table, edges, model=str(model))


def decide(
    test: CITest, skeleton: Graph, judge: Judge, *, embedding: Embedding, progress: Progress | None = None
) -> Orientation:
    """Judge every unshielded triple of a skeleton over the columns of a test, and orient it as published."""
    features = triple_features(test, skeleton, embedding=embedding, progress=progress)
    judged = judge(features.matrix) if len(features.triples) else np.empty(0)
    # Nodes are numbered by name while equals are told apart, so that the order of the columns changes no word.
    column = np.array(sorted(range(len(test.names)), key=test.names.__getitem__))
    rank = np.argsort(column)
    found = orient_as_published(
        skeleton[np.ix_(column, column)], rank[features.triples], judged, names=[test.names[i] for i in column]
    )
    cpdag = np.ascontiguousarray(found.cpdag[np.ix_(rank, rank)])
    return Orientation(
        cpdag, found.certificate, column[found.triples], found.probabilities, found.verdicts, found.lost_to
    )


def _embedding(learner: TripleLearner) -> Embedding:
    """Return the weights with which the learner was trained: features made with others mean nothing to it."""
    if learner.card is None:
        raise ModelError("this model has no card, so the features that it was trained on are not known: train it again")
    return learner.card.embedding
