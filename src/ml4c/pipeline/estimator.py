"""The estimator: `discover` and `orient` in the shape that scikit-learn's tools expect."""

from __future__ import annotations

import inspect
import os
from typing import Any

from ml4c.dataset import Missing
from ml4c.graph import Graph
from ml4c.interop import FoundTriple
from ml4c.knowledge import Knowledge
from ml4c.orientation import Decision
from ml4c.pipeline.result import Result
from ml4c.pipeline.steps import Progress, discover, orient


class ML4C:
    """Learns the causal graph of a table; the parameters are the options of `discover`.

    After `fit`: result_ (everything), cpdag_ and skeleton_ (matrices in the order of the columns), triples_,
    feature_names_in_, n_features_in_. Parameters are kept as given, so the estimator can be cloned; nothing here
    needs scikit-learn.
    """

    result_: Result
    cpdag_: Graph
    skeleton_: Graph
    triples_: tuple[FoundTriple, ...]
    feature_names_in_: tuple[str, ...]
    n_features_in_: int

    def __init__(
        self,
        *,
        model: str | os.PathLike[str] = "default",
        skeleton_method: str = "auto",
        knowledge: Knowledge | str | os.PathLike[str] | None = None,
        threshold: float | None = None,
        decision: Decision = "best",
        confidence: float | None = None,
        max_condition: int | None = None,
        max_degree: int | None = None,
        edge_threshold: float | None = None,
        time_budget: float | None = None,
        n_jobs: int | None = None,
        seed: int = 0,
        missing: Missing = "error",
        progress: Progress | None = None,
    ) -> None:
        self.model = model
        self.skeleton_method = skeleton_method
        self.knowledge = knowledge
        self.threshold = threshold
        self.decision = decision
        self.confidence = confidence
        self.max_condition = max_condition
        self.max_degree = max_degree
        self.edge_threshold = edge_threshold
        self.time_budget = time_budget
        self.n_jobs = n_jobs
        self.seed = seed
        self.missing = missing
        self.progress = progress

    def fit(self, X: object, y: object = None, *, skeleton: object = None) -> ML4C:  # noqa: ARG002
        """Learn the graph of a table, on a skeleton if one is given; `y` is ignored, as is usual."""
        options = self.get_params()
        if skeleton is None:
            self.result_ = discover(X, **options)
        else:
            self.result_ = orient(X, skeleton, **{k: v for k, v in options.items() if k not in _OF_SKELETONS})
        self.cpdag_, self.skeleton_ = self.result_.cpdag, self.result_.skeleton
        self.triples_ = self.result_.triples
        self.feature_names_in_ = self.result_.names
        self.n_features_in_ = len(self.result_.names)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in _parameters()}

    def set_params(self, **params: Any) -> ML4C:
        """Change parameters; an unknown name is a ValueError."""
        for name, value in params.items():
            if name not in _parameters():
                raise ValueError(f"{name!r} is not a parameter of ML4C; these are: {', '.join(_parameters())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        signature = inspect.signature(type(self)).parameters
        changed = [f"{n}={v!r}" for n, v in self.get_params().items() if v != signature[n].default]
        return f"ML4C({', '.join(changed)})"


_OF_SKELETONS = ("skeleton_method", "max_condition", "max_degree", "edge_threshold", "time_budget")


def _parameters() -> list[str]:
    return list(inspect.signature(ML4C).parameters)
