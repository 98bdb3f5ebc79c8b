"""Skeletons from raw tables, one core: ours (pc, fast, accurate) beside those of other libraries, in one run.

    pip install 'ml4c[bench]'
    python benchmarks/skeleton.py run FILE [--networks alarm ...] [--rows 1000 10000] [--seeds 3] [--seconds 600]
    python benchmarks/skeleton.py show FILE
    python benchmarks/skeleton.py cost [--networks mildew ...] [--rows 1000 10000] [--seeds 3] [--calls 3]

Every method sees the same table: columns permuted by the seed, and then named by their places, so that names tell
nothing. Each measurement is a line of the file, and a process of its own; whoever starts again goes on from the lines
that are there (ours are in benchmarks/cells/skeletons.jsonl). Other networks, such as benchmarks/bnrep/*, are given as
files and told apart by their paths. Seconds are CPU seconds of the call alone, after one call
on a small table, so no method pays for imports or compiling. A call that takes more than its limit ends there, and the
method is not tried again on other samples of the network with as many rows or more: its lines say so. Three kinds of
precision, recall and F1 are kept:

    all       all edges of the network
    varying   without edges that touch a column that is constant in the sample: no data speak about them
    merged    with columns that are copies in the sample taken as one: no data tell them apart

`show` prints means over seeds, then over networks, and how far the probabilities of `accurate` are from frequencies.
`cost` calls `fast` and `accurate` in turn, in one process, and prints the CPU seconds of the best calls and their
ratio: on a machine that does nothing else, or the ratio is too low, because `accurate` suffers less from neighbours.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import signal
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
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
from ml4c.skeleton import Skeleton, leaders, learn_skeleton, merged
from ml4c.skeleton.twins import find_copies

OURS = ("pc", "fast", "accurate")
NINE = ("child", "insurance", "alarm", "water", "hailfinder", "hepar2", "win95pts", "barley", "mildew")
"""The networks over which the means are told beside those over all."""
KINDS = ("all", "varying", "merged")
MEASURES = ("precision", "recall", "F1")
BINS, DOUBTFUL = 10, 0.02
MEMORY = 8 * 2**30
"""Bytes that a call may take."""

Matrix = np.ndarray
Cell = tuple[str, int, int, str]


def main() -> None:
    """Run or show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("--networks", nargs="+", default=list(network_names()), help="names, or BIF files")
    runs.add_argument("--rows", nargs="+", type=int, default=[1000, 10_000])
    runs.add_argument("--seeds", type=int, default=3)
    runs.add_argument("--methods", nargs="+", default=[*OURS, *(method.name for method in peers.METHODS)])
    runs.add_argument("--seconds", type=int, default=600, help="limit of one call, CPU time")
    shows = commands.add_parser("show")
    costs = commands.add_parser("cost")
    costs.add_argument("--networks", nargs="+", default=list(network_names()), help="names, or BIF files")
    costs.add_argument("--rows", nargs="+", type=int, default=[1000, 10_000])
    costs.add_argument("--seeds", type=int, default=3)
    costs.add_argument("--calls", type=int, default=3, help="of each method and sample, of which the best counts")
    for command in (runs, shows):
        command.add_argument("file", type=Path)
    options = parser.parse_args()
    if options.command == "cost":
        print_costs(options)
        return
    if options.command == "run":
        run(options)
    show(LineFile(options.file).read())


def run(options: argparse.Namespace) -> None:
    """Measure what the file lacks."""
    file = LineFile(options.file)
    wanted = [
        (network, rows, seed, method)
        for rows in sorted(options.rows)
        for network in options.networks
        for seed in range(options.seeds)
        for method in options.methods
    ]
    with file.writing():
        lines = file.read()
        there = {cell_of(line) for line in lines}
        for cell in wanted:
            if cell not in there:
                network, rows, seed, method = cell
                found = given_up(lines, cell) or guarded(cell, options.seconds)
                lines.append({"network": network, "rows": rows, "seed": seed, "method": method, **found})
                file.append(lines[-1])


def cell_of(line: dict[str, Any]) -> Cell:
    """Return what a line of the file is about."""
    return line["network"], line["rows"], line["seed"], line["method"]


