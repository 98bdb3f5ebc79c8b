"""Walks over orders against the enumeration of all orders, and of all DAGs."""

from itertools import combinations, permutations
from math import comb, exp

import numpy as np
import pytest

from conftest import JIT
from ml4c import load_network
from ml4c._kernels.orders import sum_within
from ml4c.counting import pack_table
from ml4c.graph import Graph
from ml4c.scores import JointScores, LocalScores, families
from ml4c.search import orders
from ml4c.search.orders import MOST_CANDIDATES, TEMPERATURES, score_ahead, walk_orders
from tables import trusted

NOTHING: Graph = np.zeros((5, 5), np.int8)


def cancer(rows=300, seed=0):
    return LocalScores(pack_table(load_network("cancer").sample(rows, seed)), "bdeu", n_jobs=1)


def candidates_of(allowed, width=4):
    listed = np.full((len(allowed), width), -1, np.int32)
    for column, mine in enumerate(allowed):
        listed[column, : len(mine)] = mine
    return listed


ALL = [[j for j in range(5) if j != i] for i in range(5)]
SOME = [[1, 2, 3, 4], [0, 2], [4, 1, 0], [], [2, 3]]


def weigh(scores, allowed, temperature=1.0):
    """Return what every set of parents of each column is worth."""
    n = len(allowed)
    sets = {v: [s for size in range(4) for s in combinations(mine, size)] for v, mine in enumerate(allowed)}
    asked = [(v, s) for v in sets for s in sets[v]]
    value = dict(zip(asked, scores.score(families(asked)), strict=True))
    return [
        {s: exp((value[v, s] - value[v, ()] - np.log(comb(n - 1, len(s)))) / temperature) for s in sets[v]}
        for v in range(n)
    ]


def within(weight, order):
    """Yield each column of an order with the sets of parents that the order allows."""
    for place, v in enumerate(order):
        yield v, {s: worth for s, worth in weight[v].items() if set(s) <= set(order[:place])}


def expected(scores, allowed, temperature):
    """Sum over all orders, and in each over all sets of parents, in the most direct way."""
    weight, n = weigh(scores, allowed, temperature), len(allowed)
    total, arcs = 0.0, np.zeros((n, n))
    for order in permutations(range(n)):
        product, inside = 1.0, np.zeros((n, n))
        for v, possible in within(weight, order):
            mass = sum(possible.values())
            product *= mass
            for parent in {p for s in possible for p in s}:
                inside[parent, v] = sum(worth for s, worth in possible.items() if parent in s) / mass
        total += product
        arcs += product * inside
    return arcs / total


@pytest.mark.parametrize("allowed", [ALL, SOME])
def test_shares_are_those_of_all_orders(allowed):
    scores = cancer()
    walks = [walk_orders(scores, candidates_of(allowed), NOTHING, seed).shares for seed in range(100 if JIT else 1)]
    found = np.mean(walks, axis=0)
    for row, temperature in enumerate(TEMPERATURES):
        assert found[row] == pytest.approx(expected(scores, allowed, temperature), abs=0.03 if JIT else 0.25)
    assert len({walk.tobytes() for walk in walks}) == len(walks)


@pytest.mark.parametrize("allowed", [ALL, SOME])
@pytest.mark.parametrize("rows", [300, 30_000])
def test_the_dag_is_the_best_one_of_the_best_order(allowed, rows):
    scores = cancer(rows)
    weight = weigh(scores, allowed)

    def worth(order):
        return float(sum(np.log(sum(possible.values())) for _, possible in within(weight, order)))

    best = max(permutations(range(5)), key=worth)
    dag = np.zeros((5, 5), np.int8)
    for v, possible in within(weight, best):
        dag[list(max(possible, key=possible.get)), v] = 1
    assert dag.any()
    assert walk_orders(scores, candidates_of(allowed), NOTHING).dag.tolist() == dag.tolist()


@pytest.mark.parametrize("scale", [1.0, 500.0])
def test_weights_are_summed_over_all_sets_within(scale):
    weight = np.random.default_rng(4).normal(size=(3, 16)) * scale
    weight[:, 0] = 0.0
    weight[:, 7] = orders.LEFT_OUT
    found, as_logs = weight.copy(), np.zeros(3, np.uint8)
    sum_within(found, np.delete(np.arange(16), 7), as_logs)
    assert as_logs.any() == (scale > 1)
    found[as_logs == 0] = np.log(found[as_logs == 0])
    for row, sums in zip(weight, found, strict=True):
        for s in range(16):
            assert sums[s] == pytest.approx(np.logaddexp.reduce([row[k] for k in range(16) if k & s == k]), abs=1e-9)


def test_a_walk_is_the_same_again_and_has_at_most_one_direction_of_an_arc():
    first, again = (walk_orders(cancer(), candidates_of(SOME), NOTHING).shares for _ in range(2))
    assert first.tobytes() == again.tobytes()
    assert first.min() >= 0
    assert (first + first.transpose(0, 2, 1)).max() <= 1 + 1e-6
    impossible = np.ones((5, 5), bool)
    for column, mine in enumerate(SOME):
        impossible[mine, column] = False
    assert not first[:, impossible].any()


