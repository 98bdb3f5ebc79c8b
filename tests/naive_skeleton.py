"""Slow, obvious twins of `ml4c.skeleton`: PC-stable set by set, copies and functions straight from the definitions."""

import itertools

from scipy.stats import chi2

import naive


def g2_p_value(codes, x, y, given):
    """Upper tail of G2, 1 without degrees of freedom."""
    g2, _, dof = naive.association(codes, x, y, given)
    return float(chi2.sf(max(g2, 0.0), dof)) if dof else 1.0


def pc(p_value, n_columns, alpha, largest, shortened=lambda near, column, size: near):  # noqa: ARG005
    """Edges of PC-stable as a set of frozensets; shortened: which neighbours of a column make sets of a size."""
    edges = {frozenset(pair) for pair in itertools.combinations(range(n_columns), 2)}
    for size in range(largest + 1):
        near = {i: {j for j in range(n_columns) if frozenset((i, j)) in edges} for i in range(n_columns)}
        for edge in list(edges):
            x, y = sorted(edge)
            pools = (shortened(near[x] - {y}, x, size), shortened(near[y] - {x}, y, size))
            sets = {s for pool in pools for s in itertools.combinations(sorted(pool), size)}
            if any(p_value(x, y, s) > alpha for s in sets):
                edges.discard(edge)
    return edges


def groups(codes, column):
    """The partition of the rows by one column; missing cells belong to no group."""
    rows = {}
    for row, value in enumerate(codes[:, column].tolist()):
        if value >= 0:
            rows.setdefault(value, set()).add(row)
    return frozenset(frozenset(group) for group in rows.values())


def copies(codes):
    """Sets of columns with the same partition, constants aside."""
    found = {}
    for column in range(codes.shape[1]):
        parts = groups(codes, column)
        if len(parts) > 1:
            found.setdefault(parts, []).append(column)
    return {tuple(columns) for columns in found.values() if len(columns) > 1}


def determines(codes, of, column):
    """Whether each value of `of` comes with one value of the column."""
    pairs = {(a, b) for a, b in codes[:, [of, column]].tolist() if min(a, b) >= 0}
    return len(pairs) == len({a for a, _ in pairs})
