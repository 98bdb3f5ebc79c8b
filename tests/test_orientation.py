"""The published rule: which triples survive, what they draw, and that order cannot matter."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.graph import DSeparation, skeleton, unshielded_triples
from ml4c.meek import certify, cpdag_of
from ml4c.orientation import THRESHOLD, orient_as_published

# 0 - 1 - 2 - 3 - 4: triples around 1, 2, 3; neighbours on the path conflict, the outer two do not.
PATH = naive.graph(5, "0-1", "1-2", "2-3", "3-4")
PATH_TRIPLES = [(0, 1, 2), (1, 2, 3), (2, 3, 4)]


def wants(triple):
    x, t, y = triple
    return {(x, t), (y, t)}


def naive_verdicts(triples, p, threshold):
    """Compare all pairs of accepted triples; remove whoever loses any comparison."""
    accepted = [k for k in range(len(triples)) if p[k] >= threshold]
    lost = set()
    for k, m in combinations(accepted, 2):
        if wants(triples[k]) & {(j, i) for i, j in wants(triples[m])}:
            lost |= {k} if p[k] <= p[m] else set()
            lost |= {m} if p[m] <= p[k] else set()
    return ["rejected" if k not in accepted else "lost" if k in lost else "accepted" for k in range(len(triples))]


@st.composite
def judged(draw, max_nodes=7):
    """A skeleton, its triples with ends in random order, and probabilities with many ties."""
    a = draw(naive.pdags(max_nodes, states=((0, 0), (1, 1))))
    triples = [t if draw(st.booleans()) else t[::-1] for t in sorted(naive.unshielded_triples(a))]
    levels = st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.6, 0.6000001, 1.0])
    return a, triples, [draw(levels) for _ in triples]


def test_the_less_probable_of_a_pair_is_removed_and_the_loser_of_a_loser_too():
    found = orient_as_published(PATH, PATH_TRIPLES, [0.9, 0.6, 0.3])
    # (2, 3, 4) loses to (1, 2, 3) although that one is itself removed.
    assert found.verdicts == ("accepted", "lost", "lost")
    assert found.lost_to.tolist() == [-1, 0, 1]
    assert np.array_equal(found.cpdag, naive.graph(5, "0>1", "2>1", "2-3", "3-4"))
    assert found.support == {(0, 1): 0.9, (2, 1): 0.9}
    assert found.certificate.valid


def test_a_tie_removes_both():
    found = orient_as_published(PATH, PATH_TRIPLES, [0.5, 0.5, 0.0])
    assert found.verdicts == ("lost", "lost", "rejected")
    assert found.lost_to.tolist() == [1, 0, -1]
    assert np.array_equal(found.cpdag, PATH)
    assert found.support == {}


def test_of_two_winners_the_more_probable_is_named_and_of_equals_the_smaller():
    assert orient_as_published(PATH, PATH_TRIPLES, [0.6, 0.5, 0.7]).lost_to.tolist() == [-1, 2, -1]
    assert orient_as_published(PATH, PATH_TRIPLES, [0.6, 0.5, 0.6]).lost_to.tolist() == [-1, 0, -1]
    assert orient_as_published(PATH, PATH_TRIPLES[::-1], [0.6, 0.5, 0.6]).lost_to.tolist() == [-1, 2, -1]


def test_the_threshold_itself_is_accepted():
    for p, verdict in [(THRESHOLD, "accepted"), (np.nextafter(THRESHOLD, 0), "rejected")]:
        assert orient_as_published(PATH, PATH_TRIPLES[:1], [p]).verdicts == (verdict,)
    assert THRESHOLD == 0.1
    assert orient_as_published(PATH, PATH_TRIPLES[:1], [0.2], threshold=0.3).verdicts == ("rejected",)


def test_meek_draws_what_follows_but_does_not_support_it():
    found = orient_as_published(naive.graph(4, "0-1", "1-2", "1-3"), [(0, 1, 2)], [0.8])
    assert np.array_equal(found.cpdag, naive.graph(4, "0>1", "2>1", "1>3"))
    assert found.support == {(0, 1): 0.8, (2, 1): 0.8}


def test_support_is_the_largest_of_those_that_draw_the_arrow():
    star = naive.graph(4, "0-1", "2-1", "3-1")
    found = orient_as_published(star, [(0, 1, 2), (0, 1, 3), (2, 1, 3)], [0.2, 0.7, 0.05])
    assert found.support == {(0, 1): 0.7, (2, 1): 0.2, (3, 1): 0.7}


def test_a_cycle_is_not_hidden():
    # A square with an outer node at each corner: the four v-structures turn it into a directed cycle.
    square = naive.graph(8, "0-1", "1-2", "2-3", "3-0", "4-0", "5-1", "6-2", "7-3")
    triples = [(3, 0, 4), (0, 1, 5), (1, 2, 6), (2, 3, 7)]
    found = orient_as_published(square, triples, [0.9] * 4, names=list("abcdefgh"))
    assert found.verdicts == ("accepted",) * 4
    assert not found.certificate.valid
    assert not found.certificate.acyclic
    assert "directed cycle b -> c -> d -> a -> b" in found.certificate.reason
    assert found.certificate == certify(found.cpdag, list("abcdefgh"))


@given(judged())
def test_verdicts_are_those_of_all_pairs(case):
    a, triples, p = case
    found = orient_as_published(a, triples, p)
    assert list(found.verdicts) == naive_verdicts(triples, p, THRESHOLD)
    for k, winner in enumerate(found.lost_to.tolist()):
        assert (winner >= 0) == (found.verdicts[k] == "lost")
        if winner >= 0:
            assert p[winner] >= p[k]
            assert wants(triples[k]) & {(j, i) for i, j in wants(triples[winner])}


@given(judged())
def test_the_graph_is_the_survivors_closed(case):
    a, triples, p = case
    found = orient_as_published(a, triples, p)
    drawn = a.copy()
    largest = {}
    for triple, q, verdict in zip(triples, p, found.verdicts, strict=True):
        for i, j in wants(triple) if verdict == "accepted" else ():
            drawn[j, i] = 0
            largest[i, j] = max(q, largest.get((i, j), 0.0))
    assert np.array_equal(found.cpdag, naive.closure_in_rounds(drawn))
    assert found.support == largest
    assert found.certificate == certify(found.cpdag)


@given(judged(), st.randoms(use_true_random=False))
def test_order_of_triples_and_nodes_does_not_matter(case, random):
    a, triples, p = case
    found = orient_as_published(a, triples, p)
    rows, nodes = list(range(len(triples))), list(range(len(a)))
    random.shuffle(rows)
    random.shuffle(nodes)  # node i becomes nodes[i]
    moved = np.zeros_like(a)
    moved[np.ix_(nodes, nodes)] = a
    other = orient_as_published(moved, [[nodes[i] for i in triples[k]] for k in rows], [p[k] for k in rows])
    assert np.array_equal(other.cpdag[np.ix_(nodes, nodes)], found.cpdag)
    assert other.verdicts == tuple(found.verdicts[k] for k in rows)
    assert other.support == {(nodes[i], nodes[j]): q for (i, j), q in found.support.items()}


@given(judged(), st.randoms(use_true_random=False))
def test_order_of_triples_does_not_change_who_won(case, random):
    a, triples, p = case
    rows = list(range(len(triples)))
    random.shuffle(rows)
    found = orient_as_published(a, triples, p)
    other = orient_as_published(a, [triples[k][::-1] for k in rows], [p[k] for k in rows])
    winners = [rows[w] if w >= 0 else -1 for w in other.lost_to.tolist()]
    assert winners == [found.lost_to[k] for k in rows]


def first_sepset(oracle, a, x, t, y):
    """PC's question: the first set among neighbours of x or y that separates them."""
    for around in (np.flatnonzero(a[x]), np.flatnonzero(a[y])):
        for size in range(len(around) + 1):
            for given_ in combinations(around.tolist(), size):
                if y not in given_ and x not in given_ and oracle.separated(x, y, given_):
                    return given_
    raise AssertionError("neighbours of one end separate nonadjacent nodes of a DAG")


