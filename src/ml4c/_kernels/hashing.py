"""One way to scramble 64 bits."""

from __future__ import annotations

import numpy as np

from ml4c._kernels.arrays import step


@step
def scramble(code: int) -> int:
    """Scramble a 64-bit word (the finaliser of splitmix64)."""
    code = (code ^ (code >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return code ^ (code >> np.uint64(31))
