"""From raw tables to graphs, one core: ours beside pybnesian's PC and hill climbing, in one run.

    pip install pybnesian pandas
    python benchmarks/discover.py [--networks alarm hepar2 win95pts andes] [--rows 10000] [--seeds 3]

Every method sees the same table, its columns permuted by the seed, without the columns that are constant in the
sample. The true graph is the CPDAG of the network; a DAG that a method returns is turned into its CPDAG. Seconds are
CPU seconds of the call alone: no method pays for reading, imports or compiling.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import ml4c
from ml4c.baselines.peers import pybnesian_hc, pybnesian_pc


def ours(method: str, data: ml4c.Dataset) -> np.ndarray:
    """`discover` with one of its skeletons; "accurate" is the default for tables of this size."""
    return ml4c.discover(data, skeleton_method=method, n_jobs=1).cpdag


METHODS: dict[str, Callable[[ml4c.Dataset], np.ndarray]] = {
    "ml4c accurate": partial(ours, "accurate"),
    "ml4c fast": partial(ours, "fast"),
    "pybnesian PC": pybnesian_pc,
    "pybnesian HC": pybnesian_hc,
}


def main() -> None:
    """Print a line for every network and method: means over seeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=["alarm", "hepar2", "win95pts", "andes"])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    warm = ml4c.load_network("asia").sample(500, 0)
    for method in METHODS.values():
        method(warm)
    print(f"{options.rows:,} rows, {options.seeds} seeds; mean (least to largest)\n")
    print("network     method         CPU s                 SHD               edge F1  skeleton F1  valid")
    for name in options.networks:
        for method in METHODS:
            print(line(name, method, [measure(name, options.rows, seed, method) for seed in range(options.seeds)]))


def measure(name: str, rows: int, seed: int, method: str) -> tuple[float, int, float, float, bool]:
    """Return CPU seconds, SHD, F1 of edges and skeleton, validity of one run."""
    net = ml4c.load_network(name).permuted(seed)
    whole = net.sample(rows, seed)
    kept = [i for i, name in enumerate(whole.names) if name not in whole.constant]
    data = whole.select(kept)
    begin = time.process_time()
    part = METHODS[method](data)
    seconds = time.process_time() - begin
    truth = ml4c.cpdag_of(net.dag)
    found = np.zeros_like(truth)
    found[np.ix_(kept, kept)] = part
    joined = ml4c.skeleton_scores(truth, found).f1
    return seconds, ml4c.shd(truth, found), ml4c.edge_f1(truth, found), joined, ml4c.certify(found).valid


def line(name: str, method: str, runs: list[tuple[float, int, float, float, bool]]) -> str:
    """Means and spreads of the runs of one method on one network."""
    seconds, shd, edges, joined, valid = (np.array(column) for column in zip(*runs, strict=True))
    return (
        f"{name:11s} {method:13s} {seconds.mean():6.2f} ({seconds.min():5.2f} to {seconds.max():5.2f})"
        f"  {shd.mean():6.1f} ({shd.min():4d} to {shd.max():4d})  {edges.mean():7.3f}  {joined.mean():11.3f}"
        f"  {valid.sum()}/{len(valid)}"
    )


if __name__ == "__main__":
    main()
