"""Where the default model is worse than the best of three: the published method, BDeu and `poe`, on true skeletons.

    python benchmarks/losses.py [NETWORK ...] [--rows 10000 1000] [--samples 12] [--against bdeu poe]

Networks are names or BIF files. Every sample has its columns shuffled and named by their places. Printed are the mean
F1 of arrows of each, and the difference between the default and the best of the others on average, with its
standard error over samples; differences of more than two standard errors are marked. The best of three means over a
few samples is flattered by luck. `--against` leaves others out: the published method takes minutes on large networks.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

import ml4c
from ml4c.bif import network_names
from ml4c.counting import pack_table
from ml4c.graph import Graph, skeleton
from ml4c.meek import cpdag_of
from ml4c.metrics import edge_f1
from ml4c.triple_scores import best_by_score

Method = Callable[[ml4c.Dataset, Graph], Graph]
METHODS: dict[str, Method] = {
    "default": lambda data, edges: ml4c.orient(data, edges, n_jobs=1).cpdag,
    "published": lambda data, edges: ml4c.orient(data, edges, model="paper", n_jobs=1).cpdag,
    "bdeu": lambda data, edges: cpdag_of(best_by_score(pack_table(data), edges, "bdeu", n_jobs=1)),
    "poe": lambda data, edges: cpdag_of(best_by_score(pack_table(data), edges, "poe", n_jobs=1)),
}
OURS, *OTHERS = METHODS


def main() -> None:
    """Print a line for every network and number of rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=list(network_names()))
    parser.add_argument("--rows", nargs="+", type=int, default=[10_000, 1_000])
    parser.add_argument("--samples", type=int, default=12)
    parser.add_argument("--against", nargs="+", choices=OTHERS, default=OTHERS)
    options = parser.parse_args()
    if options.samples < 2:
        parser.error("--samples: a standard error needs two or more")
    methods = [OURS, *options.against]
    print(f"| network | rows | {' | '.join(methods)} | difference | |\n|{'---|' * (len(methods) + 4)}")
    for name in options.networks:
        for rows in options.rows:
            found = np.array([sampled(name, rows, seed, methods) for seed in range(options.samples)])
            gap = found[:, 0] - found[:, 1 + found[:, 1:].mean(axis=0).argmax()]
            mean, error = gap.mean(), gap.std(ddof=1) / len(gap) ** 0.5
            worse = "worse" if mean < -2 * error else ""
            figures = " | ".join(f"{f1:.3f}" for f1 in found.mean(axis=0))
            print(f"| {name} | {rows:,} | {figures} | {mean:+.3f} ({error:.3f}) | {worse} |", flush=True)


def sampled(name: str, rows: int, seed: int, methods: list[str]) -> list[float]:
    """Return the F1 of methods on one sample."""
    net = ml4c.load_network(name).permuted(seed)
    drawn = net.sample(rows, seed)
    names = tuple(f"X{i:04d}" for i in range(drawn.n_columns))
    data = ml4c.Dataset(names, drawn.categories, drawn.codes, drawn.missing)
    truth, edges = cpdag_of(net.dag), skeleton(net.dag)
    return [edge_f1(truth, METHODS[method](data, edges)) for method in methods]


if __name__ == "__main__":
    main()