def test_where_a_column_stands_does_not_matter():
    table = load_network("cancer").sample(500, 1)
    moved = np.array([3, 0, 4, 2, 1])
    names = [table.names[i] for i in moved]
    plain = LocalScores(pack_table(table), "mix", n_jobs=1)
    other = LocalScores(pack_table(table.select(names)), "mix", n_jobs=1)
    assert len(set(plain.packed.entropies)) == 5
    start = np.zeros((5, 5), np.int8)
    start[2, 0] = start[0, 4] = 1
    number = {name: i for i, name in enumerate(other.names)}
    to = np.array([number[name] for name in plain.names])
    theirs_start, theirs = np.zeros_like(start), [[] for _ in range(5)]
    theirs_start[to[2], to[0]] = theirs_start[to[0], to[4]] = 1
    for column, mine in enumerate(SOME):
        theirs[to[column]] = to[mine].tolist()
    ours = walk_orders(plain, candidates_of(SOME), start)
    found = walk_orders(other, candidates_of(theirs), theirs_start)
    assert found.shares[:, to][:, :, to] == pytest.approx(ours.shares, abs=1e-9)
    assert found.dag[np.ix_(to, to)].tolist() == ours.dag.tolist()


def test_a_sure_arc_is_sure_when_it_is_cold():
    rng = np.random.default_rng(0)
    cause = rng.integers(2, size=2000)
    codes = np.column_stack([cause, np.where(rng.random(2000) < 0.9, cause, 1 - cause), rng.integers(2, size=2000)])
    scores = LocalScores(pack_table(trusted(codes, ["a", "b", "c"])), "mix", n_jobs=1)
    shares = walk_orders(scores, candidates_of([[1, 2], [0, 2], [0, 1]], 2), np.zeros((3, 3), np.int8)).shares
    edges = (shares + shares.transpose(0, 2, 1))[-1]
    assert edges[0, 1] == pytest.approx(1.0, abs=1e-6)
    assert max(edges[0, 2], edges[1, 2]) < 0.2


def test_sets_are_left_out_when_there_are_more_configurations_than_rows():
    codes = np.random.default_rng(0).integers(9, size=(100, 5))
    worth = orders._worth(LocalScores(pack_table(trusted(codes)), "mix", n_jobs=1), candidates_of(ALL))
    assert (worth[:, 0b0111] < orders.LEFT_OUT / 2).all()
    assert (worth[:, 0b0011] > orders.LEFT_OUT / 2).all()
    assert (worth[:, 0b1111] < orders.LEFT_OUT / 2).all()
    assert (worth[:, 0] == 0).all()


def test_sets_of_three_are_taken_from_the_first_candidates():
    codes = np.random.default_rng(0).integers(2, size=(200, 11))
    candidates = candidates_of([[j for j in range(11) if j != i] for i in range(11)], MOST_CANDIDATES)
    worth = orders._worth(LocalScores(pack_table(trusted(codes)), "mix", n_jobs=1), candidates)
    scored = (worth > orders.LEFT_OUT / 2).all(axis=0)
    pools = (0, *orders.POOLS)
    for bits in range(1 << MOST_CANDIDATES):
        members = [b for b in range(MOST_CANDIDATES) if bits >> b & 1]
        assert scored[bits] == (len(members) < len(pools) and all(b < pools[len(members)] for b in members))


@pytest.mark.parametrize("columns", [1, 2, 5, orders.FEW_COLUMNS, orders.FEW_COLUMNS + 1])
def test_of_a_small_table_everything_that_walks_ask_is_scored_ahead(columns):
    codes = np.random.default_rng(0).integers([2, 3, 9, 9, 9, 2, 2, 2][:columns], size=(100, columns))
    scores = JointScores(pack_table(trusted(codes)), ("mix", "bdeu"), n_jobs=1)
    score_ahead(scores)
    ahead = scores._known.n_entries
    candidates = candidates_of([[j for j in range(columns) if j != i] for i in range(columns)], MOST_CANDIDATES)
    walk_orders(scores.only("mix"), candidates, np.zeros((columns, columns), np.int8))
    asked = scores._known.n_entries
    assert ahead == (asked if columns <= orders.FEW_COLUMNS else 0)
    assert asked >= columns


@pytest.mark.parametrize("columns", [1, 2])
def test_tables_of_a_column_or_two(columns):
    table = load_network("cancer").sample(50, 0)
    scores = LocalScores(pack_table(table.select(table.names[:columns])), "mix", n_jobs=1)
    allowed = [[j for j in range(columns) if j != i] for i in range(columns)]
    shares = walk_orders(scores, candidates_of(allowed, 8), np.zeros((columns, columns), np.int8)).shares
    assert shares.shape == (len(TEMPERATURES), columns, columns)
    assert np.isfinite(shares).all()
