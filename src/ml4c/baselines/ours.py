"""Our own methods, as users run them."""

from __future__ import annotations

from typing import Any

from ml4c.baselines.protocol import Method, Problem
from ml4c.graph import Graph
from ml4c.pipeline import discover, orient


def ml4c(problem: Problem) -> Graph:
    """Run the default of `orient` and `discover`."""
    return _run(problem, "default")


def ml4c_paper(problem: Problem) -> Graph:
    """Run the method as published, with the model that this package trains by the paper's recipe."""
    return _run(problem, "paper")


def _run(problem: Problem, model: str) -> Graph:
    options: dict[str, Any] = {"model": model, "seed": problem.seed, "n_jobs": 1}
    if problem.skeleton is None:
        return discover(problem.data, **options).cpdag
    return orient(problem.data, problem.skeleton, **options).cpdag


METHODS = (
    Method("ml4c", "ML4C (default)", "ours", "this package", "ml4c", "either", ml4c),
    Method(
        "ml4c-paper",
        "ML4C (paper)",
        "ours",
        "Dai, Ding, Jiang, Han, Zhang 2023, arXiv 2110.00637",
        "ml4c",
        "either",
        ml4c_paper,
    ),
)
