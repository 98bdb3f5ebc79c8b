"""The figures of the paper's tables, which the tables here stand beside (`published/README.md`)."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

PAPER_NAMES = {
    "ml4c-paper": "ML4C",
    "jarfo": "Jarfo",
    "d2c": "D2C",
    "rcc": "RCC",
    "ncc": "NCC",
    "pc": "PC",
    "cpc": "CPC",
    "mpc": "MPC",
    "gmb": "GMB",
    "ges": "GES",
    "gs": "GS",
    "hc": "HC",
    "cds": "CDS",
    "gobnilp": "GNIP",
    "dag-gnn": "DGNN",
    "blip": "BLIP",
    "grasp": "GRSP",
}
"""What the paper's Table 1 calls our methods."""


@cache
def published_table(number: int) -> tuple[dict[str, str], ...]:
    """Return the rows of a table of the paper."""
    folder = files("ml4c.benchmark") / "published"
    (file,) = (file for file in folder.iterdir() if file.name.startswith(f"table{number}_"))
    return tuple(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


@cache
def published_accuracy() -> dict[tuple[str, str], dict[str, float]]:
    """Return SHD and F1 of Table 1 for every network and method, by our names; some methods had no result there."""
    ours = {theirs: name for name, theirs in PAPER_NAMES.items()}
    return {
        (row["network"], ours[row["method"]]): {score: float(row[score]) for score in ("shd", "f1") if row[score]}
        for row in published_table(1)
    }
