"""Conditional tables of several kinds: how children depend on parents in the world, not in one paper.

Every kind takes the cardinalities of node and parents and returns rows, a distribution for each configuration of the
parents, the last parent fastest. The strength of a table is drawn with it, so that networks mix strong and weak links.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Kind = Callable[[int, Sequence[int], np.random.Generator], Floats]

CONCENTRATIONS = (0.02, 0.1, 0.3, 1.0, 3.0)
NOISE = (0.0, 0.001, 0.01, 0.1, 0.2)
NO_DIFFERENCE = 1e-4
"""Rows of which no probability differs by more are taken for equal: no kind below hides an effect in that."""


def idle_parents(table: Floats, parents: Sequence[int]) -> list[int]:
    """Return the places of the parents that make no difference: rows that differ in them alone are equal, nearly."""
    shaped = table.reshape(*parents, -1)
    return [axis for axis in range(len(parents)) if np.ptp(shaped, axis=axis).max() < NO_DIFFERENCE]


def without(table: Floats, parents: Sequence[int], idle: Sequence[int]) -> Floats:
    """Return a table without parents that make no difference."""
    kept = table.reshape(*parents, -1)[tuple(0 if axis in idle else slice(None) for axis in range(len(parents)))]
    return np.ascontiguousarray(kept.reshape(-1, table.shape[1]))


def dirichlet(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Draw rows that have nothing to do with each other; the concentration is one for the table."""
    weights = rng.standard_gamma(float(rng.choice(CONCENTRATIONS)), (math.prod(parents), card)) + 1e-12
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def functional(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Draw a function of the parents, with or without noise."""
    rows, noise = math.prod(parents), float(rng.choice(NOISE))
    table = np.full((rows, card), noise / card)
    table[np.arange(rows), rng.integers(card, size=rows)] += 1.0 - noise
    return table


def ordinal(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Draw states in an order, around a weighted sum of the parents' places: effects that add up."""
    mean = _places(parents) @ rng.normal(size=len(parents))
    spread = rng.uniform(0.3, 1.0)
    distance = np.linspace(-1.5, 1.5, card)[None, :] - mean[:, None]
    weights = np.exp(-0.5 * (distance / spread) ** 2) + 1e-6
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def faint(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Draw a common row, from which each configuration departs a little."""
    common = rng.dirichlet(np.full(card, 0.7))
    own = rng.dirichlet(np.full(card, 0.3), math.prod(parents))
    share = rng.uniform(0.1, 0.7, (len(own), 1))
    return np.asarray(share * own + (1.0 - share) * common)


def noisy_or(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Let each parent raise the node from its lowest state by itself; the largest wins (noisy-or, noisy-max).

    A parent's effect grows with its place among its states; a leak acts without parents.
    """
    level = np.arange(card - 1)
    below = np.exp(-rng.uniform(0.02, 0.6) * np.exp(-0.7 * level))[None, :]  # P(leak stays at or below a level)
    cumulative = np.repeat(below, math.prod(parents), axis=0)
    for place in (_places(parents).T + 1.0) / 2.0:
        push, fall = rng.uniform(0.3, 4.0), rng.uniform(0.3, 1.5)
        cumulative = cumulative * np.exp(-push * place[:, None] * np.exp(-fall * level)[None, :])
    return np.diff(cumulative, axis=1, prepend=0.0, append=1.0)


def skewed(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Draw nearly always one state, so that a sample may hold no other; some configurations differ."""
    rows, rare = math.prod(parents), 10.0 ** rng.uniform(-4.5, -1.5)
    usual = np.full(card, rare / max(1, card - 1))
    usual[rng.integers(card)] = 1.0 - rare
    table = np.repeat(usual[None, :], rows, axis=0)
    differs = (rng.random(rows) < 0.3) & (rows > 1)
    table[differs] = rng.dirichlet(np.full(card, 0.3), int(differs.sum()))
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def usual(card: int, rarity: tuple[float, float], rng: np.random.Generator) -> Floats:
    """Draw a node without parents that is in one state most of the time: a fault, a disease, an exception.

    rarity: how probable the other states are together, least and most, as powers of ten.
    """
    rare = 10.0 ** rng.uniform(*rarity)
    row = rare * rng.dirichlet(np.ones(card))
    row[rng.integers(card)] += 1.0 - rare
    return np.asarray(row[None, :] / row.sum())


def risky(card: int, parents: Sequence[int], base: float, rng: np.random.Generator) -> Floats:
    """Draw an effect that is in one state most of the time; every parent multiplies the odds of the other states.

    base: how probable the others are together in the middle of what parents do. Parents act by themselves, but for a
    little.
    """
    odds = np.full(math.prod(parents), math.log(base / (1.0 - base)))
    strength = rng.uniform(0.3, 2.5)
    for state in _states(parents).T:
        odds += strength * rng.normal(size=int(state.max()) + 1)[state]
    odds += rng.uniform(0.0, 0.5) * rng.normal(size=len(odds))
    rare = 1.0 / (1.0 + np.exp(-odds))
    table = rare[:, None] * rng.dirichlet(np.ones(card - 1))[None, :]
    return np.insert(table, int(rng.integers(card)), 1.0 - rare, axis=1)


def relabelling(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Copy a parent under other names, as far as there are states for it, with or without noise; others do nothing."""
    return _renamed(card, parents, rng.choice(NOISE), rng)


def switching(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Copy a parent under other names, as far as there are states for it; the others say with how much noise."""
    return _renamed(card, parents, np.tile(rng.choice(NOISE, math.prod(parents[1:])), parents[0]), rng)


def _renamed(card: int, parents: Sequence[int], noise: Floats | float, rng: np.random.Generator) -> Floats:
    name = rng.permutation(max(card, parents[0]))[: parents[0]] % card
    first = np.repeat(np.arange(parents[0]), math.prod(parents[1:]))
    noises = np.broadcast_to(noise, len(first))
    table = np.repeat(noises[:, None] / card, card, axis=1)
    table[np.arange(len(first)), name[first]] += 1.0 - noises
    return table


def additive(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Let each parent shift the log odds of the states by itself, strongly or weakly: no interactions."""
    logits = np.repeat(rng.normal(size=(1, card)) * rng.uniform(0.0, 2.0), math.prod(parents), axis=0)
    strength = 10.0 ** rng.uniform(-0.7, 0.4)
    for state in _states(parents).T:
        logits += (strength * rng.normal(size=(int(state.max()) + 1, card)))[state]
    weights = np.exp(logits - logits.max(axis=1, keepdims=True)) + 1e-9
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def measured(card: int, parents: Sequence[int], rng: np.random.Generator) -> Floats:
    """Draw a smooth function of the parents' places with little noise, cut into states: a discretised measurement."""
    places = _places(parents) * rng.choice([-1.0, 1.0], len(parents))
    how = rng.choice(["sum", "product", "largest", "smallest", "distance"])
    weights = rng.uniform(0.3, 1.0, len(parents))
    if how == "sum" or not len(parents):
        mean = places @ weights / max(1.0, weights.sum())
    elif how == "product":
        mean = 2.0 * np.prod((places + 1.0) / 2.0, axis=1) ** (1.0 / len(parents)) - 1.0
    elif how == "largest":
        mean = (places * weights).max(axis=1)
    elif how == "smallest":
        mean = (places * weights).min(axis=1)
    else:
        middle = places.mean(axis=1, keepdims=True) if len(parents) > 1 else 0.0
        mean = 2.0 * np.abs(places - middle).max(axis=1) - 1.0
    mean = np.sign(mean) * np.abs(mean) ** rng.uniform(0.5, 2.0)
    spread = 10.0 ** rng.uniform(-2.0, -0.3)
    centres = np.sort(rng.uniform(-1.0, 1.0, card)) if rng.random() < 0.5 else np.linspace(-1.0, 1.0, card)
    near = -0.5 * ((centres[None, :] - mean[:, None]) / spread) ** 2
    table = np.exp(near - near.max(axis=1, keepdims=True))
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def _states(parents: Sequence[int]) -> NDArray[np.int64]:
    """Return the parents' states, a row for each configuration."""
    if not parents:
        return np.zeros((1, 0), np.int64)
    return np.stack(np.unravel_index(np.arange(math.prod(parents)), tuple(parents)), axis=-1)


def _places(parents: Sequence[int]) -> Floats:
    """Return the places of the parents' states from -1 to 1, a row for each configuration."""
    if not parents:
        return np.zeros((1, 0))
    axes = [np.linspace(-1.0, 1.0, card) if card > 1 else np.zeros(1) for card in parents]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(parents))


KINDS: dict[str, Kind] = {
    "dirichlet": dirichlet,
    "functional": functional,
    "ordinal": ordinal,
    "faint": faint,
    "noisy-or": noisy_or,
    "skewed": skewed,
    "relabelling": relabelling,
    "switching": switching,
    "additive": additive,
    "measured": measured,
}
ROOT_KINDS = ("dirichlet", "faint", "skewed", "noisy-or")
"""Kinds that mean something without parents."""
SMOOTH_KINDS = ("ordinal", "additive", "measured")
"""Kinds in which each parent acts gradually, or by itself: no table of rows that have nothing to do with each other."""
SMOOTH_ROOT_KINDS = ("ordinal", "additive")