@given(naive.dags())
def test_with_an_oracle_the_first_sepset_gives_the_true_cpdag(dag):
    oracle, a = DSeparation(dag), skeleton(dag)
    triples = unshielded_triples(a)
    p = [float(t not in first_sepset(oracle, a, x, t, y)) for x, t, y in triples.tolist()]
    found = orient_as_published(dag, triples, p)
    assert np.array_equal(found.cpdag, cpdag_of(dag))
    assert found.certificate.valid
    assert "lost" not in found.verdicts


def test_a_hub_with_many_triples_on_one_edge():
    # Node 0 with 1,000 leaves and an edge to node 1, which has 1,000 leaves too: a million pairs on one edge.
    leaves = 1000
    a = np.zeros((2 * leaves + 2,) * 2, dtype=np.int8)
    first, second = np.arange(2, leaves + 2), np.arange(leaves + 2, 2 * leaves + 2)
    a[0, 1] = a[0, first] = a[1, second] = 1
    triples = [(1, 0, leaf) for leaf in first] + [(0, 1, leaf) for leaf in second]
    p = np.random.default_rng(1).uniform(0.2, 0.8, len(triples))
    p[5], p[leaves + 7] = 0.9, 0.95
    found = orient_as_published(a, triples, p)
    assert set(found.verdicts[:leaves]) == {"lost"}
    assert set(found.lost_to[:leaves].tolist()) == {leaves + 7}
    assert [k for k in range(leaves, 2 * leaves) if found.verdicts[k] == "accepted"] == [leaves + 7]
    assert set(found.lost_to[leaves:].tolist()) == {5, -1}


def test_no_triples():
    found = orient_as_published(naive.graph(3, "0-1"), [], [])
    assert (found.verdicts, found.lost_to.tolist(), found.support) == ((), [], {})
    assert np.array_equal(found.cpdag, naive.graph(3, "0-1"))


@pytest.mark.parametrize(
    ("triples", "p", "threshold", "message"),
    [
        ([(0, 1, 2)], [0.5, 0.5], 0.1, "1 triples need as many probabilities"),
        ([(0, 1, 2)], [np.nan], 0.1, "probability of triple 0 is nan"),
        ([(0, 1, 2), (1, 2, 3)], [0.0, 1.5], 0.1, "probability of triple 1 is 1.5"),
        ([(0, 1, 2)], [-0.1], 0.1, "probability of triple 0 is -0.1"),
        ([(0, 1)], [0.5], 0.1, r"rows \(x, t, y\)"),
        ([(0, 1, 5)], [0.0], 0.1, r"\(0, 1, 5\) names a node that is not in this skeleton of 5"),
        ([(0, 1, -1)], [0.0], 0.1, r"\(0, 1, -1\) names a node"),
        ([(0, 2, 1)], [0.0], 0.1, r"\(0, 2, 1\) is not an unshielded triple"),
        ([(0, 1, 0)], [0.0], 0.1, r"\(0, 1, 0\) is not an unshielded triple"),
        ([(0, 1, 2)], [0.5], 1.1, "threshold=1.1"),
        ([(0, 1, 2)], [0.5], float("nan"), "threshold=nan"),
    ],
)
def test_what_is_refused(triples, p, threshold, message):
    with pytest.raises(GraphError, match=message):
        orient_as_published(PATH, triples, p, threshold=threshold)
