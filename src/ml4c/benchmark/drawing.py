"""The table of a cell, the same for every method: drawn by the seed, columns shuffled, names that say nothing.

In many network files causes come first, and methods see columns in the order of their names (baselines.protocol). So
the columns are permuted by the seed, and then named c000, c001, ... by another permutation. All of it depends on the
network, the rows and the seed alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ml4c.bif import load_network
from ml4c.dataset import Dataset
from ml4c.graph import Graph

NAMING = 1
"""Sets the random numbers of the names apart from those of the columns and the records."""


@dataclass(frozen=True, eq=False)
class DrawnTable:
    """A table, the graph that it was drawn from, over the same columns, and the size of the network."""

    data: Dataset
    dag: Graph


def draw_table(network: str, rows: int, seed: int) -> DrawnTable:
    """Draw the table of all cells with this network, number of rows and seed."""
    net = load_network(network).permuted(seed)
    drawn = net.sample(rows, seed)
    names = anonymous_names(net.n_nodes, seed)
    return DrawnTable(Dataset.from_codes(names, drawn.categories, drawn.codes), net.dag)


def anonymous_names(count: int, seed: int) -> list[str]:
    """Return names in random order that are all of one length."""
    width = max(3, len(str(count - 1)))
    order = np.random.default_rng([seed, NAMING]).permutation(count)
    return [f"c{number:0{width}d}" for number in order.tolist()]
