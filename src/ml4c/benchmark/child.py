"""The process of one cell: told what to do by one line on its standard input, or forked by a `nursery` that was told.

It writes its answer to a file, whole, because libraries print what they like. Its input stays open as long as the
benchmark lives; when that one is gone, so is this one, with all that it started. An empty file beside the answer
says that preparations are over and the clock runs.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ml4c.benchmark.cells import Cell
from ml4c.benchmark.measuring import Task, cpu_seconds, measure, require, versions
from ml4c.benchmark.methods import find_method
from ml4c.benchmark.processes import BEGUN
from ml4c.benchmark.usage import own_peak
from ml4c.errors import Ml4cError
from ml4c.units import write_whole


def main() -> None:
    """Do what the first line of the standard input says; `python -m ml4c.benchmark.child ANSWER`."""
    order = json.loads(sys.stdin.buffer.readline())
    obey(order, Path(sys.argv[1]))


def obey(order: Mapping[str, Any], answer: Path) -> None:
    """Measure or train, and write the answer, whatever happens; end with the benchmark."""
    threading.Thread(target=_end_with_the_benchmark, daemon=True).start()
    try:
        told = {"status": "done", **_done(order, answer.with_name(BEGUN).touch)}
    except Exception as error:
        traceback.print_exc()
        told = {"status": "failed", "reason": _words(error)}
    write_whole(answer, json.dumps({**told, "memory": own_peak()}).encode())


def _done(order: Mapping[str, Any], begun: Callable[[], object]) -> dict[str, Any]:
    if "train" in order:
        begun()
        return _train(order["train"], Path(order["models"]))
    return measure(Task(Cell(**order["cell"]), order["edges"], order["models"]), begun)


def _train(name: str, folder: Path) -> dict[str, Any]:
    method = find_method(name)
    require(method)
    begin = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    if method.train is not None:
        method.train(folder)
    return {"seconds": time.perf_counter() - begin, "cpu": cpu_seconds(), "versions": versions(method)}


def _words(error: Exception) -> str:
    """Say an error in one line; of an error that is no word of ours, also its kind."""
    first = str(error).strip().split("\n")[0][:300]
    return first if isinstance(error, Ml4cError) else f"{type(error).__name__}: {first}".removesuffix(": ")


def _end_with_the_benchmark() -> None:
    sys.stdin.buffer.read()
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
