"""A skeleton as slots, the way kernels walk over it (see `_kernels.orientations`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Ints
from ml4c._kernels.orientations import Orientation, Slots


class Layout(NamedTuple):
    """The slots of a skeleton, sorted by owner and then neighbour."""

    neighbours: Ints
    start: Ints
    owner: Ints
    reverse: Ints
    fixed: NDArray[np.uint8]
    """Whether the edge of a slot may not turn."""
    stated: NDArray[np.bool_]
    """For each slot: whether the neighbour is fixed as a parent of the owner."""

    def slot(self, owner: NDArray[np.intp], neighbour: NDArray[np.intp]) -> Ints:
        """Return the slots of these neighbours at these owners."""
        n = len(self.start) - 1
        return np.searchsorted(self.owner * n + self.neighbours, owner * n + neighbour).astype(np.int64)


def lay_out(slots: NDArray[np.intp], n_nodes: int, arrows: NDArray[np.intp]) -> Layout:
    """Lay out rows (owner, neighbour), sorted and both ways, of a skeleton in which some arrows (i, j) are fixed."""
    owner, neighbour = slots.astype(np.int64).T
    code = owner * n_nodes + neighbour
    stated = np.isin(code, arrows[:, 1] * n_nodes + arrows[:, 0])
    return Layout(
        neighbours=np.ascontiguousarray(neighbour),
        start=np.searchsorted(owner, np.arange(n_nodes + 1)).astype(np.int64),
        owner=np.ascontiguousarray(owner),
        reverse=np.searchsorted(code, neighbour * n_nodes + owner).astype(np.int64),
        fixed=(stated | np.isin(code, arrows[:, 0] * n_nodes + arrows[:, 1])).astype(np.uint8),
        stated=stated,
    )


def inward_of(q: Slots, order: Ints) -> NDArray[np.uint8]:
    """Point every edge at the end that comes later."""
    position = np.argsort(order)
    return (position[q.neighbours] < position[q.owner]).astype(np.uint8)


def new_orientation(q: Slots, order: Ints, rng: np.random.Generator) -> Orientation:
    """Return the orientation that an order of the nodes gives, with room to work in and random numbers of its own."""
    return Orientation(
        inward=inward_of(q, order),
        pull=np.zeros(len(q.owner), np.int64),
        order=order,
        position=np.argsort(order).astype(np.int64),
        turned=np.zeros(len(q.owner) + 1, np.int64),
        pushed=np.zeros(len(q.owner), np.int64),
        mark=np.zeros(len(order), np.int64),
        room=np.zeros(len(order), np.int64),
        stamp=np.zeros(2, np.int64),
        random=rng.integers(1, 1 << 63, 1, np.uint64),
    )
