"""Random features that summarise a list of numbers of any length: a kernel mean embedding (METHOD section 3).

The weights are drawn once, when a model is trained, and belong to the model: features computed with other weights are
other features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

DIMENSION = 15
SCALES = (0.15, 1.5, 15.0)
"""Standard deviations of the weights; each serves a third of the dimensions."""


@dataclass(frozen=True)
class Embedding:
    """cos(weight * z + phase), averaged over standardised values z, for each weight and phase."""

    weights: tuple[float, ...]
    phases: tuple[float, ...]

    def to_dict(self) -> dict[str, list[float]]:
        """Return what a model's card holds."""
        return {"weights": list(self.weights), "phases": list(self.phases)}

    @classmethod
    def from_dict(cls, card: Mapping[str, Sequence[Any]]) -> Embedding:
        """Read what a model's card holds."""
        return cls(tuple(float(w) for w in card["weights"]), tuple(float(b) for b in card["phases"]))


def draw_embedding(seed: int) -> Embedding:
    """Draw weights from N(0, scale) and phases from U[0, 2 pi]."""
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal(DIMENSION) * np.repeat(SCALES, DIMENSION // len(SCALES))
    return Embedding(tuple(weights.tolist()), tuple(rng.uniform(0.0, 2.0 * np.pi, DIMENSION).tolist()))
