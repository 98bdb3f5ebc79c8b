"""New questions in groups that share a set, and the groups shared out to threads."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.grouping import Group, Room, arrange
from ml4c.counting.registry import Registry

PIECES_PER_THREAD = 4
SMALLEST_PIECE = 1 << 21
"""Rows times questions below which handing work to another thread costs more than it saves."""

Work = Callable[[Group], None]


def group_new(registry: Registry, new: slice, most: int) -> Group:
    """Group new entries by their set, no group larger than `most`; sets with a common prefix are neighbours."""
    keys = registry.keys[new]
    group = Group(*np.empty((len(Group._fields), len(keys)), np.int64))
    room = Room(*np.empty((2, len(keys)), np.uint64), *np.empty((len(Room._fields) - 2, len(keys)), np.int64))
    found = arrange(keys, new.start, registry.sets, most, group, room)
    return group._replace(begin=group.begin[:found], end=group.end[:found], sets=group.sets[:found])


def for_each(group: Group, of_groups: NDArray[Any]) -> NDArray[Any]:
    """Return what is said of groups for each of their questions, in the order of questions."""
    in_order = np.argsort(group.begin)
    return np.repeat(of_groups[in_order], (group.end - group.begin)[in_order])


def run(work: Work, questions: Group, rows: int, n_jobs: int) -> None:
    """Call `work` on stretches of groups over a table of so many rows, side by side if that pays."""
    total = len(questions.first)
    n_pieces = min(PIECES_PER_THREAD * n_jobs, total * rows // SMALLEST_PIECE)
    if n_jobs == 1 or n_pieces < 2:
        work(questions)
        return
    done = np.cumsum(questions.end - questions.begin)
    cuts = np.unique(np.searchsorted(done, total * np.arange(1, n_pieces) / n_pieces) + 1)
    edges = np.unique(np.r_[0, cuts, len(done)])
    pieces = [
        questions._replace(begin=questions.begin[a:b], end=questions.end[a:b], sets=questions.sets[a:b])
        for a, b in pairwise(edges)
    ]
    left = iter(pieces)

    def take() -> None:
        for piece in left:  # `next` of a list's iterator is one step under the interpreter's lock
            work(piece)

    helpers = [_threads(n_jobs - 1).submit(take) for _ in range(min(n_jobs, len(pieces)) - 1)]
    try:
        take()
        for helper in helpers:
            if not helper.cancel():  # one that never began has nothing left to do
                helper.result()
    except BaseException:
        for _ in left:
            pass
        wait(helpers)  # nobody must write answers after the caller has given up
        raise


@lru_cache
def _threads(n_jobs: int) -> ThreadPoolExecutor:
    """Return threads that wait for work: starting them anew would cost as much as a small batch."""
    return ThreadPoolExecutor(n_jobs, thread_name_prefix="ml4c-counting")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.cache_clear)  # threads do not survive a fork


def available_cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


_seen: set[int] = set()


def announce_compiling(kernel: Any) -> None:
    """Tell a person at a terminal, before the first call of a kernel that is not in Numba's cache."""
    if id(kernel) in _seen:
        return
    _seen.add(id(kernel))
    if sys.stderr.isatty() and not is_compiled(kernel):
        sys.stderr.write("ml4c: compiling, once; this takes some seconds\n")


def is_compiled(kernel: Any) -> bool:
    """Tell whether a kernel is in Numba's cache on disk, or has none to be in."""
    cache = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return cache is None or bool(cache._load_index())
