"""The unit of work: the labelled features of one synthetic network.

Of a network in the paper's manner the triples of its true skeleton are learned from; of one for the skeleton, the pairs
of columns that the preset `accurate` would judge in its sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ml4c.citest import DataTest
from ml4c.embedding import Embedding
from ml4c.features import triple_features
from ml4c.graph import skeleton
from ml4c.skeleton import merged, pairs_to_judge
from ml4c.synthesis import PaperRecipe, SkeletonRecipe, network, world_network


@dataclass(frozen=True, eq=False)
class Unit:
    """Features of the triples or pairs of one network, in single precision as the learner takes them, and their labels.

    missed: true edges that are not among the pairs.
    """

    matrix: NDArray[np.float32]
    labels: NDArray[np.uint8]
    missed: int = 0


def compute_unit(recipe: PaperRecipe, embedding: Embedding, index: int) -> Unit:
    """Make network `index`, sample it, and return its labelled triples; one thread."""
    made = network(recipe, index)
    dag = made.net.dag
    found = triple_features(DataTest(made.sample(), n_jobs=1), skeleton(dag), embedding=embedding)
    x, t, y = found.triples.T
    labels = (dag[x, t] == 1) & (dag[y, t] == 1)
    return Unit(np.ascontiguousarray(found.matrix, dtype=np.float32), labels.astype(np.uint8))


def compute_edges(recipe: SkeletonRecipe, index: int) -> Unit:
    """Make network `index`, sample it, and return the labelled pairs of columns that differ and vary; one thread.

    A column that has copies has the edges of all of them.
    """
    made = world_network(recipe, index)
    judged = pairs_to_judge(made.sample(), n_jobs=1)
    true = merged(skeleton(made.net.dag), judged.leader)
    labels = true[tuple(judged.pairs.T)].astype(np.uint8)
    visible = int(true[np.ix_(judged.columns, judged.columns)].sum()) // 2
    return Unit(judged.matrix, labels, visible - int(labels.sum()))
