"""Processes of cells as the benchmark sees them: started afresh, or forked by a nursery that has everything loaded.

Starting Python, importing and loading kernels takes seconds, most cells take less. A `Nursery` (the process is
`ml4c.benchmark.nursery`) does it once and forks; each worker of the benchmark has one. They are for Linux, which tells
whether a process has other threads. Where there is no nursery, or when one fails, cells start afresh.

Both kinds get one thread for every library that would take more, and a process group, which ends as a whole.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Protocol

BEGUN = "begun"
"""The file beside its answer that a process makes when its clock begins to run."""
PREPARATION = 900.0
"""Seconds for drawing a table, and for compiling kernels where that was never done."""
LOOK_EVERY = 0.2
"""Seconds between two looks at a process."""
DYING = 60.0
"""Seconds for a nursery to say that a process which was killed has ended."""
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
NO_SWEEPERS = ("_RJEM_MALLOC_CONF", "JE_ARROW_MALLOC_CONF")
"""Settings of the allocators of Polars and Arrow, which otherwise tidy up in threads of their own."""


@dataclass(frozen=True)
class Errand:
    """What a process is to do, and where its answer and whatever is printed go."""

    order: Mapping[str, Any]
    answer: Path
    log: Path


class Process(Protocol):
    """A process that runs an errand."""

    @property
    def pid(self) -> int:
        """The number of the process and of its group."""

    def wait(self, seconds: float) -> int | None:
        """Return the exit code, minus the signal if one killed it; None if it still runs after so many seconds."""

    def kill(self) -> None:
        """End the process with all that it started, also if it has ended itself."""


class FreshProcess:
    """A Python of its own."""

    def __init__(self, errand: Errand) -> None:
        with errand.log.open("wb") as output:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", "ml4c.benchmark.child", str(errand.answer)],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env=_environment(),
                start_new_session=True,
            )
        self.pid = self._process.pid
        _write_line(self._process, errand.order)

    def wait(self, seconds: float) -> int | None:
        """Return the exit code, or None."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def kill(self) -> None:
        """End the process and its group."""
        _kill_group(self.pid)
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        _close_input(self._process)


class Nursery:
    """A process that forks processes, one at a time."""

    def __init__(self) -> None:
        self._reports, theirs = Pipe(duplex=False)
        number = theirs.fileno()
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "ml4c.benchmark.nursery", str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            pass_fds=[number],
            start_new_session=True,
        )
        theirs.close()

    def is_ready(self, interrupted: Callable[[], bool]) -> bool:
        """Wait until everything is loaded; False if that failed, took too long or was interrupted."""
        patience = time.perf_counter() + PREPARATION
        while not interrupted() and time.perf_counter() < patience:
            if said := self.hear(LOOK_EVERY):
                return bool(said.get("ready"))
        return False

    def fork(self, errand: Errand) -> ForkedProcess | None:
        """Have a process run an errand; None if the nursery fails."""
        words = {"order": errand.order, "answer": str(errand.answer), "log": str(errand.log)}
        _write_line(self._process, words)
        said = self.hear(DYING) or {}
        return ForkedProcess(self, said["process"]) if "process" in said else None

    def hear(self, seconds: float) -> dict[str, Any] | None:
        """Return what the nursery says next; None if that is nothing for so many seconds, "lost" if it is gone."""
        try:
            if not self._reports.poll(seconds):
                return None
            said: dict[str, Any] = json.loads(self._reports.recv_bytes())
        except (EOFError, OSError):
            return {"lost": True}
        return said

    def close(self) -> None:
        """End the nursery; it has no process to look after any more."""
        self._process.kill()
        self._process.wait()
        _close_input(self._process)
        self._reports.close()


class ForkedProcess:
    """A process that a nursery has forked; the nursery hears of its end."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self.pid = pid
        self.lost = False
        self._nursery = nursery
        self._code: int | None = None

    def wait(self, seconds: float) -> int | None:
        """Return the exit code, or None."""
        if self._code is None and (said := self._nursery.hear(seconds)) is not None:
            self.lost = "code" not in said
            self._code = said.get("code", -signal.SIGKILL)  # nobody knows how it will end, but `kill` comes next
        return self._code

    def kill(self) -> None:
        """End the process and its group; the nursery has done it already if it has told the exit code."""
        if self._code is None or self.lost:
            _kill_group(self.pid)
        self.lost = self.wait(DYING) is None or self.lost


class Nurseries:
    """The nurseries of a benchmark, each with one process at a time; without forking, processes start afresh."""

    def __init__(self, *, forking: bool = True) -> None:
        self._idle: SimpleQueue[Nursery] = SimpleQueue()
        self._forking = forking and sys.platform == "linux"

    @contextmanager
    def running(self, errand: Errand, interrupted: Callable[[], bool]) -> Iterator[Process]:
        """Give a process that runs an errand; in the end it is killed."""
        nursery = self._ready(interrupted)
        forked = nursery.fork(errand) if nursery is not None else None
        if nursery is not None and forked is None:
            nursery.close()
        process = forked or FreshProcess(errand)
        try:
            yield process
        finally:
            process.kill()
            if nursery is not None and forked is not None:
                self._take_back(nursery, forked)

    def close(self) -> None:
        """End all nurseries."""
        with suppress(Empty):
            while True:
                self._idle.get_nowait().close()

    def _ready(self, interrupted: Callable[[], bool]) -> Nursery | None:
        """Return an idle nursery or a new one; when one cannot be made ready, there is no forking any more."""
        with suppress(Empty):
            return self._idle.get_nowait()
        if not self._forking:
            return None
        nursery = Nursery()
        if nursery.is_ready(interrupted):
            return nursery
        nursery.close()
        self._forking = False
        return None

    def _take_back(self, nursery: Nursery, ended: ForkedProcess) -> None:
        if ended.lost:
            nursery.close()
        else:
            self._idle.put(nursery)


def _environment() -> dict[str, str]:
    sweeping = dict.fromkeys(NO_SWEEPERS, "background_thread:false")
    return {**os.environ, **dict.fromkeys(ONE_THREAD, "1"), **sweeping}


def _write_line(process: subprocess.Popen[bytes], words: Mapping[str, Any]) -> None:
    """Tell a process what to do; if it died at birth, whoever waits for it will see."""
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(words).encode() + b"\n")
            process.stdin.flush()


def _close_input(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()


def _kill_group(pid: int) -> None:
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
