"""What the 705 features that the default model leaves out are worth, on synthetic networks that were held out.

    ml4c train paper -o DIR
    python benchmarks/lean.py DIR

Every fifth network of the training folder is held out; at most 1,500 triples of a network are taken.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from ml4c.features import FEATURE_NAMES, FEATURE_SETS
from ml4c.learner import TripleLearner

MOST = 1500


def main() -> None:
    """Fit with each set of features; print the log loss on the held-out networks."""
    matrices, labels, held_out = [], [], []
    for number, file in enumerate(sorted((Path(sys.argv[1]) / "features").glob("*.npz"))):
        with np.load(file, allow_pickle=False) as content:
            size = len(content["labels"])
            some = np.random.default_rng(number).permutation(size)[:MOST]
            matrices.append(content["matrix"][some])
            labels.append(content["labels"][some])
            held_out.append(np.full(len(some), number % 5 == 0))
    matrix, truth, held = np.concatenate(matrices), np.concatenate(labels), np.concatenate(held_out)
    for name, chosen in FEATURE_SETS.items():
        columns = [FEATURE_NAMES.index(feature) for feature in chosen]
        learner = TripleLearner.fit(matrix[~held][:, columns], truth[~held])
        p = learner.probability(matrix[held][:, columns])
        loss = -np.log(np.where(truth[held] == 1, p, 1 - p)).mean()
        print(f"{name:5s} {len(columns):4d} features: log loss {loss:.4f} on {held.sum():,} held-out triples")


if __name__ == "__main__":
    main()
