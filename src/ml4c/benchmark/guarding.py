"""A process for every cell, within limits of time and memory: whatever a method does, the benchmark goes on.

The process gets one thread for every library that would take more. It is watched from outside, with all its
descendants, and killed with them when it takes too long or too much; a limit on its address space would not do,
because compilers and tensor libraries reserve far more than they use. The limit of time is for the method: drawing
the table, and compiling kernels where that was never done, have one of their own.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

from ml4c.benchmark.usage import Usage, usage_of
from ml4c.errors import WorkError

BEGUN = "begun"
"""The file that a process makes when its clock begins to run."""
PREPARATION = 900.0
"""Seconds until then."""
LOOK_EVERY = 0.2
"""Seconds between two looks at a process."""
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


@dataclass(frozen=True)
class Limits:
    """Seconds of wall clock and megabytes that a process and its descendants may take."""

    seconds: float = 3600.0
    megabytes: float = 8192.0

    def __post_init__(self) -> None:
        if self.seconds <= 0 or self.megabytes <= 0:
            raise WorkError("the limits of time and memory must be larger than 0")


def run_guarded(order: Mapping[str, Any], limits: Limits, stop: Event | None = None) -> dict[str, Any]:
    """Have a process of its own obey an order (see `child`); returns its answer, or what became of it.

    stop: when set, the process is killed and WorkError raised.
    """
    with TemporaryDirectory(prefix="ml4c-bench-") as folder:
        answer, log = Path(folder) / "answer.json", Path(folder) / "log.txt"
        with log.open("wb") as output, _started(answer, output) as child:
            try:
                _tell(child, order)
                ended, peak = _watched(child, answer.with_name(BEGUN), limits, stop)
            finally:
                _kill(child)
        if ended:
            return {**ended, "cpu": peak.cpu, "memory": peak.memory}
        if answer.exists():
            told = json.loads(answer.read_bytes())
            return {**told, "memory": max(peak.memory, told["memory"] or 0.0) or None}
        return {"status": "failed", "reason": _death(child.returncode, log), "memory": peak.memory}


def _started(answer: Path, output: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ml4c.benchmark.child", str(answer)]
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    return subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment, start_new_session=True
    )


def _tell(child: subprocess.Popen[bytes], order: Mapping[str, Any]) -> None:
    if child.stdin is None:
        raise WorkError("the process of a cell has no standard input")
    with suppress(BrokenPipeError):  # it died at birth: `_watched` will see
        child.stdin.write(json.dumps(order).encode() + b"\n")
        child.stdin.flush()


def _watched(
    child: subprocess.Popen[bytes], begun: Path, limits: Limits, stop: Event | None
) -> tuple[dict[str, Any], Usage]:
    """Wait for the end of a process, or for a reason to end it; returns that reason and the largest use seen."""
    peak, begin, preparing = Usage(0.0, 0.0), time.perf_counter(), True
    while True:
        with suppress(subprocess.TimeoutExpired):
            child.wait(LOOK_EVERY)
            return {}, peak
        if stop is not None and stop.is_set():
            raise WorkError("interrupted")
        if preparing and begun.exists():
            begin, preparing = time.perf_counter(), False
        peak = _largest(peak, usage_of(child.pid))
        seconds = time.perf_counter() - begin
        if reason := _excess(peak.memory, seconds, preparing, limits):
            return {**reason, "seconds": seconds}, peak


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


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started, also if it has ended itself."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    child.wait()


def _death(code: int | None, log: Path) -> str:
    """Say how a process died that gave no answer."""
    lines = [line for line in log.read_text(encoding="utf-8", errors="replace").split("\n") if line.strip()]
    how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
    return f"the process {how}" + (f": {lines[-1].strip()[:200]}" if lines else "")
