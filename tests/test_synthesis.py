"""Synthetic networks: the same whoever makes them, of the sizes the recipe says, with tables that exist on demand."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ml4c.bayesnet import BayesNet
from ml4c.bayesnet.lazy import LazyCPT
from ml4c.errors import ModelError, NetworkError
from ml4c.graph import is_dag, skeleton, unshielded_triples, v_structures
from ml4c.synthesis import PaperRecipe, barabasi, erdos_renyi, load_recipe, network, orient_at_random

PAPER = PaperRecipe()
SMALL = [index for index in range(60) if index % 4 < 3]


def states(*cards):
    return tuple(tuple(str(state) for state in range(card)) for card in cards)


# --- tables on demand


@given(st.integers(1, 9), st.floats(0.01, 5.0), st.integers(0, 2**64 - 1), st.integers(0, 12))
def test_rows_are_distributions(card, alpha, seed, parents):
    configurations = np.random.default_rng(0).integers(0, 3, (20, parents))
    rows = LazyCPT(tuple(range(parents)), card, alpha, seed).rows(configurations)
    assert rows.shape == (20, card)
    assert (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-12)


def test_a_row_depends_on_its_configuration_alone():
    table = LazyCPT((0, 1, 2), 4, 0.5, 7)
    every = np.array(np.unravel_index(np.arange(60), (3, 4, 5))).T
    rows = table.rows(every)
    assert len(np.unique(rows, axis=0)) == 60
    np.testing.assert_array_equal(table.rows(every[::-1]), rows[::-1])
    np.testing.assert_array_equal(table.rows(every[17:18]), rows[17:18])
    np.testing.assert_array_equal(table.rows(every.astype(np.uint8)), rows)
    assert not np.array_equal(replace(table, seed=8).rows(every), rows)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0, 3.0])
def test_rows_are_dirichlet(alpha):
    rows = LazyCPT((0,), 3, alpha, 1).rows(np.arange(4000)[:, None])
    for column in rows.T:
        assert stats.kstest(column, stats.beta(alpha, 2 * alpha).cdf).pvalue > 1e-3


def test_tiny_alpha_underflows_nowhere():
    rows = LazyCPT((0,), 4, 1e-4, 1).rows(np.arange(500)[:, None])
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    assert (rows.max(axis=1) > 0.999).mean() > 0.95


def test_sample_follows_the_rows():
    tables = (LazyCPT((), 3, 1.0, 1), LazyCPT((), 2, 1.0, 2), LazyCPT((1, 0), 4, 1.0, 3))
    codes = BayesNet(("a", "b", "c"), states(3, 2, 4), tables).sample(60_000, seed=5).codes
    np.testing.assert_allclose(
        np.bincount(codes[:, 0], minlength=3) / 60_000, tables[0].rows(np.empty((1, 0)))[0], atol=0.01
    )
    for b in range(2):
        for a in range(3):
            column = codes[(codes[:, 0] == a) & (codes[:, 1] == b), 2]
            if len(column) > 1000:
                expected = tables[2].rows(np.array([[b, a]]))[0]
                np.testing.assert_allclose(np.bincount(column, minlength=4) / len(column), expected, atol=0.05)


def test_a_hub_of_a_hundred_parents_can_be_sampled():
    tables = [LazyCPT((), 2, 1.0, node) for node in range(100)]
    net = BayesNet(
        tuple(f"v{i}" for i in range(101)), states(*[2] * 101), (*tables, LazyCPT(tuple(range(100)), 2, 0.5, 9))
    )
    assert net.n_parameters == 100 + 2**100
    assert net.sample(500, seed=1).codes.shape == (500, 101)


def test_sample_is_the_same_for_any_order_of_the_nodes():
    net = network(PAPER, 0).net
    mixed = net.permuted(3)
    before, after = net.sample(200, seed=1), mixed.sample(200, seed=1)
    for name in net.names:
        assert list(before.column(name)) == list(after.column(name))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (LazyCPT((), 3, 1.0, 0), "rows of 3 probabilities for 2 states"),
        (LazyCPT((), 2, 0.0, 0), "alpha is 0.0"),
        (LazyCPT((), 2, float("inf"), 0), "alpha is inf"),
        (LazyCPT((), 2, 1.0, -1), "the seed is -1"),
    ],
)
def test_impossible_tables(table, message):
    with pytest.raises(NetworkError, match=message):
        BayesNet(("a",), states(2), (table,))


# --- graphs


@given(st.integers(2, 40), st.integers(0, 100), st.integers(0, 1000))
def test_erdos_renyi_has_that_many_edges(nodes, edges, seed):
    pairs = erdos_renyi(nodes, edges, np.random.default_rng(seed))
    assert len(pairs) == min(edges, nodes * (nodes - 1) // 2)
    assert len({tuple(pair) for pair in pairs.tolist()}) == len(pairs)
    assert (pairs[:, 0] < pairs[:, 1]).all()


@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 1000))
def test_barabasi_joins_every_node_to_earlier_ones(nodes, per_node, seed):
    pairs = barabasi(nodes, per_node, np.random.default_rng(seed), power=-3.0, appeal=1.0)
    assert len({tuple(pair) for pair in pairs.tolist()}) == len(pairs)
    assert np.bincount(pairs[:, 1], minlength=nodes).tolist() == [min(per_node, node) for node in range(nodes)]


def test_a_power_of_one_makes_hubs_and_a_negative_one_avoids_them():
    def largest(power):
        rng = np.random.default_rng(0)
        return np.mean([np.bincount(barabasi(200, 2, rng, power=power, appeal=1.0).ravel()).max() for _ in range(10)])

    assert largest(1.0) > 1.5 * largest(-3.0)


def test_orientation_drops_isolated_nodes_and_keeps_the_edges():
    dag = orient_at_random(np.array([[0, 3], [3, 4]]), 6, np.random.default_rng(0))
    assert dag.shape == (3, 3)
    assert is_dag(dag)
    assert skeleton(dag).tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


# --- networks of the recipe


def test_a_network_is_the_same_whoever_computes_it():
    again = network(PaperRecipe(replicates=3), 13)
    made = network(PAPER, 13)
    assert made.net == again.net
    np.testing.assert_array_equal(made.sample(500).codes, again.sample(500).codes)


def test_networks_and_seeds_differ():
    assert network(PAPER, 0).net != network(PAPER, 8).net
    assert network(PAPER, 0).net != network(PaperRecipe(seed=1), 0).net


@pytest.mark.parametrize("index", SMALL)
def test_sizes_edges_and_cardinalities(index):
    made = network(PAPER, index)
    low, high = made.size
    assert is_dag(made.net.dag)
    assert made.net.n_nodes <= high
    assert (made.net.dag.any(axis=0) | made.net.dag.any(axis=1)).all()
    assert 2 <= min(made.net.cardinalities) <= max(made.net.cardinalities) <= 6
    if made.graph_model == "barabasi":
        assert made.net.n_nodes >= low
        assert made.net.n_edges in (made.net.n_nodes - 1, 2 * made.net.n_nodes - 3)
    else:  # isolated nodes are gone, so the density among those left may only rise
        assert made.net.n_edges >= round(1.2 * made.net.n_nodes)
        assert made.net.n_edges <= round(1.7 * high)


def test_sizes_and_models_take_turns():
    made = [network(PAPER, index) for index in range(8)]
    assert [one.size for one in made] == [*PAPER.sizes, *PAPER.sizes]
    assert [one.graph_model for one in made] == ["erdos-renyi"] * 4 + ["barabasi"] * 4
    assert PAPER.n_networks == 400


def test_about_a_third_of_the_triples_are_v_structures():
    dags = [network(PAPER, index).net.dag for index in SMALL]
    triples = sum(len(unshielded_triples(skeleton(dag))) for dag in dags)
    colliders = sum(len(v_structures(dag)) for dag in dags)
    assert 0.25 < colliders / triples < 0.42


def test_parents_of_crowded_children_have_few_states():
    wide, narrow = [], []
    for index in range(3, 24, 4):
        net = network(PAPER, index).net
        in_degree = net.dag.sum(axis=0)
        for node, card in enumerate(net.cardinalities):
            largest = in_degree[net.dag[node] == 1].max(initial=0)
            (wide if largest == 0 else narrow if largest >= 3 else []).append(card)
    assert np.mean(wide) > 2.8
    assert max(narrow) == 2 or np.mean(narrow) < 2.05


def test_default_sample_has_the_rows_of_the_recipe():
    assert network(PaperRecipe(rows=123), 0).sample().n_rows == 123


@pytest.mark.parametrize("index", [-1, 400])
def test_no_such_network(index):
    with pytest.raises(ModelError, match=f"0 to 399, not {index}"):
        network(PAPER, index)


# --- recipes


def test_recipe_survives_json():
    recipe = PaperRecipe(seed=3, sizes=((5, 9),), rows=50)
    assert PaperRecipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


def test_load_recipe_by_name_and_from_a_file(tmp_path):
    assert load_recipe("paper") == PAPER
    file = tmp_path / "mine.json"
    file.write_text('{"name": "mine", "sizes": [[5, 9]], "rows": 50}')
    assert load_recipe(file) == PaperRecipe(name="mine", sizes=((5, 9),), rows=50)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "mine.json: not a JSON file"),
        ("[]", "mine.json: a recipe is a JSON object"),
        ('{"row": 5}', "no field 'row'"),
        ('{"rows": "many"}', "wrong type"),
        ('{"sizes": 5}', "wrong type"),
        ('{"sizes": []}', "no sizes"),
        ('{"sizes": [[9, 5]]}', "not ranges"),
        ('{"graph_models": ["small-world"]}', "small-world.*there are erdos-renyi, barabasi"),
        ('{"alpha": [0, 1]}', "positive"),
        ('{"seed": -1}', "must not be negative"),
        ('{"rows": 0}', "rows is 0"),
        ('{"replicates": 0}', "replicates is 0"),
        ('{"max_cardinality": 1}', "not 2 to 255"),
        ('{"edges_per_node": [2, 1]}', "edges_per_node"),
    ],
)
def test_wrong_recipes(tmp_path, text, message):
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(ModelError, match=message):
        load_recipe(file)


def test_unknown_recipe():
    with pytest.raises(ModelError, match="no recipe is called 'papr': there are paper and default"):
        load_recipe("papr")
