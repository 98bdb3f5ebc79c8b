"""What a model trained for one table is worth: `ml4c train --like` beside the default model, in one run.

    python benchmarks/like.py [--rows 1000] [--seeds 1] [NETWORK ...]

For each network a table is sampled, its columns shuffled, and a model is trained on 100 networks like it, as
`ml4c train --like` does. Both models orient the true skeleton and discover the graph from the table alone. Printed are
F1 of arrows and SHD, and the seconds that training took.
"""

from __future__ import annotations

import argparse
import tempfile
import time

import numpy as np

import ml4c
from ml4c.graph import skeleton
from ml4c.meek import cpdag_of
from ml4c.metrics import edge_f1, shd
from ml4c.synthesis import recipe_like
from ml4c.training import train

NETWORKS = ("child", "insurance", "alarm", "water", "hepar2", "win95pts")


def main() -> None:
    """Print a line for every network and seed, and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    print("| F1 / SHD | true skeleton: default | like | from the table: default | like | training, s |")
    print("|---|---|---|---|---|---|")
    lines = []
    for name in options.networks:
        for seed in range(options.seeds):
            figures, seconds = compared(name, options.rows, seed)
            lines.append(figures)
            print(f"| {name} | {' | '.join(f'{f1:.3f} / {d:.0f}' for f1, d in figures)} | {seconds:.0f} |", flush=True)
    print(f"| mean | {' | '.join(f'{f1:.3f} / {d:.1f}' for f1, d in np.mean(lines, axis=0))} | |")


def compared(name: str, rows: int, seed: int) -> tuple[list[tuple[float, float]], float]:
    """Return F1 and SHD of both models on the true skeleton, then of both on the table alone; and the training time."""
    net = ml4c.load_network(name).permuted(seed)
    table, truth = net.sample(rows, seed=seed), cpdag_of(net.dag)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        train(recipe_like(table, seed=seed), folder)
        seconds = time.perf_counter() - begin
        models = ("default", folder)
        found = [ml4c.orient(table, skeleton(net.dag), model=model).cpdag for model in models]
        found += [ml4c.discover(table, model=model).cpdag for model in models]
    return [(edge_f1(truth, graph), float(shd(truth, graph))) for graph in found], seconds


if __name__ == "__main__":
    main()
