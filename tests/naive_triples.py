"""The features of a triple, straight from METHOD section 3: sets, lists, numpy; no caps, no batches."""

import itertools
import math

import numpy as np


def neighbours(adjacency, node):
    return {int(v) for v in np.flatnonzero(adjacency[node])}


def subsets(nodes, largest):
    return {frozenset(c) for size in range(largest + 1) for c in itertools.combinations(sorted(nodes), size)}


def p_value(severity):
    return math.erfc(severity / math.sqrt(2))


def sepsets(severity, adjacency, x, y, alpha=0.01, largest=2):
    """Subsets of PC_X + T and of PC_Y + T that separate X from Y; else the one with the largest p-value."""
    candidates = subsets(neighbours(adjacency, x), largest) | subsets(neighbours(adjacency, y), largest)
    of = {s: severity(x, y, s) for s in candidates}
    return [s for s in candidates if p_value(of[s]) > alpha] or [min(of, key=of.get)]


def overlap(a, b):
    return len(a & b) / min(len(a), len(b)) if a and b else 1.0


def pair_lists(adjacency, x, t, y):
    near_x, near_y = neighbours(adjacency, x) - {t}, neighbours(adjacency, y) - {t}
    lists = [
        {frozenset((x, y))},
        {frozenset((x, b)) for b in near_y},
        {frozenset((y, a)) for a in near_x},
        {frozenset((a, b)) for a in near_x for b in near_y},
    ]
    apart = [[tuple(p) for p in pairs if len(p) == 2] for pairs in lists]
    return [[(a, b) for a, b in pairs if not adjacency[a, b]] for pairs in apart]


def condition_lists(adjacency, x, t, y, separating):
    near_t = neighbours(adjacency, t) - {x, y}
    return [
        [{t}],
        [set(s) for s in separating],
        [set(s) | {t} for s in separating],
        [{i} for i in near_t],
        [set(s) | {i} for s in separating for i in near_t if i not in s],
    ]


def summary(severities, weights, phases):
    """Size, moments and embedding of p-values and severities."""
    if not severities:
        return [0.0] + [-1.0] * (8 + 2 * len(weights))
    moments, embedded = [], []
    for values in (np.array([p_value(s) for s in severities]), np.array(severities)):
        moments += [values.mean(), values.std(), values.max(), values.min()]
        spread = values.std() if values.max() > values.min() else 0.0
        z = (values - values.mean()) / spread if spread else np.zeros(len(values))
        embedded += [np.cos(w * z + b).mean() for w, b in zip(weights, phases, strict=True)]
    return [float(len(severities)), *moments, *embedded]


def features(severity, adjacency, x, t, y, embedding, alpha=0.01, largest=2):
    """All 755 numbers, X and Y as given."""
    near = {v: neighbours(adjacency, v) for v in (x, t, y)}
    separating = sepsets(severity, adjacency, x, y, alpha, largest)
    row = [len(near[t]), len(near[x]), len(near[y]), len(separating), np.mean([len(s) for s in separating])]
    row += [overlap(near[x], near[y]), overlap(near[x], near[t]), overlap(near[y], near[t])]
    row += [np.mean([overlap(a, s) for s in separating]) for a in ({t}, near[x], near[y], near[t])]
    for conditions in condition_lists(adjacency, x, t, y, separating):
        for pairs in pair_lists(adjacency, x, t, y):
            severities = [severity(a, b, z) for z in conditions for a, b in pairs if not {a, b} & set(z)]
            numbers = summary(severities, embedding.weights, embedding.phases)
            # The first cell holds the single number X~Y|T.
            row += [numbers[1], numbers[5]] if len(row) == 12 else numbers
    return np.array(row)
