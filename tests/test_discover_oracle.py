"""With a d-separation oracle in place of data, a PC skeleton and its sets in place of the learner: the true CPDAG."""

import numpy as np
import pytest

import ml4c
from ml4c.graph import unshielded_triples
from ml4c.orientation import orient_globally
from ml4c.skeleton import pc_skeleton
from test_triples import random_dag

# Every network whose degrees allow all subsets; water and barley (25 and 54 s) return theirs as well.
SMALL = ["cancer", "earthquake", "survey", "asia", "sachs", "child", "insurance", "mildew", "alarm"]


def discovered(dag):
    learned = pc_skeleton(ml4c.OracleTest(dag))
    triples = unshielded_triples(learned.matrix)
    sure = [t not in learned.absent.separator(x, y) for x, t, y in triples.tolist()]
    return orient_globally(learned.matrix, triples, np.array(sure, float))


def test_a_thousand_random_graphs():
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        nodes = int(rng.integers(2, 9))
        dag = random_dag(rng, nodes, int(rng.integers(0, 2 * nodes)))
        found = discovered(dag)
        assert np.array_equal(found.cpdag, ml4c.cpdag_of(dag)), seed
        assert found.certificate.valid


@pytest.mark.jit
@pytest.mark.parametrize("name", SMALL)
def test_networks(name):
    dag = ml4c.load_network(name).permuted(1).dag
    assert np.array_equal(discovered(dag).cpdag, ml4c.cpdag_of(dag))
