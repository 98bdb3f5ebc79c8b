"""Jarfo (Fonollosa 2013, 2016): the features of the winner of the cause-effect pairs challenge, and boosted trees.

All columns are categorical, so features are his for two categorical columns, computed from the contingency table, and
independent of the names and order of categories. Of his 43, three say nothing then and are left out: both polynomial
coefficients (0) and HSIC (equal to the correlation). His three classifiers differ in how they treat pairs without a
causal direction; there are none in a skeleton, so they are one: 500 trees of depth 9, rate 0.1.

A feature is of x, of y, of y given x ("x->y"), of x given y, or of both alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.special import digamma

from ml4c.baselines.pairwise.information import adjusted_information, entropy, plain_entropy
from ml4c.baselines.pairwise.supervised import Arrays, Supervised
from ml4c.baselines.pairwise.tables import (
    Floats,
    Pairs,
    Table,
    by_frequency,
    contingency_tables,
    frequency_ranks,
    standardised,
    turned,
)
from ml4c.baselines.pairwise.trees import both_ways, fit_trees, score_by_trees
from ml4c.dataset import Dataset

MIN_ROWS = {"entropy": 11, "moments": 8, "similarity": 13}
"""Fewest rows of a value of x whose conditional distribution is looked at."""
DEGREE = 2
NEIGHBOURS = 2
DIGAMMA_TERM = float(digamma(NEIGHBOURS) - np.log(NEIGHBOURS))

PARAMETERS: Mapping[str, Any] = {
    "n_trees": 500,
    "max_depth": 9,
    "eta": 0.1,
    "objective": "binary:logistic",
    "base_score": 0.5,
    "tree_method": "hist",
    "max_bin": 256,
}


def features_of_column(counts: Table) -> dict[str, float]:
    """Return the features of one column; categories numbered from the most frequent on."""
    ordered = -np.sort(-counts)
    z, n, values = _standard_numbers(ordered), int(counts.sum()), len(counts)
    share = ordered / n
    return {
        "log values": float(np.log(values)),
        "entropy": entropy(counts),
        "normalised entropy": entropy(counts) / np.log(values) if values > 1 else 0.0,
        "spacing entropy": _spacing_entropy(z, ordered),
        # his estimate for equally spaced values, whose spacings all are one share
        "uniform divergence": float(np.log(values)) - plain_entropy(counts) + DIGAMMA_TERM,
        "skewness": float(share @ z**3),
        "kurtosis": float(share @ z**4) - 3.0,
    }


def features_of_direction(table: Table) -> dict[str, float]:
    """Return the features of y given x, which are not those of x given y."""
    share = table / table.sum()
    x, y = (standardised(frequency_ranks(counts), counts) for counts in (table.sum(axis=1), table.sum(axis=0)))
    return {
        "conditional entropy": entropy(table.ravel()) - entropy(table.sum(axis=1)),
        "error": _error_probability(share),
        "entropy variation": _entropy_variation(table),
        **_moment_variations(table),
        "similarity": _similarity(table),
        "igci": _slope_entropy(x, y, table),
        "moment 21": float(x**2 @ share @ y),
        "moment 31": float(x**3 @ share @ y),
        "fit error": _fit_error(x, y, table),
    }


def features_of_both(table: Table) -> dict[str, float]:
    """Return the features that are alike both ways round."""
    x, y, joint = entropy(table.sum(axis=1)), entropy(table.sum(axis=0)), entropy(table.ravel())
    information = max(0.0, x + y - joint)
    errors = _error_probability(table / table.sum()), _error_probability(turned(table) / table.sum())
    return {
        "log rows": float(np.log(table.sum())),
        "information": information,
        "information by joint": _ratio(information, joint),
        "information by least": _ratio(information, min(x, y)),
        "adjusted information": adjusted_information(table),
        "correlation": 1.0 - min(errors),
    }


def features(table: Table) -> dict[str, float]:
    """Return the features of the table of x and y by name."""
    table = by_frequency(table)
    parts = {
        "x": features_of_column(table.sum(axis=1)),
        "y": features_of_column(table.sum(axis=0)),
        "x->y": features_of_direction(table),
        "y->x": features_of_direction(turned(table)),
        "both": features_of_both(table),
    }
    return {f"{name} of {part}": value for part, found in parts.items() for name, value in found.items()}


def describe(data: Dataset, pairs: Pairs, _drawn: Arrays) -> Arrays:
    """Return the features of the pairs, both ways round."""
    tables = contingency_tables(data, pairs)
    forward, backward = ([features(way) for way in ways] for ways in (tables, map(turned, tables)))
    return both_ways([_vector(found) for found in forward], [_vector(found) for found in backward])


def _vector(found: Mapping[str, float]) -> Floats:
    return np.array(list(found.values()))


def _standard_numbers(ordered: Table) -> Floats:
    return standardised(np.arange(len(ordered), dtype=np.float64), ordered)


def _spacing_entropy(z: Floats, counts: Table) -> float:
    """Return the entropy estimated from spacings of standardised values (his "normalized entropy")."""
    if len(z) < 2:
        return 0.0
    spacing, after, gaps = np.diff(z) / NEIGHBOURS, counts[1:], len(z) - 1
    mean = float((after * np.log(spacing / after)).sum()) / float(counts.sum())
    return mean + float(digamma(gaps) - np.log(gaps) + np.log(counts.sum())) - DIGAMMA_TERM


def _error_probability(share: Floats) -> float:
    """Return the error of guessing y from x, as a part of the error of guessing y."""
    error, blind = 1.0 - float(share.max(axis=1).sum()), 1.0 - float(share.sum(axis=0).max())
    return error / blind if blind > 0 else error


def _entropy_variation(table: Table) -> float:
    """Return how much the entropy of y varies over the values of x, in units of the largest entropy."""
    given = table[table.sum(axis=1) >= MIN_ROWS["entropy"]]
    if not len(given) or table.shape[1] < 2:
        return 0.0
    return float(np.std([entropy(counts) for counts in given]) / np.log(table.shape[1]))


def _moment_variations(table: Table) -> dict[str, float]:
    """Return how much skewness and kurtosis of y vary over the values of x, y numbered anew for each."""
    given = [-np.sort(-counts[counts > 0]) for counts in table if counts.sum() >= MIN_ROWS["moments"]]
    numbers = [(_standard_numbers(ordered), ordered / ordered.sum()) for ordered in given]
    return {
        "skewness variation": float(np.std([share @ z**3 for z, share in numbers])) if numbers else 0.0,
        "kurtosis variation": float(np.std([share @ z**4 for z, share in numbers])) if numbers else 0.0,
    }


def _similarity(table: Table) -> float:
    """Return the spread of the sorted distributions of y given each value of x: CDS of categorical columns."""
    given = table[table.sum(axis=1) >= MIN_ROWS["similarity"]]
    if not len(given):
        return 0.0
    shares = np.sort(given, axis=1) / given.sum(axis=1, keepdims=True)
    return float(np.std(shares - shares.mean(axis=0)))


def _slope_entropy(x: Floats, y: Floats, table: Table) -> float:
    """Return the entropy of the slopes of the mean of y over x (IGCI), weighted by the rarer neighbour."""
    value, place = np.unique(x, return_inverse=True)
    counts = np.bincount(place, table.sum(axis=1))
    run, rise = np.diff(value), np.diff(np.bincount(place, table @ y) / counts)
    weight, steep = np.minimum(counts[1:], counts[:-1]), rise != 0
    return float((weight[steep] * np.log(run[steep] / np.abs(rise[steep]))).sum() / table.sum())


def _fit_error(x: Floats, y: Floats, table: Table) -> float:
    """Return the deviation of y from a polynomial of x, of degree 2 or of fewer values less one."""
    counts = table.sum(axis=1)
    means = table @ y / counts
    degree = min(DEGREE, len(np.unique(x)) - 1, len(np.unique(y)) - 1)
    fitted = np.polyval(np.polyfit(x, means, degree, w=np.sqrt(counts)), x)
    return float(np.sqrt((table * (y[None, :] - fitted[:, None]) ** 2).sum() / table.sum()))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


FEATURE_NAMES = tuple(features(np.eye(2, dtype=np.int64)))
JARFO = Supervised(
    "jarfo",
    settings={"features": FEATURE_NAMES, "parameters": dict(PARAMETERS)},
    describe=describe,
    fit=partial(fit_trees, PARAMETERS),
    score=score_by_trees,
)
