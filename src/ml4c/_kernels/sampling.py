"""Forward sampling of one column: look the parents' row up, invert its cumulative distribution.

The configuration of the parents is computed row by row instead of being stored, so that a column of a
million records needs no temporary array. Columns are contiguous, so every parent is one sequential read.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]


@njit(cache=True, nogil=True)
def draw_column(
    codes: Codes,
    parents: NDArray[np.int64],
    strides: NDArray[np.int64],
    cumulative: NDArray[np.float64],
    uniforms: NDArray[np.float64],
    out: Codes,
) -> None:
    """Fill `out` with the first state whose cumulative probability exceeds the uniform.

    `codes` is (rows, columns), column-major; `strides` weigh the parents' codes into a row of `cumulative`.
    Every row of `cumulative` ends above any uniform, so the scan needs no bound.
    """
    for i in range(out.size):
        row = 0
        for j in range(parents.size):
            row += strides[j] * codes[i, parents[j]]
        u = uniforms[i]
        state = 0
        # Strictly below: a state of probability zero repeats its predecessor's value and is never the first.
        while u >= cumulative[row, state]:
            state += 1
        out[i] = state
