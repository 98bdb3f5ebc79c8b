"""The distributions of single columns, around which scores judge."""

from __future__ import annotations

import numpy as np

from ml4c._kernels.arrays import Floats
from ml4c.counting import Packed


def marginals(packed: Packed, pseudo: float) -> Floats:
    """Return the distributions of all columns, one after the other, with so many pseudo-counts for every state."""
    smoothed = [counts + pseudo for counts in packed.counts]
    return np.concatenate([counts / counts.sum() for counts in smoothed])
