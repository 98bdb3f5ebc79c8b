"""Our own methods, as users run them, and what our scores do without a learner."""

from __future__ import annotations

from functools import partial
from typing import Any

from ml4c.baselines.protocol import Method, Problem
from ml4c.counting import pack_table
from ml4c.errors import GraphError
from ml4c.graph import Graph
from ml4c.pipeline import discover, orient
from ml4c.triple_scores import best_by_score


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


def by_score(kind: str, problem: Problem) -> Graph:
    """Take the best orientation of the skeleton under one score."""
    if problem.skeleton is None:
        raise GraphError("a score by itself orients a skeleton: give it one")
    return best_by_score(pack_table(problem.data), problem.skeleton, kind, seed=problem.seed, n_jobs=1)


def _score_only(kind: str, source: str) -> Method:
    return Method(f"score-{kind}", f"best under {kind}", "ours", source, "ml4c", "given", partial(by_score, kind))


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
SCORE_ONLY = (
    _score_only("poe", "this package: product of experts, half of it mix"),
    _score_only("mix", "this package: mixture of Dirichlet priors"),
    _score_only("bdeu", "Heckerman, Geiger, Chickering 1995, Machine Learning 20:197-243, equivalent sample size 10"),
)
