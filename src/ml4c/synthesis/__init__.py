"""Networks to train on, as data: the paper's distribution (METHOD section 6), and one of many kinds (`world`).

A recipe is a frozen dataclass that says everything: sizes, graph models, cardinalities, tables, records, seed. It is
saved as JSON in the card of a model. `network(recipe, index)` makes one of its networks from a seed of that network's
own, so network 137 is the same whoever computes it and whatever was computed before.

`training` is the user of this package; inference never imports it.
"""

from ml4c.synthesis.graphs import barabasi, erdos_renyi, orient_at_random
from ml4c.synthesis.likeness import recipe_like
from ml4c.synthesis.networks import SyntheticNetwork, network
from ml4c.synthesis.recipe import (
    ColliderRecipe,
    LikeRecipe,
    PaperRecipe,
    SkeletonRecipe,
    TrainingRecipe,
    load_recipe,
    recipe_from_dict,
)
from ml4c.synthesis.world import WorldNetwork, WorldRecipe, world_network

__all__ = [
    "ColliderRecipe",
    "LikeRecipe",
    "PaperRecipe",
    "SkeletonRecipe",
    "SyntheticNetwork",
    "TrainingRecipe",
    "WorldNetwork",
    "WorldRecipe",
    "barabasi",
    "erdos_renyi",
    "load_recipe",
    "network",
    "orient_at_random",
    "recipe_from_dict",
    "recipe_like",
    "world_network",
]
