"""Stand-ins for a trained model: rules that read one feature, and what `load_learner` would return for them."""

from types import SimpleNamespace

import numpy as np

from ml4c.embedding import draw_embedding
from ml4c.features import FEATURE_NAMES

EMBEDDING = draw_embedding(0)
SEVERITY = FEATURE_NAMES.index("X~Y|S+T severity min")
P_VALUE = FEATURE_NAMES.index("X~Y|S+T p mean")


def dependent(matrix):
    """X and Y are dependent given T and any set that separates them: exact with an oracle."""
    return (matrix[:, SEVERITY] > 0).astype(np.float64)


def soft(matrix):
    """The same with the p-value as a doubt, so that conflicts are won and lost."""
    return 1.0 - matrix[:, P_VALUE]


class Loader:
    """Takes the place of `load_learner`; remembers what was asked for."""

    def __init__(self, rule=soft):
        self.asked = []
        self.rule = rule

    def __call__(self, model):
        self.asked.append(model)
        return SimpleNamespace(
            card=SimpleNamespace(embedding=EMBEDDING, feature_names=FEATURE_NAMES, recipe={}, figures={}),
            probability=self.probability,
            contributions=np.zeros_like,
        )

    def probability(self, matrix, *, n_jobs):
        """Judge as the rule does, for any number of threads."""
        assert n_jobs is None or n_jobs > 0
        return self.rule(matrix)
