"""NCC, the neural causation coefficient (Lopez-Paz, Nishihara, Chintala, Schoelkopf & Bottou 2017).

Every row (x, y), standardised, passes one small network; the mean over rows passes another, whose output is the
log-odds that x is the cause. The mean over rows is exactly the mean over the cells of the contingency table. Both ways
round are asked and subtracted, in training too: the loss of a pair and of its exchange are then one and the same.

Two hidden layers of 100 rectified units before the mean and two after it, which lose a quarter of their units at random
in training (RMSProp). Unlike the paper's, nothing is normalised over a batch. PyTorch is needed for training alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ml4c.baselines.pairwise.supervised import Arrays, Supervised
from ml4c.baselines.pairwise.tables import (
    Floats,
    Pairs,
    Table,
    by_frequency,
    contingency_tables,
    frequency_ranks,
    standardised,
    turned,
)
from ml4c.dataset import Dataset

LAYERS = ((2, 100), (100, 100), (100, 100), (100, 100), (100, 1))
BEFORE_MEAN = 2
KEPT = 0.75
EPOCHS, BATCH, RATE = 40, 32, 5e-4
SEED = 2017
SETTINGS = {"layers": LAYERS, "kept": KEPT, "epochs": EPOCHS, "batch": BATCH, "rate": RATE, "seed": SEED}


def cells(table: Table) -> Floats:
    """Return a row (x, y, share of rows) for every cell that occurs."""
    x, y = (standardised(frequency_ranks(counts), counts) for counts in (table.sum(axis=1), table.sum(axis=0)))
    i, j = np.nonzero(table)
    return np.column_stack([x[i], y[j], table[i, j] / table.sum()])


def describe(data: Dataset, pairs: Pairs, _drawn: Arrays) -> Arrays:
    """Return the cells of the pairs one below the other, both ways round, and how many each pair has."""
    tables = [by_frequency(table) for table in contingency_tables(data, pairs)]
    forward, backward = [cells(table) for table in tables], [cells(turned(table)) for table in tables]
    number = np.array([len(found) for found in forward])
    return {"forward": np.concatenate(forward), "backward": np.concatenate(backward), "number": number}


def log_odds(weights: Any, points: Any, share: Any, kept: Any = (1.0, 1.0)) -> Any:
    """Return the output of the network: for arrays of NumPy and of PyTorch, one pair or a batch of pairs."""
    hidden = points
    for layer in range(BEFORE_MEAN):
        hidden = (hidden @ weights[f"w{layer}"] + weights[f"b{layer}"]).clip(0)
    mean = (hidden * share[..., None]).sum(-2)
    for layer, mask in enumerate(kept, start=BEFORE_MEAN):
        mean = (mean @ weights[f"w{layer}"] + weights[f"b{layer}"]).clip(0) * mask
    last = len(LAYERS) - 1
    return (mean @ weights[f"w{last}"] + weights[f"b{last}"])[..., 0]


def score(model: Arrays, described: Arrays) -> Floats:
    """Return the log-odds of one way round less those of the other, pair by pair, so that no pair sees another."""
    ways = (_split(described, way) for way in ("forward", "backward"))
    return np.array([_single(model, first) - _single(model, second) for first, second in zip(*ways, strict=True)])


def fit(described: list[Arrays]) -> Arrays:
    """Train the network on pairs (cause, effect), one thread, all random numbers from one seed."""
    torch: Any = import_module("torch")
    rng = np.random.default_rng(SEED)
    weights = {name: torch.tensor(values, requires_grad=True) for name, values in _start(rng).items()}
    ways = [torch.tensor(_padded(described, way)) for way in ("forward", "backward")]
    optimiser = torch.optim.RMSprop(weights.values(), lr=RATE)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for chosen in _batches(len(ways[0]), rng):
            kept = [torch.tensor(_mask(rng, len(chosen), units)) for units, _ in LAYERS[BEFORE_MEAN + 1 :]]
            first, second = (log_odds(weights, way[chosen][..., :2], way[chosen][..., 2], kept) for way in ways)
            loss = torch.nn.functional.softplus(second - first).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    finally:
        torch.set_num_threads(threads)
    return {name: values.detach().numpy() for name, values in weights.items()}


def _single(model: Arrays, found: Floats) -> float:
    return float(log_odds(model, found[:, :2], found[:, 2]))


def _split(described: Arrays, way: str) -> list[Floats]:
    """Return the cells of each pair."""
    return np.split(described[way], np.cumsum(described["number"])[:-1])


def _padded(described: list[Arrays], way: str) -> NDArray[np.float32]:
    """Return the cells of all pairs as one array, filled up with cells without rows."""
    pairs = [found for arrays in described for found in _split(arrays, way)]
    whole = np.zeros((len(pairs), max(map(len, pairs)), 3), dtype=np.float32)
    for row, found in zip(whole, pairs, strict=True):
        row[: len(found)] = found
    return whole


def _start(rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """Draw weights that keep the scale of rectified units; biases begin at 0."""
    start = {}
    for layer, (inputs, outputs) in enumerate(LAYERS):
        start[f"w{layer}"] = (rng.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)).astype(np.float32)
        start[f"b{layer}"] = np.zeros(outputs, dtype=np.float32)
    return start


def _batches(pairs: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Return the batches of all epochs, the pairs shuffled in each."""
    orders = [rng.permutation(pairs) for _ in range(EPOCHS)]
    return [order[start : start + BATCH] for order in orders for start in range(0, pairs, BATCH)]


def _mask(rng: np.random.Generator, pairs: int, units: int) -> NDArray[np.float32]:
    """Return 0 for units that are left out and the scale that makes up for it for the others."""
    return ((rng.random((pairs, units)) < KEPT) / KEPT).astype(np.float32)


NCC = Supervised("ncc", settings=SETTINGS, describe=describe, fit=fit, score=score)
