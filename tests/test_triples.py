"""Vicinities and separating sets against their definitions, with data and with the oracle."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_triples
from conftest import JIT
from ml4c.bif import load_network
from ml4c.citest import DataTest, OracleTest
from ml4c.errors import GraphError
from ml4c.triples import Limits, find_sepsets, vicinity_of


def random_dag(rng, nodes, edges):
    """A DAG of so many nodes and about so many edges, in a random order."""
    dag = np.zeros((nodes, nodes), np.int8)
    pairs = list(itertools.combinations(range(nodes), 2))
    for i in rng.permutation(len(pairs))[:edges]:
        dag[pairs[i]] = 1
    order = rng.permutation(nodes)
    return dag[np.ix_(order, order)]


def names_of(count):
    return [f"n{i:03d}" for i in range(count)]


def listed(vicinity, sepsets):
    """Sepsets of every triple, by column numbers."""
    found = {}
    for i, (x, t, y) in enumerate(vicinity.column[vicinity.triples].tolist()):
        rows = sepsets.members[sepsets.start[i] : sepsets.start[i + 1]]
        sets = [frozenset(int(vicinity.column[v]) for v in row if v >= 0) for row in rows.tolist()]
        assert len(set(sets)) == len(sets)
        found[min(x, y), t, max(x, y)] = set(sets)
    return found


@given(st.integers(0, 10**6), st.integers(3, 9), st.integers(1, 4))
def test_sepsets_are_those_of_the_definition(seed, nodes, largest):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, nodes, int(rng.integers(2, 2 * nodes)))
    adjacency = dag | dag.T
    oracle = OracleTest(dag)
    vicinity = vicinity_of(dag, oracle.names)
    found = listed(vicinity, find_sepsets(oracle, vicinity, Limits(largest_sepset=largest, sepsets=10**6)))

    def severity(a, b, s):
        return float(oracle.dependence([[a, b, *s]]).severity[0])

    for (x, _, y), sets in found.items():
        expected = naive_triples.sepsets(severity, adjacency, x, y, largest=largest)
        if len(expected) == 1 and severity(x, y, expected[0]) > 0:
            assert len(sets) == 1, "one set stands in where none separates"
        else:
            assert sets == set(expected)


@pytest.mark.parametrize("most", [1, 7, 50])
def test_too_many_sepsets_are_thinned_to_some_of_them_whatever_the_order_of_columns(most):
    net = load_network("insurance")
    data = net.sample(300 if JIT else 40, seed=1)
    order = np.random.default_rng(0).permutation(net.n_nodes)
    chosen, everything = [], None
    for table, dag in ((data, net.dag), (data.select(order.tolist()), net.dag[np.ix_(order, order)])):
        test = DataTest(table)
        vicinity = vicinity_of(dag, table.names)
        by_name = {
            tuple(table.names[v] for v in triple): {frozenset(table.names[v] for v in s) for s in sets}
            for triple, sets in listed(vicinity, find_sepsets(test, vicinity, Limits(sepsets=most))).items()
        }
        chosen.append({frozenset((t[0], t[2])) | {("middle", t[1])}: sets for t, sets in by_name.items()})
        everything = listed(vicinity, find_sepsets(test, vicinity, Limits(sepsets=10**6)))
    assert chosen[0] == chosen[1]
    sizes = sorted(len(sets) for sets in chosen[0].values())
    assert sizes[-1] <= most < max(len(sets) for sets in everything.values()) or most == 50


def test_vicinity_is_in_the_order_of_names():
    skeleton = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    vicinity = vicinity_of(skeleton, ["c", "b", "a"])
    assert vicinity.column.tolist() == [2, 1, 0]
    assert vicinity.column[vicinity.triples].tolist() == [[2, 1, 0]]
    with pytest.raises(GraphError, match="3 nodes and the data 2 columns"):
        vicinity_of(skeleton, ["a", "b"])


def test_no_triple_no_sepset():
    oracle = OracleTest(np.array([[0, 1], [0, 0]]))
    vicinity = vicinity_of(np.array([[0, 1], [1, 0]]), oracle.names)
    assert find_sepsets(oracle, vicinity).start.tolist() == [0]
