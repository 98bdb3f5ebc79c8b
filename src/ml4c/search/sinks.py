"""The best orientation of a small component, exactly: by which node comes last (`_kernels.sinks`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels import sinks
from ml4c._kernels.annealing import Objective
from ml4c._kernels.arrays import Ints
from ml4c.search.components import Component, Solution
from ml4c.search.slots import inward_of


def solve_exactly(component: Component) -> Solution:
    """Solve a component by which node comes last."""
    q, n = component.objective, len(component.nodes)
    stays = np.zeros(n, np.int64)
    np.bitwise_or.at(stays, q.neighbours[component.stated], np.int64(1) << q.owner[component.stated])
    tables = [_tables(q.weights, q, v) for v in range(n)]
    keys = [_tables(component.keys.weights, q, v) for v in range(n)]
    begin = np.cumsum([0] + [len(table) for table in tables[:-1]]).astype(np.int64)
    terms = sinks.Terms(q.neighbours, q.start, stays, np.concatenate(tables), np.concatenate(keys), begin)
    answers = sinks.Answers(
        np.zeros((1 << n, 2), np.int64),
        np.zeros((1 << n, 2), np.int64),
        np.zeros(1 << n, np.uint8),
        np.zeros(1 << n, np.int8),
    )
    sinks.solve(terms, answers)
    (value, rival), key, other = answers.values[-1].tolist(), int(answers.keys[-1, 0]), answers.n[-1] == 2
    return Solution(inward_of(q, _order(answers.last)), value, key, rival if other else None)


def _tables(weights: Ints, q: Objective, v: int) -> Ints:
    """Tabulate the sum of weights over the pairs in every subset of the neighbours of v."""
    degree = int(q.start[v + 1] - q.start[v])
    square = weights[q.corner[v] : q.corner[v] + degree**2].reshape(degree, degree)
    table = np.zeros(1, np.int64)
    for k in range(degree):  # subsets with k as their largest member follow those without
        joining = np.zeros(1, np.int64)
        for j in range(k):
            joining = np.concatenate([joining, joining + square[k, j]])
        table = np.concatenate([table, table + joining])
    return table


def _order(last: NDArray[np.int8]) -> Ints:
    """Take the last node off until none is left."""
    order, left = [], len(last) - 1
    while left:
        order.append(int(last[left]))
        left ^= 1 << order[-1]
    return np.array(order[::-1], np.int64)
