"""The learner: the probability that an unshielded triple is a v-structure (METHOD section 4).

Gradient-boosted trees behind one small class, `TripleLearner`: fit, probability, save; `load_learner` reads one back by
the name of a model of the package or from a folder. A model is two files:

    model.ubj    the trees, in XGBoost's binary JSON
    card.json    what made them: feature names, embedding, recipe, seeds, counts, versions, figures, checksum

The card is checked before the trees are used, and nothing is ever unpickled. XGBoost is imported here alone, and only
when it is needed.
"""

from ml4c.learner.card import FORMAT_VERSION, ModelCard, library_versions
from ml4c.learner.loading import load_learner, model_names
from ml4c.learner.model import PAPER_PARAMETERS, TripleLearner

__all__ = [
    "FORMAT_VERSION",
    "PAPER_PARAMETERS",
    "ModelCard",
    "TripleLearner",
    "library_versions",
    "load_learner",
    "model_names",
]
