"""The time that is left, and somebody to tell how far the work is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of a phase, how much of it is done, and how much there is."""


class Watch:
    """Tells when a budget of seconds is used up; without a budget it never reads the clock."""

    def __init__(self, seconds: float | None = None, progress: Progress | None = None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._soon = None if seconds is None else time.monotonic() + seconds / 2
        self._seconds = seconds
        self._progress = progress
        self.ran_out = False
        """Whether some work was cut short."""

    def over(self) -> bool:
        """Tell whether the budget is used up; whoever is told so must stop, and the result is incomplete."""
        self.ran_out = self.ran_out or self._after(self._end)
        return self._after(self._end)

    def half_over(self) -> bool:
        """Tell whether half of the budget is used up: the limit of work that other work must follow."""
        self.ran_out = self.ran_out or self._after(self._soon)
        return self._after(self._soon)

    @property
    def limited(self) -> bool:
        """Whether there is a budget at all."""
        return self._end is not None

    @property
    def note(self) -> str:
        """A sentence about work that was cut short, or nothing."""
        if not self.ran_out:
            return ""
        return (
            f"the time budget of {self._seconds:g} seconds ended the search: edges may be missing or superfluous; "
            "give it more time, or fewer columns"
        )

    def say(self, phase: str, done: int, total: int) -> None:
        """Tell whoever wants to know."""
        if self._progress is not None:
            self._progress(phase, done, total)

    @staticmethod
    def _after(moment: float | None) -> bool:
        return moment is not None and time.monotonic() >= moment
