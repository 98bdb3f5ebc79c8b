"""What probabilities of directions are worth, and the decisions that go by them.

    ml4c train default -o DIR
    python benchmarks/directions.py held-out DIR
    python benchmarks/directions.py networks [ROWS [SEEDS]]
    python benchmarks/directions.py raw [FOLDER]

`held-out`: every fifth training network on its true skeleton, every triple judged by a learner that was fitted without
its network. `networks`: the 24 networks, columns shuffled, judged by the shipped model (docs/model.md says what was
looked at on them). Both print the calibration error (ten bins) of triples and of directions, with edges that touch a
constant column apart where the table is at hand, and for each decision the mean F1 of arrows, the mean SHD and the
share of edges that are arrows. `raw`: from raw tables, of 300 new synthetic networks or of the BIF files of a folder
(300 to 10,000 rows, four samples), the log loss of the directions of all edges that `discover` draws, and of those that
are there, where triples count by other powers of the probability that they are one (`ml4c.pipeline.steps.DOUBT`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

import ml4c
from ml4c.graph import directed, skeleton
from ml4c.meek import cpdag_of
from ml4c.metrics import edge_f1, shd
from ml4c.orientation import ON_GIVEN, orient_globally
from ml4c.pipeline import steps
from ml4c.synthesis import ColliderRecipe, world_network
from ml4c.training.held_out import calibration_error
from training_folder import judged, on_true_skeletons

ROWS = (0, 1_000, 3_000, 10_000, 100_000)
COLUMNS = (0, 15, 50, 100_000)
DECISIONS = {
    "best": {},
    "f1": {"decision": "f1"},
    "shd": {"decision": "shd"},
    "confidence 0.9": {"confidence": 0.9},
}
FRESH = {"networks": 300, "nodes": (5, 120), "again": 0.0, "seed": 8, "max_cells": 1_500_000}
"""Networks of the kinds of the training, and none of them."""
POWERS = (0.0, 0.5, 1.0)
SUREST = 0.997
"""No direction is taken to be surer, as the draws are 300."""


@dataclass
class Judged:
    """One network: its true DAG, its triples with probabilities, its rows, and which columns are constant."""

    dag: np.ndarray
    triples: np.ndarray
    probability: np.ndarray
    rows: int
    constant: np.ndarray | None = None
    silent: np.ndarray | None = None
    """Numbers of edges: marked undetermined, of these wrong, not marked, of these wrong."""


@dataclass
class Tally:
    """Probabilities and what came true, of directions and of triples."""

    shares: list[np.ndarray] = field(default_factory=list)
    arrows: list[np.ndarray] = field(default_factory=list)
    constant: list[np.ndarray] = field(default_factory=list)
    rows: list[np.ndarray] = field(default_factory=list)
    columns: list[np.ndarray] = field(default_factory=list)


def held_out(folder: Path) -> Iterator[Judged]:
    """Yield training networks, judged by others."""
    for dag, triples, probability, rows in on_true_skeletons(*judged("default", folder)):
        yield Judged(dag, triples, probability, rows)


def networks(rows: int, seeds: int) -> Iterator[Judged]:
    """Yield the 24 networks, judged by the shipped model."""
    for name in ml4c.network_names():
        for seed in range(seeds):
            net = ml4c.load_network(name).permuted(seed)
            table = net.sample(rows, seed=seed)
            found = ml4c.orient(table, skeleton(net.dag))
            place = {column: k for k, column in enumerate(table.names)}
            triples = np.array([[place[t.x], place[t.t], place[t.y]] for t in found.triples], np.intp).reshape(-1, 3)
            constant = np.array([column in table.constant for column in table.names])
            probability = np.array([t.probability for t in found.triples])
            yield Judged(net.dag, triples, probability, rows, constant, counted(found, net.dag, place))


def counted(found: ml4c.Result, dag: np.ndarray, place: dict[str, int]) -> np.ndarray:
    """Count the edges that are marked undetermined and the others, and those of both that are wrong."""
    truth, counts = cpdag_of(dag), np.zeros((2, 2), int)
    for edge in found.edges:
        i, j = place[edge.source], place[edge.target]
        right = (truth[i, j], truth[j, i]) == (1, int(edge.type == "undirected"))
        counts[int(edge.undetermined is None)] += (1, int(not right))
    return counts.ravel()


def tables(folder: Path | None) -> Iterator[tuple[ml4c.BayesNet, ml4c.Dataset]]:
    """Yield networks with samples; synthetic nodes are numbered at random, columns of files are shuffled."""
    if folder is None:
        recipe = replace(ColliderRecipe(), name="fresh", **FRESH)
        for made in (world_network(recipe, index) for index in range(recipe.networks)):
            yield made.net, made.sample()
    else:
        for path in sorted(folder.glob("*.bif*")):
            for seed in range(4):
                net = ml4c.load_network(path).permuted(seed)
                yield from ((net, net.sample(rows, seed)) for rows in (300, 1_000, 3_000, 10_000))


def show_raw(folder: Path | None) -> None:
    """Print the log loss of directions from raw tables, by the power of the probability of a triple."""
    total, number = np.zeros((len(POWERS), 2)), np.zeros(2)
    for net, table in tables(folder):
        arrows, place = directed(cpdag_of(net.dag)), {name: k for k, name in enumerate(net.names)}
        there = skeleton(net.dag)
        for power, sums in zip(POWERS, total, strict=True):
            steps.DOUBT = power
            found = ml4c.discover(table, skeleton_method="accurate", n_jobs=1)
            for edge in found.edges:
                i, j = place[edge.source], place[edge.target]
                for share, arrow in (
                    (edge.forward_probability, arrows[i, j]),
                    (edge.backward_probability, arrows[j, i]),
                ):
                    given = share if arrow else 1 - share
                    loss = -np.log(np.clip(given, 1 - SUREST, SUREST))
                    sums += loss, loss * there[i, j]
                    number += (1, there[i, j]) if power == POWERS[0] else 0
    print("| power | log loss of directions, all edges | edges that are there |\n|---|---|---|")
    for power, (every, true) in zip(POWERS, total / number, strict=True):
        print(f"| {power:g} | {every:.3f} | {true:.3f} |")


def main() -> None:
    """Measure what is asked for, and print tables."""
    kind, *rest = sys.argv[1:]
    if kind == "raw":
        show_raw(Path(rest[0]) if rest else None)
        return
    source = held_out(Path(rest[0])) if kind == "held-out" else networks(*_numbers(rest))
    tally, figures = Tally(), {name: [] for name in DECISIONS}
    chances, colliders, silent = [], [], np.zeros(4, int)
    for network in source:
        a, truth = skeleton(network.dag), cpdag_of(network.dag)
        x, t, y = network.triples.T
        silent += 0 if network.silent is None else network.silent
        chances.append(network.probability)
        colliders.append(network.dag[x, t] & network.dag[y, t])
        for name, options in DECISIONS.items():
            found = orient_globally(a, network.triples, network.probability, threshold=ON_GIVEN, **options)
            arrows = directed(found.cpdag).sum() / max(1, a.sum() / 2)
            figures[name].append((edge_f1(truth, found.cpdag), shd(truth, found.cpdag), arrows))
            if name == "best":
                _note(tally, network, found.directions, truth)
    _calibration(tally, np.concatenate(chances), np.concatenate(colliders))
    print("\n| decision | mean F1 | mean SHD | share of edges that are arrows |\n|---|---|---|---|")
    for name, values in figures.items():
        f1, distance, arrows = np.mean(values, axis=0)
        print(f"| {name} | {f1:.3f} | {distance:.2f} | {arrows:.2f} |")
    if silent.any():
        print("\nundetermined edges {}, of these wrong {}; others {}, of these wrong {}".format(*silent))


def _numbers(words: list[str]) -> tuple[int, int]:
    rows, seeds, *_ = [*map(int, words), *(10_000, 1)[len(words) :]]
    return rows, seeds


def _note(tally: Tally, network: Judged, directions: object, truth: np.ndarray) -> None:
    i, j = directions.arrows.T
    still = np.zeros(len(truth), bool) if network.constant is None else network.constant
    tally.shares.append(directions.share)
    tally.arrows.append(directed(truth)[i, j])
    tally.constant.append(still[i] | still[j])
    tally.rows.append(np.full(len(i), network.rows))
    tally.columns.append(np.full(len(i), len(truth)))


def _calibration(tally: Tally, chances: np.ndarray, colliders: np.ndarray) -> None:
    share, arrow, constant, rows, columns = map(
        np.concatenate, (tally.shares, tally.arrows, tally.constant, tally.rows, tally.columns)
    )
    print("| what | number | calibration error |\n|---|---|---|")
    print(f"| triples | {len(chances):,} | {calibration_error(chances, colliders):.3f} |")
    classes = {"directions": np.ones(len(share), bool)}
    if constant.any():
        classes["directions between columns that vary"] = ~constant
    else:
        for title, of, edges in (("rows", rows, ROWS), ("columns", columns, COLUMNS)):
            for low, high in pairwise(edges):
                classes[f"directions, {title} {low:,} to {high - 1:,}"] = (of >= low) & (of < high)
    for title, mine in classes.items():
        if mine.any():
            print(f"| {title} | {int(mine.sum()):,} | {calibration_error(share[mine], arrow[mine]):.3f} |")


if __name__ == "__main__":
    main()
