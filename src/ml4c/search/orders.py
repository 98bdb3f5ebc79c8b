"""How probable arcs are, when DAGs are as probable as a score says: walks over the orders of the columns.

The best DAG says nothing about the second best. In an order of the columns parents come before children, and the sum of
the probabilities of all its DAGs is a product over columns, so that a Markov chain over orders averages over all DAGs
at once (Friedman and Koller 2003). Before data are seen all numbers of parents of a column are equally probable, and so
are all sets of one size.

Every column has a few candidate parents. Sets of up to three of them are scored beforehand; after that moves are
lookups (`_kernels.orders`). Walks go from hot to cold: at temperature 1 they follow the score's own posterior, which
trusts its assumptions more than it should; at higher ones doubts show earlier. Having come from hot, they also find
better DAGs than a search that climbs: the best one within the best order of the last temperature is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ml4c._kernels import orders
from ml4c._kernels.arrays import Floats, Ints
from ml4c.counting import Packed, announce_compiling
from ml4c.graph import Graph, topological_order
from ml4c.scores import JointScores, LocalScores
from ml4c.search.subsets import first_sets, set_counts

POOLS = (10, 10, 6)
"""Candidates, the first ones, from which sets of one, two and three parents are taken; there are no larger sets."""
MOST_CANDIDATES = max(POOLS)
"""More are of no use."""
FEW_COLUMNS = 1 + min(POOLS)
"""In tables of so many columns all sets are of the first candidates, whichever these are."""
CONFIGURATIONS_PER_ROW = 4.0
"""Sets of three whose cardinalities multiply to more than this for each row are left out."""
TEMPERATURES = (64.0, 16.0, 4.0, 1.0)
STARTS = 2
"""Walks, the first from an order of a DAG that is given, the others from any."""
SWEEPS = 30
"""Moves for each column before a temperature is looked at."""
LOOKS = 40
"""Looks at each temperature, one move for each column apart."""
REACH = 24
"""Places that a column moves at most."""
LEFT_OUT = -1e12
"""The score of sets that are left out."""


@dataclass(frozen=True, eq=False)
class Walked:
    """What walks have seen of all DAGs."""

    shares: NDArray[np.float32]
    """(temperatures, columns, columns): how probable the arc i -> j is."""
    dag: Graph
    """The best DAG in the best order at the last temperature, fewer parents preferred as a priori."""


def walk_orders(scores: LocalScores, candidates: NDArray[np.int32], start: Graph, seed: int = 0) -> Walked:
    """Walk over the DAGs among candidates, at each of TEMPERATURES under a score.

    candidates: (columns, some), the columns that may be parents of each, then -1. start: a DAG in an order of which the
    first walk begins. Walks number columns by their entropies, so that names matter only between equals.
    """
    announce_compiling(orders.walk)
    # Tables have a place for every set of candidates: of few columns nobody has as many as there is room for.
    candidates = candidates[:, : max(1, int((candidates >= 0).sum(axis=1).max()))]
    n, width = candidates.shape
    child, place = np.nonzero(candidates >= 0)
    bit = np.zeros((n, n), np.int16)
    bit[child, candidates[child, place]] = 1 << place
    worth = _worth(scores, candidates)
    listed = np.flatnonzero((worth > LEFT_OUT / 2).any(axis=0))
    own = np.argsort(scores.packed.entropies, kind="stable")
    numbered = np.ix_(own, own)
    bits = bit[numbered]
    rngs = [np.random.default_rng([seed, i]) for i in range(STARTS)]
    begin = [topological_order(start[numbered]), *(rng.permutation(n) for rng in rngs[1:])]
    walks = [_begin(bits, columns, rng) for columns, rng in zip(begin, rngs, strict=True)]
    shares, reach = np.zeros((len(TEMPERATURES), n, n), np.float32), max(1, min(n - 1, REACH))
    for row, temperature in enumerate(TEMPERATURES):
        q = orders.Candidates(bits, worth[own] / temperature, np.zeros(n, np.uint8))
        orders.sum_within(q.weight, listed, q.as_logs)
        seen = np.zeros((n, width))
        for order in walks:
            orders.walk(q, order, reach, SWEEPS, LOOKS, seen)
        seen[own] = seen.copy()
        shares[row][candidates[child, place], child] = seen[child, place] / (LOOKS * STARTS)
    best = max(walks, key=lambda order: order.worth[1]).best
    return Walked(shares, _best_within(worth, candidates, _before(bit, own[best])))


def score_ahead(scores: JointScores) -> None:
    """Score what walks will ask, where columns are so few that it is known before there are candidates.

    Searches of small tables take most of their time to ask about a few families at every step; so they find them.
    """
    n = scores.packed.n_columns
    if n <= FEW_COLUMNS:
        others = np.array([[j for j in range(n) if j != i] for i in range(n)], np.int32).reshape(n, n - 1)
        scores.score(_families(scores.packed, others)[0])


def _begin(bit: NDArray[np.int16], columns: Ints, rng: np.random.Generator) -> orders.Order:
    columns = columns.astype(np.int64)
    random = rng.integers(1, 1 << 63, 1, np.uint64)
    return orders.Order(columns, _before(bit, columns), random, np.zeros(2), columns.copy())


def _before(bit: NDArray[np.int16], columns: Ints) -> Ints:
    """Return for each column the bits of its candidates that come before it in an order."""
    position = np.argsort(columns)
    return np.asarray(np.where(position[None, :] < position[:, None], bit, 0).sum(axis=1))


def _best_within(worth: Floats, candidates: NDArray[np.int32], before: Ints) -> Graph:
    """Return the best DAG of an order, in which columns have these candidates before them."""
    n, width = candidates.shape
    chosen = np.where(np.arange(1 << width) & ~before[:, None], -np.inf, worth).argmax(axis=1)
    child, place = np.nonzero(chosen[:, None] >> np.arange(width) & 1)
    dag = np.zeros((n, n), np.int8)
    dag[candidates[child, place], child] = 1
    return dag


def _worth(scores: LocalScores, candidates: NDArray[np.int32]) -> Floats:
    """Return the score of every set of candidates as parents, by their bits, and how probable such a set is at all."""
    n, width = candidates.shape
    families, places = _families(scores.packed, candidates)
    size = (families[:, 1:] >= 0).sum(axis=1)
    worth = np.full(n << width, LEFT_OUT)
    worth[places] = scores.score(families) + (gammaln(size + 1) + gammaln(n - size) - gammaln(n))
    worth = worth.reshape(n, -1)
    return np.asarray(worth - worth[:, :1])


def _families(packed: Packed, candidates: NDArray[np.int32]) -> tuple[NDArray[np.int32], Ints]:
    """List every column with the sets of its candidates that may be parents, and by its bits the place of each."""
    n, width = candidates.shape
    padded = np.column_stack([candidates, np.full((n, 1), -1)])
    log_card = np.append(np.log(packed.columns.cards), 0.0)  # -1, for no parent, is the last place
    families, places = [], []
    for size, pool in enumerate((0, *POOLS)):
        members = first_sets(int(set_counts(size)[min(pool, width)]), size)
        parents = padded[:, members]  # (columns, sets, size)
        real = (parents >= 0).all(axis=2)
        if size > 2:
            real &= log_card[parents].sum(axis=2) <= np.log(CONFIGURATIONS_PER_ROW * packed.n_rows)
        node, which = np.nonzero(real)
        none = np.full((len(node), len(POOLS) - size), -1)
        families.append(np.column_stack([node, parents[node, which], none]))
        places.append((node << width) + (1 << members).sum(axis=1)[which])
    return np.concatenate(families).astype(np.int32), np.concatenate(places)
