"""One network of a recipe: its graph, cardinalities and tables, and its sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ml4c.bayesnet import BayesNet
from ml4c.bayesnet.lazy import LazyCPT
from ml4c.dataset import Dataset
from ml4c.errors import ModelError
from ml4c.graph import Graph
from ml4c.synthesis.graphs import barabasi, erdos_renyi, orient_at_random
from ml4c.synthesis.recipe import PaperRecipe

SAMPLE = 1
"""Last part of the spawn key of a network's sample: no random number is shared with the network itself."""


@dataclass(frozen=True)
class SyntheticNetwork:
    """Network number `index` of a recipe, and the size class and graph model it was drawn from."""

    net: BayesNet
    recipe: PaperRecipe
    index: int
    size: tuple[int, int]
    graph_model: str

    def sample(self, rows: int | None = None) -> Dataset:
        """Draw the recipe's number of records, or `rows`; the seed belongs to the network."""
        seed = np.random.SeedSequence(self.recipe.seed, spawn_key=(self.index, SAMPLE))
        return self.net.sample(self.recipe.rows if rows is None else rows, seed)


def network(recipe: PaperRecipe, index: int) -> SyntheticNetwork:
    """Make network `index` of a recipe, from 0 on; ModelError if it has fewer networks."""
    if not 0 <= index < recipe.n_networks:
        raise ModelError(f"recipe {recipe.name!r} has the networks 0 to {recipe.n_networks - 1}, not {index}")
    rng = np.random.default_rng(np.random.SeedSequence(recipe.seed, spawn_key=(index,)))
    turn, which = divmod(index, len(recipe.sizes))
    size = recipe.sizes[which]
    model = recipe.graph_models[turn % len(recipe.graph_models)]
    dag = _random_dag(recipe, size, model, rng)
    cards = _cardinalities(recipe, dag, rng)
    return SyntheticNetwork(_network(recipe, dag, cards, rng), recipe, index, size, model)


def _random_dag(recipe: PaperRecipe, size: tuple[int, int], model: str, rng: np.random.Generator) -> Graph:
    nodes = int(rng.integers(size[0], size[1], endpoint=True))
    density = float(rng.uniform(*recipe.edges_per_node))
    edges = round(nodes * density)
    if model == "erdos-renyi":
        pairs = erdos_renyi(nodes, edges, rng)
    else:
        power, appeal = recipe.attachment_power, recipe.attachment_appeal
        pairs = barabasi(nodes, max(1, round(edges / nodes)), rng, power=power, appeal=appeal)
    return orient_at_random(pairs, nodes, rng)


def _cardinalities(recipe: PaperRecipe, dag: Graph, rng: np.random.Generator) -> NDArray[np.int64]:
    """Half-normal above 2, narrower the more parents a child has: tables stay small where they would explode."""
    in_degree = dag.sum(axis=0, dtype=np.int64)
    largest = np.where(dag == 1, in_degree[None, :], 0).max(axis=1)
    spread = recipe.cardinality_spread / 2.0**largest
    drawn = np.rint(2 + np.abs(rng.normal(size=len(dag))) * spread)
    return np.asarray(np.minimum(drawn, recipe.max_cardinality), dtype=np.int64)


def _network(recipe: PaperRecipe, dag: Graph, cards: NDArray[np.int64], rng: np.random.Generator) -> BayesNet:
    alphas = rng.uniform(*recipe.alpha, size=len(dag))
    seeds = rng.integers(2**64, size=len(dag), dtype=np.uint64)
    tables = [
        LazyCPT(tuple(np.flatnonzero(dag[:, node]).tolist()), int(cards[node]), float(alphas[node]), int(seeds[node]))
        for node in range(len(dag))
    ]
    names = tuple(f"V{node}" for node in range(len(dag)))
    states = tuple(tuple(str(state) for state in range(card)) for card in cards)
    return BayesNet(names, states, tuple(tables))
