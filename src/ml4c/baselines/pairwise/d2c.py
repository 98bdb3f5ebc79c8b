"""D2C, from dependency to causality (Bontempi & Flauder 2015): asymmetries between the blankets of two columns.

The blanket of a column is its four best companions by mIMR (Bontempi & Meyer 2010): relevant to the column and, given
it, more dependent on each other than without it, as causes are. The descriptor of a pair (i, j) is the information
between i and j, alone and given either blanket; and quantiles of the populations

    positions of the blanket of i in that of j         I(i; m_j | j)    I(m_i; m_j | j)    I(i; m_j)

over all members m_i, m_j of the blankets without i and j, and of the same with i and j exchanged. A random forest tells
causes from effects by it. Information is that of linear regressions with Gaussian noise, -log(1 - r^2) / 2 of a
(partial) correlation r; the authors' other estimate, lazy learning, is not offered. Categories are numbered by
frequency.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ml4c.baselines.pairwise.supervised import Arrays, Supervised
from ml4c.baselines.pairwise.tables import Floats, Pairs, frequency_ranks
from ml4c.baselines.pairwise.trees import both_ways, fit_trees, forest, score_by_trees
from ml4c.dataset import Dataset

BLANKET = 4
CANDIDATES = 50
INTERACTION_WEIGHT = 0.5
INSIGNIFICANT = 0.05
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
SHRINKAGE = 1e-5
"""Part of the identity in the matrix of correlations: bounds information, and allows for columns that are copies."""
WIDTH = 3 + 8 * len(QUANTILES)


def correlations(data: Dataset) -> Floats:
    """Return the correlations of all columns, a little shrunk; 0 for a constant column.

    Categories are numbered by twice their frequency ranks, which are integers, so sums are exact in any order.
    """
    numbers = np.stack([2 * frequency_ranks(np.bincount(codes))[codes] for codes in data.codes.T], axis=1)
    sums = numbers.sum(axis=0)
    covariance = len(numbers) * (numbers.T @ numbers) - np.outer(sums, sums)
    deviation = np.sqrt(covariance.diagonal())
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0)
    found = (1 - SHRINKAGE) * covariance * np.outer(scale, scale)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def information(r: Floats) -> Floats:
    """Return the mutual information of two Gaussian columns of correlation r, bounded as r is."""
    return np.asarray(-np.log1p(-np.square(np.clip(r, SHRINKAGE - 1, 1 - SHRINKAGE))) / 2)


def given_one(r_ab: Floats, r_az: Floats, r_bz: Floats) -> Floats:
    """Return the partial correlation of a and b given z."""
    return np.asarray((r_ab - r_az * r_bz) / np.sqrt((1 - r_az**2) * (1 - r_bz**2)))


def given_set(r: Floats, i: int, j: int, given: list[int]) -> float:
    """Return the partial correlation of i and j given a set."""
    among = [i, j, *given]
    precision = np.linalg.inv(r[np.ix_(among, among)])
    return float(-precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1]))


def blanket(r: Floats, target: int, rows: int) -> NDArray[np.intp]:
    """Return the blanket of a column by mIMR, best first: the best pair, then one after the other."""
    size = min(BLANKET, len(r) - 2)
    among = _candidates(r, target, rows, size)
    if len(among) <= size or size < 2:
        return among[:size]
    relevance = information(r[target, among])
    gain = _interaction(r, target, among)
    pair = (1 - INTERACTION_WEIGHT) * (relevance[:, None] + relevance) + INTERACTION_WEIGHT * gain
    np.fill_diagonal(pair, -np.inf)
    chosen = [int(k) for k in np.unravel_index(np.argmax(pair), pair.shape)]
    while len(chosen) < size:
        value = (1 - INTERACTION_WEIGHT) * relevance + INTERACTION_WEIGHT * gain[chosen].mean(axis=0)
        value[chosen] = -np.inf
        chosen.append(int(np.argmax(value)))
    return among[chosen]


def _candidates(r: Floats, target: int, rows: int, least: int) -> NDArray[np.intp]:
    """Return the columns most correlated with the target, without those that are not significantly so."""
    strength = np.abs(r[target])
    strength[target] = -1.0
    ranked = np.argsort(-strength, kind="stable")[: min(CANDIDATES, len(r) - 1)]
    bound = np.tanh(ndtri(1 - INSIGNIFICANT) / np.sqrt(max(rows - 3, 1)))
    return ranked[: max(least, int(np.count_nonzero(strength[ranked] >= bound)))]


def _interaction(r: Floats, target: int, among: NDArray[np.intp]) -> Floats:
    """Return by how much each two candidates inform more about each other given the target."""
    each, with_target = r[np.ix_(among, among)], r[target, among]
    return information(given_one(each, with_target[:, None], with_target)) - information(each)


def descriptor(r: Floats, blankets: list[list[int]], i: int, j: int) -> Floats:
    """Return the descriptor of the pair (i, j)."""
    of_i, of_j = ([m for m in blankets[a] if m != b] for a, b in ((i, j), (j, i)))
    return np.concatenate(
        [
            information(np.array([r[i, j], given_set(r, i, j, of_j), given_set(r, i, j, of_i)])),
            _positions(of_i, of_j),
            _positions(of_j, of_i),
            *_populations(r, i, j, of_i, of_j),
            *_populations(r, j, i, of_j, of_i),
        ]
    )


def _populations(r: Floats, i: int, j: int, of_i: list[int], of_j: list[int]) -> list[Floats]:
    """Return quantiles of I(i; m_j | j), I(m_i; m_j | j) and I(i; m_j); a member of both informs most about itself."""
    to_members = given_one(r[i, of_j], r[i, j], r[j, of_j])
    between = given_one(r[np.ix_(of_i, of_j)], r[of_i, j][:, None], r[of_j, j])
    return [_quantiles(information(values.ravel())) for values in (to_members, between, r[i, of_j])]


def _positions(members: list[int], ranking: list[int]) -> Floats:
    """Return quantiles of the places of members in a ranking, one more than its length for those not in it."""
    place = {member: at for at, member in enumerate(ranking, start=1)}
    return _quantiles(np.array([place.get(member, len(ranking) + 1) for member in members], dtype=np.float64))


def _quantiles(values: Floats) -> Floats:
    return np.quantile(values, QUANTILES) if len(values) else np.zeros(len(QUANTILES))


def describe(data: Dataset, pairs: Pairs, _drawn: Arrays) -> Arrays:
    """Return the descriptors of the pairs, both ways round."""
    r = correlations(data)
    blankets = [blanket(r, target, data.n_rows).tolist() for target in range(len(r))]
    rows = pairs.tolist()
    return both_ways([descriptor(r, blankets, i, j) for i, j in rows], [descriptor(r, blankets, j, i) for i, j in rows])


PARAMETERS = forest(WIDTH)
D2C = Supervised(
    "d2c",
    settings={"features": WIDTH, "blanket": BLANKET, "quantiles": QUANTILES, "parameters": PARAMETERS},
    describe=describe,
    fit=partial(fit_trees, PARAMETERS),
    score=score_by_trees,
)
