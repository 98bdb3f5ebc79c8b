"""The arrays that kernels pass to each other, named once.

Bundles are named tuples because Numba takes them as they are; they keep kernels at a handful of
arguments. Columns lie one after the other (`codes[column, row]`), whatever the order in the user's table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numba import njit
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

TRIED = "0.68."
"""Versions of Numba whose inside `compiling` knows."""


def options_for(version: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of `njit` for what Python calls and for what only kernels call, with a version of Numba."""
    if not version.startswith(TRIED):
        return {"cache": True}, {"cache": True}
    from ml4c._kernels.compiling import PART, WHOLE

    return WHOLE, PART


_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
_WHOLE, _PART = options_for(numba.__version__)
OURS = numba.__version__.startswith(TRIED)
"""Whether kernels are compiled in our own way."""
_INTERNAL: Any = {**_OPTIONS, **_PART, "no_cpython_wrapper": True}

_whole = njit(**_OPTIONS, **_WHOLE)


def kernel(function: Function) -> Function:
    """Compile a kernel that Python calls.

    Without Numba's reference counting (`_nrt=False`) passing arrays on costs nothing and compiling takes half the time;
    the price is that a kernel cannot allocate or return an array: its caller brings the room to work in. A kernel that
    another process is compiling is taken from there (see `compiling`).
    """
    compiled = _whole(function)
    if OURS and hasattr(compiled, "enable_caching"):
        from ml4c._kernels.compiling import SharedCache

        compiled._cache = SharedCache(function)  # type: ignore[no-untyped-call]
    return cast("Function", compiled)


step = njit(**_INTERNAL)
"""The decorator of functions that only kernels call: without a wrapper for Python they compile faster."""
leaf = njit(**_INTERNAL, forceinline=True)
"""The decorator of short steps in hot loops: handing arrays to a call costs more than what they do."""

Codes: TypeAlias = NDArray[np.uint16]
Ints: TypeAlias = NDArray[np.int64]
Labels: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.int32]
Words: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float64]


LINE = 128
"""Bytes that processors pass between each other at once, and then some."""


def apart(length: int, dtype: Any = np.int64) -> NDArray[Any]:
    """Return zeros that share no cache line with anything else: for small arrays that one thread keeps writing."""
    size = np.dtype(dtype).itemsize * length
    room = np.zeros(size + 2 * LINE, np.uint8)
    skip = -room.ctypes.data % LINE
    return room[skip : skip + size].view(dtype)


class Columns(NamedTuple):
    """A table, packed for counting."""

    codes: Codes
    """(columns, rows); the code `cards[column]` means missing."""
    cards: Ints
    """States of each column."""
    complete: Ints
    """1 where no row of the column is missing."""
    planes: Words
    """(planes, words); the states of a narrow, complete column are planes `first`, `first + 1`, ..."""
    first: Ints
    """First plane of each column, -1 where it has none."""


class Sets(NamedTuple):
    """Many sets of columns: set i is `members[start[i]:start[i + 1]]`, ascending."""

    members: Ints
    start: Ints
