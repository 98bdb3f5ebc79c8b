"""A process for every cell, within limits of time and memory: whatever a method does, the benchmark goes on.

It is watched from outside, with all its descendants, and killed with them when it takes too long or too much; a limit
on its address space would not do, because compilers and tensor libraries reserve far more than they use. The limit
of time is for the method: drawing the table, and compiling kernels where that was never done, have one of their own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

from ml4c.benchmark.processes import BEGUN, LOOK_EVERY, PREPARATION, Errand, Nurseries, Process
from ml4c.benchmark.usage import Usage, usage_of
from ml4c.errors import WorkError


@dataclass(frozen=True)
class Limits:
    """Seconds of wall clock and megabytes that a process and its descendants may take."""

    seconds: float = 3600.0
    megabytes: float = 8192.0

    def __post_init__(self) -> None:
        if self.seconds <= 0 or self.megabytes <= 0:
            raise WorkError("the limits of time and memory must be larger than 0")


def run_guarded(
    order: Mapping[str, Any], limits: Limits, stop: Event | None = None, nurseries: Nurseries | None = None
) -> dict[str, Any]:
    """Have a process of its own obey an order (see `child`); returns its answer, or what became of it.

    stop: when set, the process is killed and WorkError raised. nurseries: what forks the process, if anything does.
    """
    stop = stop or Event()
    with TemporaryDirectory(prefix="ml4c-bench-") as folder:
        errand = Errand(order, Path(folder) / "answer.json", Path(folder) / "log.txt")
        with (nurseries or Nurseries(forking=False)).running(errand, stop.is_set) as process:
            ended, peak = _watched(process, errand.answer.with_name(BEGUN), limits, stop)
        if ended:
            return {**ended, "cpu": peak.cpu, "memory": peak.memory}
        if errand.answer.exists():
            told = json.loads(errand.answer.read_bytes())
            return {**told, "memory": max(peak.memory, told["memory"] or 0.0) or None}
        return {"status": "failed", "reason": _death(process.wait(0), errand.log), "memory": peak.memory}


def _watched(process: Process, begun: Path, limits: Limits, stop: Event) -> tuple[dict[str, Any], Usage]:
    """Wait for the end of a process, or for a reason to end it; returns that reason and the largest use seen."""
    peak, begin, preparing = Usage(0.0, 0.0), time.perf_counter(), True
    while process.wait(LOOK_EVERY) is None:
        if stop.is_set():
            raise WorkError("interrupted")
        if preparing and begun.exists():
            begin, preparing = time.perf_counter(), False
        peak = _largest(peak, usage_of(process.pid))
        seconds = time.perf_counter() - begin
        if reason := _excess(peak.memory, seconds, preparing, limits):
            return {**reason, "seconds": seconds}, peak
    return {}, peak


def _largest(peak: Usage, now: Usage | None) -> Usage:
    return peak if now is None else Usage(max(peak.memory, now.memory), max(peak.cpu, now.cpu))


def _excess(megabytes: float, seconds: float, preparing: bool, limits: Limits) -> dict[str, Any]:
    """Say which limit is exceeded, if one is."""
    if megabytes > limits.megabytes:
        return {"status": "memory", "reason": f"took more than {limits.megabytes:,.0f} MB"}
    if preparing and seconds > PREPARATION:
        return {"status": "timeout", "reason": f"had not begun after {PREPARATION:,.0f} seconds"}
    if not preparing and seconds > limits.seconds:
        return {"status": "timeout", "reason": f"took more than {limits.seconds:,.0f} seconds"}
    return {}


def _death(code: int | None, log: Path) -> str:
    """Say how a process died that gave no answer."""
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").split("\n") if line.strip()]
    how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
    return f"the process {how}" + (f": {lines[-1].strip()[:200]}" if lines else "")
