"""METHOD section 9: with the d-separation oracle, rules without a model return the true CPDAG."""

import numpy as np
import pytest

from ml4c.bif import load_network
from ml4c.citest import OracleTest
from ml4c.graph import skeleton
from ml4c.meek import cpdag_of
from ml4c.orientation import orient_as_published
from ml4c.triples import Limits, find_sepsets, share_with_middle, vicinity_of
from test_triples import random_dag

SMALL_DEGREES = ["asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "water", "mildew", "alarm"]
SMALL_DEGREES += ["barley", "win95pts"]  # degrees of 8 and 10: all subsets are still few


def rules(oracle, dag):
    """Triples by column number, and what each rule says of them: 1 for a v-structure."""
    vicinity = vicinity_of(dag, oracle.names)
    limits = Limits(largest_sepset=max(2, int(skeleton(dag).sum(axis=0).max())), sepsets=10**9)
    sepsets = find_sepsets(oracle, vicinity, limits)
    share = share_with_middle(vicinity, sepsets)
    first = sepsets.members[sepsets.start[:-1]]
    ends = vicinity.triples[:, [0, 2]]
    given_t = oracle.dependence(
        vicinity.in_columns(
            np.column_stack([np.repeat(ends, np.diff(sepsets.start), axis=0), with_middle(vicinity, sepsets)])
        )
    ).severity
    least = np.minimum.reduceat(given_t, sepsets.start[:-1]) if len(given_t) else given_t
    says = {
        "PC: T not in the first sepset": ~(first == vicinity.triples[:, [1]]).any(axis=1),
        "majority-PC: T in at most half of the sepsets": share <= 0.5,
        "strong: share = 0": share == 0,
        "strong: share < 1/2": share < 0.5,
        "strong: share < 1 and X~Y|S+T > 0": (share < 1) & (least > 0),
    }
    return vicinity.column[vicinity.triples], says


def with_middle(vicinity, sepsets):
    """Every sepset with T added, T standing alone in a column of its own unless it is a member."""
    middle = np.repeat(vicinity.triples[:, 1], np.diff(sepsets.start))
    known = (sepsets.members == middle[:, None]).any(axis=1)
    return np.column_stack([sepsets.members, np.where(known, -1, middle)]).astype(np.int32)


def check(dag):
    oracle = OracleTest(dag)
    triples, says = rules(oracle, dag)
    for rule, verdict in says.items():
        made = orient_as_published(skeleton(dag), triples, verdict.astype(float))
        np.testing.assert_array_equal(made.cpdag, cpdag_of(dag), err_msg=rule)
        assert made.certificate.valid


@pytest.mark.jit
def test_rules_return_the_true_cpdag_of_random_dags():
    rng = np.random.default_rng(7)
    for _ in range(1000):
        nodes = int(rng.integers(2, 10))
        check(random_dag(rng, nodes, int(rng.integers(0, 2 * nodes))))


@pytest.mark.jit
@pytest.mark.parametrize("network", SMALL_DEGREES)
def test_rules_return_the_true_cpdag_of_a_network(network):
    check(load_network(network).dag)
