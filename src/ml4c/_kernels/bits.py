"""Sets of rows as bits: one plane of 64-bit words for every state of a narrow column.

A cell of a contingency table is then the number of bits that two planes share: an AND and a population
count for 64 rows at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from ml4c._kernels.arrays import Codes, Ints, Words, kernel, leaf, step


def popcount(word: Any) -> int:
    """Count the bits that are set in one 64-bit word."""
    return int(word).bit_count()


@intrinsic
def _ctpop(typing_context: Any, word: Any) -> Any:  # noqa: ARG001
    """Emit the machine's own population count."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), emit


@overload(popcount)
def _compiled_popcount(word: Any) -> Any:  # noqa: ARG001
    def count(word: Any) -> Any:
        return _ctpop(word)

    return count


@step
def shared(a: Words, i: int, b: Words, j: int, begin: int, end: int) -> int:
    """Count the bits that plane i of `a` and plane j of `b` share in a run of words."""
    total = np.uint64(0)
    for w in range(np.uint64(begin), np.uint64(end)):  # signed, it would not become vector code
        total += popcount(a[i, w] & b[j, w])
    return np.int64(total)


@leaf
def shared_by_three(a: Words, b: Words, c: Words) -> int:
    """Count the bits that three planes share."""
    total = np.uint64(0)
    for w in range(np.uint64(a.shape[0])):
        total += popcount(a[w] & b[w] & c[w])
    return np.int64(total)


@step
def intersect(a: Words, i: int, b: Words, j: int, out: Words, place: int) -> int:
    """Store the rows in both planes as plane `place` of `out`, and count them."""
    total = np.uint64(0)
    for w in range(a.shape[1]):
        word = a[i, w] & b[j, w]
        out[place, w] = word
        total += popcount(word)
    return np.int64(total)


@step
def pack_run(codes: Codes, planes: Words, states: int, word: int) -> None:
    """Write the planes of some rows, from word `word` on; bits beyond the last row are 0."""
    for base in range(0, codes.shape[0], 64):
        run = codes[base : base + 64]
        for state in range(states):
            bits = np.uint64(0)
            for row in range(run.shape[0]):
                bits |= np.uint64(run[row] == state) << np.uint64(row)
            planes[state, word] = bits
        word += 1


@kernel
def pack(codes: Codes, cards: Ints, first: Ints, planes: Words) -> None:
    """Write the planes of every column that has some."""
    for column in range(codes.shape[0]):
        if first[column] >= 0:
            own = planes[first[column] : first[column] + cards[column]]
            pack_run(codes[column], own, cards[column], np.int64(0))
