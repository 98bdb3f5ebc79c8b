"""What every method of the benchmark has in common."""

from dataclasses import replace

import numpy as np
import pytest

import ml4c
from ml4c.baselines import Problem, method_named, methods, read_as_cpdag
from ml4c.errors import GraphError, WorkError
from ml4c.graph import skeleton


@pytest.fixture(scope="module")
def asia() -> ml4c.BayesNet:
    return ml4c.load_network("asia")


def test_names_are_unique_and_sources_are_named():
    names = [method.name for method in methods()]
    assert len(set(names)) == len(names)
    assert all(method.source and method.made for method in methods())


def test_an_unknown_method_is_refused_with_the_known_ones():
    with pytest.raises(WorkError, match=r"no method 'ml5c'.*file-order"):
        method_named("ml5c")


def test_a_method_that_orients_says_that_it_needs_a_skeleton(asia):
    with pytest.raises(GraphError, match=r"file-order.*orients a skeleton"):
        method_named("file-order")(Problem(asia.sample(10, seed=0)))


def test_what_is_scored_keeps_adjacencies_and_v_structures_of_anything_even_of_a_cycle():
    dag = ml4c.load_network("asia").dag
    assert (read_as_cpdag(dag) == ml4c.cpdag_of(dag)).all()
    cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], np.int8)
    assert (read_as_cpdag(cycle) == skeleton(cycle)).all()


def test_controls_look_at_no_data(asia):
    for name in ("file-order", "every-ut"):
        first, second = (method_named(name)(Problem(asia.sample(n, seed=n), skeleton(asia.dag))) for n in (10, 20))
        assert (first == second).all()


@pytest.mark.parametrize("name", ["file-order", "every-ut", "ml4c", "ml4c-paper"])
def test_the_order_of_columns_means_nothing(asia, name):
    data, given = asia.sample(500, seed=1), skeleton(asia.dag)
    order = np.random.default_rng(0).permutation(asia.n_nodes)
    problem = Problem(data, given)
    shuffled = replace(problem, data=data.select(order.tolist()), skeleton=given[np.ix_(order, order)])
    method = method_named(name)
    assert (method(shuffled) == method(problem)[np.ix_(order, order)]).all()
