"""A process that has everything loaded and forks the processes of cells, one at a time: they start at once.

It imports the package and runs our own methods on the tiny table of the warm-up, so that their kernels are there; other
libraries are imported by the cells that need them. Orders come as lines on the standard input; the pipe whose number
is the argument tells first whether all is ready, then of each cell its process and how that ended.

A fork copies one thread: whatever lock another one holds stays closed for ever in the copy. So a nursery says that it
is not ready if it has threads other than its own and those of LEFT_ALONE, and cells then start afresh.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ml4c.benchmark.child import obey
from ml4c.benchmark.measuring import installed, warm_up
from ml4c.benchmark.methods import all_methods

LEFT_ALONE = frozenset({"polars-ooc-clea"})
"""Threads that importing starts and that wait for work which a nursery never has: here Polars' remover of files."""


def main() -> None:
    """Fork a process for every order until there are no more."""
    reports = Connection(int(sys.argv[1]), readable=False)
    prepare()
    _tell(reports, {"ready": not other_threads()})
    while line := sys.stdin.buffer.readline():
        process = os.fork()
        if process == 0:
            reports.close()
            _be_a_cell(json.loads(line))
        with suppress(OSError):  # whoever comes first, this process or the other one
            os.setpgid(process, process)
        _tell(reports, {"process": process})
        _tell(reports, {"code": _end_of(process)})


def prepare() -> None:
    """Load what cells have in common."""
    for method in all_methods():
        if not method.needs and method.train is None:
            warm_up(method, None)
    installed()


def other_threads() -> list[str]:
    """Return the names of threads of this process that would make forking unsafe."""
    threads = Path("/proc/self/task").iterdir()
    names = {int(thread.name): (thread / "comm").read_text().strip() for thread in threads}
    names.pop(os.getpid())
    return sorted(set(names.values()) - LEFT_ALONE)


def _tell(reports: Connection, words: dict[str, Any]) -> None:
    reports.send_bytes(json.dumps(words).encode())


def _be_a_cell(order: dict[str, Any]) -> NoReturn:
    """Obey as a process that was started for it would, in a group of its own; nothing of the nursery is tidied up."""
    code = 1
    try:
        with suppress(OSError):
            os.setpgid(0, 0)
        log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        np.random.seed()  # noqa: NPY002 (copies of one state would give all cells the same numbers)
        obey(order["order"], Path(order["answer"]))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _end_of(process: int) -> int:
    """Wait for a process, end what it has started, and return its exit code; minus the signal that killed it."""
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    with suppress(ProcessLookupError, PermissionError):  # before its number can be given to another
        os.killpg(process, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


if __name__ == "__main__":
    main()
