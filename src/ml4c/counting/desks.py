"""Desks that threads leave for each other: room to work in is made once, not for every batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from ml4c._kernels.partition import Trail


class HasTrail(Protocol):
    """A desk, whose trail says how large a set it takes."""

    @property
    def trail(self) -> Trail:
        """Partitions by the prefixes of a set."""


DeskType = TypeVar("DeskType", bound=HasTrail)

LEAST_DEPTH = 3
"""Desks take sets of as many columns at least: questions begin with small sets, and a larger desk is a new one."""


class Desks(Generic[DeskType]):
    """Desks not in use."""

    def __init__(self, make: Callable[[int], DeskType]) -> None:
        self._make = make
        self._free: list[DeskType] = []

    def take(self, depth: int) -> DeskType:
        """Take a desk for sets of up to `depth` columns, or a new one; desks that are too small are dropped."""
        while True:
            try:
                desk = self._free.pop()
            except IndexError:
                return self._make(max(depth, LEAST_DEPTH))
            if desk.trail.labels.shape[0] > depth:
                return desk

    def leave(self, desk: DeskType) -> None:
        """Leave a desk for whoever comes next."""
        self._free.append(desk)
