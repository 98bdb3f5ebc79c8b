"""A memo of questions about columns and sets of columns, as hash tables in plain arrays.

A question is a row of column numbers: one or two heads, then the members of a set in any order, -1 for none. Every
set is given a number once; a question is then one 64-bit key (set, head, head) and is given the number of
its entry once, so that asking for known and unknown entries, and finding repeats, is a single pass.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.arrays import Ints, Labels, Words, kernel, step
from ml4c._kernels.hashing import scramble

Rows: TypeAlias = NDArray[np.int32]

HEAD_BITS = 16


class Memo(NamedTuple):
    """Sets and entries, with room for more; slots are hash tables twice as long, -1 where free."""

    members: Ints
    start: Ints
    set_slots: Labels
    keys: Words
    key_slots: Labels
    counts: Ints
    """[0]: number of sets; [1]: number of entries."""


@kernel
def first_bad(questions: Rows, heads: int, columns: int) -> int:
    """Return the first row that names a column out of range, or one column twice among heads and set; else -1."""
    for q in range(questions.shape[0]):
        for i in range(questions.shape[1]):
            c = questions[q, i]
            if c >= columns or c < (0 if i < heads else -1):
                return q
            for j in range(min(i, heads)):
                if c == questions[q, j]:
                    return q
    return -1


@kernel
def count_runs(questions: Rows, heads: int) -> int:
    """Count the stretches of questions with one set, as it is written: there are no more sets than that."""
    runs = min(questions.shape[0], 1)
    for q in range(1, questions.shape[0]):
        runs += not _same_set(questions, q, heads)
    return runs


@kernel
def enter(questions: Rows, heads: int, memo: Memo, found: Labels) -> None:
    """Find the entry of every question, making new ones at the end. The memo must have room for all."""
    s = np.int64(0)
    for q in range(questions.shape[0]):
        if q == 0 or not _same_set(questions, q, heads):
            s = _enter_set(questions[q], heads, memo)
        key = np.uint64(s) << np.uint64(2 * HEAD_BITS)
        if heads == 2:
            a, b = questions[q, 0], questions[q, 1]
            key |= (np.uint64(min(a, b)) << np.uint64(HEAD_BITS)) | np.uint64(max(a, b))
        else:
            key |= np.uint64(questions[q, 0])
        found[q] = _enter_key(key, memo)


@step
def _same_set(questions: Rows, q: int, heads: int) -> bool:
    """Tell whether a question repeats the set of the one before it, as it is written."""
    alike = True
    for i in range(heads, questions.shape[1]):
        alike = alike and questions[q, i] == questions[q - 1, i]
    return alike


@step
def _enter_set(question: NDArray[np.int32], heads: int, memo: Memo) -> int:
    """Sort the members behind the last set, then look for the same set; keep it if it is new."""
    begin = memo.start[memo.counts[0]]
    end = begin
    for i in range(heads, question.shape[0]):
        c = question[i]
        if c < 0:
            continue
        place = end
        while place > begin and memo.members[place - 1] > c:
            memo.members[place] = memo.members[place - 1]
            place -= 1
        memo.members[place] = c
        end += 1
    end = _drop_repeats(memo.members, begin, end)
    code = np.uint64(end - begin)
    for i in range(begin, end):
        code = scramble(code ^ np.uint64(memo.members[i] + 1))
    mask = np.uint64(memo.set_slots.shape[0] - 1)
    slot = code & mask
    while memo.set_slots[slot] >= 0:
        s = memo.set_slots[slot]
        if _same(memo.members, memo.start[s], memo.start[s + 1], begin, end):
            return s
        slot = (slot + np.uint64(1)) & mask
    s = memo.counts[0]
    memo.set_slots[slot] = s
    memo.counts[0] += 1
    memo.start[s + 1] = end
    return s


@step
def _drop_repeats(members: Ints, begin: int, end: int) -> int:
    kept = begin
    for i in range(begin, end):
        if i == begin or members[i] != members[kept - 1]:
            members[kept] = members[i]
            kept += 1
    return kept


@step
def _same(members: Ints, a: int, a_end: int, b: int, b_end: int) -> bool:
    alike = a_end - a == b_end - b
    for i in range(b_end - b if alike else 0):
        alike = alike and members[a + i] == members[b + i]
    return alike


@step
def _enter_key(key: int, memo: Memo) -> int:
    mask = np.uint64(memo.key_slots.shape[0] - 1)
    slot = scramble(key) & mask
    while memo.key_slots[slot] >= 0:
        if memo.keys[memo.key_slots[slot]] == key:
            return memo.key_slots[slot]
        slot = (slot + np.uint64(1)) & mask
    entry = memo.counts[1]
    memo.key_slots[slot] = entry
    memo.keys[entry] = key
    memo.counts[1] += 1
    return entry


@kernel
def fill_slots(memo: Memo) -> None:
    """Enter all sets and keys into empty slots, after the tables have grown."""
    mask = np.uint64(memo.set_slots.shape[0] - 1)
    for s in range(memo.counts[0]):
        code = np.uint64(memo.start[s + 1] - memo.start[s])
        for i in range(memo.start[s], memo.start[s + 1]):
            code = scramble(code ^ np.uint64(memo.members[i] + 1))
        slot = code & mask
        while memo.set_slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        memo.set_slots[slot] = s
    mask = np.uint64(memo.key_slots.shape[0] - 1)
    for entry in range(memo.counts[1]):
        slot = scramble(memo.keys[entry]) & mask
        while memo.key_slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        memo.key_slots[slot] = entry
