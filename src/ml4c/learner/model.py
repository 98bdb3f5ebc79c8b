"""Boosted trees: fit and probability.

The fit is the same to the bit for any number of threads. Threads add gradients in different orders, which rounds
differently; so gradients and hessians of the log loss are rounded first to multiples of a power of two that is
coarse enough for every sum of them to be exact in double precision, and fine enough (2^-30 for the training set of the
paper, 2^-23 being the precision of the single floats that XGBoost keeps them in) to change nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c.counting import available_cores
from ml4c.errors import ModelError
from ml4c.learner.card import ModelCard
from ml4c.learner.contributions import Leaves, contributions, leaves_of, most_conditions
from ml4c.learner.files import save_model
from ml4c.learner.library import xgboost_library

if TYPE_CHECKING:
    import xgboost

Floats: TypeAlias = NDArray[np.floating[Any]]
Objective: TypeAlias = Callable[[NDArray[np.float32], "xgboost.DMatrix"], tuple[Floats, Floats]]

N_TREES = 100
PAPER_PARAMETERS: Mapping[str, Any] = {
    "n_trees": N_TREES,
    "max_depth": 6,
    "eta": 0.3,
    "objective": "binary:logistic",
    "base_score": 0.5,
    "tree_method": "hist",
    "max_bin": 256,
}
"""XGBoost's defaults when the paper was written, with histograms for speed."""
WORLD_PARAMETERS: Mapping[str, Any] = {
    **PAPER_PARAMETERS,
    "n_trees": 600,
    "eta": 0.05,
    "min_child_weight": 2,
    "colsample_bytree": 0.5,
}
"""Of learners on networks of many kinds, of edges and of colliders: smaller steps, each on half of the features."""
MOST_CONDITIONS = 14
"""Leaves behind more conditions than this (trees of more levels) are left to XGBoost: patterns of them are too many."""
ROWS_PER_THREAD = 4096
FINEST, EXACT = 30, 52
"""Bits after the point of a gradient at most, and bits of a sum of gradients that is surely exact."""


@dataclass(frozen=True, eq=False)
class Learner:
    """Trees that turn features into a probability: of a triple being a v-structure, or of a pair being an edge.

    `card` is there when the learner was loaded.
    """

    booster: xgboost.Booster
    card: ModelCard | None = None

    @classmethod
    def fit(
        cls,
        matrix: NDArray[np.floating[Any]],
        labels: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        params: Mapping[str, Any] = PAPER_PARAMETERS,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> Learner:
        """Fit to a matrix of features, one row for each triple, and labels, 1 for a v-structure."""
        library = xgboost_library()
        y = np.asarray(labels, dtype=np.float32)
        w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
        _check_training(matrix, y, w)
        threads = _threads(n_jobs, len(y))
        options = {**params, "seed": seed, "nthread": threads, "verbosity": 0}
        trees = options.pop("n_trees")
        data = library.QuantileDMatrix(matrix, y, max_bin=options["max_bin"], nthread=threads)
        return cls(library.train(options, data, trees, obj=_exact_log_loss(y, w)))

    @cached_property
    def n_features(self) -> int:
        """Number of columns that `probability` expects."""
        return int(self.booster.num_features())

    def probability(self, matrix: NDArray[np.floating[Any]], *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the probability of a v-structure for every row; the same for any `n_jobs`."""
        self._check_width(matrix)
        if not len(matrix):
            return np.empty(0)
        self.booster.set_param({"nthread": _threads(n_jobs, len(matrix))})
        found = self.booster.inplace_predict(np.ascontiguousarray(matrix, dtype=np.float32))
        return np.asarray(found, dtype=np.float64)

    def contributions(self, matrix: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Return what each feature adds to the log-odds of every row (Shapley values of the trees).

        A row and the learner's own start, which is left out, sum to the log-odds.
        """
        self._check_width(matrix)
        single = np.asarray(matrix, dtype=np.float32)
        if most_conditions(self._leaves) <= MOST_CONDITIONS:
            return contributions(self._leaves, single)
        data = xgboost_library().DMatrix(single)
        return np.asarray(self.booster.predict(data, pred_contribs=True)[:, :-1], dtype=np.float64)

    @cached_property
    def _leaves(self) -> Leaves:
        return leaves_of(bytes(self.booster.save_raw("json")))

    def _check_width(self, matrix: NDArray[np.floating[Any]]) -> None:
        if matrix.ndim != 2 or matrix.shape[1] != self.n_features:
            raise ModelError(f"the model takes {self.n_features} features in columns, not a {matrix.shape} matrix")

    def save(self, folder: str | os.PathLike[str], card: ModelCard) -> ModelCard:
        """Write `model.ubj` and `card.json` into a folder, made if needed; returns the card with its checksum."""
        return save_model(folder, self.trees(), card)

    def trees(self) -> bytes:
        """Return the trees in XGBoost's binary JSON, which `learner_from_trees` reads."""
        return bytes(self.booster.save_raw("ubj"))


def _threads(n_jobs: int | None, rows: int) -> int:
    """Return how many threads to use; on few rows they would only wait for each other."""
    return max(1, min(n_jobs or available_cores(), rows // ROWS_PER_THREAD))


def _check_training(matrix: Floats, labels: Floats, weights: Floats) -> None:
    if matrix.ndim != 2 or not len(matrix) == len(labels) == len(weights):
        raise ModelError(f"a {matrix.shape} matrix, {len(labels)} labels and {len(weights)} weights do not go together")
    if not len(labels):
        raise ModelError("there is no triple to learn from")
    if not np.isin(labels, (0, 1)).all():
        raise ModelError("labels are 1 for a v-structure and 0 for any other triple")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ModelError("weights are finite numbers, none of them negative")


def _exact_log_loss(labels: Floats, weights: Floats) -> Objective:
    """Return gradient and hessian of the log loss, rounded so that their sums are exact in any order."""
    bits = EXACT - int(np.ceil(np.log2(len(labels) * max(1.0, float(weights.max())))))
    unit = 2.0 ** min(FINEST, bits)

    def objective(margin: NDArray[np.float32], _data: xgboost.DMatrix) -> tuple[Floats, Floats]:
        p = 1 / (1 + np.exp(-margin.astype(np.float64)))
        gradient, hessian = (p - labels) * weights, p * (1 - p) * weights
        return _as_single(gradient, unit), _as_single(hessian, unit)

    return objective


def _as_single(values: Floats, unit: float) -> NDArray[np.float32]:
    return np.asarray(np.rint(values * unit) / unit, dtype=np.float32)
