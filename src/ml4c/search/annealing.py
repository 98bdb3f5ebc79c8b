"""The best orientation of a large component: annealing from random starts, until two agree (`_kernels.annealing`)."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ml4c._kernels import annealing
from ml4c._kernels.arrays import Ints
from ml4c._kernels.orientations import Orientation
from ml4c.graph import is_dag, topological_order
from ml4c.search.components import Component, Solution
from ml4c.search.effort import Effort
from ml4c.search.slots import new_orientation

HOT, COLD = 2.0, 0.01
"""First and last temperature, in mean worths of a triple."""
NOTHING = -(1 << 62)


def anneal_from_starts(component: Component, seed: int, effort: Effort) -> list[Solution]:
    """Start afresh until two starts agree on the best value."""
    found: list[Solution] = []
    for number in range(max(1, effort.starts)):
        rng = np.random.default_rng([seed, int(component.nodes[0]), number])
        found.append(_from_one_start(component, rng, effort))
        best = max(solution.value for solution in found)
        if sum(solution.value == best for solution in found) > 1:
            break
    return found


def _from_one_start(component: Component, rng: np.random.Generator, effort: Effort) -> Solution:
    """Anneal a few times and put together what each run did best."""
    state = _annealed(component, rng, effort.moves)
    for _ in range(effort.runs - 1):
        other = _annealed(component, rng, effort.moves)
        state = state_of(component.objective, _merged(component.objective, state, other), rng)
        annealing.polish(component.objective, state)
    keyed = state._replace(pull=_pulls(component.keys, state.inward))
    rival = annealing.nearest_rival(component.objective, state, component.keys, keyed, NOTHING)
    value = _total(state)
    return Solution(state.inward, value, _total(keyed), None if rival == NOTHING else value + rival)


def _annealed(component: Component, rng: np.random.Generator, moves: int) -> Orientation:
    q = component.objective
    state = state_of(q, _random_order(component, rng), rng)
    typical = component.typical or 1.0
    annealing.anneal(q, state, moves * len(q.owner) // 2, HOT * typical, COLD * typical)
    annealing.polish(q, state)
    return state


def _merged(q: annealing.Objective, first: Orientation, second: Orientation) -> Ints:
    """Return the first orientation, as an order, with those regions of the second that are better there.

    Where edges that differ share no node, neither do the local terms that they change: such regions can be judged,
    and taken over, one by one.
    """
    n = len(first.order)
    differs = first.inward != second.inward
    region = connected_components(csr_array((differs, (q.owner, q.neighbours)), shape=(n, n)), directed=False)[1]
    gain = np.bincount(region, np.zeros(n)).astype(np.int64)
    np.add.at(gain, region[q.owner], second.pull * second.inward - first.pull * first.inward)
    inward, order = first.inward, first.order
    for number in np.argsort(-gain, kind="stable")[: np.count_nonzero(gain > 0)]:
        tried = np.where(region[q.owner] == number, second.inward, inward)
        dag = np.zeros((n, n), np.int8)
        dag[q.neighbours[tried == 1], q.owner[tried == 1]] = 1
        if is_dag(dag):
            inward, order = tried, topological_order(dag).astype(np.int64)
    return order


def state_of(q: annealing.Objective, order: Ints, rng: np.random.Generator) -> Orientation:
    """Return the orientation that an order of the nodes gives, with the pulls of its slots."""
    state = new_orientation(q, order, rng)
    return state._replace(pull=_pulls(q, state.inward))


def _pulls(q: annealing.Objective, inward: NDArray[np.uint8]) -> Ints:
    pull = np.empty(len(q.owner), np.int64)
    for v, (begin, end) in enumerate(zip(q.start[:-1].tolist(), q.start[1:].tolist(), strict=True)):
        square = q.weights[q.corner[v] : q.corner[v] + (end - begin) ** 2].reshape(end - begin, end - begin)
        pull[begin:end] = square @ inward[begin:end].astype(np.int64)
    return pull


def _total(state: Orientation) -> int:
    """Return the objective: every collider is felt by two slots."""
    return int(state.pull[state.inward == 1].sum()) // 2


def _random_order(component: Component, rng: np.random.Generator) -> Ints:
    """Draw an order of the nodes in which fixed arrows point forward."""
    rank = rng.permutation(len(component.nodes)).tolist()
    node_of = np.argsort(rank).tolist()
    q = component.objective
    parents, children = q.neighbours[component.stated], q.owner[component.stated]
    waiting = np.bincount(children, minlength=len(rank)).tolist()
    below: list[list[int]] = [[] for _ in rank]
    for parent, child in zip(parents.tolist(), children.tolist(), strict=True):
        below[parent].append(child)
    free = [rank[v] for v in range(len(rank)) if waiting[v] == 0]
    heapify(free)
    order = []
    while free:
        order.append(v := node_of[heappop(free)])
        for child in below[v]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heappush(free, rank[child])
    return np.array(order, np.int64)
