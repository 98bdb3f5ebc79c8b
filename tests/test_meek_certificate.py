from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.graph import edges, v_structures
from ml4c.meek import certify, cpdag_of, meek_closure


def rng(seed=0):
    return np.random.default_rng(seed)


def random_cpdags(n, seed):
    random = rng(seed)
    return [cpdag_of(naive.random_dag(random, 12, 0.25)) for _ in range(n)]


def checks(certificate):
    return certificate.acyclic, certificate.extendable, certificate.closed, certificate.is_cpdag


def test_certificate_of_every_graph_of_four_nodes():
    cpdags = {np.bitwise_or.reduce(members).tobytes() for members in naive.markov_classes(4).values()}
    for a in naive.every_pdag(4):
        certificate = certify(a)
        assert certificate.acyclic == naive.is_acyclic(a)
        assert certificate.extendable == (len(naive.extensions(a)) > 0)
        assert certificate.closed == (not naive.implied_arrows(a))
        assert certificate.is_cpdag == certificate.valid == (a.tobytes() in cpdags)
        assert (certificate.reason == "") == certificate.valid


def test_certify_accepts_the_cpdags_of_ten_thousand_dags():
    random = rng(8)
    for k in range(10_000):
        d = int(random.integers(1, 20 if k % 50 else 100))
        certificate = certify(cpdag_of(naive.random_dag(random, d, random.uniform(0, min(1, 4 / d)))))
        assert certificate.valid, certificate


@pytest.mark.parametrize("seed", range(20))
def test_certify_names_a_planted_cycle(seed):
    random = rng(seed)
    a = cpdag_of(naive.random_dag(random, 20, 0.1))
    cycle = random.permutation(20)[: random.integers(3, 8)]
    a[cycle, np.roll(cycle, -1)] = 1
    a[np.roll(cycle, -1), cycle] = 0
    names = [f"v{i}" for i in range(20)]
    certificate = certify(a, names)
    assert (certificate.acyclic, certificate.extendable, certificate.valid) == (False, False, False)
    named = certificate.reason.split(";")[0].removeprefix("directed cycle ").split(" -> ")
    walk = [names.index(name) for name in named]
    assert walk[0] == walk[-1]
    assert all(naive.arrow(a, i, j) for i, j in pairwise(walk))


def test_certify_names_the_edge_and_rule_of_an_unclosed_graph():
    planted = 0
    for a in random_cpdags(60, seed=9):
        in_v = {(end, t) for x, t, y in v_structures(a).tolist() for end in (x, y)}
        for i, j in edges(a).directed.tolist():
            if (i, j) not in in_v:
                unclosed = a.copy()
                unclosed[j, i] = 1
                certificate = certify(unclosed)
                assert checks(certificate) == (True, True, False, False)
                rule = naive.meek_rules(unclosed, i, j)[0]
                assert certificate.reason == f"not closed: Meek's rule {rule} turns {i} - {j} into {i} -> {j}"
                planted += 1
    assert planted > 60


@pytest.mark.parametrize("length", [4, 5, 9])
def test_certify_names_the_nodes_of_an_unextendable_graph(length):
    """An undirected cycle without a chord has no extension: some node on it would be a new collider."""
    a = np.zeros((length + 3, length + 3), dtype=np.int8)
    cycle = np.arange(length)
    a[cycle, np.roll(cycle, -1)] = a[np.roll(cycle, -1), cycle] = 1
    a[0, length] = a[length, 0] = 1  # a leaf, which elimination removes
    certificate = certify(a, [chr(97 + i) for i in range(length + 3)])
    assert checks(certificate) == (True, False, True, False)
    nodes = ", ".join(chr(97 + i) for i in range(length))
    reason = f"no DAG extends it: among {nodes} none can be last without a cycle or a new v-structure"
    assert str(certificate) == f"not a valid CPDAG: {reason}"


def test_certify_names_an_arrow_that_is_not_compelled():
    planted = 0
    for a in random_cpdags(60, seed=10):
        for i, j in edges(a).undirected.tolist():
            told = a.copy()
            told[j, i] = 0
            told = meek_closure(told)
            certificate = certify(told)
            assert checks(certificate) == (True, True, True, False)
            assert certificate.reason.startswith("arrow not compelled: ")
            claimed = certificate.reason.removeprefix("arrow not compelled: ").split(" may")[0].split(" -> ")
            assert naive.arrow(told, *map(int, claimed))
            assert naive.line(a, *map(int, claimed))
            planted += 1
    assert planted > 60


def test_certificate_speaks_for_itself():
    assert str(certify(naive.graph(3, "0>1", "2>1"))) == "a valid CPDAG"
    assert "a -> b may as well be b -> a" in certify(naive.graph(2, "0>1"), ["a", "b"]).reason
    many = np.roll(np.eye(40, dtype=np.int8), 1, axis=1)
    assert "... (41 in all)" in certify(many).reason
    with pytest.raises(GraphError, match="1 names for a graph of 2 nodes"):
        certify(naive.graph(2, "0>1"), ["a"])


@given(naive.pdags(), st.data())
def test_checks_do_not_depend_on_the_order_of_nodes(a, data):
    order = np.ix_(*[data.draw(st.permutations(range(len(a))))] * 2)
    assert checks(certify(a[order])) == checks(certify(a))


def test_five_thousand_nodes_with_ten_thousand_edges():
    a = cpdag_of(naive.sparse_dag(rng(11), 5000, 10_000))
    assert certify(a).valid
    i, j = edges(a).undirected[0]
    a[j, i] = 0
    assert certify(a).reason.endswith(f"arrow not compelled: {i} -> {j} may as well be {j} -> {i}")


def test_certificate_with_fixed_arrows_of_every_graph_of_four_nodes():
    """Valid exactly for the union of the DAGs that have the graph's v-structures and the fixed arrows."""
    random, classes = rng(12), naive.markov_classes(4)
    valid = 0
    for a in naive.every_pdag(4):
        drawn = edges(a).directed
        fixed = drawn[random.random(len(drawn)) < 0.5]
        members = [dag for dag in classes.get(naive.class_key(a), []) if all(dag[i, j] for i, j in fixed)]
        certificate = certify(a, fixed=fixed)
        assert certificate.valid == (bool(members) and np.array_equal(np.bitwise_or.reduce(members), a))
        assert (certificate.reason == "") == certificate.valid
        valid += certificate.valid
    assert valid > 300


def test_certify_names_a_fixed_arrow_that_is_missing():
    a = naive.graph(3, "0-1", "1-2")
    certificate = certify(a, ["a", "b", "c"], fixed=[(0, 1)])
    assert certificate.reason == "arrow missing: a -> b is fixed, but the graph does not have it"
    assert checks(certificate) == (True, True, True, False)
    assert certify(naive.graph(3, "0>1", "1>2"), fixed=[(0, 1)]).valid
    assert not certify(naive.graph(3, "0>1", "1>2")).valid
    told = certify(naive.graph(4, "0>1", "1>2", "2>3"), fixed=[(1, 2)]).reason
    assert told == "arrow not compelled: 0 -> 1 may as well be 1 -> 0"
