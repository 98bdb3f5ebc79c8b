"""GES: its operators against all DAGs of a class, its result against the truth and against causal-learn."""

from itertools import permutations

import numpy as np
import pytest

import ml4c
import naive_graphs as naive
from conftest import JIT
from ml4c.baselines import Problem, method_named
from ml4c.baselines.gaussian import GaussianScores
from ml4c.baselines.ges import search
from ml4c.baselines.operators import DELETE, INSERT
from ml4c.errors import DataError
from ml4c.graph import Adjacency, skeleton
from ml4c.meek import certify, cpdag_of
from ml4c.scores import LocalScores, families
from tables import dataset

ROWS = 500 if JIT else 50
SOME_CLASSES = list(naive.markov_classes(4).values())[:: 1 if JIT else 20]


def operators(kind, cpdag):
    """All valid operators of one kind on a CPDAG."""
    g = Adjacency(cpdag)
    for x, y in permutations(range(len(cpdag)), 2):
        if (skeleton(cpdag)[x, y] == 0) if kind.adds else cpdag[x, y]:
            yield from (move for move in kind.at(g, x, y) if not kind.forbidden(g, move))


def classes_next_to(members, adds):
    """Classes, by skeleton and v-structures, of what some member becomes when one arc is added, or removed."""
    found = set()
    for dag in members:
        for i, j in permutations(range(len(dag)), 2):
            new = dag.copy()
            new[i, j] = adds
            if (new != dag).any() and not (new & new.T).any() and naive.is_acyclic(new):
                found.add(naive.class_key(new))
    return found


def score_of(scores, dag):
    return float(scores.score(families((j, np.flatnonzero(dag[:, j]).tolist()) for j in range(len(dag)))).sum())


def mixed_table(seed, rows=ROWS):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(3, size=rows), rng.integers(2, size=rows)
    c = np.where(rng.random(rows) < 0.6, (a + b) % 3, rng.integers(3, size=rows))
    d = np.where(rng.random(rows) < 0.7, c > 0, rng.integers(2, size=rows))
    return dataset(np.stack([d, a, c, b], axis=1).astype(np.int64))


@pytest.mark.parametrize("kind", [INSERT, DELETE], ids=["insert", "delete"])
def test_operators_lead_to_every_class_one_edge_away_and_to_no_other(kind):
    for members in SOME_CLASSES:
        cpdag = cpdag_of(members[0])
        found = [kind.apply(cpdag, move) for move in operators(kind, cpdag)]
        assert all(certify(graph).valid for graph in found)
        assert {naive.class_key(graph) for graph in found} == classes_next_to(members, kind.adds)


@pytest.mark.parametrize("kind", [INSERT, DELETE], ids=["insert", "delete"])
def test_what_an_operator_gains_is_the_difference_of_two_scores(kind):
    scores = LocalScores(mixed_table(0), "bdeu", n_jobs=1)
    for members in SOME_CLASSES:
        cpdag = cpdag_of(members[0])
        for move in operators(kind, cpdag):
            new = ml4c.meek.consistent_extension(kind.apply(cpdag, move))
            without, beside = scores.score(families([(move.y, move.beside), (move.y, (*move.beside, move.x))]))
            gain = beside - without if kind.adds else without - beside
            assert score_of(scores, new) - score_of(scores, members[0]) == pytest.approx(gain, abs=1e-6)


@pytest.mark.jit
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey", "sachs"])
def test_many_rows_of_a_small_network_give_its_cpdag(name, given):
    net = ml4c.load_network(name).permuted(2)
    data = net.sample(100_000, seed=1)
    found = method_named("ges")(Problem(data, skeleton(net.dag) if given else None))
    assert (found == ml4c.cpdag_of(net.dag)).all()


@pytest.mark.parametrize("name", ["ges", "ges-gaussian"])
def test_gaps_of_the_skeleton_stay_and_the_result_is_a_cpdag(name):
    net = ml4c.load_network("asia")
    given = skeleton(net.dag)
    given[0, :] = given[:, 0] = 0
    found = method_named(name)(Problem(net.sample(1000, seed=0), given))
    assert not (found & ~given).any()
    assert certify(found).valid


class WithStructurePrior:
    """BDeu as causal-learn has it: each of the other nodes is a parent with probability 1 / (nodes - 1)."""

    def __init__(self, data):
        self.bdeu = LocalScores(data, "bdeu", ess=1.0, n_jobs=1)
        self.others = data.n_columns - 1

    def score(self, rows):
        parents = np.count_nonzero(np.asarray(rows) >= 0, axis=1) - 1
        prior = 1 / self.others
        return self.bdeu.score(rows) + parents * np.log(prior) + (self.others - parents) * np.log(1 - prior)


def in_our_convention(graph):
    """causal-learn: [j, i] = 1 and [i, j] = -1 is i -> j, -1 both ways is i - j."""
    return (graph == -1).astype(np.int8)


@pytest.mark.jit
def test_causal_learn_finds_the_same_cpdag_with_bdeu():
    from causallearn.search.ScoreBased.GES import ges

    data = ml4c.load_network("asia").sample(2000, seed=3)
    theirs = in_our_convention(ges(data.codes.astype(float), "local_score_BDeu")["G"].graph)
    ours = search(WithStructurePrior(data), (1 - np.eye(data.n_columns)).astype(np.int8))
    assert (ours == theirs).all()


@pytest.mark.jit
@pytest.mark.parametrize("name", ["survey", "sachs"])
def test_causal_learn_finds_the_same_cpdag_with_the_gaussian_score(name):
    from causallearn.search.ScoreBased.GES import ges

    data = ml4c.load_network(name).sample(5000, seed=3)
    theirs = in_our_convention(ges(data.codes.astype(float), "local_score_BIC")["G"].graph)
    assert (method_named("ges-gaussian")(Problem(data)) == theirs).all()


def test_the_gaussian_score_is_that_of_a_regression():
    data = mixed_table(1)
    scores = GaussianScores(data)
    codes = data.codes - data.codes.mean(axis=0)
    for node, parents in [(0, [1]), (2, [3, 1]), (3, [0, 1, 2])]:
        left = codes[:, node] - codes[:, parents] @ np.linalg.lstsq(codes[:, parents], codes[:, node], rcond=None)[0]
        gain = -0.5 * ROWS * np.log((left @ left) / (codes[:, node] @ codes[:, node]))
        found = scores.score(families([(node, parents), (node, [])]))
        assert found[0] - found[1] == pytest.approx(gain - 0.5 * np.log(ROWS) * len(parents), abs=1e-5)


def test_the_gaussian_score_of_copies_and_constants_is_finite_and_of_missing_cells_refused():
    column = np.arange(ROWS) % 3
    scores = GaussianScores(dataset(np.stack([column, column, np.zeros_like(column)], axis=1)))
    alone, copied, constant = scores.score(families([(0, []), (0, [1]), (0, [2])]))
    assert alone < copied < np.inf
    assert constant == pytest.approx(alone - 0.5 * np.log(ROWS))
    with pytest.raises(DataError, match="without missing values"):
        GaussianScores(dataset(np.array([[0, 1], [1, -1], [0, 0], [1, 1]])))
