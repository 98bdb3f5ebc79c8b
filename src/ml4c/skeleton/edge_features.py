"""The features of a pair of columns, from which a learner tells how probable an edge is.

Four kinds: what the pair itself shows (dependence by itself, cardinalities, entropies, rows for each degree of
freedom); what the searches say (`sights`: who wants the pair, what the edge gains in each DAG, how it ranks among those
of its ends, how probable it is in walks over all DAGs); how far sets of one and, if anybody wants it, of two columns
separate it, taken from the likeliest neighbours of either end; and what surrounds it in the graphs that were found
(`edge_context`).
A feature of the two ends is given as its larger and its smaller value ("hi", "lo"), so exchanging the ends changes
nothing. nan stands for what does not exist: no set to condition on, or none asked, no arc that a search could use.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ml4c.citest import DataTest
from ml4c.search.dags import FoundDag
from ml4c.search.orders import TEMPERATURES
from ml4c.skeleton.edge_context import CELLS, NO_FREEDOM, Named, context_features, context_names, two
from ml4c.skeleton.pairs import Columns, Floats, Ints, in_common, number_of, without
from ml4c.skeleton.separation import BATCH
from ml4c.skeleton.sights import LIKELY, WALKED, Sights, information_of, likeliest
from ml4c.skeleton.verdicts import bic_gain, normal_deviate

POOLS = (4, 3)
"""Neighbours of each end from which sets of one and of two are taken."""
FEWEST_VOTES = (0, 1)
"""Votes that a pair needs to be tested given sets of one and of two: most pairs have none, and are no edges."""
LARGEST_SET = len(POOLS)
LARGEST = 1e6
"""Features are cut off here: learners take no infinities."""

_ENDS = ("hi", "lo")
_SEARCHES = ("mix", "wide", *WALKED.values())
_GAINS = (("", " hi"), ("", " lo"), ("best ", ""))
_OF_SETS = ("z lo", "z hi", "z mean", "z max", "information", "bic gain", "log rows/dof")


def _names() -> tuple[str, ...]:
    plain = ("log rows", "log columns", "mean degree", "z", "information", "bic gain", "log dof", "log rows/dof")
    shared = ("information/entropy hi", "information/entropy lo", "weakest z", "weakest size")
    said = ("hiton", "refuted", "fast", "votes", *(f"dag {name}" for name in _SEARCHES), "common neighbours")
    worth = (f"{what}gain {name}{end}" for name in _SEARCHES for what, end in _GAINS)
    of_ends = ("entropy", "cardinality", "degree", "possible degree", "alone gain")
    beyond = ("z given parents", "gain given parents", "rank z", "rank information", "rank bic gain", "rank votes")
    both = (f"{name} {end}" for name in (*of_ends, *beyond) for end in _ENDS)
    sets = (f"{name} | {size}" for size in range(1, LARGEST_SET + 1) for name in _OF_SETS)
    least = ("least z", "least information", "information kept")
    averaged = (_share(name, temperature) for name in WALKED for temperature in TEMPERATURES)
    return (*plain, *shared, *said, *worth, *both, *sets, *least, *context_names(), *averaged)


def _share(name: str, temperature: float) -> str:
    return f"share {name} at {temperature:g}"


EDGE_FEATURE_NAMES: tuple[str, ...] = _names()
"""The names of the features, in the order of the columns of a feature matrix."""


def edge_features(test: DataTest, sights: Sights, *, largest_set: int | None = None) -> NDArray[np.float32]:
    """Compute the features of all pairs that are to be judged: (pairs, features).

    largest_set: features of larger sets are nan, None for no limit.
    """
    entropy = test.packed.entropies
    found = {
        **_of_pair(test, sights, entropy),
        **_of_searches(sights),
        **_of_ranks(sights),
        **_of_sets(test, sights, LARGEST_SET if largest_set is None else largest_set),
        **context_features(test, sights, entropy, largest_set),
        **_of_walks(sights),
    }
    found["least z"] = np.fmin.reduce([found["z"], *(found[f"z lo | {size}"] for size in _sizes())])
    kept = [found["information"], *(found[f"information | {size}"] for size in _sizes())]
    found["least information"] = np.fmin.reduce(kept)
    found["information kept"] = found["least information"] / np.maximum(found["information"], 1e-12)
    matrix = np.column_stack([found[name] for name in EDGE_FEATURE_NAMES])
    return np.clip(matrix, -LARGEST, LARGEST).astype(np.float32)


def _sizes() -> range:
    return range(1, LARGEST_SET + 1)


def _of_pair(test: DataTest, sights: Sights, entropy: Floats) -> Named:
    x, y = sights.pairs.T
    alone, packed = sights.marginals, test.packed
    information, dof = alone.information[x, y], np.maximum(alone.dof[x, y], 0.5)
    smaller, larger = np.minimum(entropy[x], entropy[y]), np.maximum(entropy[x], entropy[y])
    cards = packed.columns.cards.astype(np.float64)
    likely = (sights.votes >= LIKELY).sum(axis=1)
    return {
        "log rows": np.full(len(x), np.log(packed.n_rows)),
        "log columns": np.full(len(x), np.log(packed.n_columns)),
        "mean degree": np.full(len(x), likely.mean()),
        "z": alone.z[x, y],
        "information": information,
        "bic gain": alone.gain[x, y],
        "log dof": np.log(dof),
        "log rows/dof": np.log(packed.n_rows / dof),
        "information/entropy hi": information / np.maximum(smaller, 1e-9),
        "information/entropy lo": information / np.maximum(larger, 1e-9),
        **two("entropy", entropy[x], entropy[y]),
        **two("cardinality", cards[x], cards[y]),
        **two("alone gain", *_gains_alone(sights)),
    }


def _gains_alone(sights: Sights) -> tuple[Floats, Floats]:
    """Return what each end adds to the score of the other that has no parents."""
    scores = sights.explored.scores
    before = scores.score(np.arange(len(scores.names), dtype=np.int32)[:, None])
    x, y = sights.pairs.T
    return scores.score(sights.pairs) - before[x], scores.score(sights.pairs[:, ::-1]) - before[y]


def _of_searches(sights: Sights) -> Named:
    x, y = sights.pairs.T
    explored, votes = sights.explored, sights.votes
    ledger = explored.referee.ledger
    number = number_of(x, y, ledger.n_columns)
    likely = votes >= LIKELY
    degree, possible = (marked.sum(axis=1).astype(np.float64) for marked in (likely, votes >= 1))
    beyond = explored.given_parents
    found = {
        "weakest z": ledger.z[number],
        "weakest size": (ledger.given[number] >= 0).sum(axis=1).astype(np.float64),
        "hiton": explored.wanted[x, y].astype(np.float64) + explored.wanted[y, x],
        "refuted": beyond.refuted[x, y].astype(np.float64) + beyond.refuted[y, x],
        "fast": sights.fast[x, y].astype(np.float64),
        "votes": votes[x, y].astype(np.float64),
        "common neighbours": in_common(likely, x, y).astype(np.float64),
        **two("degree", degree[x], degree[y]),
        **two("possible degree", possible[x], possible[y]),
        **two("z given parents", beyond.z[x, y].astype(np.float64), beyond.z[y, x].astype(np.float64)),
        **two("gain given parents", beyond.gain[x, y].astype(np.float64), beyond.gain[y, x].astype(np.float64)),
    }
    for name, dag in sights.dags.items():
        found[f"dag {name}"] = (dag.dag[x, y] | dag.dag[y, x]).astype(np.float64)
        found.update(_gains_in(dag, name, x, y))
    return found


def _gains_in(found: FoundDag, name: str, x: Columns, y: Columns) -> Named:
    """Return what an edge gains in a DAG, in both directions, and in the better of those that the DAG allows."""
    tail, head = found.arcs.T
    gain, legal = np.full(found.dag.shape, np.nan), np.full(found.dag.shape, np.nan)
    gain[tail, head] = found.gain
    legal[tail, head] = np.where(found.legal, found.gain, np.nan)
    return {**two(f"gain {name}", gain[x, y], gain[y, x]), f"best gain {name}": np.fmax(legal[x, y], legal[y, x])}


def _of_walks(sights: Sights) -> Named:
    return {
        _share(name, temperature): share.astype(np.float64)
        for name, shares in sights.shares.items()
        for temperature, share in zip(TEMPERATURES, shares, strict=True)
    }


def _of_ranks(sights: Sights) -> Named:
    alone = sights.marginals
    by = {
        "rank z": alone.z,
        "rank information": alone.information,
        "rank bic gain": alone.gain,
        "rank votes": sights.preference,
    }
    x, y = sights.pairs.T
    found: Named = {}
    for name, strength in by.items():
        found |= two(name, _rank(strength, x, y), _rank(strength, y, x))
    return found


def _rank(strength: Floats, row: Columns, column: Columns) -> Floats:
    """Return how many numbers of the row are larger."""
    cells, rank = strength[row, column], np.empty(len(row))
    step = max(1, CELLS // len(strength))
    for begin in range(0, len(row), step):
        some = slice(begin, begin + step)
        rank[some] = (strength[row[some]] > cells[some, None]).sum(axis=1)
    return rank


def _of_sets(test: DataTest, sights: Sights, largest_set: int) -> Named:
    x, y = sights.pairs.T
    near = _neighbours(sights)
    found: Named = {}
    for size in _sizes():
        places = np.array(list(combinations(range(POOLS[size - 1]), size)))
        given = np.stack([without(near[x], y)[:, places], without(near[y], x)[:, places]], axis=1)
        fewest = FEWEST_VOTES[size - 1] if size <= largest_set else np.inf
        given = np.where((sights.votes[x, y] >= fewest)[:, None, None, None], given, -1)
        found |= _summarised(test, sights.pairs, given.reshape(len(x), 2 * len(places), size), size)
    return found


def _neighbours(sights: Sights) -> Columns:
    """List the likeliest neighbours of every column, first those with most votes, then -1; one more than a pool."""
    return likeliest(np.where(sights.votes >= 1, sights.preference, -np.inf), max(POOLS) + 1)


def _summarised(test: DataTest, pairs: Columns, given: Columns, size: int) -> Named:
    """Ask about every pair given each of its sets, the first half of them from one end, and summarise."""
    n_pairs, n_sets = given.shape[:2]
    whole = (given >= 0).all(axis=2)
    z, information, gain, spare = (np.full((n_pairs, n_sets), np.nan) for _ in range(4))
    row, place = np.nonzero(whole)
    for begin in range(0, len(row), BATCH):
        cells = row[begin : begin + BATCH], place[begin : begin + BATCH]
        found = test.association(np.hstack([pairs[cells[0]], given[cells]]))
        z[cells] = np.maximum(normal_deviate(found.g2, found.dof), NO_FREEDOM)
        information[cells], gain[cells] = information_of(found), bic_gain(found)
        spare[cells] = np.log(np.maximum(found.n, 1.0) / np.maximum(found.dof, 0.5))
    first, second = np.fmin.reduce(z[:, : n_sets // 2], axis=1), np.fmin.reduce(z[:, n_sets // 2 :], axis=1)
    count = whole.sum(axis=1).astype(np.float64)
    least: Ints = np.where(np.isnan(z), np.inf, z).argmin(axis=1)
    return {
        f"z lo | {size}": np.fmin(first, second),
        f"z hi | {size}": np.fmax(first, second),
        f"z mean | {size}": np.where(whole, z, 0.0).sum(axis=1) / np.where(count > 0, count, np.nan),
        f"z max | {size}": np.fmax.reduce(z, axis=1),
        f"information | {size}": np.fmin.reduce(information, axis=1),
        f"bic gain | {size}": np.fmin.reduce(gain, axis=1),
        f"log rows/dof | {size}": spare[np.arange(n_pairs), least],
    }
