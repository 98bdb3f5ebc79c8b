"""Networks of many kinds: valid, reproducible, within the bounds that the recipe states."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ml4c
from ml4c.errors import DataError, ModelError
from ml4c.graph import is_dag, skeleton, unshielded_triples
from ml4c.synthesis import LikeRecipe, WorldRecipe, load_recipe, recipe_from_dict, recipe_like, world_network
from ml4c.synthesis.tables import KINDS, NO_DIFFERENCE, ROOT_KINDS, idle_parents, risky, without
from ml4c.synthesis.world import CARDINALITIES, FAULT_TREE, GRAPHS

SMALL = WorldRecipe(networks=200, nodes=(5, 30), rows=(50, 200))


@given(
    st.sampled_from(sorted(KINDS)), st.integers(2, 12), st.lists(st.integers(1, 6), max_size=3), st.integers(0, 2**32)
)
def test_every_kind_of_table_has_a_distribution_for_each_configuration(kind, card, parents, seed):
    if not parents and kind not in ROOT_KINDS:
        parents = [2]
    rows = KINDS[kind](card, parents, np.random.default_rng(seed))
    assert rows.shape == (math.prod(parents), card)
    assert (rows >= 0).all()
    assert np.allclose(rows.sum(axis=1), 1.0)


def naive_idle(table, parents):
    """Every two configurations that differ in one parent alone, compared."""
    configurations = list(itertools.product(*map(range, parents)))
    row = dict(zip(configurations, table, strict=True))

    def differs(place):
        return any(
            abs(row[one] - row[other]).max() >= NO_DIFFERENCE
            for one, other in itertools.combinations(configurations, 2)
            if one[place] != other[place] and one[:place] + one[place + 1 :] == other[:place] + other[place + 1 :]
        )

    return [place for place in range(len(parents)) if not differs(place)]


@given(st.data())
def test_parents_that_make_no_difference_are_found_and_leave_the_table_as_it_is(data):
    parents = data.draw(st.lists(st.integers(1, 3), max_size=3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    kinds = rng.dirichlet(np.ones(3), 2)
    table = kinds[rng.integers(2, size=math.prod(parents))]
    idle = idle_parents(table, parents)
    assert idle == naive_idle(table, parents)
    kept = [place for place in range(len(parents)) if place not in idle]
    less = without(table, parents, idle)
    for number, configuration in enumerate(itertools.product(*map(range, parents))):
        at = np.ravel_multi_index([configuration[k] for k in kept], [parents[k] for k in kept]) if kept else 0
        assert (less[at] == table[number]).all()


def test_what_counts_as_a_difference():
    assert idle_parents(np.array([[0.5, 0.5], [0.50009, 0.49991]]), [2]) == [0]
    assert idle_parents(np.array([[0.5, 0.5], [0.5002, 0.4998]]), [2]) == []


def test_other_parents_say_how_noisy_a_copy_is():
    noises = set()
    for seed in range(20):
        table = KINDS["switching"](3, [3, 2], np.random.default_rng(seed)).reshape(3, 2, 3)
        sure = np.sort(table, axis=2)
        assert (sure == sure[:1]).all()  # how noisy does not depend on what is copied
        copied = table[:, sure[0, :, -1] > sure[0, :, 0]]
        assert (copied.argmax(axis=2) == copied.argmax(axis=2)[:, :1]).all()  # nor what is copied on the others
        noises.add(tuple(np.round(1.5 * (1 - sure[0, :, -1]), 9).tolist()))
    assert set(sum(noises, ())) == {0.0, 0.001, 0.01, 0.1, 0.2}
    assert any(one != other for one, other in noises)


def test_the_networks_of_the_edge_model_have_no_idle_parents():
    recipe = load_recipe("skeleton")
    for index in range(0, recipe.networks, 250):
        net = world_network(recipe, index).net
        for cpt in net.distributions:
            assert not idle_parents(cpt.table, [net.cardinalities[p] for p in cpt.parents])


def idle_share(recipe):
    """Which share of all edges makes no difference to its head."""
    idle, edges = 0, 0
    for index in range(40):
        net = world_network(recipe, index).net
        for cpt in net.distributions:
            idle += len(idle_parents(cpt.table, [net.cardinalities[p] for p in cpt.parents]))
            edges += len(cpt.parents)
    return idle / edges


def few(kind, redraws):
    return replace(
        SMALL,
        kinds=tuple(dict.fromkeys((kind, *ROOT_KINDS))),
        evenness=0.1,
        cardinalities=(("binary", 1.0),),
        rare_roots=0.3,
        redraws=redraws,
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_with_redraws_every_cause_makes_a_difference_to_its_effect(kind):
    assert idle_share(few(kind, 1)) == 0


def test_without_redraws_tables_stay_as_they_are_drawn():
    assert idle_share(few("functional", 0)) > 0.02
    assert idle_share(few("relabelling", 0)) > idle_share(few("switching", 0)) > 0
    with pytest.raises(ModelError, match="redraws is -1, below 0"):
        replace(SMALL, redraws=-1)


def test_who_lost_all_effects_is_observed_and_does_not_fall_silent():
    recipe = replace(few("functional", 1), rare_roots=1.0)
    silent = 0
    for index in range(40):
        before, after = (world_network(replace(recipe, quiet=quiet), index) for quiet in (0.0, 1.0))
        quietened = changed(before, after)
        assert after.net.dag[quietened].any(axis=1).all()
        silent += quietened.sum()
    assert silent > 20


def test_tables_are_drawn_again_rather_than_causes_dropped():
    often, once = (
        sum(world_network(few("functional", redraws), index).net.n_edges for index in range(40)) for redraws in (10, 1)
    )
    assert often > 1.02 * once


def test_a_network_is_the_same_whoever_computes_it():
    first, again = world_network(SMALL, 17), world_network(SMALL, 17)
    assert (first.net.dag == again.net.dag).all()
    assert (first.sample().codes == again.sample().codes).all()
    other = world_network(replace(SMALL, seed=1), 17)
    assert (other.rows, other.net.n_nodes, other.net.n_edges) != (first.rows, first.net.n_nodes, first.net.n_edges)


@pytest.mark.parametrize("kind", [*GRAPHS, FAULT_TREE])
def test_every_kind_of_graph_is_a_dag_within_bounds(kind):
    graph = {"fault_trees": 1.0} if kind == FAULT_TREE else {"graphs": ((kind, 1.0),)}
    recipe = replace(SMALL, **graph, max_parents=3, max_table=10**9, cardinalities=(("narrow", 1.0),))
    for index in range(20):
        dag = world_network(recipe, index).net.dag
        assert is_dag(dag)
        assert 5 <= len(dag) <= 30
        assert dag.sum(axis=0).max() <= (1 if kind == "tree" else 3)
        if kind in ("tree", "polytree"):
            assert dag.sum() == len(dag) - 1
        if kind == "pedigree":
            assert set(dag.sum(axis=0).tolist()) <= {0, 2}


def test_hubs_have_more_edges_at_a_node_than_random_graphs():
    def largest_degree(kind):
        recipe = replace(SMALL, graphs=((kind, 1.0),), nodes=(30, 30), edges_per_node=(1.5, 1.5))
        degrees = [world_network(recipe, index).net.dag for index in range(15)]
        return np.mean([(dag + dag.T).sum(axis=0).max() for dag in degrees])

    assert largest_degree("hubs") > 1.5 * largest_degree("random")


def test_in_fault_trees_many_causes_lead_to_few_outcomes():
    def dags(share):
        shapes = {"graphs": (("random", 1.0),), "nodes": (30, 30), "cardinalities": (("binary", 1.0),)}
        recipe = replace(SMALL, fault_trees=share, **shapes)
        return np.array([world_network(recipe, index).net.dag for index in range(20)])

    def colliders(dag):
        x, t, y = unshielded_triples(skeleton(dag)).T
        return np.mean(dag[x, t] & dag[y, t])

    trees = dags(1.0)
    joined = (trees | trees.transpose(0, 2, 1)).any(axis=1)
    outcomes, causes = joined & ~trees.any(axis=2), joined & ~trees.any(axis=1)
    assert outcomes.mean() < 0.15 < 0.4 < causes.mean()
    second = (trees.sum(axis=2) == 2).mean()
    assert trees.sum(axis=2).max() == 2
    assert 0.05 < second < 0.5  # causes that have a second effect
    assert np.mean([*map(colliders, trees)]) > 1.3 * np.mean([*map(colliders, dags(0.0))])


def test_fault_trees_are_a_share_and_leave_the_other_networks_as_they_are():
    plain, some, every = ([world_network(replace(SMALL, fault_trees=s), k) for k in range(20)] for s in (0.0, 0.5, 1.0))
    kept = [same(a, b) for a, b in zip(plain, some, strict=True)]
    assert [one.graph != FAULT_TREE for one in some] == kept
    assert 0 < sum(kept) < len(kept)
    assert all(same(b, c) for k, b, c in zip(kept, some, every, strict=True) if not k)


def test_a_fault_tree_that_comes_again_is_the_same_one_with_rare_effects():
    recipe = replace(SMALL, networks=40, fault_trees=0.5, again=0.25)
    last = [world_network(recipe, k) for k in range(30, 40)]
    first = [world_network(replace(recipe, networks=200, again=0.0), one.number) for one in last]
    assert {one.graph == FAULT_TREE for one in last} == {True, False}
    for before, after in zip(first, last, strict=True):
        assert (before.graph, after.rare_effects) == (after.graph, True)
        assert (before.net.dag == after.net.dag).all()


@pytest.mark.parametrize(("kind", "most"), list(zip(CARDINALITIES, (2, 6, 25, 100), strict=True)))
def test_cardinalities_are_within_their_kind(kind, most):
    recipe = replace(SMALL, cardinalities=((kind, 1.0),))
    widths = [len(states) for index in range(20) for states in world_network(recipe, index).net.states]
    assert min(widths) >= 2
    assert most / 2 < max(widths) <= most


def test_tables_and_samples_stay_within_the_cells_of_the_recipe():
    recipe = replace(SMALL, cardinalities=(("wide", 1.0),), max_table=5_000, max_cells=2_000)
    for index in range(20):
        made = world_network(recipe, index)
        cards = np.array([len(states) for states in made.net.states])
        for node in range(len(cards)):
            assert cards[node] * math.prod(cards[made.net.dag[:, node] == 1].tolist()) <= 5_000
        assert made.rows * len(cards) <= 2_000
        assert made.sample().n_rows == made.rows


def test_samples_have_constant_columns_copies_and_varied_rows():
    made = [world_network(SMALL, index) for index in range(40)]
    assert sum(len(one.sample().constant) > 0 for one in made) > 5
    assert len({one.rows for one in made}) > 20
    assert {one.graph for one in made} == {kind for kind, _ in SMALL.graphs}


def test_roots_are_in_one_state_most_of_the_time_where_the_recipe_says_so():
    def all_roots_usual(share):
        recipe = replace(SMALL, nodes=(30, 30), rare_roots=share)
        nets = [world_network(recipe, index).net for index in range(40)]
        return sum(min(cpt.table.max() for cpt in net.distributions if not cpt.parents) > 0.68 for net in nets)

    assert all_roots_usual(1.0) == 40
    assert all_roots_usual(0.0) + 10 < all_roots_usual(0.5) < 36
    with pytest.raises(ModelError, match="rare_roots is 2, not a share"):
        replace(SMALL, rare_roots=2)
    with pytest.raises(ModelError, match="quiet is -1, not a share"):
        replace(SMALL, quiet=-1)
    with pytest.raises(ModelError, match="smooth is 2, not a share"):
        replace(SMALL, smooth=2)
    with pytest.raises(ModelError, match="again is 2, not a share"):
        replace(SMALL, again=2)
    with pytest.raises(ModelError, match="rarity -1 to -2 is not a range of powers up to 0"):
        replace(SMALL, rarity=(-1.0, -2.0))


def test_regions_never_vary_where_causes_are_rare_and_columns_quiet():
    def made(quiet):
        recipe = replace(SMALL, nodes=(60, 60), rows=(300, 300), rare_roots=1.0, rarity=(-5.0, -4.0), quiet=quiet)
        return [world_network(recipe, index) for index in range(20)]

    def inner(network):
        """Count edges between columns that are constant in the sample."""
        still = np.isin(network.net.names, network.sample().constant)
        return int(network.net.dag[np.ix_(still, still)].sum())

    loud, quiet = made(0.0), made(1.0)
    assert all(np.array_equal(a.net.dag, b.net.dag) for a, b in zip(loud, quiet, strict=True))
    assert sum(map(inner, quiet)) > 2 * sum(map(inner, loud)) > 0
    for network, as_drawn in zip(quiet, loud, strict=True):
        pairs = zip(network.net.distributions, as_drawn.net.distributions, strict=True)
        changed = np.array([(mine.table != drawn.table).any(axis=1).sum() for mine, drawn in pairs])
        assert changed.max() <= 1  # where no parent has moved
        assert not changed[~network.net.dag.any(axis=1)].any()  # what nothing depends on is observed, and varies


def test_a_recipe_survives_json_and_refuses_nonsense():
    assert WorldRecipe.from_dict(SMALL.to_dict()) == SMALL
    with pytest.raises(ModelError, match="no field 'node'"):
        WorldRecipe.from_dict({"node": 3})
    with pytest.raises(ModelError, match="unknown kinds"):
        replace(SMALL, graphs=(("ring", 1.0),))
    with pytest.raises(ModelError, match="not a range of 3 or more"):
        replace(SMALL, nodes=(9, 5))
    with pytest.raises(ModelError, match=r"fault_trees is 1\.5, not a share"):
        replace(SMALL, fault_trees=1.5)
    with pytest.raises(ModelError, match="fewest_cases is 0, not positive"):
        replace(SMALL, fewest_cases=0)
    with pytest.raises(ModelError, match="networks 0 to 199"):
        world_network(SMALL, 200)


def test_networks_like_a_table_have_its_rows_columns_and_categories():
    table = ml4c.load_network("child").sample(400, seed=0)
    recipe = recipe_like(table, networks=3)
    made = world_network(recipe, 0)
    assert (made.rows, len(made.net.dag)) == (400, 20)
    assert sorted(map(len, made.net.states)) == sorted(len(labels) for labels in table.categories)
    assert recipe_from_dict(recipe.to_dict()) == recipe


def test_a_table_with_two_columns_that_vary_has_no_recipe():
    with pytest.raises(DataError, match="columns of this table that vary: 2"):
        recipe_like(ml4c.Dataset.from_array(np.array([[0, 0, 0], [0, 1, 1], [0, 0, 1], [0, 1, 0]])))


@pytest.mark.parametrize("states", [(), (1, 2)])
def test_a_recipe_of_impossible_states_is_refused(states):
    with pytest.raises(ModelError, match="states are numbers from 2 on"):
        LikeRecipe(states=states)


def changed(one, other):
    """Return which nodes of two networks have different tables."""
    pairs = zip(one.net.distributions, other.net.distributions, strict=True)
    return np.array([not np.array_equal(a.table, b.table) for a, b in pairs])


def same(one, other):
    return np.array_equal(one.net.dag, other.net.dag) and not changed(one, other).any()


def test_the_last_networks_are_earlier_ones_with_rare_effects_few_of_which_are_absent():
    recipe = replace(SMALL, networks=80, again=0.25)
    plain = [world_network(replace(SMALL, networks=200), k) for k in range(200)]
    assert all(same(world_network(recipe, k), plain[k]) for k in range(60))
    every = [world_network(recipe, k) for k in range(60, 80)]
    assert [network.rare_effects for network in [*plain, *every]] == [False] * 200 + [True] * 20
    numbers = [network.number for network in every]
    assert numbers == sorted(set(numbers))
    assert 40 < numbers[-1] < 200
    plain = [plain[number] for number in numbers]
    rare, absent = 0, {0.5: 0, 5.0: 0}
    for place, (before, after) in enumerate(zip(plain, every, strict=True), 60):
        assert (before.net.dag == after.net.dag).all()
        effects = np.flatnonzero(changed(before, after)).tolist()
        assert all(after.net.dag[:, node].any() for node in effects)
        rare += len(effects)
        for cases in absent:
            sample = world_network(replace(recipe, fewest_cases=cases), place).sample()
            absent[cases] += len(set(sample.constant) & {after.net.names[node] for node in effects})
    assert rare > 40
    assert absent[5.0] < 0.1 * rare < absent[0.5] < 0.3 * rare


@pytest.mark.parametrize("card", [2, 4])
def test_parents_multiply_the_odds_of_a_rare_effect(card):
    def odds(seed):
        """Return the log odds of all states but the usual one, which are alike whatever the parents do."""
        table = risky(card, [2, 3], 1e-3, np.random.default_rng(seed))
        np.testing.assert_allclose(table.sum(axis=1), 1.0)
        others = np.delete(table, table.sum(axis=0).argmax(), axis=1)
        rare = others.sum(axis=1)
        np.testing.assert_allclose(others, np.outer(rare, others[0] / rare[0]))
        return np.log(rare / (1.0 - rare)).reshape(2, 3)

    drawn = np.array([odds(seed) for seed in range(200)])
    assert np.median(drawn) == pytest.approx(np.log(1e-3), abs=0.3)
    by_parent = drawn.mean(axis=1, keepdims=True) + drawn.mean(axis=2, keepdims=True)
    interaction = drawn - by_parent + drawn.mean(axis=(1, 2), keepdims=True)
    assert interaction.std() < 0.4 * (drawn - drawn.mean(axis=(1, 2), keepdims=True)).std()


def test_smooth_networks_have_gradual_effects_and_leave_the_others_as_they_are():
    plain, some, every = ([world_network(replace(SMALL, smooth=s), k) for k in range(12)] for s in (0.0, 0.5, 1.0))
    kept = [same(a, b) for a, b in zip(plain, some, strict=True)]
    assert 0 < sum(kept) < len(kept)
    assert all(same(b, c) for k, b, c in zip(kept, some, every, strict=True) if not k)
    assert all(a.net.dag.tolist() == b.net.dag.tolist() for a, b in zip(plain, every, strict=True))
    # A gradual effect: neighbouring states of a parent have rows that are alike, on average over all tables.
    steps, jumps = [], []
    for network in every:
        for cpt in network.net.distributions:
            if len(cpt.parents) == 1 and len(cpt.table) > 4:
                steps.append(np.abs(np.diff(cpt.table, axis=0)).sum(axis=1).mean())
                jumps.append(np.abs(cpt.table[0] - cpt.table[-1]).sum())
    assert len(steps) > 10
    assert np.mean(steps) < np.mean(jumps)
