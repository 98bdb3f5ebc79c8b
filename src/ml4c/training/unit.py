"""The unit of work: the labelled features of one synthetic network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ml4c.citest import DataTest
from ml4c.embedding import Embedding
from ml4c.features import FEATURE_SETS, triple_features
from ml4c.graph import skeleton
from ml4c.synthesis import PaperRecipe, network


@dataclass(frozen=True, eq=False)
class Unit:
    """Features of the triples of one network, in single precision as the learner takes them, and their labels."""

    matrix: NDArray[np.float32]
    labels: NDArray[np.uint8]


def compute_unit(recipe: PaperRecipe, embedding: Embedding, index: int) -> Unit:
    """Make network `index`, sample it, and return its labelled triples; one thread."""
    made = network(recipe, index)
    dag, names = made.net.dag, FEATURE_SETS[recipe.features]
    found = triple_features(DataTest(made.sample(), n_jobs=1), skeleton(dag), embedding=embedding, names=names)
    x, t, y = found.triples.T
    labels = (dag[x, t] == 1) & (dag[y, t] == 1)
    return Unit(np.ascontiguousarray(found.matrix, dtype=np.float32), labels.astype(np.uint8))
