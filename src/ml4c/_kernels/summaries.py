"""From the answers of a cell to its 39 numbers: size, moments, and a kernel mean embedding (METHOD section 3)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Floats, Ints, kernel, step
from ml4c._kernels.vicinity import Sepsets, Skeleton

MOMENTS = 4
NO_VALUE = -1.0


@step
def _moments(values: Floats, out: Floats, at: int) -> None:
    """Write mean, standard deviation, largest and least."""
    n = values.shape[0]
    mean = 0.0
    high, low = values[0], values[0]
    for i in range(n):
        mean += values[i]
        high, low = max(high, values[i]), min(low, values[i])
    mean /= n
    spread = 0.0
    for i in range(n):
        spread += (values[i] - mean) * (values[i] - mean)
    out[at] = mean
    out[at + 1] = math.sqrt(spread / n)
    out[at + 2] = high
    out[at + 3] = low


@step
def _embed(values: Floats, weights: Floats, phases: Floats, mean: float, spread: float, out: Floats, at: int) -> None:
    """Write the mean over standardised values of cos(w z + b), for every w and b; equal values are all zero."""
    n = values.shape[0]
    for j in range(weights.shape[0]):
        total = 0.0
        if spread > 0.0:
            for i in range(n):
                total += math.cos(weights[j] * ((values[i] - mean) / spread) + phases[j])
        else:
            total = n * math.cos(phases[j])
        out[at + j] = total / n


@kernel
def summarise_cells(
    sizes: Ints, severity: Floats, weights: Floats, phases: Floats, p_values: Floats, out: Floats
) -> None:
    """Write, for each triple, 1 + 8 + 2 * len(weights) numbers for every cell; `sizes` are those after thinning."""
    width = 1 + 2 * MOMENTS + 2 * weights.shape[0]
    for i in range(severity.shape[0]):
        p_values[i] = math.erfc(severity[i] / math.sqrt(2.0))
    begin = 0
    for i in range(sizes.shape[0]):
        for cell in range(sizes.shape[1]):
            at = cell * width
            end = begin + sizes[i, cell]
            out[i, at] = sizes[i, cell]
            if end == begin:
                for k in range(1, width):
                    out[i, at + k] = NO_VALUE
                continue
            row = out[i]
            for which in range(2):
                values = p_values[begin:end] if which == 0 else severity[begin:end]
                moments = at + 1 + which * MOMENTS
                _moments(values, row, moments)
                spread = row[moments + 1] if row[moments + 2] > row[moments + 3] else 0.0
                place = at + 1 + 2 * MOMENTS + which * weights.shape[0]
                _embed(values, weights, phases, row[moments], spread, row, place)
            begin = end


@step
def _overlap(skeleton: Skeleton, a: int, b: int) -> float:
    """Share of common neighbours in the smaller neighbourhood; 1 when one is empty."""
    size = min(skeleton.start[a + 1] - skeleton.start[a], skeleton.start[b + 1] - skeleton.start[b])
    if size == 0:
        return 1.0
    common = 0
    for i in range(skeleton.start[a], skeleton.start[a + 1]):
        common += skeleton.adjacent[b, skeleton.neighbours[i]]
    return common / size


@step
def _overlap_with_set(skeleton: Skeleton, node: int, row: NDArray[np.int32]) -> float:
    """Share of common members in the smaller of a neighbourhood and a set; 1 when one is empty."""
    common = 0
    size = 0
    for k in range(row.shape[0]):
        if row[k] >= 0:
            size += 1
            common += skeleton.adjacent[node, row[k]]
    size = min(size, skeleton.start[node + 1] - skeleton.start[node])
    return common / size if size > 0 else 1.0


@kernel
def describe_triples(skeleton: Skeleton, triples: Ints, sepsets: Sepsets, out: Floats) -> None:
    """Write the 5 scalings and 7 overlaps of each triple."""
    for i in range(triples.shape[0]):
        x, t, y = triples[i, 0], triples[i, 1], triples[i, 2]
        begin, end = sepsets.start[i], sepsets.start[i + 1]
        out[i, 0] = skeleton.start[t + 1] - skeleton.start[t]
        out[i, 1] = skeleton.start[x + 1] - skeleton.start[x]
        out[i, 2] = skeleton.start[y + 1] - skeleton.start[y]
        out[i, 3] = end - begin
        out[i, 5] = _overlap(skeleton, x, y)
        out[i, 6] = _overlap(skeleton, x, t)
        out[i, 7] = _overlap(skeleton, y, t)
        for k in range(8, 12):
            out[i, k] = 0.0
        members = 0
        for s in range(begin, end):
            row = sepsets.members[s]
            size = 0
            has_t = 0
            for k in range(row.shape[0]):
                size += row[k] >= 0
                has_t += row[k] == t
            members += size
            out[i, 8] += has_t if size > 0 else 1.0
            out[i, 9] += _overlap_with_set(skeleton, x, row)
            out[i, 10] += _overlap_with_set(skeleton, y, row)
            out[i, 11] += _overlap_with_set(skeleton, t, row)
        out[i, 4] = members / (end - begin)
        for k in range(8, 12):
            out[i, k] /= end - begin
