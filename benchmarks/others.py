"""Networks beside the 24: models compared on those of a folder, on benchmarks/bnrep or on BIF files of one's own.

    python benchmarks/others.py FOLDER [MODEL ...]

Every network of the folder, its columns shuffled, true skeleton, 300 to 10,000 rows, five samples each. A model is a
name or the folder of a training; by default it is the shipped one. Prints the mean over networks of the F1 of arrows
and of SHD, by rows and by the threshold from which on a triple is taken for a v-structure, and how far F1 is from that
of the first model at 1/3, with the standard error over networks.

docs/model.md tells what the shipped model was chosen by, such networks among it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ml4c
from ml4c.counting import pack_table
from ml4c.errors import Ml4cError
from ml4c.graph import skeleton
from ml4c.learner import Learner, load_learner
from ml4c.meek import cpdag_of
from ml4c.metrics import edge_f1, shd
from ml4c.orientation import orient_globally
from ml4c.triple_scores import score_triples

ROWS = (300, 1_000, 3_000, 10_000)
SAMPLES = 5
THRESHOLDS = (1 / 2, 2 / 5, 1 / 3, 0.29, 1 / 4, 1 / 5)
USUAL = THRESHOLDS.index(1 / 3)


def figures(net: ml4c.BayesNet, rows: int, models: list[Learner]) -> np.ndarray:
    """Return the mean F1 and SHD of samples of a network: (models, thresholds, 2)."""
    found = np.zeros((len(models), len(THRESHOLDS), 2))
    for seed in range(SAMPLES):
        shuffled = net.permuted(seed)
        edges, truth = skeleton(shuffled.dag), cpdag_of(shuffled.dag)
        scored = score_triples(pack_table(shuffled.sample(rows, seed)), edges)
        for m, model in enumerate(models):
            probability = model.probability(scored.matrix)
            for t, threshold in enumerate(THRESHOLDS):
                graph = orient_globally(edges, scored.triples, probability, threshold=threshold).cpdag
                found[m, t] += edge_f1(truth, graph), shd(truth, graph)
    return found / SAMPLES


def main(folder: str, *names: str) -> None:
    """Measure all networks of a folder and print one line for each model and threshold."""
    models = [load_learner(name) for name in names or ("default",)]
    nets = [ml4c.load_network(path) for path in sorted(Path(folder).glob("*.bif*"))]
    if not nets:
        raise Ml4cError(f"{folder}: no .bif or .bif.gz file")
    found = np.array([[figures(net, rows, models) for rows in ROWS] for net in nets])  # (nets, rows, models, th, 2)
    f1 = found[..., 0].mean(axis=1)
    apart = f1 - f1[:, :1, USUAL : USUAL + 1]
    print(f"{len(nets)} networks; F1 / SHD at {', '.join(f'{rows:,}' for rows in ROWS)} rows")
    for m, name in enumerate(names or ("default",)):
        for t, threshold in enumerate(THRESHOLDS):
            by_rows = " ".join("{:.3f} / {:.2f}".format(*pair) for pair in found[:, :, m, t].mean(axis=0))
            error = apart[:, m, t].std(ddof=1) / np.sqrt(len(nets))
            mean, difference = f1[:, m, t].mean(), apart[:, m, t].mean()
            print(f"{name} {threshold:.2f}: {by_rows}; F1 {mean:.4f}, {difference:+.4f} ({error:.4f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
