"""From which probability on a v-structure is worth drawing, on training networks that were held out in turn.

    ml4c train default -o DIR
    python benchmarks/thresholds.py DIR

Every triple is judged by a learner that was fitted without its network; then the best orientation is taken with each
threshold, on the true skeletons and on learned ones, of all training networks of up to 160 columns. Printed are the
mean F1 of arrows, the mean SHD, and the standard errors of the differences from even odds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ml4c.counting import pack_table
from ml4c.graph import unshielded_triples
from ml4c.meek import cpdag_of
from ml4c.metrics import edge_f1, shd
from ml4c.orientation.weighing import log_odds
from ml4c.search.orientations import best_orientation
from ml4c.synthesis import load_recipe, world_network
from ml4c.training.colliders import kinds_of_skeletons, skeleton_to_orient
from training_folder import judged

THRESHOLDS = (1 / 2, 0.4, 1 / 3, 0.29, 1 / 4, 0.65)
MOST_COLUMNS = 160


def skeletons(folder: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield the kind of a skeleton, the true DAG, the skeleton and the probabilities of its triples."""
    recipe = load_recipe("default")
    whole, probability = judged("default", folder)
    for index, mine in enumerate(np.split(probability, np.cumsum(whole.counts)[:-1])):
        made, begin = world_network(recipe, index), 0
        if len(made.net.dag) <= MOST_COLUMNS:
            packed, dag = pack_table(made.sample()), made.net.dag
            for kind in kinds_of_skeletons(recipe, made):
                joined = skeleton_to_orient(packed, dag, kind)
                end = begin + len(unshielded_triples(joined))
                yield kind, dag, joined, mine[begin:end]
                begin = end
            assert begin == len(mine), "the folder is of another version of ml4c"


def main() -> None:
    """Print a row for each kind of skeleton and threshold."""
    found: dict[str, list[list[tuple[float, int]]]] = {}
    for kind, dag, joined, probability in skeletons(Path(sys.argv[1])):
        truth, triples = cpdag_of(dag), unshielded_triples(joined)
        graphs = [
            cpdag_of(best_orientation(joined, triples, log_odds(probability) - log_odds(np.array(least))).dag)
            for least in THRESHOLDS
        ]
        found.setdefault(kind, []).append([(edge_f1(truth, graph), shd(truth, graph)) for graph in graphs])
    print("| skeletons | threshold | mean F1 | mean SHD | standard errors of the differences |\n|---|---|---|---|---|")
    for kind, rows in found.items():
        figures = np.array(rows)
        error = (figures - figures[:, :1]).std(axis=0) / len(figures) ** 0.5
        for k in np.argsort(THRESHOLDS)[::-1].tolist():
            f1, distance = figures[:, k].mean(axis=0)
            errors = f"{error[k, 0]:.3f}, {error[k, 1]:.2f}" if k else "-"
            print(f"| {kind}, {len(rows)} networks | {THRESHOLDS[k]:.2f} | {f1:.3f} | {distance:.2f} | {errors} |")


if __name__ == "__main__":
    main()
