"""The 755 features: the reference's numbers, a naive twin, invariances, and the theory with the oracle."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import erfc

import naive
import naive_triples
from conftest import JIT
from ml4c.bif import load_network
from ml4c.citest import DataTest, OracleTest
from ml4c.embedding import draw_embedding
from ml4c.features import FEATURE_NAMES, in_canonical_order, mirror, raw_features, triple_features
from ml4c.graph import v_structures
from ml4c.triples import Limits, find_sepsets, share_with_middle, vicinity_of
from tables import trusted
from test_triples import names_of, random_dag

GOLDEN = Path(__file__).parent / "data" / "golden.npz"
EMBEDDING = draw_embedding(0)
PLACE = {name: i for i, name in enumerate(FEATURE_NAMES)}


def reference_alpha():
    """The exact p-value where the reference's approximation of erf (a = 0.140012) says 0.01."""

    def approximate(severity):
        squared = severity**2 / 2
        return 1 - np.sqrt(1 - np.exp(-squared * (4 / np.pi + 0.140012 * squared) / (1 + 0.140012 * squared)))

    return float(erfc(brentq(lambda s: approximate(s) - 0.01, 1, 5) / np.sqrt(2)))


def test_there_are_755_different_names():
    assert len(set(FEATURE_NAMES)) == 755
    assert FEATURE_NAMES[:2] == ("|PC_T|", "|PC_X|")
    assert FEATURE_NAMES[12:14] == ("X~Y|T p", "X~Y|T severity")


@pytest.mark.jit
@pytest.mark.parametrize("network", ["asia", "child", "alarm"])
def test_statistics_equal_the_reference(network):
    with np.load(GOLDEN) as golden:
        codes, dag, triples, stats = (golden[f"{network}_{part}"] for part in ("data", "dag", "triples", "stats"))
    names = names_of(codes.shape[1])
    vicinity = vicinity_of(dag, names)
    matrix = raw_features(DataTest(trusted(codes, names)), vicinity, EMBEDDING, Limits(alpha=reference_alpha()))
    of_triple = {tuple(triple): row for triple, row in zip(vicinity.triples.tolist(), matrix, strict=True)}
    kept = [i for i, name in enumerate(FEATURE_NAMES) if "kme" not in name]
    tolerance = [1e-3 if " p" in FEATURE_NAMES[i] else 1e-9 for i in kept]
    assert len(triples) == len(of_triple)
    for (t, x, y), expected in zip(triples.tolist(), stats, strict=True):
        row = of_triple[x, t, y] if x < y else of_triple[y, t, x][mirror(FEATURE_NAMES)]
        assert (np.abs(row[kept] - expected) <= tolerance).all()


@settings(max_examples=25 if JIT else 4)
@given(st.integers(0, 10**6))
def test_features_equal_the_naive_twin(seed):
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(3, 8))
    dag = random_dag(rng, nodes, int(rng.integers(2, 2 * nodes)))
    codes = rng.integers(0, 3, (int(rng.integers(20, 300 if JIT else 60)), nodes))
    for a, b in np.argwhere(dag):
        codes[:, b] = np.where(rng.random(len(codes)) < 0.6, codes[:, a], codes[:, b])
    vicinity = vicinity_of(dag, names_of(nodes))
    limits = Limits(sepsets=10**6, pairs=10**4, combinations=10**6)
    matrix = raw_features(DataTest(trusted(codes, names_of(nodes))), vicinity, EMBEDDING, limits)
    for (x, t, y), row in zip(vicinity.triples.tolist(), matrix, strict=True):
        twin = naive_triples.features(
            lambda a, b, s: naive.severity(codes, a, b, tuple(s)), dag | dag.T, x, t, y, EMBEDDING
        )
        np.testing.assert_allclose(row, twin, rtol=1e-7, atol=1e-7)


def shuffled(net, data, rng):
    """The same table with rows, columns and categories in another order, and the DAG to it."""
    order = rng.permutation(data.n_columns)
    codes = np.asarray(data.codes)[rng.permutation(data.n_rows)][:, order].astype(np.int64)
    for j, card in enumerate(data.cardinalities[order]):
        codes[:, j] = rng.permutation(card)[codes[:, j]]
    return trusted(codes, [data.names[i] for i in order]), net.dag[np.ix_(order, order)]


@pytest.mark.jit
@pytest.mark.parametrize("network", ["child", "hepar2"])
def test_order_of_columns_rows_categories_and_threads_change_no_bit(network):
    net = load_network(network)
    data = net.sample(800, seed=2)
    other, other_dag = shuffled(net, data, np.random.default_rng(1))
    results = []
    for table, dag, n_jobs in ((data, net.dag, 1), (other, other_dag, 3)):
        found = triple_features(DataTest(table, n_jobs=n_jobs), dag, embedding=EMBEDDING)
        results.append((found.matrix, [[table.names[v] for v in triple] for triple in found.triples.tolist()]))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    assert results[0][1] == results[1][1]
    if network == "hepar2":
        assert results[0][0][:, PLACE["PC_X~PC_Y|S+PC_T size"]].max() == 1000, "no list was thinned"


