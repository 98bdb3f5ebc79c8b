"""Skeletons from raw tables, one core: ours (pc, fast, accurate) beside those of other libraries, in one run.

    pip install 'ml4c[bench]'
    python benchmarks/skeleton.py run results.jsonl [--networks alarm ...] [--rows 1000 10000] [--seeds 3]
    python benchmarks/skeleton.py show results.jsonl

Every method sees the same table: columns permuted by the seed, and then named by their places, so that names tell
nothing. Each measurement is a line of the file, and a process of its own with a limit of time; whoever starts again
goes on from the lines that are there. Seconds are CPU seconds of the call alone, after one call on a small table, so
no method pays for imports or compiling. Three kinds of F1 are kept:

    all       all edges of the network
    varying   without edges that touch a column that is constant in the sample: no data speak about them
    merged    with columns that are copies in the sample taken as one: no data tell them apart

`show` prints means over seeds, then over networks, and how far the probabilities of `accurate` are from frequencies.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import ml4c
from ml4c.baselines import peers
from ml4c.baselines.protocol import Problem
from ml4c.benchmark.linefile import LineFile
from ml4c.bif import network_names
from ml4c.counting import pack_table
from ml4c.graph import skeleton as skeleton_of
from ml4c.skeleton import Skeleton, learn_skeleton
from ml4c.skeleton.twins import find_copies

OURS = ("pc", "fast", "accurate")
NINE = ("child", "insurance", "alarm", "water", "hailfinder", "hepar2", "win95pts", "barley", "mildew")
"""The networks over which the means are told beside those over all."""
KINDS = ("all", "varying", "merged")
BINS, DOUBTFUL = 10, 0.02

Matrix = np.ndarray
Cell = tuple[str, int, int, str]


def main() -> None:
    """Run or show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("--networks", nargs="+", default=list(network_names()))
    runs.add_argument("--rows", nargs="+", type=int, default=[1000, 10_000])
    runs.add_argument("--seeds", type=int, default=3)
    runs.add_argument("--methods", nargs="+", default=[*OURS, *(method.name for method in peers.METHODS)])
    runs.add_argument("--minutes", type=float, default=10.0, help="limit of one measurement")
    shows = commands.add_parser("show")
    for command in (runs, shows):
        command.add_argument("file", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        run(options)
    show(LineFile(options.file).read())


def run(options: argparse.Namespace) -> None:
    """Measure what the file lacks."""
    file = LineFile(options.file)
    wanted = [
        (network, rows, seed, method)
        for rows in options.rows
        for network in options.networks
        for seed in range(options.seeds)
        for method in options.methods
    ]
    with file.writing():
        there = {cell_of(line) for line in file.read()}
        for cell in wanted:
            if cell not in there:
                network, rows, seed, method = cell
                found = guarded(cell, 60 * options.minutes)
                file.append({"network": network, "rows": rows, "seed": seed, "method": method, **found})


def cell_of(line: dict[str, Any]) -> Cell:
    """Return what a line of the file is about."""
    return line["network"], line["rows"], line["seed"], line["method"]


def guarded(cell: Cell, seconds: float) -> dict[str, Any]:
    """Measure in a process of its own, for so long; what fails is told by its error."""
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, mp_context=spawn)
    future = pool.submit(measure, cell)
    workers = list(pool._processes.values())
    try:
        return future.result(timeout=seconds)
    except TimeoutError:
        return {"error": f"no answer within {seconds:g} seconds"}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    finally:
        for worker in workers:
            worker.kill()
        pool.shutdown(wait=False)


def measure(cell: Cell) -> dict[str, Any]:
    """Return CPU seconds, precision, recall and F1 of one cell, and for `accurate` its calibration."""
    network, rows, seed, method = cell
    find = finder(method)
    find(ml4c.load_network("asia").sample(300, 0))
    net = ml4c.load_network(network).permuted(seed)
    data = numbered(net.sample(rows, seed))
    begin = time.process_time()
    found = find(data)
    seconds = time.process_time() - begin
    matrix = found.matrix if isinstance(found, Skeleton) else skeleton_of(found)
    truth = skeleton_of(net.dag)
    result = {"cpu": round(seconds, 3), **scores(truth, matrix, data)}
    if method == "accurate":
        result["bins"] = calibration(found, truth)
    return result


def finder(method: str) -> Callable[[ml4c.Dataset], Any]:
    """Return the function that learns a skeleton, one thread."""
    if method in OURS:
        return lambda data: learn_skeleton(data, method, n_jobs=1)
    peer = next(one for one in peers.METHODS if one.name == method)
    return lambda data: peer(Problem(data))


def numbered(data: ml4c.Dataset) -> ml4c.Dataset:
    """Name the columns by their places."""
    names = tuple(f"X{i:04d}" for i in range(data.n_columns))
    return ml4c.Dataset(names, data.categories, data.codes, data.missing)


