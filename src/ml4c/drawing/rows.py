"""How high each node of a layer stands, its order in the layer being decided.

Every node wants to stand at the mean height of what it is joined with, and keeps its distance from the next. For one
layer with the others held still, the best heights are a projection (isotonic regression, by pooling neighbours that
would overlap); sweeping over the layers in both directions a few times makes edges short and the drawing compact.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

SWEEPS = 24


def settle_rows(order: Sequence[Sequence[int]], joined: Sequence[Sequence[int]], sizes: Sequence[float]) -> list[float]:
    """Return the height of every node; order: the nodes of each layer from top to bottom; sizes: of the nodes."""
    height = [0.0] * len(sizes)
    offsets = [_offsets(layer, sizes) for layer in order]
    for layer, offset in zip(order, offsets, strict=True):
        for node, place in zip(layer, offset, strict=True):
            height[node] = place - offset[-1] / 2
    for sweep in range(SWEEPS):
        there = range(len(order)) if sweep % 2 == 0 else reversed(range(len(order)))
        for k in there:
            wanted = [sum(height[j] for j in joined[i]) / len(joined[i]) if joined[i] else height[i] for i in order[k]]
            for node, place in zip(order[k], _apart(wanted, offsets[k]), strict=True):
                height[node] = place
    return height


def _offsets(layer: Sequence[int], sizes: Sequence[float]) -> list[float]:
    """Return how far below the first node of a layer each must be at least."""
    places = [0.0]
    for above, below in pairwise(layer):
        places.append(places[-1] + (sizes[above] + sizes[below]) / 2)
    return places[: len(layer)]


def _apart(wanted: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """Return the heights nearest to the wanted ones that keep the order and the distances."""
    blocks = list[list[float]]()  # sum and number of what is pooled
    for want, offset in zip(wanted, offsets, strict=True):
        blocks.append([want - offset, 1.0])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] > blocks[-1][0] * blocks[-2][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    pooled = [total / count for total, count in blocks for _ in range(int(count))]
    return [place + offset for place, offset in zip(pooled, offsets, strict=True)]
