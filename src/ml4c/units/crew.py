"""Units on an executor: a bounded number in flight, and a new try when a worker dies.

A unit that raises is a defect or a wrong input, and its error goes to the caller at once. A unit whose worker died (out
of memory, a machine switched off) says nothing about the unit, so it is tried again. Executors tell the second case in
their own ways: the standard pools by BrokenExecutor, after which the pool is useless and is made anew; Dask
by KilledWorker, by a closed connection or by cancelling.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from concurrent.futures.process import ProcessPoolExecutor
from concurrent.futures.thread import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from numbers import Integral
from typing import Any, TypeVar

from ml4c.counting import available_cores
from ml4c.errors import WorkError

MAX_RETRIES = 3
DASK_LOSSES = ("KilledWorker", "CommClosedError", "FutureCancelledError")
"""Names of Dask's errors, so that it need not be installed."""

Result = TypeVar("Result")
Work = Callable[[int], Result]


def local_processes(n_jobs: int) -> ProcessPoolExecutor:
    """Return a pool of processes that start afresh and end with the process that made them."""
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(n_jobs, mp_context=spawn, initializer=_start_worker)


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    """Connect to a Dask scheduler; gives an executor and the number of threads of the cluster's workers."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise WorkError("Dask is not installed: pip install 'ml4c[dask]'") from None
    try:
        client = distributed.Client(address)
    except (OSError, ValueError, TimeoutError) as error:
        raise WorkError(f"no Dask scheduler answers at {address!r} ({error}): check the address") from error
    with client:
        yield client.get_executor(pure=False), max(1, sum(client.nthreads().values()))


@contextmanager
def open_executor(
    n_jobs: int | None, *, threads: bool = False, dask: str | None = None
) -> Iterator[tuple[Executor | None, int | None]]:
    """Give an executor and a number of jobs: none for processes of its own, threads, or a Dask cluster."""
    if threads and dask is not None:
        raise WorkError("choose threads or a Dask cluster, not both")
    if dask is not None:
        with dask_executor(dask) as (executor, workers):
            yield executor, n_jobs or workers
    elif threads:
        with ThreadPoolExecutor(n_jobs or available_cores()) as pool:
            yield pool, n_jobs
    else:
        yield None, n_jobs


def run_units(
    work: Work[Result], indices: Iterable[int], make: Callable[[], Executor], in_flight: int
) -> Generator[tuple[int, Result], None, None]:
    """Yield (index, work(index)) as they finish; executors are made by `make`, again if one breaks, and shut down."""
    waiting, pending, losses = deque(indices), dict[Future[Result], int](), Counter[int]()
    executor = make()
    try:
        while waiting or pending:
            try:
                _fill(executor, work, waiting, pending, in_flight)
            except BrokenExecutor:
                executor.shutdown(wait=False)
                executor = make()
                continue
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=pending.__getitem__):
                index, error = pending.pop(future), _error_of(future)
                if error is None:
                    yield index, future.result()
                else:
                    _note_loss(index, error, losses)
                    waiting.appendleft(index)
    finally:
        for future in pending:
            future.cancel()
        executor.shutdown(wait=not pending)


def lent(executor: Executor | None, n_jobs: int) -> Callable[[], Executor]:
    """Return what makes executors for `run_units`: processes of our own, or once the caller's, which stays open."""
    if executor is None:
        return partial(local_processes, n_jobs)
    borrowed = iter([_Borrowed(executor)])

    def once() -> Executor:
        for one in borrowed:
            return one
        raise WorkError("the executor lost its workers and cannot be used again; what is finished is kept: run again")

    return once


class _Borrowed(Executor):
    """The caller's executor: ours to use, not to shut down."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit to the caller's executor."""
        return self._executor.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the caller's executor open."""


def number_of_jobs(n_jobs: int | None) -> int:
    """Return the number of workers: all cores unless told otherwise."""
    if n_jobs is not None and (not isinstance(n_jobs, (int, Integral)) or n_jobs < 1):
        raise WorkError(f"cannot work with {n_jobs!r} jobs: take at least one")
    return n_jobs or available_cores()


def _fill(
    executor: Executor, work: Work[Result], waiting: deque[int], pending: dict[Future[Result], int], in_flight: int
) -> None:
    """Submit until enough is in flight; a broken executor takes nothing, so nothing is lost by its error."""
    while waiting and len(pending) < in_flight:
        pending[executor.submit(work, waiting[0])] = waiting[0]
        waiting.popleft()


def _error_of(future: Future[Result]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        return error


def _note_loss(index: int, error: BaseException, losses: Counter[int]) -> None:
    """Count the loss of a worker; raise what was not one, or was one too many."""
    lost = isinstance(error, (BrokenExecutor, CancelledError)) or type(error).__name__ in DASK_LOSSES
    if not lost:
        raise error
    losses[index] += 1
    if losses[index] > MAX_RETRIES:
        raise WorkError(
            f"unit {index}: its worker died {losses[index]} times ({error or type(error).__name__}), perhaps for "
            "lack of memory; what is finished is kept: run again with fewer jobs"
        ) from error


def _start_worker() -> None:
    """Make this process end when its parent is gone, which cannot say so when killed, and silently at Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
