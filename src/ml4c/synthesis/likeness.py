"""A recipe whose networks are like a table: its rows, columns and categories, and as many edges as it seems to have.

The default model is trained on networks of many kinds. Who has a table that is far from most of them (`Result.shift`),
or many tables of one kind, can train on networks of that kind instead.
"""

from __future__ import annotations

import numpy as np

from ml4c.counting import pack_table
from ml4c.dataset import Dataset
from ml4c.errors import DataError
from ml4c.skeleton import learn_skeleton
from ml4c.synthesis.recipe import LikeRecipe

MOST_NODES = 150
"""Networks of a larger table have so many columns: triples see their neighbourhood only, and training takes minutes."""
MOST_ROWS = 50_000
SLACK = 0.25
"""Edges for each column may be so much fewer or more than the skeleton of the table has."""


def recipe_like(table: Dataset, *, networks: int = 100, seed: int = 0, n_jobs: int | None = None) -> LikeRecipe:
    """Return the recipe for networks like a table; DataError if fewer than three of its columns vary."""
    states = tuple(sorted(int(card) for card in table.cardinalities if card > 1))
    if len(states) < 3:
        raise DataError(
            f"columns of this table that vary: {len(states)}; a model is about triples of them, so take three or more"
        )
    edges = np.triu(learn_skeleton(pack_table(table), "fast", n_jobs=n_jobs).matrix).sum()
    density = max(1.0, float(edges) / len(states))
    nodes, rows = min(len(states), MOST_NODES), min(table.n_rows, MOST_ROWS)
    return LikeRecipe(
        seed=seed,
        networks=networks,
        nodes=(nodes, nodes),
        rows=(rows, rows),
        max_cells=max(LikeRecipe.max_cells, nodes * rows),
        edges_per_node=(round(density * (1 - SLACK), 3), round(density * (1 + SLACK), 3)),
        states=states,
    )
