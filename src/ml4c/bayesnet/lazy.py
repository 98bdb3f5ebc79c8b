"""A conditional table whose rows are made when they are asked for.

The full table of a node with many parents is exponential in their number, yet a sample of n records meets at most n
configurations. `LazyCPT` draws the row of a configuration when it occurs: Dirichlet(alpha, ..., alpha), from
random numbers that are a hash of the node's seed and of the configuration. A row is therefore the same whichever
other rows are drawn, in any order, in any process, and nothing has to be stored.

Hash: SplitMix64 (Steele, Lea and Flood 2014), one round for every parent. Two configurations share a row with
probability 2^-64, so the hash also stands for the configuration when equal ones are looked for. Dirichlet:
independent gamma variates by inversion, divided by their sum, in logarithms because a small alpha underflows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.sampling import Codes
from ml4c.bayesnet.distribution import CPT, Floats, Ints
from ml4c.errors import NetworkError

Words: TypeAlias = NDArray[np.uint64]

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class LazyCPT:
    """The distribution of a node with `card` states; every row is a Dirichlet(alpha) draw of its own.

    `seed`, from 0 to 2^64 - 1, and the states of the parents, in the order of `parents`, determine a row.
    """

    parents: tuple[int, ...]
    card: int
    alpha: float
    seed: int
    parent_cards: tuple[int, ...] = ()

    @property
    def n_parameters(self) -> int:
        """Number of free parameters that the full table would have."""
        return math.prod(self.parent_cards) * (self.card - 1)

    def checked(self, node: str, card: int, parent_cards: Sequence[int]) -> LazyCPT:
        """Return the distribution knowing its parents' cardinalities; NetworkError naming `node` if it cannot be."""
        if self.card != card:
            raise NetworkError(f"node {node!r}: rows of {self.card} probabilities for {card} states")
        if not (self.alpha > 0 and math.isfinite(self.alpha)):
            raise NetworkError(f"node {node!r}: alpha is {self.alpha}, a Dirichlet needs a positive number")
        if not 0 <= self.seed < 2**64:
            raise NetworkError(f"node {node!r}: the seed is {self.seed}, not from 0 to 2^64 - 1")
        return replace(self, parent_cards=tuple(parent_cards))

    def renumbered(self, position: Sequence[int]) -> LazyCPT:
        """Return the distribution for a network in which node `i` has become node `position[i]`."""
        return replace(self, parents=tuple(position[parent] for parent in self.parents))

    def rows(self, configurations: NDArray[Any]) -> Floats:
        """Return the row of every configuration: one line each, the parents' states in the order of `parents`."""
        return self._rows_of(_fold(self.seed, configurations))

    def draw(self, codes: Codes, cards: Ints, uniforms: Floats, out: Codes) -> None:  # noqa: ARG002 (protocol)
        """Fill `out` given the parents' columns in `codes`, from one uniform for each row."""
        if self.parents:
            keys, row = np.unique(_fold(self.seed, codes[:, list(self.parents)]), return_inverse=True)
        else:
            keys, row = _fold(self.seed, np.empty((1, 0))), np.zeros(len(uniforms), np.intp)
        cumulative = CPT(self.parents, self._rows_of(keys)).cumulative
        # The first state whose cumulative probability exceeds the uniform, as the kernel of a full table finds it.
        out[:] = 0
        for column in cumulative.T[:-1]:
            out += (uniforms >= column[row]).astype(out.dtype)

    def _rows_of(self, keys: Words) -> Floats:
        words = _mix(keys[:, None] + np.arange(1, self.card + 1, dtype=np.uint64) * GOLDEN_GAMMA)
        # 52 bits and a half: never 0 or 1, both of which have no finite gamma variate.
        logs = _log_gamma_variates(self.alpha, ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _mix(words: Words) -> Words:
    """Finish a SplitMix64 step: every bit of the input moves every bit of the output."""
    words = (words ^ (words >> np.uint64(30))) * MIX_1
    words = (words ^ (words >> np.uint64(27))) * MIX_2
    return words ^ (words >> np.uint64(31))


def _fold(seed: int, configurations: NDArray[Any]) -> Words:
    """Hash every line of `configurations`, one round for each column."""
    words = np.full(len(configurations), seed, dtype=np.uint64)
    for column in configurations.T:
        words = _mix(words + (column.astype(np.uint64) + np.uint64(1)) * GOLDEN_GAMMA)
    return _mix(words + GOLDEN_GAMMA)


def _log_gamma_variates(alpha: float, uniforms: Floats) -> Floats:
    """Return logarithms of gamma(alpha) variates by inversion; the lower tail is u = x^alpha / gamma(alpha + 1)."""
    from scipy.special import gammaincinv, gammaln

    variates = gammaincinv(alpha, uniforms)
    tail = (np.log(uniforms) + gammaln(alpha + 1)) / alpha
    return np.asarray(np.where(variates > 1e-200, np.log(np.maximum(variates, 1e-200)), tail))
