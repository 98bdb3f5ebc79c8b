"""The learner: the probability that an unshielded triple is a v-structure (METHOD section 4), or a pair an edge.

Gradient-boosted trees behind one small class, `Learner`: fit, probability, save; `load_learner` reads one back by
the name of a model of the package or from a folder. A model is two files:

    model.ubj    the trees, in XGBoost's binary JSON
    card.json    what made them: feature names, embedding, recipe, seeds, counts, versions, figures, checksum

The card is checked before the trees are used, and nothing is ever unpickled. XGBoost is imported here alone, and only
when it is needed.
"""

from ml4c.learner.card import FORMAT_VERSION, NO_EMBEDDING, ModelCard, library_versions
from ml4c.learner.loading import learner_from_trees, load_learner, model_names
from ml4c.learner.model import PAPER_PARAMETERS, WORLD_PARAMETERS, Learner

__all__ = [
    "FORMAT_VERSION",
    "NO_EMBEDDING",
    "PAPER_PARAMETERS",
    "WORLD_PARAMETERS",
    "Learner",
    "ModelCard",
    "learner_from_trees",
    "library_versions",
    "load_learner",
    "model_names",
]
