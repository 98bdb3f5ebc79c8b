"""One cell, measured: what happens in the process that the cell has to itself.

Before the clock runs, the method sees a tiny table once, so that no cell pays for imports and for loading compiled
kernels. Seconds are those of the one call, CPU seconds with those of its children. The graph that comes back is
certified as it is, then read as a CPDAG (baselines.read_as_cpdag) and compared with the true one.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ml4c import metrics
from ml4c.baselines import Method, Problem, read_as_cpdag
from ml4c.benchmark.cells import VALID, Cell
from ml4c.benchmark.drawing import DrawnTable, anonymous_names, draw_table
from ml4c.benchmark.methods import find_method
from ml4c.dataset import Dataset
from ml4c.errors import WorkError
from ml4c.graph import Graph, as_graph, edges, is_dag, skeleton
from ml4c.meek import certify, cpdag_of

WARM_STATES = (2, 2, 3, 4, 6, 20)
"""States of the columns of the table that methods see first: kernels differ by the width of columns."""
WARM_TIMES = 3
"""How often our own methods see them: small problems are solved exactly, other kernels are for larger ones."""


@dataclass(frozen=True)
class Task:
    """What a process is told: the cell, the edges of a skeleton that was learned, the folder of trained models."""

    cell: Cell
    edges: list[list[int]] | None = None
    models: str | None = None


def measure(task: Task, begun: Callable[[], object] = lambda: None) -> dict[str, Any]:
    """Measure a cell; returns the values of its record. `begun` is called when the clock begins to run."""
    cell, method = task.cell, find_method(task.cell.method)
    require(method)
    table = draw_table(cell.network, cell.rows, cell.seed)
    models = Path(task.models) if task.models is not None else None
    warm_up(method, models)
    problem = Problem(table.data, _skeleton(task, table.dag), cell.seed, models)
    begun()
    begin, begin_cpu = time.perf_counter(), cpu_seconds()
    found = as_graph(method(problem))
    seconds, cpu = time.perf_counter() - begin, cpu_seconds() - begin_cpu
    return {
        "scores": scores(table.dag, found, _constant(table.data)),
        "seconds": seconds,
        "cpu": cpu,
        "certificate": certificate(found, table.data.names),
        "versions": versions(method),
        "edges": edges(skeleton(found)).undirected.tolist(),
        "details": _sizes(table),
    }


def require(method: Method) -> None:
    """Raise WorkError if a library that the method needs is not installed."""
    for module in method.needs:
        if find_spec(module) is None:
            raise WorkError(f"{module} is not installed: pip install 'ml4c[bench]'")


def warm_up(method: Method, models: Path | None) -> None:
    """Run the method on a ring of narrow and wide columns; whether it likes them does not matter."""
    states = WARM_STATES * (1 if method.needs else WARM_TIMES)
    rng = np.random.default_rng(0)
    codes = np.cumsum(rng.integers(0, 3, (300, len(states))), axis=1) % states
    ring = np.roll(np.eye(len(states), dtype=np.int8), 1, axis=1)
    labels = [[str(state) for state in range(count)] for count in states]
    data = Dataset.from_codes(anonymous_names(len(states), 0), labels, codes)
    with suppress(Exception):
        method(Problem(data, skeleton(ring), 0, models))


def scores(dag: Graph, found: Graph, constant: Sequence[int] = ()) -> dict[str, float]:
    """Compare a graph, read as a CPDAG, with the true one; constant: columns about which the data say nothing."""
    truth, cpdag = cpdag_of(dag), read_as_cpdag(found)
    joined = metrics.skeleton_scores(truth, cpdag)
    return {
        "shd": metrics.shd(truth, cpdag),
        "f1": metrics.edge_f1(truth, cpdag),
        "f1_varying": metrics.edge_f1(truth, cpdag, among=np.setdiff1d(np.arange(len(dag)), constant)),
        "ut_f1": metrics.triple_f1(dag, cpdag),
        "skeleton_precision": joined.precision,
        "skeleton_recall": joined.recall,
        "skeleton_f1": joined.f1,
    }


def certificate(found: Graph, names: tuple[str, ...]) -> str:
    """Say what the graph of a method is, or what fails."""
    certified = certify(found, names)
    if certified.valid:
        return VALID[0]
    return VALID[1] if is_dag(found) else certified.reason


def versions(method: Method) -> dict[str, str]:
    """Return the versions of what ran."""
    found = installed() if method.needs else {}
    named = {name: version(name) for module in method.needs for name in found.get(module, [module])[:1]}
    return {"ml4c": version("ml4c"), "python": platform.python_version(), **named}


@cache
def installed() -> Mapping[str, list[str]]:
    """Return which distributions modules come from."""
    return packages_distributions()


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    ended = os.times()
    return time.process_time() + ended.children_user + ended.children_system


def _skeleton(task: Task, dag: Graph) -> Graph | None:
    if task.cell.skeleton == "none":
        return None
    if task.edges is None:
        return skeleton(dag)
    given = np.zeros_like(dag)
    i, j = np.array(task.edges, np.intp).reshape(-1, 2).T
    given[i, j] = given[j, i] = 1
    return given


def _constant(data: Dataset) -> list[int]:
    return np.flatnonzero(data.cardinalities == 1).tolist()


def _sizes(table: DrawnTable) -> Mapping[str, int]:
    constant = len(table.data.constant)
    return {"nodes": len(table.dag), "edges": int(table.dag.sum()), "constant": constant}
