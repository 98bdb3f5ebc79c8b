"""Slow, obvious twins of the counting kernels: what `ml4c` computes, straight from the definitions.

Codes are a (rows, columns) integer array; a negative code is a missing value.
"""

import math
from collections import Counter, defaultdict

import numpy as np


def configurations(codes, columns, given):
    """Rows in which nothing is missing, grouped by the configuration of `given`: lists of value tuples."""
    groups = defaultdict(list)
    for row in codes.tolist():
        values = [row[c] for c in (*columns, *given)]
        if min(values) >= 0:
            groups[tuple(row[c] for c in given)].append(tuple(row[c] for c in columns))
    return list(groups.values())


def severity(codes, x, y, given):
    """METHOD section 2, cell by cell."""
    worst = 0.0
    for rows in configurations(codes, (x, y), given):
        n = len(rows)
        cells, in_x, in_y = Counter(rows), Counter(a for a, _ in rows), Counter(b for _, b in rows)
        low, high = sorted((9 / (9 + n), n / (9 + n)))
        for a in in_x:
            for b in in_y:
                expected = in_x[a] / n * (in_y[b] / n)
                difference = abs(cells[a, b] / n - expected)
                p = min(max(expected, low), high)
                if difference >= 1e-8:
                    worst = max(worst, difference / math.sqrt(p * (1 - p) / n))
    return worst


def association(codes, x, y, given):
    """G2, chi2, degrees of freedom on observed margins."""
    g2 = chi2 = 0.0
    dof = 0
    for rows in configurations(codes, (x, y), given):
        n = len(rows)
        cells, in_x, in_y = Counter(rows), Counter(a for a, _ in rows), Counter(b for _, b in rows)
        dof += (len(in_x) - 1) * (len(in_y) - 1)
        for a in in_x:
            for b in in_y:
                expected = in_x[a] * in_y[b] / n
                chi2 += (cells[a, b] - expected) ** 2 / expected
                if cells[a, b]:
                    g2 += 2 * cells[a, b] * math.log(cells[a, b] / expected)
    return g2, chi2, dof


def n_present(codes, columns):
    """Rows in which none of the columns is missing."""
    return int((codes[:, list(columns)] >= 0).all(axis=1).sum())


def counts_of_family(codes, node, parents):
    """Counts of the node's values in each parent configuration that occurs."""
    return [Counter(value for (value,) in rows) for rows in configurations(codes, (node,), parents)]


def cardinality(codes, column):
    """Number of values that occur."""
    return len({value for value in codes[:, column].tolist() if value >= 0})


def _scale(codes, node, parents):
    return len(codes) / max(n_present(codes, (node, *parents)), 1)


def bic(codes, node, parents):
    """Maximised log likelihood less (log n) / 2 per free parameter."""
    likelihood = 0.0
    for counts in counts_of_family(codes, node, parents):
        n = sum(counts.values())
        likelihood += sum(c * math.log(c / n) for c in counts.values())
    free = math.prod(cardinality(codes, p) for p in parents) * (cardinality(codes, node) - 1)
    return likelihood * _scale(codes, node, parents) - 0.5 * math.log(len(codes)) * free


def _dirichlet_multinomial(counts, alpha):
    """Log marginal likelihood of one configuration's rows; `alpha` maps a value to its pseudo-count."""
    total = sum(alpha.values())
    score = math.lgamma(total) - math.lgamma(total + sum(counts.values()))
    return score + sum(math.lgamma(alpha[k] + counts[k]) - math.lgamma(alpha[k]) for k in counts)


def bdeu(codes, node, parents, ess=10.0):
    """Log marginal likelihood under Dirichlet(ess / (q r))."""
    states = sorted({v for v in codes[:, node].tolist() if v >= 0})
    cells = math.prod(cardinality(codes, p) for p in parents) * len(states)
    alpha = dict.fromkeys(states, ess / cells)
    score = sum(_dirichlet_multinomial(c, alpha) for c in counts_of_family(codes, node, parents))
    return score * _scale(codes, node, parents)


def poe(codes, node, parents):
    """Half `mix`, half the average over powers and strengths with the product of experts as base."""
    present = [v for v in codes[:, node].tolist() if v >= 0]
    states = sorted(set(present))
    marginal = {k: (present.count(k) + 0.5) / (len(present) + 0.5 * len(states)) for k in states}

    def expert(parent, state):
        rows = [k for k, j in codes[:, [node, parent]].tolist() if k >= 0 and j == state]
        return {k: (rows.count(k) + 2.0 * marginal[k]) / (len(rows) + 2.0) for k in states}

    def base(configuration, power):
        product = dict(marginal)
        for parent, state in zip(parents, configuration, strict=True):
            said = expert(parent, state)
            product = {k: product[k] * (said[k] / marginal[k]) ** power for k in states}
        total = sum(product.values())
        return {k: 0.999 * product[k] / total + 0.001 / len(states) for k in states}

    tables = {}
    for row in codes[:, [node, *parents]].tolist():
        if min(row) >= 0:
            tables.setdefault(tuple(row[1:]), Counter())[row[0]] += 1
    logs = []
    for power in (1.0, 0.6) if len(parents) > 1 else (1.0,):
        bases = {configuration: base(configuration, power) for configuration in tables}
        for s in (1.0, 5.0, 25.0, 125.0, 1000.0):
            alphas = {c: {k: s * b for k, b in bases[c].items()} for c in tables}
            logs.append(sum(_dirichlet_multinomial(tables[c], alphas[c]) for c in tables))
    experts = float(np.logaddexp.reduce(logs) - math.log(len(logs))) * _scale(codes, node, parents)
    return float(np.logaddexp(experts, mix(codes, node, parents)) - math.log(2))


def mix(codes, node, parents):
    """Average over strengths of the marginal likelihood under Dirichlet(strength * smoothed marginal)."""
    marginal = Counter(v for v in codes[:, node].tolist() if v >= 0)
    n = sum(marginal.values())
    base = {k: (marginal[k] + 1) / (n + len(marginal)) for k in marginal}
    tables = counts_of_family(codes, node, parents)
    logs = []
    for s in (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0):
        logs.append(sum(_dirichlet_multinomial(c, {k: s * b for k, b in base.items()}) for c in tables))
    return float(np.logaddexp.reduce(logs) - math.log(len(logs))) * _scale(codes, node, parents)
