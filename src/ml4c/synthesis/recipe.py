"""The training distribution as data.

Where the paper's text and the authors' code differ, the recipe follows the code, and its fields say so:

- "scale-free" graphs are Barabasi graphs with m = round(edges / nodes) edges for every new node and an attachment
  weight of degree^-3 + 1, which avoids hubs rather than makes them;
- the cardinality of a node is |normal(0, 1.5 / 2^m)| + 2, rounded, at most 6, where m is the largest in-degree among
  the node's children (0 without children).

What both leave open: alpha is drawn once for each node, and every row of its table with that alpha. Networks are
numbered so that consecutive ones have different sizes: any first part of a recipe is a balanced, smaller one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c.errors import ModelError
from ml4c.synthesis.fields import Fields
from ml4c.synthesis.world import CARDINALITIES, WorldRecipe

GRAPH_MODELS = ("erdos-renyi", "barabasi")
EDGES, COLLIDERS = "edges", "colliders"
STATES = "states"
"""The kind of cardinalities that a table has."""
TRUE = "true"
"""The kind of skeleton that is that of the network itself; the others are methods that learn one."""
SKELETONS = (TRUE, "fast", "accurate", "pc")


@dataclass(frozen=True)
class PaperRecipe(Fields):
    """The 400 networks of the paper; every field may be changed, and is kept in the card of a model."""

    name: str = "paper"
    seed: int = 0
    sizes: tuple[tuple[int, int], ...] = ((10, 20), (21, 50), (51, 100), (101, 1000))
    graph_models: tuple[str, ...] = GRAPH_MODELS
    replicates: int = 50
    edges_per_node: tuple[float, float] = (1.2, 1.7)
    attachment_power: float = -3.0
    attachment_appeal: float = 1.0
    cardinality_spread: float = 1.5
    max_cardinality: int = 6
    alpha: tuple[float, float] = (0.1, 1.0)
    rows: int = 10_000

    def __post_init__(self) -> None:
        for wrong, reason in _faults(self):
            if wrong:
                raise ModelError(f"recipe {self.name!r}: {reason}")

    @property
    def n_networks(self) -> int:
        """Number of networks: every size with every graph model, `replicates` times."""
        return len(self.sizes) * len(self.graph_models) * self.replicates


@dataclass(frozen=True)
class SkeletonRecipe(WorldRecipe):
    """Networks of many kinds, whose pairs of columns teach what an edge looks like; `learns` tells it from others.

    An edge that makes no difference to any probability is none, or chance would be taught.
    """

    name: str = "skeleton"
    networks: int = 1250
    nodes: tuple[int, int] = (5, 500)
    max_cells: int = 5_000_000
    max_table: int = 200_000
    rare_roots: float = 0.25
    smooth: float = 0.2
    kinds: tuple[str, ...] = (
        "dirichlet",
        "functional",
        "ordinal",
        "faint",
        "noisy-or",
        "skewed",
        "switching",
        "additive",
        "measured",
    )
    redraws: int = 10
    learns: str = EDGES

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learns != EDGES:
            raise ModelError(f"recipe {self.name!r}: it learns {EDGES!r}, not {self.learns!r}")


@dataclass(frozen=True)
class ColliderRecipe(WorldRecipe):
    """Networks of many kinds, whose triples teach what a collider looks like, on true skeletons and on learned ones.

    Those that come again, with rare effects, teach it on their true skeletons alone.
    """

    name: str = "default"
    networks: int = 1625
    nodes: tuple[int, int] = (5, 400)
    max_cells: int = 4_000_000
    rare_roots: float = 0.25
    rarity: tuple[float, float] = (-5.0, -0.5)
    quiet: float = 0.5
    fault_trees: float = 0.23
    again: float = 0.2
    kinds: tuple[str, ...] = ("dirichlet", "functional", "ordinal", "faint", "noisy-or", "skewed", "relabelling")
    evenness: float = 0.7
    skeletons: tuple[str, ...] = (TRUE, "fast", "accurate")
    learns: str = COLLIDERS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learns != COLLIDERS:
            raise ModelError(f"recipe {self.name!r}: it learns {COLLIDERS!r}, not {self.learns!r}")
        if not self.skeletons or not set(self.skeletons) <= set(SKELETONS):
            known = ", ".join(SKELETONS)
            raise ModelError(f"recipe {self.name!r}: skeletons are some of {known}, not {list(self.skeletons)}")


@dataclass(frozen=True)
class LikeRecipe(ColliderRecipe):
    """Networks like one table (`recipe_like`): `states` are the numbers of categories that columns may have."""

    name: str = "like"
    networks: int = 100
    again: float = 0.0
    skeletons: tuple[str, ...] = (TRUE, "fast")
    cardinalities: tuple[tuple[str, float], ...] = ((STATES, 1.0),)
    states: tuple[int, ...] = (2,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.states or min(self.states) < 2:
            raise ModelError(f"recipe {self.name!r}: states are numbers from 2 on, not {list(self.states)}")

    def _widths(self) -> tuple[str, ...]:
        return (*CARDINALITIES, STATES)

    def draw_cards(self, kind: str, nodes: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the cardinalities of so many nodes, those of the table in any order."""
        if kind != STATES:
            return super().draw_cards(kind, nodes, rng)
        given = np.array(self.states, np.int64)
        return rng.permutation(np.resize(given, max(nodes, len(given))))[:nodes]


