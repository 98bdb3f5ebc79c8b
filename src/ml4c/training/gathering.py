"""The units of all networks as one matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Gathered:
    """Labelled features of many networks, one after the other."""

    matrix: NDArray[np.float32]
    labels: NDArray[np.uint8]
    counts: NDArray[np.int64]
    """How many rows each network has."""
    missed: NDArray[np.int64]
    """Of each network: true edges that have no row."""

    @property
    def network(self) -> NDArray[np.int64]:
        """The network of each row."""
        return np.repeat(np.arange(len(self.counts)), self.counts)
