"""Is this unshielded triple a v-structure? Four published rules, for any conditional independence test.

Each asks given which subsets S of the neighbours of X, or of Y, the ends of <X, T, Y> are independent:

- pc (Spirtes and Glymour 1991): T is not in the first S that separates them, smallest first.
- cpc (Ramsey, Zhang and Spirtes 2006): T is in none of all S that do. It is no v-structure if T is in all, else open.
- mpc (Colombo and Maathuis 2014): T is in fewer than half of them; no v-structure if in more than half, else open.
- gmb (Aliferis et al. 2010, the spouse rule of GLL-MB): some S without T separates, S with T does not.

"First" would depend on the order of columns: of the sets of the smallest size at which one separates, we take the one
with the largest p-value. When no set separates, although X and Y are not adjacent: pc goes by the set with the largest
p-value of all; cpc and mpc leave the triple open; gmb says no. A set that both ends list counts once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ml4c.baselines.constraint.subsets import Answers, Cases, Effort, ask, ask_given_subsets, neighbour_cases, without
from ml4c.citest import CITest
from ml4c.graph import Graph, Triples, unshielded_triples
from ml4c.skeleton.pairs import Columns, Floats, Ints, Mask


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Which unshielded triples are v-structures, how strongly, and which are left open."""

    triples: Triples
    collider: Mask
    open: Mask
    strength: Floats
    """How dependent X and Y are given T, in standard deviations: settles conflicts."""


@dataclass(frozen=True, eq=False)
class FirstSets:
    """For each case the first set that separates, and whether it does; else the one that comes closest."""

    sets: Columns
    separates: Mask


def pc(test: CITest, skeleton: Graph, effort: Effort) -> Verdicts:
    """Call <X, T, Y> a v-structure if T is not in the first separating set."""
    cases = _cases(test, skeleton)
    first = first_sets(test, cases, effort)
    collider = ~_has_middle(cases, np.arange(len(cases)), first.sets)
    return _verdicts(test, cases, collider, np.zeros(len(cases), np.bool_), effort)


def cpc(test: CITest, skeleton: Graph, effort: Effort) -> Verdicts:
    """Call <X, T, Y> a v-structure if T is in no separating set."""
    cases = _cases(test, skeleton)
    with_middle, total = _count_separating(test, cases, effort)
    divided = (with_middle > 0) & (with_middle < total)
    return _verdicts(test, cases, (with_middle == 0) & (total > 0), divided | (total == 0), effort)


def mpc(test: CITest, skeleton: Graph, effort: Effort) -> Verdicts:
    """Call <X, T, Y> a v-structure if T is in fewer than half of the separating sets."""
    cases = _cases(test, skeleton)
    with_middle, total = _count_separating(test, cases, effort)
    return _verdicts(test, cases, 2 * with_middle < total, 2 * with_middle == total, effort)


def gmb(test: CITest, skeleton: Graph, effort: Effort) -> Verdicts:
    """Call <X, T, Y> a v-structure if a set without T separates X and Y, and does not when T is added."""
    cases = _cases(test, skeleton)
    first, given_middle = _without_and_with_middle(test, cases, effort)
    collider = first.separates & (given_middle.p_value <= effort.alpha)
    return Verdicts(cases.triples, collider, np.zeros(len(cases), np.bool_), given_middle.z)


def first_sets(test: CITest, cases: Cases, effort: Effort) -> FirstSets:
    """Look for the first separating set of every case, size by size."""
    sets = np.full((len(cases), cases.sizes(effort)[-1]), -1, np.int32)
    p_value = np.full(len(cases), -1.0)
    left = np.arange(len(cases))
    for size in cases.sizes(effort):
        found = ask_given_subsets(test, cases.take(left), size, effort.most_sets)
        best = found.best()
        better = best[found.p_value[best] > p_value[left[found.case[best]]]]
        case = left[found.case[better]]
        p_value[case] = found.p_value[better]
        sets[case] = -1
        sets[case, :size] = found.sets[better]
        left = left[p_value[left] <= effort.alpha]
    return FirstSets(sets, p_value > effort.alpha)


def _cases(test: CITest, skeleton: Graph) -> Cases:
    return neighbour_cases(skeleton, unshielded_triples(skeleton), test.names)


def _count_separating(test: CITest, cases: Cases, effort: Effort) -> tuple[Ints, Ints]:
    """Count, for each case, the separating sets that contain T, and all of them."""
    with_middle, total = np.zeros((2, len(cases)), np.int64)
    for size in cases.sizes(effort):
        found = ask_given_subsets(test, cases, size, effort.most_sets)
        separates = found.p_value > effort.alpha
        has_middle = _has_middle(cases, found.case, found.sets)
        total += np.bincount(found.case[separates], minlength=len(cases))
        with_middle += np.bincount(found.case[separates & has_middle], minlength=len(cases))
    return with_middle, total


def _has_middle(cases: Cases, case: Ints, sets: Columns) -> Mask:
    return np.asarray((sets == cases.triples[case, 1][:, None]).any(axis=1))


def _without_and_with_middle(test: CITest, cases: Cases, effort: Effort) -> tuple[FirstSets, Answers]:
    """Find the first separating set without T of every case, and ask again with T added."""
    middle = cases.triples[:, 1]
    of_x, of_y = (without(pool, middle) for pool in cases.pools)
    apart = Cases(cases.triples, (of_x, of_y), cases.names)
    first = first_sets(test, apart, effort)
    sets = np.column_stack([first.sets, middle.astype(np.int32)])
    return first, ask(test, cases.triples, np.arange(len(cases)), sets)


def _verdicts(test: CITest, cases: Cases, collider: Mask, open_: Mask, effort: Effort) -> Verdicts:
    """Add the strength of the v-structures."""
    strength = np.zeros(len(cases))
    strength[collider] = _without_and_with_middle(test, cases.take(np.flatnonzero(collider)), effort)[1].z
    return Verdicts(cases.triples, collider, open_, strength)
