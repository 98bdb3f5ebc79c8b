"""Score-based methods: the order of columns means nothing; hill climbing ends where no move gains."""

from dataclasses import replace

import numpy as np
import pytest

import ml4c
from conftest import JIT
from ml4c.baselines import Problem, method_named
from ml4c.baselines.hill_climbing import climb
from ml4c.baselines.scored import ESS, in_drawn_order
from ml4c.graph import is_dag, skeleton
from ml4c.scores import LocalScores, families

ROWS = 1000 if JIT else 100


def score_of(scores, dag):
    return float(scores.score(families((j, np.flatnonzero(dag[:, j]).tolist()) for j in range(len(dag)))).sum())


def moves(dag, usable):
    """All DAGs that differ by one arc added, deleted or reversed."""
    for i, j in np.argwhere(usable).tolist():
        for change in ([(i, j)], [(i, j), (j, i)]):
            new = dag.copy()
            for cell in change:
                new[cell] ^= 1
            if not (new & new.T).any() and is_dag(new):
                yield new


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("name", ["ges", "ges-gaussian", "hc", "gobnilp"])
def test_the_order_of_columns_means_nothing(name, given):
    net = ml4c.load_network("asia")
    data = net.sample(ROWS, seed=1)
    problem = Problem(data, skeleton(net.dag) if given else None, seed=4)
    order = np.random.default_rng(0).permutation(net.n_nodes)
    known = None if problem.skeleton is None else problem.skeleton[np.ix_(order, order)]
    shuffled = replace(problem, data=data.select(order.tolist()), skeleton=known)
    method = method_named(name)
    assert (method(shuffled) == method(problem)[np.ix_(order, order)]).all()


def test_a_search_sees_columns_in_an_order_drawn_from_the_seed_and_its_graph_is_turned_back():
    net = ml4c.load_network("asia")
    data, seen = net.sample(10, seed=0), []

    def arrows_into_asia(table, usable):
        seen.append(table.names)
        found = np.zeros_like(usable)
        found[:, table.names.index("asia")] = usable[:, table.names.index("asia")]
        return found

    for seed in (1, 2, 1):
        found = in_drawn_order(Problem(data, skeleton(net.dag), seed=seed), arrows_into_asia)
        assert (found[:, data.names.index("asia")] == skeleton(net.dag)[:, data.names.index("asia")]).all()
        assert found.sum() == found[:, data.names.index("asia")].sum()
    assert seen[0] == seen[2] != seen[1]


@pytest.mark.parametrize("seed", range(4))
def test_hill_climbing_ends_where_no_move_gains(seed):
    net = ml4c.load_network("asia").permuted(seed)
    data = net.sample(ROWS, seed=seed)
    usable = skeleton(net.dag) if seed % 2 else (1 - np.eye(net.n_nodes)).astype(np.int8)
    found = climb(data, usable)
    scores = LocalScores(data, "bdeu", ess=ESS, n_jobs=1)
    assert found.score == pytest.approx(score_of(scores, found.dag), abs=1e-6)
    assert found.score > score_of(scores, np.zeros_like(usable)) + 1
    assert max(score_of(scores, other) for other in moves(found.dag, usable)) <= found.score + 1e-6


def test_ties_of_hill_climbing_are_broken_by_the_seed():
    """One edge alone explains as much in either direction."""
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(ROWS, 1)) ^ (rng.random((ROWS, 2)) < 0.1)
    data = ml4c.Dataset.from_array(codes.astype(int), ["a", "b"])
    found = {method_named("hc")(Problem(data, seed=seed)).tobytes() for seed in range(10)}
    assert len(found) == 2


@pytest.mark.jit
def test_pybnesian_climbs_to_one_of_the_optima_that_our_ties_lead_to():
    """Same score, same moves; which direction an edge gets first is a tie, broken by either in its own way."""
    pbn = pytest.importorskip("pybnesian", reason="of the extra bench")
    pd = pytest.importorskip("pandas")
    data = ml4c.load_network("earthquake").sample(5000, seed=1)
    frame = pd.DataFrame(data.codes.astype(str), columns=list(data.names)).astype("category")
    climber = pbn.GreedyHillClimbing()
    start = pbn.DiscreteBN(list(data.names))
    theirs = climber.estimate(pbn.ArcOperatorSet(), pbn.BDe(frame, iss=ESS), start, epsilon=1e-9)
    dag = np.zeros((data.n_columns, data.n_columns), np.int8)
    for i, j in theirs.arcs():
        dag[data.names.index(i), data.names.index(j)] = 1
    scores = LocalScores(data, "bdeu", ess=ESS, n_jobs=1)
    assert pbn.BDe(frame, iss=ESS).score(theirs) == pytest.approx(score_of(scores, dag), abs=1e-6)
    ours = {round(score_of(scores, method_named("hc")(Problem(data, seed=seed))), 4) for seed in range(20)}
    assert round(score_of(scores, dag), 4) in ours