def scores(truth: Matrix, found: Matrix, data: ml4c.Dataset) -> dict[str, list[float]]:
    """Return precision, recall and F1 for each kind."""
    varies = np.array([len(labels) > 1 for labels in data.categories])
    both = np.outer(varies, varies)
    group = np.arange(data.n_columns)
    for copies in find_copies(pack_table(data)):
        group[list(copies.copies)] = copies.representative
    return {
        "all": compared(truth, found),
        "varying": compared(truth & both, found & both),
        "merged": compared(merged(truth, group), merged(found, group)),
    }


def merged(graph: Matrix, group: Matrix) -> Matrix:
    """Return the graph of the groups."""
    joined = np.zeros_like(graph)
    i, j = np.nonzero(graph)
    joined[group[i], group[j]] = 1
    np.fill_diagonal(joined, 0)
    return joined


def compared(truth: Matrix, found: Matrix) -> list[float]:
    """Return precision, recall and F1."""
    hits, called, true = int((truth & found).sum()), int(found.sum()), int(truth.sum())
    ratios = hits / max(1, called), hits / max(1, true), 2 * hits / max(1, called + true)
    return [round(ratio, 4) for ratio in ratios]


def calibration(found: Skeleton, truth: Matrix) -> list[list[float]]:
    """Return how many pairs, their sum of probabilities and their edges, for every bin of probabilities."""
    pairs = np.vstack([found.present.pairs, found.absent.pairs])
    probability = np.concatenate([found.present.probability, found.absent.probability])
    doubtful = np.nan_to_num(probability, nan=0.0) >= DOUBTFUL
    p, edge = probability[doubtful], truth[tuple(pairs[doubtful].T)]
    place = np.minimum((p * BINS).astype(int), BINS - 1)
    return [[int((place == k).sum()), float(p[place == k].sum()), int(edge[place == k].sum())] for k in range(BINS)]


def show(lines: list[dict[str, Any]]) -> None:
    """Print tables: networks by methods, means, and the calibration."""
    for rows in sorted({line["rows"] for line in lines}):
        some = [line for line in lines if line["rows"] == rows]
        methods = list(dict.fromkeys(line["method"] for line in some))
        print(f"\n{rows:,} rows: F1 (CPU seconds), means over seeds")
        print(f"{'network':12}" + "".join(f"{method:>21}" for method in methods))
        for network in dict.fromkeys(line["network"] for line in some):
            print(f"{network:12}" + "".join(f"{text(some, network, method):>21}" for method in methods))
        for kind in KINDS:
            for name, networks in means(some):
                cells = (mean_of(some, networks, method, kind) for method in methods)
                print(f"{name + ', ' + kind:24}" + "".join(f"{value:>12}" for value in cells))
        print_calibration([line for line in some if "bins" in line])


def text(lines: list[dict[str, Any]], network: str, method: str) -> str:
    """Return mean F1, its spread and the seconds of one network."""
    of_cell = [line for line in lines if (line["network"], line["method"]) == (network, method)]
    done = [line for line in of_cell if "error" not in line]
    if not done:
        return "failed" if of_cell else ""
    f1 = [line["all"][2] for line in done]
    return f"{np.mean(f1):.3f} +-{np.std(f1):.3f} ({np.mean([line['cpu'] for line in done]):.1f})"


def means(lines: list[dict[str, Any]]) -> Iterator[tuple[str, list[str]]]:
    """Yield names of groups of networks, and their networks."""
    there = list(dict.fromkeys(line["network"] for line in lines))
    yield "all networks", there
    if set(NINE) <= set(there):
        yield "the nine", list(NINE)


def mean_of(lines: list[dict[str, Any]], networks: list[str], method: str, kind: str) -> str:
    """Return the mean over networks of the mean over seeds; networks that a method failed on are counted."""
    found = defaultdict(list)
    for line in lines:
        if line["method"] == method and line["network"] in networks and "error" not in line:
            found[line["network"]].append(line[kind][2])
    failed = len(networks) - len(found)
    return (f"{np.mean([np.mean(f1) for f1 in found.values()]):.3f}" if found else "-") + (f" -{failed}" * bool(failed))


def print_calibration(lines: list[dict[str, Any]]) -> None:
    """Print predicted and observed shares of edges, and their mean distance."""
    if not lines:
        return
    total = np.sum([line["bins"] for line in lines], axis=0)
    some = total[:, 0] > 0
    predicted, observed = total[some, 1] / total[some, 0], total[some, 2] / total[some, 0]
    error = (np.abs(predicted - observed) * total[some, 0]).sum() / total[:, 0].sum()
    print(f"accurate: predicted {np.round(predicted, 2)}, observed {np.round(observed, 2)}, error {error:.3f}")


if __name__ == "__main__":
    main()