def given_up(lines: list[dict[str, Any]], cell: Cell) -> dict[str, Any] | None:
    """Say where the method ran out of time on the network with as many rows or fewer."""
    for line in lines:
        network, rows, seed, method = cell_of(line)
        if (network, method) == (cell[0], cell[3]) and rows <= cell[1] and "limit" in line:
            error = f"not tried: more than {line['limit']} CPU seconds with {rows:,} rows, seed {seed}"
            return {"error": error, "limit": line["limit"]}
    return None


def guarded(cell: Cell, limit: int) -> dict[str, Any]:
    """Measure in a process of its own, for so many CPU seconds; what fails is told by its error."""
    pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    future = pool.submit(measure, cell, limit)
    (worker,) = pool._processes.values()
    try:
        return future.result()
    except BrokenProcessPool:
        worker.join()
        if worker.exitcode == -signal.SIGXCPU:
            return {"error": f"more than {limit} CPU seconds", "limit": limit}
        return {"error": f"the process ended with {worker.exitcode}"}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    finally:
        worker.kill()
        pool.shutdown(wait=False)


def measure(cell: Cell, limit: int) -> dict[str, Any]:
    """Return CPU seconds, precision, recall and F1 of one cell, and for `accurate` its calibration.

    The operating system ends the process (SIGXCPU) when the call has taken its seconds.
    """
    network, rows, seed, method = cell
    find = finder(method)
    find(ml4c.load_network("asia").sample(300, 0))
    net = ml4c.load_network(network).permuted(seed)
    data = numbered(net.sample(rows, seed))
    begin = time.process_time()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(begin) + limit + 1, resource.RLIM_INFINITY))
    found = find(data)
    seconds = time.process_time() - begin
    matrix = found.matrix if isinstance(found, Skeleton) else skeleton_of(found)
    truth = skeleton_of(net.dag)
    group = leaders(find_copies(pack_table(data)), data.n_columns)
    result = {"cpu": round(seconds, 3), **scores(truth, matrix, data, group)}
    if method == "accurate":
        result["bins"] = calibration(found, truth)
    return result


def print_costs(options: argparse.Namespace) -> None:
    """Print what `fast` and `accurate` cost, called in turn, for each network and size: means over samples."""
    find = {method: finder(method) for method in ("fast", "accurate")}
    print("| network | rows | fast | accurate | ratio | of the samples |\n|---|---|---|---|---|---|")
    for network in options.networks:
        for rows in sorted(options.rows):
            seconds = np.full((options.seeds, len(find)), np.inf)
            for seed in range(options.seeds):
                data = numbered(ml4c.load_network(network).permuted(seed).sample(rows, seed))
                for _ in range(options.calls):
                    for place, method in enumerate(find):
                        begin = time.process_time()
                        find[method](data)
                        seconds[seed, place] = min(seconds[seed, place], time.process_time() - begin)
            fast, accurate = seconds.mean(axis=0)
            each = " ".join(f"{ratio:.2f}" for ratio in seconds[:, 1] / seconds[:, 0])
            print(
                f"| {network} | {rows:,} | {fast:.3f} | {accurate:.3f} | {accurate / fast:.2f} | {each} |", flush=True
            )


def finder(method: str) -> Callable[[ml4c.Dataset], Any]:
    """Return the function that learns a skeleton, one thread."""
    if method in OURS:
        ours: Any = method
        return lambda data: learn_skeleton(data, ours, n_jobs=1)
    peer = next(one for one in peers.METHODS if one.name == method)
    return lambda data: peer(Problem(data))


def numbered(data: ml4c.Dataset) -> ml4c.Dataset:
    """Name the columns by their places."""
    names = tuple(f"X{i:04d}" for i in range(data.n_columns))
    return ml4c.Dataset(names, data.categories, data.codes, data.missing)


