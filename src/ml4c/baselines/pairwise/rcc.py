"""RCC, the randomized causation coefficient (Lopez-Paz, Muandet, Schoelkopf & Tolstikhin 2015).

A sample of two standardised columns is summarised by its mean embedding: means over rows of random cosine features of
x, of y and of (x, y), each with weights of three scales. A random forest tells causes from effects by these means. The
mean over rows is exactly the mean over the cells of the contingency table.

333 features for each of the three embeddings (the paper has 1,000: the two columns of a table have a handful of
values each, so a few hundred features already determine the table), 500 trees.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ml4c.baselines.pairwise.supervised import Arrays, Supervised
from ml4c.baselines.pairwise.tables import (
    Floats,
    Pairs,
    Table,
    by_frequency,
    contingency_tables,
    frequency_ranks,
    standardised,
    turned,
)
from ml4c.baselines.pairwise.trees import both_ways, fit_trees, forest, score_by_trees
from ml4c.dataset import Dataset

SCALES = (0.15, 1.5, 15.0)
PER_SCALE = 111
WIDTH = len(SCALES) * PER_SCALE
SEED = 2015


def draw_weights() -> Arrays:
    """Draw the weights of the three embeddings, one row for each variable, and their phases."""
    rng = np.random.default_rng(SEED)
    scale = np.repeat(SCALES, PER_SCALE)
    return {
        "weights": rng.standard_normal((4, WIDTH)) * scale,
        "phases": rng.uniform(0.0, 2.0 * np.pi, (3, WIDTH)),
    }


def embedding(table: Table, weights: Floats, phases: Floats) -> Floats:
    """Return the mean embedding of the rows that a table counts."""
    share = table / table.sum()
    x, y = (standardised(frequency_ranks(counts), counts) for counts in (table.sum(axis=1), table.sum(axis=0)))
    of_x = share.sum(axis=1) @ np.cos(np.outer(x, weights[0]) + phases[0])
    of_y = share.sum(axis=0) @ np.cos(np.outer(y, weights[1]) + phases[1])
    # cos(a + b) = cos a cos b - sin a sin b, a of x and b of y, needs no array of cells by features
    a, b = np.outer(x, weights[2]) + phases[2], np.outer(y, weights[3])
    of_both = (np.cos(a) * (share @ np.cos(b)) - np.sin(a) * (share @ np.sin(b))).sum(axis=0)
    return np.concatenate([of_x, of_y, of_both])


def describe(data: Dataset, pairs: Pairs, drawn: Arrays) -> Arrays:
    """Return the embeddings of the pairs, both ways round."""
    tables = [by_frequency(table) for table in contingency_tables(data, pairs)]
    embed = partial(embedding, weights=drawn["weights"], phases=drawn["phases"])
    return both_ways([embed(table) for table in tables], [embed(turned(table)) for table in tables])


PARAMETERS = forest(3 * WIDTH)
RCC = Supervised(
    "rcc",
    settings={"features": 3 * WIDTH, "scales": SCALES, "parameters": PARAMETERS},
    describe=describe,
    fit=partial(fit_trees, PARAMETERS),
    score=score_by_trees,
    draw=draw_weights,
)
