"""Logs, and logs of rising factorials, that the compiler turns into vector code.

Scores are made of log gammas: one for each cell, at ten strengths at once. The library's log gamma is called for one
number at a time and branches; these have no branch, so that a loop over many runs four numbers abreast. They are
as exact (`log` to the last bit or two), and give the same bits on every machine, because what is fused is said.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from ml4c._kernels.arrays import Floats, leaf, step

HALF_LOG_TAU = 0.9189385332046728
"""What `stirling` leaves out."""
AHEAD = 8
"""Arguments from here on are large enough for `stirling`."""

_ONE = np.uint64(1023 << 52)
"""The bits of 1.0."""
_TO_ROOT = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
"""Added to the bits of a number, it moves the step between exponents to the square root of one half."""
_EXPONENT = np.uint64(52)
_WHOLE = np.uint64(0x4330000000000000)
"""The bits of 2^52, below which whole numbers are written as they are."""
_BIAS = 2.0**52 + 1023.0
_LOG2_HIGH, _LOG2_LOW = 0.6931471803691238, 1.9082149292705877e-10
"""log 2; the first part times an exponent is exact."""
# (log((1 + s) / (1 - s)) / s - 2) / z, z = s^2, where |s| is at most 3 - sqrt 8: Chebyshev, the error below 4e-16.
_L0, _L1, _L2, _L3 = 0.666666666666667, 0.39999999999899444, 0.2857142862600327, 0.22222211130259878
_L4, _L5, _L6 = 0.18182889455674947, 0.15331710618210773, 0.1461658542488862


def bits_of(value: float) -> Any:
    """Return the 64 bits of a number."""
    return np.uint64(struct.unpack("<Q", struct.pack("<d", value))[0])


def from_bits(bits: Any) -> float:
    """Return the number that has these 64 bits."""
    return float(struct.unpack("<d", struct.pack("<Q", int(bits)))[0])


def fused(a: float, b: float, c: float) -> float:
    """Return a b + c, rounded once (by Python itself: twice)."""
    return a * b + c


@intrinsic
def _bits_of(typing_context: Any, value: Any) -> Any:  # noqa: ARG001
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.bitcast(args[0], ir.IntType(64))

    return types.uint64(types.float64), emit


@intrinsic
def _from_bits(typing_context: Any, bits: Any) -> Any:  # noqa: ARG001
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.uint64), emit


@intrinsic
def _fused(typing_context: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), emit


@overload(bits_of)
def _compiled_bits_of(value: Any) -> Any:  # noqa: ARG001
    def cast(value: Any) -> Any:
        return _bits_of(value)

    return cast


@overload(from_bits)
def _compiled_from_bits(bits: Any) -> Any:  # noqa: ARG001
    def cast(bits: Any) -> Any:
        return _from_bits(bits)

    return cast


@overload(fused)
def _compiled_fused(a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    def compute(a: Any, b: Any, c: Any) -> Any:
        return _fused(a, b, c)

    return compute


@leaf
def log(x: float) -> float:
    """Return the log of a positive number that is not tiny (subnormal)."""
    bits = bits_of(x)
    exponent = (bits + _TO_ROOT) >> _EXPONENT
    rest = from_bits(bits - (exponent << _EXPONENT) + _ONE) - 1.0
    power = from_bits(exponent | _WHOLE) - _BIAS
    s = rest / (2.0 + rest)
    z = s * s
    tail = fused(z, fused(z, fused(z, fused(z, fused(z, fused(z, _L6, _L5), _L4), _L3), _L2), _L1), _L0)
    return fused(power, _LOG2_HIGH, rest - fused(-power, _LOG2_LOW, s * (rest - z * tail)))


@leaf
def stirling(x: float) -> float:
    """Return log gamma(x) - HALF_LOG_TAU for x from AHEAD on, by Stirling's series."""
    y = 1.0 / x
    z = y * y
    tail = fused(z, fused(z, fused(z, 1 / 156, -691 / 360360), 1 / 1188), -1 / 1680)
    return fused(x - 0.5, log(x), y * fused(z, fused(z, fused(z, tail, 1 / 1260), -1 / 360), 1 / 12) - x)


@leaf
def log_rise(a: float, count: float) -> float:
    """Return log a (a + 1) ... (a + count - 1) for counts from AHEAD on."""
    first = ((a * (a + 1.0)) * ((a + 2.0) * (a + 3.0))) * (((a + 4.0) * (a + 5.0)) * ((a + 6.0) * (a + 7.0)))
    return stirling(a + count) - stirling(a + 8.0) + log(first)


@leaf
def short_log_rise(a: float, count: float) -> float:
    """Return log a (a + 1) ... (a + count - 1) for counts from 1 up to AHEAD."""
    product = a
    for i in range(1, AHEAD):
        product *= a + np.float64(i) if np.float64(i) < count else 1.0
    return log(product)


@step
def log_rises(a: Floats, counts: Floats, out: Floats, short: bool) -> None:
    """Fill `out` with log a (a + 1) ... (a + count - 1): of counts that are all below AHEAD (`short`) or none is."""
    if short:
        for i in range(a.shape[0]):
            out[i] = short_log_rise(a[i], counts[i])
    else:
        for i in range(a.shape[0]):
            out[i] = log_rise(a[i], counts[i])