def scores(truth: Matrix, found: Matrix, data: ml4c.Dataset, group: Matrix) -> dict[str, list[float]]:
    """Return precision, recall and F1 for each kind."""
    varies = np.array([len(labels) > 1 for labels in data.categories])
    both = np.outer(varies, varies)
    return {
        "all": compared(truth, found),
        "varying": compared(truth & both, found & both),
        "merged": compared(merged(truth, group), merged(found, group)),
    }


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
    """Print tables in Markdown: F1, CPU seconds and means by rows, and the calibration."""
    measured = dict.fromkeys(line["network"] for line in lines)
    networks = [name for name in network_names() if name in measured]
    networks += [file for file in measured if file not in networks]
    methods = list(dict.fromkeys(line["method"] for line in lines))
    for rows in sorted({line["rows"] for line in lines}):
        some = [line for line in lines if line["rows"] == rows]
        print_table(
            f"F1, {rows:,} rows", methods, {name: [f1_of(some, name, one) for one in methods] for name in networks}
        )
        seconds = {name: [seconds_of(some, name, one) for one in methods] for name in networks}
        print_table(f"CPU seconds, {rows:,} rows", methods, seconds)
        print_table(f"Means, {rows:,} rows", methods, means(some, networks, methods))
        for name, part in groups(networks).items():
            print_calibration(name, [line["bins"] for line in some if line["network"] in part and "bins" in line])


def print_table(title: str, methods: list[str], table: dict[str, list[str]]) -> None:
    """Print one table in Markdown."""
    print(f"\n{title}\n\n| | " + " | ".join(methods) + " |\n|" + "---|" * (1 + len(methods)))
    for name, cells in table.items():
        print(f"| {name} | " + " | ".join(cells) + " |")


def done(lines: list[dict[str, Any]], network: str, method: str) -> list[dict[str, Any]]:
    """Return what was measured of a method on a network."""
    return [line for line in lines if (line["network"], line["method"]) == (network, method) and "error" not in line]


def f1_of(lines: list[dict[str, Any]], network: str, method: str) -> str:
    """Return mean and spread of F1; a dash where there is none."""
    f1 = [line["all"][2] for line in done(lines, network, method)]
    return f"{np.mean(f1):.3f} ± {np.std(f1):.3f}" if f1 else "-"


def seconds_of(lines: list[dict[str, Any]], network: str, method: str) -> str:
    """Return mean CPU seconds; the limit where they were more."""
    cpu = [line["cpu"] for line in done(lines, network, method)]
    over = [
        line["limit"] for line in lines if (line["network"], line["method"]) == (network, method) and "limit" in line
    ]
    return f"{np.mean(cpu):.2f}" if cpu else f"> {max(over)}" if over else "-"


def groups(networks: list[str]) -> dict[str, list[str]]:
    """Return the networks over which means are taken."""
    nine = {"the nine": list(NINE)} if set(NINE) <= set(networks) else {}
    return {**nine, "all": networks, "others": [name for name in networks if name not in NINE]}


def means(lines: list[dict[str, Any]], networks: list[str], methods: list[str]) -> dict[str, list[str]]:
    """Return means over networks of the means over seeds, with the number of networks where it is not all of them."""
    table = {}
    for name, part in groups(networks).items():
        for kind in KINDS:
            for place, measure_name in enumerate(MEASURES):
                cells = [mean_of(lines, part, method, kind, place) for method in methods]
                table[f"{measure_name}, {name}, {kind}"] = cells
    return table


def mean_of(lines: list[dict[str, Any]], networks: list[str], method: str, kind: str, place: int) -> str:
    """Return one mean."""
    found = [np.mean([line[kind][place] for line in some]) for name in networks if (some := done(lines, name, method))]
    return (f"{np.mean(found):.3f}" if found else "-") + f" ({len(found)})" * (len(found) < len(networks))


def print_calibration(name: str, counts: list[list[list[float]]]) -> None:
    """Print predicted and observed shares of edges and their mean distance, that also with samples counted alike."""
    if not np.sum(counts):
        return
    of_samples = np.array([sample for sample in counts if np.sum(sample) > 0])
    total = of_samples.sum(axis=0)
    some = total[:, 0] > 0
    predicted, observed = total[some, 1] / total[some, 0], total[some, 2] / total[some, 0]
    alike = (of_samples / of_samples[:, :, :1].sum(axis=1, keepdims=True)).sum(axis=0)
    print(
        f"\naccurate, {name}: error {distance(total):.3f}, with samples counted alike {distance(alike):.3f}, "
        f"predicted {np.round(predicted, 2)}, observed {np.round(observed, 2)}"
    )


def distance(counts: Matrix) -> float:
    """Return how far the sums of probabilities are from the edges, for each pair, over all bins."""
    return float(np.abs(counts[:, 1] - counts[:, 2]).sum() / counts[:, 0].sum())


if __name__ == "__main__":
    main()
