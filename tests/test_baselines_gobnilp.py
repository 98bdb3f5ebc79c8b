"""Exact search: against all DAGs of few nodes, however small the core, and what is left open when time runs out."""

from itertools import combinations

import numpy as np
import pytest

import ml4c
import naive_graphs as naive
from conftest import JIT
from ml4c.baselines import Problem, method_named
from ml4c.baselines.gobnilp import MOST_PARENTS, best_of, exact_dag, list_parent_sets, program
from ml4c.baselines.gobnilp.clusters import reaching_inside, violated_clusters
from ml4c.baselines.gobnilp.placing import placed
from ml4c.errors import WorkError
from ml4c.graph import is_dag, skeleton
from ml4c.scores import LocalScores
from tables import dataset

ROWS = 300 if JIT else 40
NODES = 5 if JIT else 4


def tangled(seed, nodes=NODES):
    """A table in which every column leans on some before it."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(2, size=(ROWS, nodes))
    for j in range(1, nodes):
        before = codes[:, rng.permutation(j)[:3]].sum(axis=1) % 2
        codes[:, j] = np.where(rng.random(ROWS) < 0.7, before, codes[:, j])
    return dataset(codes[:, rng.permutation(nodes)])


def complete(nodes):
    return (1 - np.eye(nodes)).astype(np.int8)


def best_by_hand(scores, usable, most_parents):
    """The best score of all DAGs within `usable`."""
    dags = naive.all_dags(len(usable))
    dags = dags[(dags <= usable).all(axis=(1, 2)) & (dags.sum(axis=1) <= most_parents).all(axis=1)]
    total = np.zeros(len(dags))
    for node in range(len(usable)):
        found, number = np.unique(dags[:, :, node], axis=0, return_inverse=True)
        local = [scores.of(node, np.flatnonzero(parents).tolist()) for parents in found]
        total += np.array(local)[number.reshape(-1)]
    return float(total.max())


def small_sets(seed=0, most=MOST_PARENTS):
    return list_parent_sets(LocalScores(tangled(seed), "bdeu", ess=1.0, n_jobs=1), complete(NODES), most)


@pytest.mark.parametrize("core", [1, 12, 2000])
@pytest.mark.parametrize("seed", range(5))
def test_no_dag_scores_better(seed, core, monkeypatch):
    monkeypatch.setattr(program, "CORE", core)
    monkeypatch.setattr(program, "GROWTH", 2)
    data = tangled(seed)
    usable = complete(NODES)
    if seed % 2:
        usable[0, 1] = usable[1, 0] = 0
    found = exact_dag(data, usable, seconds=None)
    scores = LocalScores(data, "bdeu", ess=1.0, n_jobs=1)
    assert is_dag(found.dag)
    assert not (found.dag & ~usable).any()
    assert found.gap <= program.CLOSED
    local = [scores.of(j, np.flatnonzero(found.dag[:, j]).tolist()) for j in range(NODES)]
    assert found.score == pytest.approx(sum(local), abs=1e-6)
    assert found.score == pytest.approx(best_by_hand(scores, usable, MOST_PARENTS), abs=1e-6)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_the_number_of_parents_is_kept(most):
    scores = LocalScores(tangled(7), "bdeu", ess=1.0, n_jobs=1)
    found = best_of(list_parent_sets(scores, complete(NODES), most))
    assert found.dag.sum(axis=0).max(initial=0) <= most
    assert found.score == pytest.approx(best_by_hand(scores, complete(NODES), most), abs=1e-6)


def test_the_sets_are_those_that_no_subset_dominates():
    scores = LocalScores(tangled(1), "bdeu", ess=1.0, n_jobs=1)
    usable = complete(NODES)
    usable[0, 1] = 0
    expected = set()
    for node in range(NODES):
        candidates = np.flatnonzero(usable[:, node]).tolist()
        for size in range(MOST_PARENTS + 1):
            for chosen in combinations(candidates, size):
                smaller = [s for k in range(size) for s in combinations(chosen, k)]
                if all(scores.of(node, chosen) > scores.of(node, s) + 1e-9 for s in smaller):
                    expected.add((node, chosen, scores.of(node, chosen)))
    sets = list_parent_sets(scores, usable, MOST_PARENTS)
    found = zip(sets.node.tolist(), sets.members.tolist(), sets.score.tolist(), strict=True)
    assert {(node, tuple(k for k in members if k >= 0), score) for node, members, score in found} == expected
    assert (sets.members[sets.start] == -1).all()


def test_too_many_sets_are_refused(monkeypatch):
    monkeypatch.setattr("ml4c.baselines.gobnilp.parent_sets.MOST_SETS", 10)
    with pytest.raises(WorkError, match=r"parent sets are more than 10: give a skeleton"):
        small_sets()


def test_without_time_the_answer_is_a_dag_and_the_gap_covers_the_best():
    found = best_of(small_sets(), seconds=0.0)
    proven = best_of(small_sets())
    assert is_dag(found.dag)
    assert proven.gap <= program.CLOSED < found.gap
    assert found.score < proven.score <= found.score + found.gap + 1e-6


def test_any_choice_becomes_a_dag_and_a_dag_loses_nothing():
    sets = small_sets()
    rng = np.random.default_rng(0)
    loss = np.maximum.reduceat(sets.score, sets.start)[sets.node] - sets.score
    for _ in range(50):
        choice = rng.exponential(size=len(loss)) ** 4
        choice /= np.bincount(sets.node, choice)[sets.node]
        chosen = placed(sets, loss, choice)
        assert (sets.node[chosen] == np.arange(NODES)).all()
        dag = np.zeros((NODES, NODES + 1), np.int8)
        dag[np.repeat(np.arange(NODES), MOST_PARENTS), sets.members[chosen].ravel()] = 1
        assert is_dag(dag[:, :NODES].T.copy())
        again = placed(sets, loss, np.isin(np.arange(len(loss)), chosen).astype(float))
        assert loss[again].sum() <= loss[chosen].sum() + 1e-9


def test_a_cluster_is_violated_by_a_cycle_and_by_no_dag():
    sets = small_sets()
    rng = np.random.default_rng(1)
    seen = {True: 0, False: 0}
    for _ in range(300):
        stop = [*sets.start[1:], len(sets.node)]
        chosen = [rng.integers(first, last) for first, last in zip(sets.start, stop, strict=True)]
        dag = np.zeros((NODES, NODES), np.int8)
        for node, number in enumerate(chosen):
            members = sets.members[number]
            dag[members[members >= 0], node] = 1
        clusters = violated_clusters(sets, np.isin(np.arange(len(sets.node)), chosen).astype(float))
        acyclic = naive.is_acyclic(dag - (dag & dag.T)) and not (dag & dag.T).any()
        assert (not clusters) == acyclic
        for cluster in clusters:
            assert np.isin(reaching_inside(sets, cluster), chosen).sum() == len(cluster)
        seen[acyclic] += 1
    assert min(seen.values()) > 10


@pytest.mark.jit
@pytest.mark.parametrize(("name", "shd"), [("child", 0), ("alarm", 2)])
def test_the_published_figures_are_met(name, shd):
    """Table 1 of the paper: 0 and 2."""
    net = ml4c.load_network(name).permuted(1)
    found = method_named("gobnilp")(Problem(net.sample(10_000, seed=1), skeleton(net.dag)))
    assert ml4c.shd(ml4c.cpdag_of(net.dag), found) == shd


@pytest.mark.jit
@pytest.mark.parametrize("name", ["asia", "sachs"])
def test_many_rows_of_a_small_network_give_its_cpdag(name):
    net = ml4c.load_network(name).permuted(2)
    found = method_named("gobnilp")(Problem(net.sample(100_000, seed=1), skeleton(net.dag)))
    assert (found == ml4c.cpdag_of(net.dag)).all()
