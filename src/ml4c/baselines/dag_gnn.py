"""DAG-GNN (Yu, Chen, Gao and Yu 2019), as gcastle has it.

A variational autoencoder whose encoder and decoder share a weighted adjacency matrix A; an augmented Lagrangian drives
h(A), which is zero for DAGs alone, towards zero, and weights below a threshold are cut. The settings are those of the
paper that we compare with: 300 epochs in batches of 100, learning rate .003, threshold .3. The table goes in as
category numbers, neither standardised nor one-hot: the tool does nothing to its input.

Left alone the Lagrangian's outer rounds, 300 epochs each, go on for hours. Here the multiplier is updated twice at most
and the penalty stays below 1,000, which makes five rounds at most. That is about what the threshold asks for: a
cycle of two arcs, both of weight .3, has an h near .008. And a round takes 6,000 steps at most, which are the
300 epochs of 2,000 rows, so that a table of 10,000 rows has 60 epochs a round.
"""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np

from ml4c.baselines.libraries import library
from ml4c.baselines.protocol import Method, Problem
from ml4c.dataset import Dataset
from ml4c.errors import DataError
from ml4c.graph import Graph

EPOCHS = 300
BATCH = 100
SETTINGS = {"batch_size": BATCH, "lr": 3e-3, "graph_threshold": 0.3}
CAPS = {"k_max_iter": 3, "c_a_thresh": 1e3}
"""How often the multiplier is looked at, and the bound of the penalty, which begins at 1 and grows tenfold."""
STEPS = 6000
"""The most steps of a round, each with one batch."""


def dag_gnn(problem: Problem) -> Graph:
    """Train as the paper did, but not as long, and return the arcs that are left; they may close cycles."""
    return train(problem.data, problem.seed, epochs=epochs_for(problem.data.n_rows))


def epochs_for(rows: int) -> int:
    """Return the number of epochs of a round: the paper's, or as many as STEPS allow."""
    batches = math.ceil(rows / BATCH)
    return max(1, min(EPOCHS, STEPS // batches))


def train(data: Dataset, seed: int, *, epochs: int) -> Graph:
    """Return what gcastle finds, on one thread, with so many epochs a round."""
    if data.missing_counts.any():
        raise DataError("dag-gnn takes complete tables only: fill in the missing values or drop their rows.")
    torch, gcastle = _libraries()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        learner = gcastle.DAG_GNN(epochs=epochs, seed=seed, **SETTINGS, **CAPS)
        learner.learn(data.codes.astype(np.float64))
    finally:
        torch.set_num_threads(threads)
    found: Graph = (np.asarray(learner.causal_matrix) != 0).astype(np.int8)
    return found


def _libraries() -> tuple[Any, Any]:
    """Import torch and gcastle; the latter makes the whole program log, which is undone."""
    root = logging.getLogger()
    handlers, level, disabled = root.handlers[:], root.level, root.manager.disable
    logging.disable(logging.INFO)
    try:
        return library("torch"), library("castle.algorithms.gradient.dag_gnn.torch")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        logging.disable(disabled)


METHODS = (
    Method(
        "dag-gnn",
        "DAG-GNN",
        "continuous",
        "Yu, Chen, Gao, Yu 2019, ICML",
        "gcastle, at most five rounds of 6,000 steps",
        "none",
        dag_gnn,
        needs=("torch", "castle"),
    ),
)