@pytest.mark.jit
def test_exchanging_x_and_y_changes_no_feature():
    net = load_network("child")
    data = net.sample(800, seed=2)
    limits = Limits(sepsets=10**6, pairs=10**4, combinations=10**6)
    by_triple = []
    for rename in (lambda i: f"a{i:03d}", lambda i: f"a{999 - i:03d}"):
        names = [rename(i) for i in range(data.n_columns)]
        vicinity = vicinity_of(net.dag, names)
        raw = raw_features(DataTest(trusted(np.asarray(data.codes), names)), vicinity, EMBEDDING, limits)
        keys = [(frozenset((x, y)), t) for x, t, y in vicinity.column[vicinity.triples].tolist()]
        by_triple.append(dict(zip(keys, in_canonical_order(raw), strict=True)))
        assert not np.array_equal(raw, in_canonical_order(raw)), "nothing was exchanged"
    for key, row in by_triple[0].items():
        np.testing.assert_allclose(row, by_triple[1][key], rtol=1e-9, atol=1e-9)


def check_theory(dag):
    """METHOD section 9 for one DAG, with no cap on the size of separating sets."""
    oracle = OracleTest(dag)
    vicinity = vicinity_of(dag, oracle.names)
    if not len(vicinity.triples):
        return 0
    limits = Limits(largest_sepset=len(dag), sepsets=10**6, pairs=10**4, combinations=10**6)
    matrix = raw_features(oracle, vicinity, EMBEDDING, limits)
    colliders = {(min(x, y), t, max(x, y)) for x, t, y in v_structures(dag).tolist()}
    columns = vicinity.column[vicinity.triples].tolist()
    label = np.array([(min(x, y), t, max(x, y)) in colliders for x, t, y in columns])
    of = {name: matrix[:, i] for name, i in PLACE.items()}
    share = share_with_middle(vicinity, find_sepsets(oracle, vicinity, limits))
    np.testing.assert_array_equal(share, 1.0 - label)
    np.testing.assert_array_equal((share < 1) & (of["X~Y|S+T severity min"] > 0), label)
    assert (of["X~Y|T severity"][label] > 0).all()
    assert label[of["X~Y|PC_T severity min"] == 0].all()
    assert (of["PC_X~PC_Y|S+T severity min"][label & (of["PC_X~PC_Y|S+T size"] > 0)] > 0).all()
    return len(label)


@pytest.mark.jit
def test_theory_holds_on_random_dags():
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(1000):
        nodes = int(rng.integers(3, 9))
        seen += check_theory(random_dag(rng, nodes, int(rng.integers(2, int(1.6 * nodes) + 2))))
    assert seen > 3000


def test_progress_and_nothing_to_do():
    calls = []
    oracle = OracleTest(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]]))
    triple_features(
        oracle,
        oracle_dag := np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]]),
        embedding=EMBEDDING,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == [(1, 1)]
    empty = triple_features(oracle, np.zeros_like(oracle_dag), embedding=EMBEDDING)
    assert empty.matrix.shape == (0, 755)


@pytest.mark.parametrize("name", ["asia", pytest.param("child", marks=pytest.mark.jit)])
def test_features_asked_for_by_name_are_those_of_all(name):
    net = load_network(name)
    data = net.sample(1000, seed=3)
    every = triple_features(DataTest(data), net.dag | net.dag.T, embedding=EMBEDDING)
    about_both = tuple(feature for feature in FEATURE_NAMES if "~PC_" not in feature and "kme" not in feature)
    some = triple_features(DataTest(data), net.dag | net.dag.T, embedding=EMBEDDING, names=about_both)
    assert np.array_equal(some.triples, every.triples)
    assert np.array_equal(some.matrix, every.matrix[:, [PLACE[feature] for feature in about_both]])


def test_some_triples_keep_their_features_and_sets():
    dag = random_dag(np.random.default_rng(3), 8, 12)
    found = triple_features(OracleTest(dag, names_of(8)), dag | dag.T, embedding=EMBEDDING)

    def rows_of(features):
        members, start = features.sepsets
        sets = [members[a:b].tolist() for a, b in pairwise(start.tolist())]
        return list(zip(features.triples.tolist(), features.matrix.tolist(), sets, strict=True))

    assert any(len(sets) > 1 for _, _, sets in rows_of(found))
    rows = np.array([len(found.triples) - 1, 2, 2, 0])
    assert rows_of(found.take(rows)) == [rows_of(found)[row] for row in rows.tolist()]
    assert rows_of(found.take(rows[:0])) == []
