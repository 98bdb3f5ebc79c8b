"""New questions in groups that share a set, and the groups shared out to threads."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ml4c._kernels.arrays import Ints, Sets
from ml4c._kernels.memo import HEAD_BITS
from ml4c.counting.registry import Registry

PIECES_PER_THREAD = 4
SMALLEST_PIECE = 1 << 21
"""Rows times questions below which handing work to another thread costs more than it saves."""


class Group(NamedTuple):
    """Questions in the order in which they are best answered; group g is `begin[g]:end[g]`."""

    first: Ints
    second: Ints
    begin: Ints
    end: Ints
    sets: Ints
    """The set of each group."""
    entry: Ints
    """The registry's entry of each question."""


Work = Callable[[Group], None]


def group_new(registry: Registry, new: slice, most: int) -> Group:
    """Group new entries by their set, no group larger than `most`; sets with a common prefix are neighbours."""
    keys = registry.keys[new]
    order = np.argsort(keys, kind="stable")  # quick where questions come set by set, as most do
    keys = keys[order]
    of_set = (keys >> np.uint64(2 * HEAD_BITS)).astype(np.int64)
    mask = np.uint64((1 << HEAD_BITS) - 1)
    edges = np.concatenate([[0], np.flatnonzero(of_set[1:] != of_set[:-1]) + 1, [len(keys)]])
    begin, end = _cut(edges[:-1], edges[1:], most)
    lexicographic = _lexicographic(registry.sets, of_set[begin])
    begin, end = begin[lexicographic], end[lexicographic]
    return Group(
        ((keys >> np.uint64(HEAD_BITS)) & mask).astype(np.int64),
        (keys & mask).astype(np.int64),
        begin,
        end,
        of_set[begin],
        order + new.start,
    )


def _cut(begin: Ints, end: Ints, most: int) -> tuple[Ints, Ints]:
    """Cut groups of more than `most` questions."""
    if (end - begin).max(initial=0) <= most:
        return begin, end
    parts = (end - begin + most - 1) // most
    of_group = np.repeat(np.arange(len(begin)), parts)
    part = np.arange(len(of_group)) - np.repeat(np.cumsum(parts) - parts, parts)
    cut_begin = begin[of_group] + part * most
    return cut_begin, np.minimum(cut_begin + most, end[of_group])


def _lexicographic(sets: Sets, numbers: Ints) -> Ints:
    """Order sets by their members, the first member foremost."""
    start, size = sets.start[numbers], sets.start[numbers + 1] - sets.start[numbers]
    depth = int(size.max(initial=0))
    padded = [np.where(size > i, sets.members[np.minimum(start + i, len(sets.members) - 1)], -1) for i in range(depth)]
    return np.lexsort([numbers, *reversed(padded)])


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
    futures = [_threads(n_jobs).submit(work, piece) for piece in pieces]
    try:
        for future in futures:
            future.result()
    except BaseException:
        for future in futures:
            future.cancel()
        wait(futures)  # nobody must write answers after the caller has given up
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
    cache = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if cache is not None and sys.stderr.isatty() and not cache._load_index():
        sys.stderr.write("ml4c: compiling, once; this takes some seconds\n")
