"""ML4C as published, measured again: the paper's Tables 1, 2 and 3 with the model that this package ships.

    python benchmarks/paper.py run [--rows 10000 ...] [--seeds 3] [--networks alarm ...] [--jobs 2]
    python benchmarks/paper.py write > docs/results.md

A cell is (network, rows, seed): the columns are permuted by the seed, the network is sampled with it, the true skeleton
is given. Every cell is one line of benchmarks/results.jsonl; a run goes on from the cells that are there. `write` makes
the page from them; the published figures come from benchmarks/published/.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from ml4c import DataTest, cpdag_of, edge_f1, load_network, network_names, shd, triple_f1
from ml4c.features import FEATURE_NAMES, triple_features
from ml4c.graph import skeleton
from ml4c.learner import load_learner
from ml4c.orientation import orient_as_published
from ml4c.triples import PAPER, find_sepsets, share_with_middle, vicinity_of

PUBLISHED = Path(__file__).parent / "published"
RESULTS = Path(__file__).parent / "results.jsonl"
ALL_ROWS = (10_000, 1_000, 5_000, 15_000, 20_000)
HURDLE = 2.5758293035489
"""Severity at p = 0.01: dependent from here on."""

Columns = dict[str, np.ndarray]
Predicate = Callable[[Columns, np.random.Generator], np.ndarray]


def _every(of: Columns, cell: str, dependent: bool) -> np.ndarray:
    """Tell where every question of a cell is answered so; an empty list agrees."""
    size, low, high = of[f"{cell} size"], of[f"{cell} severity min"], of[f"{cell} severity max"]
    return (size == 0) | ((low >= HURDLE) if dependent else (high < HURDLE))


PREDICATES: dict[str, Predicate] = {
    "strong-1": lambda of, rng: of["share"] < rng.uniform(),
    "strong-2": lambda of, _: of["share"] == 0,
    "strong-3": lambda of, _: (of["share"] == 0) & _every(of, "X~Y|S+T", True),
    "strong-4": lambda of, _: _every(of, "X~Y|S+T", True),
    "weak-1": lambda of, _: _every(of, "PC_X~PC_Y|T", True),
    "weak-2": lambda of, _: _every(of, "PC_X~PC_Y|S+T", True),
    "weak-3": lambda of, _: _every(of, "X~Y|PC_T", False),
    "weak-4": lambda of, _: _every(of, "X~Y|S+PC_T", True),
}


def cell(network: str, rows: int, seed: int) -> dict[str, Any]:
    """Measure one cell."""
    net = load_network(network).permuted(seed)
    data = net.sample(rows, seed=seed)
    learner = load_learner("paper")
    start, start_cpu = time.perf_counter(), time.process_time()
    test = DataTest(data, n_jobs=1)
    found = triple_features(test, skeleton(net.dag), embedding=learner.card.embedding)
    probability = learner.probability(found.matrix, n_jobs=1)
    made = orient_as_published(skeleton(net.dag), found.triples, probability)
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    truth = cpdag_of(net.dag)

    def scored(graph: np.ndarray) -> dict[str, float]:
        return {"shd": shd(truth, graph), "f1": edge_f1(truth, graph), "ut_f1": triple_f1(net.dag, graph)}

    vicinity = vicinity_of(net.dag, data.names)
    of = dict(zip(FEATURE_NAMES, found.matrix.T, strict=True))
    of["share"] = share_with_middle(vicinity, find_sepsets(test, vicinity, PAPER))
    rng = np.random.default_rng(seed)
    predicates = {
        name: scored(orient_as_published(skeleton(net.dag), found.triples, rule(of, rng).astype(float)).cpdag)
        for name, rule in PREDICATES.items()
    }
    x, t, y = found.triples.T
    label = (net.dag[x, t] == 1) & (net.dag[y, t] == 1)
    return {
        "network": network,
        "rows": rows,
        "seed": seed,
        "nodes": net.n_nodes,
        "edges": net.n_edges,
        "triples": len(label),
        "constant": len(data.constant),
        **scored(made.cpdag),
        "valid": made.certificate.valid,
        "true_positive": int((label & (probability >= 0.1)).sum()),
        "false_positive": int((~label & (probability >= 0.1)).sum()),
        "false_negative": int((label & (probability < 0.1)).sum()),
        "seconds": seconds,
        "cpu": cpu,
        "predicates": predicates,
    }


def run(networks: Iterable[str], rows: Iterable[int], seeds: int, jobs: int) -> None:
    """Compute the cells that are missing, small networks first."""
    names = list(networks)
    wanted = [(n, r, s) for r in rows for s in range(seeds) for n in names]
    known = {(c["network"], c["rows"], c["seed"]) for c in _cells()}
    missing = [c for c in wanted if c not in known]
    print(f"{len(wanted)} cells, {len(missing)} to compute", flush=True)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as workers:
        futures = [workers.submit(cell, *c) for c in missing]
        for i, future in enumerate(as_completed(futures), 1):
            found = future.result()
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found) + "\n")
            name = f"{found['network']} {found['rows']:,} rows, seed {found['seed']}"
            print(f"{i}/{len(missing)} {name}: F1 {found['f1']:.3f}, {found['cpu']:.1f} s", flush=True)


def _cells() -> list[dict[str, Any]]:
    """Read the cells that are there; a last line that a killed run left unfinished is not one."""
    lines = RESULTS.read_text(encoding="utf-8").split("\n") if RESULTS.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}}}")]


def _published(table: str) -> list[dict[str, str]]:
    with (PUBLISHED / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _spread(values: list[float], digits: int) -> str:
    return f"{np.mean(values):.{digits}f} ± {np.std(values):.{digits}f}"


def write() -> None:
    """Print the page."""
    cells = sorted(_cells(), key=lambda c: (c["rows"], c["seed"], c["network"]))
    sys.stdout.write((PUBLISHED / "results_intro.md").read_text(encoding="utf-8"))
    _write_table_1([c for c in cells if c["rows"] == 10_000])
    _write_table_3(cells)
    _write_table_2([c for c in cells if c["rows"] == 10_000])


def _write_table_1(cells: list[dict[str, Any]]) -> None:
    paper = {r["network"]: r for r in _published("table1_accuracy") if r["method"] == "ML4C"}
    print("\n## Table 1: 10,000 rows\n")
    print("| network | nodes | edges | triples | SHD | F1 | UT-F1 | published SHD | published F1 | valid | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in network_names():
        of = [c for c in cells if c["network"] == name]
        if not of:
            continue
        said = paper.get(name, {"shd": "-", "f1": "-"})
        numbers = [_spread([c["shd"] for c in of], 1), *(_spread([c[k] for c in of], 3) for k in ("f1", "ut_f1"))]
        valid = f"{sum(c['valid'] for c in of)} of {len(of)}"
        head = f"| {name} | {of[0]['nodes']} | {of[0]['edges']} | {of[0]['triples']} |"
        cpu = np.mean([c["cpu"] for c in of])
        print(head, " | ".join(numbers), f"| {said['shd']} | {said['f1']} | {valid} | {cpu:.1f} |")
    both = [c for c in cells if c["network"] in paper]
    theirs = np.mean([float(paper[name]["f1"]) for name in {c["network"] for c in both}])
    print(
        f"\nMean F1 over {len(_by_network(cells))} networks: {np.mean(_by_network(cells)):.3f}. Over the "
        f"{len(_by_network(both))} networks of the published table: {np.mean(_by_network(both)):.3f}, published "
        f'{theirs:.3f}. Valid CPDAGs: {sum(c["valid"] for c in cells)} of {len(cells)}. Seeds: see the column "valid".'
    )


def _by_network(cells: list[dict[str, Any]]) -> list[float]:
    """Return the mean F1 over seeds of each network."""
    return [
        float(np.mean([c["f1"] for c in cells if c["network"] == name]))
        for name in sorted({c["network"] for c in cells})
    ]


def _write_table_3(cells: list[dict[str, Any]]) -> None:
    paper = {(r["network"], int(r["samples"])): r for r in _published("table3_robustness")}
    sizes = sorted({c["rows"] for c in cells})
    print("\n## Table 3: other numbers of rows\n\nMean F1 over seeds, and the published one in brackets.\n")
    print("| network |", " | ".join(f"{r:,}" for r in sizes), "|")
    print("|---" * (len(sizes) + 1) + "|")
    for name in network_names():
        row = []
        for size in sizes:
            of = [c["f1"] for c in cells if c["network"] == name and c["rows"] == size]
            said = paper.get((name, size), {}).get("f1")
            row.append((f"{np.mean(of):.3f}" if of else "-") + (f" ({said})" if said else ""))
        print(f"| {name} |", " | ".join(row), "|")
    of_size = [_by_network([c for c in cells if c["rows"] == size]) for size in sizes]
    print("| mean (networks) |", " | ".join(f"{np.mean(of):.3f} ({len(of)})" for of in of_size), "|")
    seeds = {size: len({c["seed"] for c in cells if c["rows"] == size}) for size in sizes}
    print("\nSeeds at most: " + ", ".join(f"{size:,} rows {count}" for size, count in seeds.items()) + ".")


def _write_table_2(cells: list[dict[str, Any]]) -> None:
    print("\n## Table 2: predicates instead of the learner, 10,000 rows\n")
    print("| rule | definition | F1, mean ± deviation over networks | UT-F1 | published F1 |\n|---|---|---|---|---|")
    for said in _published("table2_reliability"):
        name = said["classifier"]
        of = cells if name == "ML4C" else [c["predicates"][name] for c in cells]
        numbers = f"{_spread([c['f1'] for c in of], 2)} | {_spread([c['ut_f1'] for c in of], 2)}"
        definition = said["definition"].replace("|", "\\|")
        print(f"| {name} | {definition} | {numbers} | {said['f1_mean']} ± {said['f1_std']} |")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "write"])
    parser.add_argument("--networks", nargs="*", default=network_names())
    parser.add_argument("--rows", nargs="*", type=int, default=ALL_ROWS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.command == "run":
        run(options.networks, options.rows, options.seeds, options.jobs)
    else:
        write()


if __name__ == "__main__":
    main()
