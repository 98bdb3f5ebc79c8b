"""The best acyclic orientation of a skeleton, when every unshielded triple says what it is worth as a collider.

The objective is a sum over nodes of a local term of the node and its parents; today's term is the sum, over pairs of
parents that are not adjacent, of the worth of that collider. Connected components are independent problems. One
with few nodes is solved exactly, by which node comes last (`_kernels.sinks`, which takes any local terms as tables over
subsets of neighbours: another term is another table added). Larger ones are annealed from random starts, until two
starts agree on the best value (`_kernels.annealing`, which reads the objective in `_gain` and `_turn_half` alone).

Blocks (biconnected components) would not do as smaller problems: every cycle lies in one block, but the colliders of
a cut vertex join edges of different blocks.

Two orientations differ when their colliders do; others have the same CPDAG. Ties are broken by a rule that
does not depend on the search: of equal sums the one with fewer colliders, then the one whose colliders, each with a
fixed key made from the numbers of its nodes within the component, have the smaller sum of keys. Exact search obeys it
to the letter; annealing counts colliders in all it does, but compares keys only between the results of its starts.

Worths become whole numbers, so that equal is equal and the order of additions cannot matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ml4c._kernels import annealing, sinks
from ml4c._kernels.arrays import Floats, Ints
from ml4c._kernels.orientations import Orientation
from ml4c.errors import GraphError
from ml4c.graph import Graph, Triples, find_cycle, is_dag, topological_order, unshielded_triples
from ml4c.search.slots import inward_of, lay_out, new_orientation

EXACT_NODES = 16
"""Components of so many nodes are solved exactly: 2^16 sets take a tenth of a second."""
STARTS = 6
"""Most starts of annealing, when no two agree."""
RUNS = 2
"""Runs of annealing whose best regions make the result of one start."""
MOVES = 1000
"""Moves of one run for each edge."""
LARGE_NODES, LARGE_MOVES = 500, 2000
"""Components of more nodes than this have more near-optima: there runs take longer."""
HOT, COLD = 2.0, 0.01
"""First and last temperature, in mean worths of a triple."""
FINEST = 1 << 16
"""Worths are rounded to this part of a unit."""
LARGEST_SUM = 1 << 61
KEY_BITS = 40
NOTHING = -(1 << 62)


@dataclass(frozen=True)
class Effort:
    """How long to search; the defaults suit a thousand nodes within seconds."""

    exact_nodes: int = EXACT_NODES
    starts: int = STARTS
    runs: int = RUNS
    moves: int = MOVES


def usual_effort(nodes: int) -> Effort:
    """Return how long to search a component of so many nodes unless told otherwise."""
    return Effort() if nodes <= LARGE_NODES else Effort(moves=LARGE_MOVES)


@dataclass(frozen=True, eq=False)
class Part:
    """What is known about the best orientation of one component that has any edge.

    value: its sum of worths. gap: how much less the best known orientation with other colliders is worth, 0 for a
    tie, None when there is none known. exact: both are proven. starts, agreeing: how often annealing started (0 when
    exact), and how many of these starts reached the best value.
    """

    nodes: NDArray[np.intp]
    value: float
    gap: float | None
    exact: bool
    starts: int
    agreeing: int


@dataclass(frozen=True, eq=False)
class BestOrientation:
    """A DAG over the skeleton, and what is known about each component, in the order of their first nodes."""

    dag: Graph
    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class _Component:
    """One component in its own numbers: nodes are places in `nodes`, triples rows of numbers."""

    nodes: NDArray[np.intp]
    objective: annealing.Objective
    keys: annealing.Objective
    stated: NDArray[np.bool_]
    """For each slot: whether the neighbour is fixed as a parent of the owner."""
    unit: int
    """A worth of 1 as a whole number; a collider costs 1 beside, to prefer fewer."""
    typical: float
    """Mean size of a worth, as a whole number, for the temperatures."""


@dataclass(frozen=True, eq=False)
class _Solution:
    """The inward slots of an orientation, its value and its key; the value of the best other one, if known."""

    inward: NDArray[np.uint8]
    value: int
    key: int
    rival: int | None


def best_orientation(
    skeleton: Graph,
    triples: Triples,
    worth: Floats,
    *,
    fixed: NDArray[np.intp] | None = None,
    seed: int = 0,
    effort: Effort | None = None,
) -> BestOrientation:
    """Search the acyclic orientations of a skeleton for the largest sum of the worths of their colliders.

    triples: rows (x, t, y), unshielded, none twice; those of the skeleton that are left out are worth 0. fixed: rows
    (i, j) for edges that must be i -> j; they must not form a cycle.
    """
    arrows = np.empty((0, 2), np.intp) if fixed is None else fixed
    if cycle := _cycle_of(arrows, len(skeleton)):
        raise GraphError(f"the fixed arrows form a cycle: {' -> '.join(map(str, [*cycle, cycle[0]]))}")
    dag = np.zeros_like(skeleton)
    parts = []
    for component in _components(skeleton, _all_triples(skeleton, triples, worth), arrows):
        part, inward = _solve(component, seed, effort or usual_effort(len(component.nodes)))
        q, nodes = component.objective, component.nodes
        dag[nodes[q.neighbours[inward == 1]], nodes[q.owner[inward == 1]]] = 1
        parts.append(part)
    return BestOrientation(dag, tuple(parts))


def _cycle_of(arrows: NDArray[np.intp], n_nodes: int) -> list[int] | None:
    drawn = np.zeros((n_nodes, n_nodes), np.int8)
    drawn[tuple(arrows.T)] = 1
    return find_cycle(drawn)


# Components


@dataclass(frozen=True, eq=False)
class _Judged:
    """All unshielded triples of a skeleton with their worths."""

    triples: Triples
    worth: Floats


def _all_triples(skeleton: Graph, triples: Triples, worth: Floats) -> _Judged:
    """Match the given triples with those of the skeleton; what is not given is worth 0."""
    every, d = unshielded_triples(skeleton), len(skeleton)
    x, t, y = triples.T
    given = (t * d + np.minimum(x, y)) * d + np.maximum(x, y)
    known = (every[:, 1] * d + every[:, 0]) * d + every[:, 2]  # ascending: rows are sorted by t, x, y
    full = np.zeros(len(every))
    full[np.searchsorted(known, given)] = worth
    return _Judged(every, full)


def _components(skeleton: Graph, judged: _Judged, arrows: NDArray[np.intp]) -> Iterable[_Component]:
    """Cut the problem into connected components with edges, in the order of their first nodes."""
    count, label = connected_components(csr_array(skeleton), directed=False)
    local = np.empty(len(label), np.intp)
    owner, neighbour = np.nonzero(skeleton)
    for number in range(count):
        nodes = np.flatnonzero(label == number)
        if len(nodes) > 1:
            local[nodes] = np.arange(len(nodes))
            mine = label[owner] == number
            its = label[judged.triples[:, 1]] == number
            yield _component(
                nodes,
                local[np.column_stack([owner, neighbour])[mine]],
                _Judged(local[judged.triples[its]], judged.worth[its]),
                local[arrows[label[arrows[:, 0]] == number]],
            )


def _component(
    nodes: NDArray[np.intp], slots: NDArray[np.intp], judged: _Judged, arrows: NDArray[np.intp]
) -> _Component:
    """Lay out one component; slots: rows (owner, neighbour), sorted."""
    q = lay_out(slots, len(nodes), arrows)
    degree = np.diff(q.start)
    corner = np.concatenate([[0], np.cumsum(degree**2)[:-1]]).astype(np.int64)
    unit, count = _units(len(judged.triples))
    whole = np.rint(judged.worth * unit).astype(np.int64)
    x, t, y = judged.triples.T
    first, second = q.slot(t, x) - q.start[t], q.slot(t, y) - q.start[t]
    places = np.concatenate([corner[t] + first * degree[t] + second, corner[t] + second * degree[t] + first])
    weights = _filled(int((degree**2).sum()), places, whole * count - 1)
    objective = annealing.Objective(q.neighbours, q.start, q.owner, q.reverse, q.fixed, weights, corner)
    keys = objective._replace(weights=_filled(len(objective.weights), places, _keys(judged.triples)))
    return _Component(
        nodes, objective, keys, q.stated, unit * count, count * float(np.abs(whole).mean() if len(t) else 0)
    )


def _filled(size: int, places: NDArray[np.intp], values: Ints) -> Ints:
    squares = np.zeros(size, np.int64)
    squares[places] = np.concatenate([values, values])
    return squares


def _units(n_triples: int) -> tuple[int, int]:
    """Return what a worth of 1 becomes, and by what that is multiplied so that counting colliders only breaks ties."""
    count = n_triples + 1
    return max(1, min(FINEST, LARGEST_SUM // (16 * count * count))), count


def _keys(triples: Triples) -> Ints:
    """Give every triple a number that looks random, from its nodes."""
    code = np.zeros(len(triples), np.uint64)
    for column in (1, 0, 2):
        code = _scrambled(code * np.uint64(0x9E3779B97F4A7C15) + triples[:, column].astype(np.uint64) + np.uint64(1))
    return (code >> np.uint64(64 - KEY_BITS)).astype(np.int64) + 1


def _scrambled(code: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit words (the finaliser of splitmix64)."""
    code = (code ^ (code >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    code = (code ^ (code >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return code ^ (code >> np.uint64(31))


# One component


def _solve(component: _Component, seed: int, effort: Effort) -> tuple[Part, NDArray[np.uint8]]:
    exact = len(component.nodes) <= effort.exact_nodes
    found = [_exactly(component)] if exact else _from_starts(component, seed, effort)
    best = min(found, key=lambda solution: (-solution.value, solution.key))
    rivals = [solution.value for solution in found if solution.key != best.key]
    rivals += [] if best.rival is None else [best.rival]
    worth = _worth(component, best.value)
    part = Part(
        nodes=component.nodes,
        value=worth,
        gap=worth - _worth(component, max(rivals)) if rivals else None,
        exact=exact,
        starts=0 if exact else len(found),
        agreeing=0 if exact else sum(solution.value == best.value for solution in found),
    )
    return part, best.inward


def _worth(component: _Component, value: int) -> float:
    """Return a value as a sum of worths: the number of colliders, by which it was lessened, rounds away."""
    unit, count = _units(_n_triples(component))
    return -(-value // count) / unit


def _n_triples(component: _Component) -> int:
    return int(np.count_nonzero(component.keys.weights)) // 2


def _exactly(component: _Component) -> _Solution:
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
    return _Solution(inward_of(q, _order(answers.last)), value, key, rival if other else None)


def _tables(weights: Ints, q: annealing.Objective, v: int) -> Ints:
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


# Annealing


def _from_starts(component: _Component, seed: int, effort: Effort) -> list[_Solution]:
    """Start afresh until two starts agree on the best value."""
    found: list[_Solution] = []
    for number in range(max(1, effort.starts)):
        rng = np.random.default_rng([seed, int(component.nodes[0]), number])
        found.append(_from_one_start(component, rng, effort))
        best = max(solution.value for solution in found)
        if sum(solution.value == best for solution in found) > 1:
            break
    return found


def _from_one_start(component: _Component, rng: np.random.Generator, effort: Effort) -> _Solution:
    """Anneal a few times and put together what each run did best."""
    state = _annealed(component, rng, effort.moves)
    for _ in range(effort.runs - 1):
        other = _annealed(component, rng, effort.moves)
        state = _state(component.objective, _merged(component.objective, state, other), rng)
        annealing.polish(component.objective, state)
    keyed = state._replace(pull=_pulls(component.keys, state.inward))
    rival = annealing.nearest_rival(component.objective, state, component.keys, keyed, NOTHING)
    value = _total(state)
    return _Solution(state.inward, value, _total(keyed), None if rival == NOTHING else value + rival)


def _annealed(component: _Component, rng: np.random.Generator, moves: int) -> Orientation:
    q = component.objective
    state = _state(q, _random_order(component, rng), rng)
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


def _state(q: annealing.Objective, order: Ints, rng: np.random.Generator) -> Orientation:
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


def _random_order(component: _Component, rng: np.random.Generator) -> Ints:
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
