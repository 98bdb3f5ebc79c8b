"""What a process and all its descendants use, seen from outside.

Linux tells in /proc. Elsewhere nothing is seen: cells then have no memory peak, and no limit of memory holds.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
MEGABYTE = 1024
"""/proc counts in kilobytes."""


@dataclass(frozen=True)
class Usage:
    """Megabytes held, and CPU seconds so far."""

    memory: float
    cpu: float


def usage_of(pid: int) -> Usage | None:
    """Return what a process and its descendants use; None if that cannot be seen, as when it has ended.

    Of the process itself the peak counts, so that a short one between two looks is not missed.
    """
    family = _family(pid)
    try:
        memory = _kilobytes(pid, "VmHWM") + sum(_kilobytes(other, "VmRSS") for other in family[1:])
        return Usage(memory / MEGABYTE, sum(map(_cpu_seconds, family)))
    except (OSError, IndexError):
        return None


def own_peak() -> float | None:
    """Return the most megabytes that this process has held; None where that is not told."""
    used = usage_of(os.getpid())
    return used.memory if used is not None else None


def _family(pid: int) -> list[int]:
    """Return a process and its descendants."""
    found = [pid]
    for one in found:  # grows while it is read
        for children in (PROC / str(one) / "task").glob("*/children"):
            with suppress(OSError):
                found.extend(map(int, children.read_text().split()))
    return found


def _kilobytes(pid: int, field: str) -> int:
    line = re.search(rf"{field}:\s+(\d+)", (PROC / str(pid) / "status").read_text())
    return int(line[1]) if line else 0


def _cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process, with those of its children that have ended."""
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
