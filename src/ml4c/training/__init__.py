"""Training: from a recipe to a model, over processes or machines, and through any interruption.

A unit of work is one network: make it, sample it, compute the features of its triples on the true skeleton (or of the
pairs of columns that might be edges), label them by the true DAG. What is learned follows from the recipe
(`lessons`). Units share nothing, so they run on any `concurrent.futures.Executor`. The features of a finished
network are a file of their own, written whole or not at all; whoever calls `train` again with the same folder goes on
from the files that are there. The learner is fitted once all are there, in the order of their numbers, so the model is
the same to the bit for any executor, any number of workers and any number of interruptions.

    folder/recipe.json           what the folder is for
    folder/features/00137.npz    features and labels of network 137
    folder/model.ubj, card.json  the model (`ml4c.learner`)
"""

from ml4c.training.run import TrainingReport, train
from ml4c.training.store import FeatureStore
from ml4c.training.unit import Unit, compute_edges, compute_unit

__all__ = [
    "FeatureStore",
    "TrainingReport",
    "Unit",
    "compute_edges",
    "compute_unit",
    "train",
]
