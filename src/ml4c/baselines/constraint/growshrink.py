"""Grow-Shrink (Margaritis 2003): Markov blankets learned from tests, then v-structures by bnlearn's rule.

Grow: a column enters the blanket of X if it depends on X given the blanket so far; the columns are gone through, those
that depend most on X alone first, until none enters. Shrink: while a member is independent of X given the others, the
one with the largest p-value leaves, of equals the one that depends least on X alone. All blankets are learned at once,
a batch of questions for each step.

<X, T, Y> is a v-structure if X and Y are dependent given S + T for every subset S of the smaller blanket, that of X
without Y or that of Y without X; where bnlearn takes the one that comes first of two equal ones, we take both. The
strength is the weakest of these dependences: bnlearn draws v-structures in the order of their largest p-values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ml4c.baselines.constraint.collider_rules import Verdicts
from ml4c.baselines.constraint.subsets import Cases, Effort, ask_given_subsets, padded, without
from ml4c.citest import CITest, DataTest
from ml4c.graph import Graph, Triples, unshielded_triples
from ml4c.skeleton.pairs import Columns, Floats, Ints, Mask
from ml4c.skeleton.verdicts import normal_deviate

ROWS_FOR_FREEDOM = 10
"""Rows that each degree of freedom must have for a blanket to be changed (Spirtes, Glymour and Scheines 2000)."""

Trust: TypeAlias = Callable[[Columns], Mask]
"""Tells which questions are worth asking."""


def gs(test: CITest, skeleton: Graph, effort: Effort, trust: Trust | None = None) -> Verdicts:
    """Call <X, T, Y> a v-structure if no set of the smaller blanket, T added, separates X and Y.

    trust: as in `find_blankets`.
    """
    triples = unshielded_triples(skeleton)
    blanket = find_blankets(test, effort.alpha, trust)
    cases = Cases(triples, _smaller(blanket, triples), test.names)
    strength = np.full(len(cases), np.inf)
    collider = np.ones(len(cases), np.bool_)
    for size in cases.sizes(effort):
        left = np.flatnonzero(collider)
        found = ask_given_subsets(test, cases.take(left), size, effort.most_sets, with_middle=True)
        collider[left[found.case[found.p_value > effort.alpha]]] = False
        np.minimum.at(strength, left[found.case], found.z)
    return Verdicts(triples, collider, np.zeros(len(cases), np.bool_), strength)


def enough_rows(test: DataTest) -> Trust:
    """Trust questions with ten rows for each degree of freedom, counted on all combinations of values, seen or not.

    Given a large blanket most strata have one or two rows, in which G2 exceeds its degrees of freedom whatever the
    columns have to do with each other, so that everything looks dependent.
    """
    values = np.append(test.packed.columns.cards.astype(np.float64), 1.0)  # the last, -1, stands for no column

    def trusted(questions: Columns) -> Mask:
        x, y, *given = values[questions].T
        return np.asarray(ROWS_FOR_FREEDOM * (x - 1) * (y - 1) * np.prod(given, axis=0) <= test.packed.n_rows)

    return trusted


def _smaller(blanket: Mask, triples: Triples) -> tuple[Columns, Columns]:
    """Return the blankets of both ends of every triple without all three nodes, the larger one left empty."""
    x, t, y = triples.T
    size = blanket.sum(axis=1)
    size_x, size_y = size[x] - blanket[x, y], size[y] - blanket[y, x]
    listed = padded(blanket)
    of_x, of_y = (without(without(listed[one], t), other) for one, other in ((x, y), (y, x)))
    of_x[size_x > size_y] = -1
    of_y[size_y > size_x] = -1
    return of_x, of_y


def find_blankets(test: CITest, alpha: float, trust: Trust | None = None) -> Mask:
    """Return, in row x, the Markov blanket of column x as Grow-Shrink finds it.

    trust: questions that are asked, all by default; by the others nobody enters a blanket, and nobody leaves it.
    """
    order = _by_dependence(test)
    blankets = _Blankets(test, alpha, trust, np.zeros((len(order), len(order)), np.bool_))
    _grow(blankets, order)
    _shrink(blankets, order)
    return blankets.members


@dataclass(frozen=True, eq=False)
class _Blankets:
    """The blankets so far, and how they are changed."""

    test: CITest
    alpha: float
    trust: Trust | None
    members: Mask

    def p_values(self, x: Ints, y: Columns, given: Columns, untold: float) -> Floats:
        """Ask about pairs; a question that is not trusted has the p-value `untold`."""
        questions = np.column_stack([x.astype(np.int32), y, given])
        asked = np.ones(len(x), np.bool_) if self.trust is None else self.trust(questions)
        p_value = np.full(len(x), untold)
        p_value[asked] = self.test.association(questions[asked]).g2_p_value
        return p_value


def _by_dependence(test: CITest) -> Columns:
    """List, for every column, all others, those that depend most on it first."""
    n_columns = len(test.names)
    x, y = (side.astype(np.int32) for side in np.triu_indices(n_columns, 1))
    found = test.association(np.column_stack([x, y]))
    strength = np.full((n_columns, n_columns), -np.inf)
    strength[x, y] = strength[y, x] = np.maximum(normal_deviate(found.g2, found.dof), np.finfo(np.float64).min)
    return np.argsort(-strength, axis=1, kind="stable")[:, :-1].astype(np.int32)


def _grow(blankets: _Blankets, order: Columns) -> None:
    """Go round and round the columns until a whole round lets none into any blanket.

    As many columns are asked about at a time as were asked about in vain since the last one entered, and one more.
    """
    n_others = order.shape[1]
    place, in_vain = np.zeros((2, len(order)), np.int64)
    growing = np.arange(len(order) if n_others else 0)
    while len(growing):
        ahead = np.minimum(in_vain[growing] + 1, n_others - in_vain[growing])
        row = np.repeat(np.arange(len(growing)), ahead)
        step = np.arange(len(row)) - (np.cumsum(ahead) - ahead)[row]
        x = growing[row]
        y = order[x, (place[x] + step) % n_others]
        entering = _first_dependent(blankets, x, y)
        place[growing] += ahead
        in_vain[growing] += ahead
        blankets.members[x[entering], y[entering]] = True
        place[x[entering]] += step[entering] + 1 - ahead[row[entering]]
        in_vain[x[entering]] = 0
        growing = growing[in_vain[growing] < n_others]


def _first_dependent(blankets: _Blankets, x: Ints, y: Columns) -> Ints:
    """Return, for every x that has one, the first row whose y is outside its blanket and dependent given it."""
    outside = np.flatnonzero(~blankets.members[x, y])
    given = padded(blankets.members)[x[outside]]
    dependent = outside[blankets.p_values(x[outside], y[outside], given, untold=1.0) <= blankets.alpha]
    _, first = np.unique(x[dependent], return_index=True)
    return dependent[first]


def _shrink(blankets: _Blankets, order: Columns) -> None:
    """Take out one member of every blanket at a time, as long as the others separate it."""
    rank = np.zeros(blankets.members.shape, np.int64)
    np.put_along_axis(rank, order, np.arange(order.shape[1])[None, :], axis=1)
    shrinking = np.arange(len(order))
    while len(shrinking):
        row, y = np.nonzero(blankets.members[shrinking])
        x = shrinking[row]
        others = without(padded(blankets.members)[x], y)
        p_value = blankets.p_values(x, y.astype(np.int32), others, untold=0.0)
        worst_first = np.lexsort((-rank[x, y], -p_value, x))
        _, first = np.unique(x[worst_first], return_index=True)
        worst = worst_first[first]
        leaves = worst[p_value[worst] > blankets.alpha]
        blankets.members[x[leaves], y[leaves]] = False
        shrinking = x[leaves]
