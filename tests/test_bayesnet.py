"""Networks: what is refused, what is normalised, and that samples follow the distribution and the seed."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import naive_sampling as naive
from ml4c.bayesnet import CPT, BayesNet, first_fault
from ml4c.errors import NetworkError
from ml4c.graph import is_dag

BELOW_ONE = float(np.nextafter(1.0, 0.0))


def make(names="ab", cards=(2, 2), parents=((), (0,)), tables=None):
    """Return a network of uniform tables unless `tables` are given."""
    states = tuple(tuple(f"s{k}" for k in range(card)) for card in cards)
    if tables is None:
        rows = [int(np.prod([cards[p] for p in of], dtype=int)) for of in parents]
        tables = [np.full((n, card), 1 / card) for n, card in zip(rows, cards, strict=True)]
    cpts = tuple(CPT(tuple(of), np.array(t)) for of, t in zip(parents, tables, strict=True))
    return BayesNet(tuple(names), states, cpts)


def random_net(rng, cards, parents, *, zeros=0.3):
    tables = []
    for card, of in zip(cards, parents, strict=True):
        rows = int(np.prod([cards[p] for p in of], dtype=int))
        weights = rng.dirichlet(np.ones(card), size=rows) * (rng.random((rows, card)) >= zeros)
        weights[np.arange(rows), rng.integers(card, size=rows)] += 0.1
        tables.append(weights / weights.sum(axis=1, keepdims=True))
    return make([f"n{i}" for i in range(len(cards))], cards, parents, tables)


@pytest.fixture
def diamond():
    return random_net(np.random.default_rng(5), (2, 3, 2, 4), ((), (0,), (0,), (2, 1)))


def test_size_and_graph(diamond):
    assert (diamond.n_nodes, diamond.n_edges, diamond.cardinalities) == (4, 4, (2, 3, 2, 4))
    assert diamond.n_parameters == 1 + 2 * 2 + 2 * 1 + 6 * 3
    assert diamond.dag.dtype == np.int8
    assert np.argwhere(diamond.dag).tolist() == [[0, 1], [0, 2], [1, 3], [2, 3]]
    assert is_dag(diamond.dag)
    assert repr(diamond) == "BayesNet(4 nodes, 4 edges, 25 parameters)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": "aa"}, "two nodes are called 'a'"),
        ({"names": ("a", " ")}, "node 1 has an empty name"),
        ({"names": (), "cards": (), "parents": ()}, "at least one node"),
        ({"names": "abc"}, "3 names, 2 lists of states and 2 distributions"),
        ({"cards": (2, 0), "tables": [[[1, 0]], np.zeros((2, 0))]}, "node 'b' has 0 states"),
        (
            {"parents": ((), (2,)), "tables": [[[1, 0]], [[1, 0], [1, 0]]]},
            "node 'b' has the unknown parent 2",
        ),
        (
            {"parents": ((), (-1,)), "tables": [[[1, 0]], [[1, 0], [1, 0]]]},
            "node 'b' has the unknown parent -1",
        ),
        ({"parents": ((), (0, 0))}, "node 'b' has a parent twice"),
        ({"parents": ((0,), ())}, "cycle: 'a' -> 'a'$"),
        ({"parents": ((1,), (0,))}, "cycle: 'a' -> 'b' -> 'a'"),
        (
            {"names": "abc", "cards": (2, 2, 2), "parents": ((2,), (0,), (1,))},
            "cycle: 'b' -> 'c' -> 'a' -> 'b'",
        ),
        (
            {"tables": [[[1, 0]], [[1, 0]]]},
            r"node 'b': the table has shape \(1, 2\), its states need \(2, 2\)",
        ),
        ({"tables": [[1, 0], [[1, 0], [1, 0]]]}, r"node 'a': the table has shape \(2,\)"),
        ({"tables": [[[1, 0]], [[1, 0], [0.6, 0.42]]]}, r"node 'b', row 1 .* sum to 1.02, off by \+0.02"),
        (
            {"tables": [[[1.5, -0.5]], [[1, 0], [1, 0]]]},
            "node 'a', row 0 of the table: -0.5 is not a probability",
        ),
        ({"tables": [[[np.nan, 1]], [[1, 0], [1, 0]]]}, "nan is not a probability"),
        ({"tables": [[[np.inf, -np.inf]], [[1, 0], [1, 0]]]}, "-inf is not a probability"),
        ({"tables": [[[np.inf, 0]], [[1, 0], [1, 0]]]}, "sum to inf"),
    ],
)
def test_refuses_what_is_no_network(arguments, message):
    with pytest.raises(NetworkError, match=message):
        make(**arguments)


def test_refuses_repeated_states():
    with pytest.raises(NetworkError, match="node 'a' has the state 'y' twice"):
        BayesNet(("a",), (("x", "y", "y"),), (CPT((), np.full((1, 3), 1 / 3)),))


def test_rounded_rows_are_normalised_and_exact_ones_untouched():
    thirds, exact = [0.33, 0.33, 0.33], [0.1, 0.2, 0.7]  # the exact ones sum to 1 - 1e-16
    table = make(cards=(2, 3), tables=[[[0.5, 0.5]], [thirds, exact]]).distributions[1].table
    assert table[0].tolist() == [0.33 / 0.99] * 3
    assert table[1].tolist() == exact
    assert first_fault(np.array([exact, [0.3, 0.3, 0.3]])).row == 1


def test_a_network_keeps_its_own_tables():
    table = np.array([[0.5, 0.5]])
    net = make("a", (2,), ((),), [table])
    table[0] = 7
    assert net.distributions[0].table.tolist() == [[0.5, 0.5]]
    with pytest.raises(ValueError, match="read-only"):
        net.distributions[0].table[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        net.dag[0, 0] = 1


def test_equality_sees_names_states_parents_and_tables(diamond):
    assert make() == make()
    assert make() != make(names="ac")
    assert make() != make(cards=(2, 3))
    assert make() != make(parents=((), ()))
    assert make() != make(tables=[[[0.5, 0.5]], [[0.5, 0.5], [0.25, 0.75]]])
    assert diamond != "diamond"


# --- drawing a column -------------------------------------------------------------------------------------


@st.composite
def columns(draw):
    """A table with zeros and the awkward uniforms: 0, just below 1, and exactly on a border."""
    cards = draw(st.lists(st.integers(1, 4), max_size=3))
    card, rows = draw(st.integers(1, 6)), int(np.prod(cards, dtype=int))
    n, rng = draw(st.integers(1, 40)), np.random.default_rng(draw(st.integers(0, 2**32)))
    table = random_net(rng, (*cards, card), (*[()] * len(cards), range(len(cards)))).distributions[-1].table
    codes = np.zeros((n, len(cards) + 1), dtype=np.uint8, order="F")
    for j, parent_card in enumerate(cards):
        codes[:, j] = rng.integers(parent_card, size=n)
    borders = np.cumsum(table, axis=1)[rng.integers(rows, size=n), rng.integers(card, size=n)]
    choice = rng.integers(4, size=n)
    uniforms = np.choose(choice, [rng.random(n), np.zeros(n), np.full(n, BELOW_ONE), np.minimum(borders, BELOW_ONE)])
    return tuple(cards), table, codes, uniforms


@given(columns())
@settings(max_examples=150, deadline=None)
def test_draw_equals_its_naive_twin(case):
    cards, table, codes, uniforms = case
    parents = tuple(range(len(cards)))
    expected = naive.draw_column(codes, parents, cards, table, uniforms)
    CPT(parents, table).draw(codes, np.array([*cards, table.shape[1]]), uniforms, codes[:, -1])
    assert codes[:, -1].tolist() == expected.tolist()


@pytest.mark.parametrize("zero", [0, 1, 4, 10])
def test_no_uniform_reaches_a_state_of_probability_zero(zero):
    table = np.insert(np.full(10, 0.1), zero, 0.0)[None]  # ten tenths sum to less than the largest uniform
    assert np.cumsum(table)[-1] <= BELOW_ONE
    uniforms = np.array([0.0, 0.1, 0.5, BELOW_ONE])
    codes = np.zeros((4, 1), dtype=np.uint8, order="F")
    CPT((), table).draw(codes, np.array([11]), uniforms, codes[:, 0])
    assert zero not in codes
    assert codes[-1, 0] == (9 if zero == 10 else 10)


# --- samples ----------------------------------------------------------------------------------------------


def chi_square_p(net, data):
    """P-value of the records against the joint distribution; zero if an impossible record occurs."""
    codes = {name: {label: i for i, label in enumerate(s)} for name, s in zip(net.names, net.states, strict=True)}
    columns = [[codes[name][label] for label in data.column(name)] for name in net.names]
    seen, expected = Counter(zip(*columns, strict=True)), naive.joint(net)
    possible = [states for states, p in expected.items() if p > 0]
    if any(states not in set(possible) for states in seen):
        return 0.0
    n = data.n_rows
    statistic = sum((seen[s] - n * expected[s]) ** 2 / (n * expected[s]) for s in possible)
    return float(chi2.sf(statistic, len(possible) - 1))


def test_a_sample_follows_the_joint_distribution(diamond):
    data = diamond.sample(40_000, seed=11)
    assert 0.001 < chi_square_p(diamond, data) < 0.999
    other = random_net(np.random.default_rng(6), (2, 3, 2, 4), ((), (0,), (0,), (2, 1)), zeros=0)
    assert chi_square_p(other, data) < 1e-9  # the test can tell


def test_the_same_seed_gives_the_same_bits(diamond):
    first, again, other = (diamond.sample(1000, seed=seed).codes for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_records_of_a_seed_are_part_of_the_interface():
    codes = make(tables=[[[0.5, 0.5]], [[0.2, 0.8], [0.9, 0.1]]]).sample(16, seed=0).codes
    assert ["".join(map(str, column)) for column in codes.T.tolist()] == [
        "0111100010100110",
        "0000011101001101",
    ]


def test_a_longer_sample_begins_with_the_shorter(diamond):
    assert np.array_equal(diamond.sample(200, seed=1).codes[:100], diamond.sample(100, seed=1).codes)


def test_nodes_draw_from_different_streams():
    data = make(parents=((), ())).sample(1000, seed=0)
    assert 400 < np.sum(data.codes[:, 0] == data.codes[:, 1]) < 600


def test_a_seed_sequence_is_read_and_a_generator_advanced(diamond):
    root = np.random.SeedSequence(7)
    assert np.array_equal(diamond.sample(50, root).codes, diamond.sample(50, seed=7).codes)
    assert np.array_equal(diamond.sample(50, root).codes, diamond.sample(50, root).codes)
    child_a, child_b = root.spawn(2)
    assert not np.array_equal(diamond.sample(50, child_a).codes, diamond.sample(50, child_b).codes)
    generator = np.random.default_rng(7)
    first, second = diamond.sample(50, generator).codes, diamond.sample(50, generator).codes
    assert not np.array_equal(first, second)
    assert np.array_equal(first, diamond.sample(50, np.random.default_rng(7)).codes)


@pytest.mark.parametrize(
    ("n", "seed", "message"),
    [(0, 0, "cannot sample 0"), (5, -1, "the seed is -1"), (10**17, 0, "do not fit in memory")],
)
def test_refuses_a_wrong_size_or_seed(diamond, n, seed, message):
    with pytest.raises(NetworkError, match=message):
        diamond.sample(n, seed)


def test_more_than_255_states_need_wider_codes():
    net = make("ab", (300, 2), ((), (0,)))
    data = net.sample(5000, seed=0)
    assert data.codes.dtype == np.uint16
    assert set(data.column("a")) == {f"s{k}" for k in range(300)}


# --- order of the nodes -----------------------------------------------------------------------------------


def test_permuting_the_nodes_permutes_the_columns(diamond):
    data, moved = diamond.sample(500, seed=2), diamond.permuted([2, 0, 3, 1]).sample(500, seed=2)
    assert moved.names == ("n2", "n0", "n3", "n1")
    for name in data.names:
        assert moved.column(name) == data.column(name)


def test_permuting_keeps_graph_and_distributions(diamond):
    order = [3, 1, 0, 2]
    moved = diamond.permuted(order)
    assert np.array_equal(moved.dag, diamond.dag[np.ix_(order, order)])
    assert naive.joint(moved) == pytest.approx(
        {tuple(states[i] for i in order): p for states, p in naive.joint(diamond).items()}
    )
    assert moved.permuted(np.argsort(order).tolist()) == diamond


def test_a_seed_shuffles_the_names_whatever_order_they_have(diamond):
    assert diamond.permuted(1) == diamond.permuted([2, 0, 3, 1]).permuted(1)
    assert len({diamond.permuted(seed).names for seed in range(30)}) > 5
    assert diamond.permuted(np.random.SeedSequence(1)) == diamond.permuted(np.int64(1))


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 4], []])
def test_refuses_what_is_no_permutation(diamond, order):
    with pytest.raises(NetworkError, match="does not list each of the 4 nodes once"):
        diamond.permuted(order)


# --- distributions that are no tables ---------------------------------------------------------------------


@dataclass(frozen=True)
class Parity:
    """The parity of its parents, without a table of 2^40 rows."""

    parents: tuple[int, ...]
    n_parameters: int = 0

    def checked(self, _node, _card, _parent_cards):
        return self

    def renumbered(self, position):
        return Parity(tuple(position[parent] for parent in self.parents))

    def draw(self, codes, _cards, _uniforms, out):
        out[:] = codes[:, list(self.parents)].sum(axis=1) % 2


def test_any_distribution_can_take_the_place_of_a_table():
    coins = tuple(CPT((), np.array([[0.5, 0.5]])) for _ in range(40))
    names = tuple(f"n{i}" for i in range(41))
    net = BayesNet(names, (("0", "1"),) * 41, (*coins, Parity(tuple(range(40)))))
    codes = net.permuted(3).sample(100, seed=0).select(names).codes
    assert np.array_equal(codes[:, 40], codes[:, :40].sum(axis=1) % 2)
    assert 20 < codes[:, 40].sum() < 80