TrainingRecipe: TypeAlias = PaperRecipe | SkeletonRecipe | ColliderRecipe


def recipe_from_dict(plain: object) -> TrainingRecipe:
    """Return the recipe that a JSON document describes."""
    if not isinstance(plain, Mapping):
        raise ModelError("a recipe is a JSON object with the fields of a recipe of ml4c.synthesis")
    if "learns" not in plain:
        return PaperRecipe.from_dict(plain)
    if plain["learns"] != COLLIDERS:
        return SkeletonRecipe.from_dict(plain)
    return (LikeRecipe if STATES in plain else ColliderRecipe).from_dict(plain)


def load_recipe(name: str | os.PathLike[str]) -> TrainingRecipe:
    """Return the recipe called "paper", "default" or "skeleton", or the one in a JSON file."""
    if name in RECIPES:
        return RECIPES[str(name)]
    file = Path(name)
    if not file.is_file():
        raise ModelError(
            f"no recipe is called {str(name)!r}: there are {' and '.join(RECIPES)}, or give a JSON file with its fields"
        )
    try:
        return recipe_from_dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ModelError(f"{file}: not a JSON file that can be read ({error})") from error
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from None


def _faults(recipe: PaperRecipe) -> list[tuple[bool, str]]:
    """Pair everything that can be wrong with its reason."""
    low, high = recipe.edges_per_node
    least, most = recipe.alpha
    unknown = [model for model in recipe.graph_models if model not in GRAPH_MODELS]
    return [
        (recipe.seed < 0, f"the seed is {recipe.seed}, it must not be negative"),
        (not recipe.sizes, "it has no sizes"),
        (any(not 3 <= a <= b for a, b in recipe.sizes), f"sizes {recipe.sizes} are not ranges of 3 or more nodes"),
        (not recipe.graph_models, "it has no graph models"),
        (bool(unknown), f"unknown graph models {unknown}; there are {', '.join(GRAPH_MODELS)}"),
        (recipe.replicates < 1, f"replicates is {recipe.replicates}, not 1 or more"),
        (not 0.5 <= low <= high, f"edges_per_node {low} to {high} is not a range from 0.5 on"),
        (not 0 < least <= most, f"alpha {least} to {most} is not a range of positive numbers"),
        (recipe.cardinality_spread < 0, f"cardinality_spread is {recipe.cardinality_spread}, below 0"),
        (not 2 <= recipe.max_cardinality <= 255, f"max_cardinality is {recipe.max_cardinality}, not 2 to 255"),
        (recipe.rows < 1, f"rows is {recipe.rows}, not 1 or more"),
    ]


RECIPES: Mapping[str, TrainingRecipe] = {
    recipe.name: recipe for recipe in (PaperRecipe(), ColliderRecipe(), SkeletonRecipe())
}
"""The recipes of the models of the package: the published method's, the default's, and that of the skeleton."""
