"""What each feature adds to a verdict: exact Shapley values of the trees, path by path.

XGBoost computes the same, for each row anew; here the leaves are taken one by one and all rows together
(`_kernels.shapley`), which takes a tenth of the time.
"""

from __future__ import annotations

import json
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.shapley import LeafRoom, Leaves, add_up

__all__ = ["Leaves", "contributions", "leaves_of", "most_conditions"]

NEW = (-1, np.float32(-np.inf), np.float32(np.inf), True, 1.0)
"""A condition that any value meets: no feature, from, below, missing values too, share of the training data."""


NOTHING: dict[str, Any] = {
    "left_children": [-1],
    "right_children": [-1],
    "split_indices": [0],
    "split_conditions": [0.0],
    "sum_hessian": [0.0],
    "default_left": [0],
}
"""A tree that says nothing, where there is none."""


class _Ways(NamedTuple):
    """Nodes that are equally deep, and the conditions on the way to each: a column for each feature, -1 for none."""

    node: NDArray[np.int64]
    feature: NDArray[np.int64]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    missing: NDArray[np.bool_]
    share: NDArray[np.float64]

    def at(self, rows: NDArray[Any]) -> _Ways:
        """Return some of them."""
        return _Ways(*(field[rows] for field in self))


class _Nodes(NamedTuple):
    """The nodes of all trees, numbered through; a leaf has no child, and its value is where others have their split."""

    left_children: NDArray[np.int64]
    right_children: NDArray[np.int64]
    split_indices: NDArray[np.int64]
    split_conditions: NDArray[np.float64]
    sum_hessian: NDArray[np.float64]
    default_left: NDArray[np.bool_]


def leaves_of(trees: bytes) -> Leaves:
    """Read the leaves of trees in XGBoost's JSON, each with the conditions on the way to it: all trees at once."""
    read = json.loads(trees)["learner"]["gradient_booster"]["model"]["trees"]
    nodes, roots = _nodes_of(read or [NOTHING])
    start = (len(roots), 0)
    none = np.empty(start, np.float32)
    ways = _Ways(roots, np.empty(start, np.int64), none, none, np.empty(start, bool), np.empty(start))
    parts = []
    while len(ways.node):
        ends = nodes.left_children[ways.node] < 0
        parts.append((nodes.split_conditions[ways.node[ends]], ways.at(ends)))
        ways = _one_deeper(nodes, ways.at(~ends))
    value = np.concatenate([part for part, _ in parts])
    used = [way.feature >= 0 for _, way in parts]
    size = np.concatenate([each.sum(axis=1) for each in used])
    fields = [
        np.concatenate([field[each] for field, each in zip(column, used, strict=True)])
        for column in zip(*(way[1:] for _, way in parts), strict=True)
    ]
    feature, low, high, missing, share = fields
    start_of = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    return Leaves(value, start_of, feature, low, high, missing.astype(np.uint8), share)


def _nodes_of(trees: list[dict[str, Any]]) -> tuple[_Nodes, NDArray[np.int64]]:
    """Return the nodes of all trees, and which are roots."""
    sizes = [len(tree["left_children"]) for tree in trees]
    roots = np.cumsum(sizes) - sizes
    fields = {name: np.concatenate([np.array(tree[name]) for tree in trees]) for name in _Nodes._fields}
    offset = np.repeat(roots, sizes)
    for name in ("left_children", "right_children"):
        fields[name] = np.where(fields[name] < 0, -1, fields[name] + offset)
    return _Nodes(**fields), roots.astype(np.int64)


def _one_deeper(nodes: _Nodes, ways: _Ways) -> _Ways:
    """Go to both children of every node; a further split on a feature narrows the condition on it."""
    node, feature = ways.node, nodes.split_indices[ways.node]
    fields: tuple[NDArray[Any], ...] = ways[1:]
    wider = [_with_column(field, new) for field, new in zip(fields, NEW, strict=True)]
    # The column of the feature: the one that it has, or the first that is free.
    known = wider[0] == feature[:, None]
    place = np.where(known.any(axis=1), known.argmax(axis=1), (wider[0] < 0).argmax(axis=1))
    here = (np.arange(len(node)), place)
    split, to_left = nodes.split_conditions[node].astype(np.float32), nodes.default_left[node] == 1
    sides = []
    for child, left in ((nodes.left_children[node], True), (nodes.right_children[node], False)):
        side = _Ways(child, *(field.copy() for field in wider))
        side.feature[here] = feature
        if left:
            side.high[here] = np.minimum(side.high[here], split)
        else:
            side.low[here] = np.maximum(side.low[here], split)
        side.missing[here] &= to_left == left
        side.share[here] *= nodes.sum_hessian[child] / nodes.sum_hessian[node]
        sides.append(side)
    return _Ways(*(np.concatenate(pair) for pair in zip(*sides, strict=True)))


def _with_column(field: NDArray[Any], value: object) -> NDArray[Any]:
    """Return a field with one more column, of one value."""
    return np.column_stack([field, np.full(len(field), value, field.dtype)])


def most_conditions(leaves: Leaves) -> int:
    """Return the largest number of features on the way to a leaf, at least 1."""
    return int(np.diff(leaves.start).max(initial=1))


def contributions(leaves: Leaves, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return what each feature adds to the sum over the leaves that each row reaches."""
    rows, features = matrix.shape
    out = np.zeros((features, rows))
    most = most_conditions(leaves)
    weights = np.array([[1 / ((m + 1) * comb(m, s)) if s <= m else 0.0 for s in range(most)] for m in range(most)])
    room = LeafRoom(
        np.empty(rows, np.int64),
        np.empty(1 << most, np.uint8),
        np.empty((1 << most, most)),
        weights,
        np.empty(most),
    )
    add_up(np.ascontiguousarray(matrix.T), leaves, room, out)
    return np.ascontiguousarray(out.T)
