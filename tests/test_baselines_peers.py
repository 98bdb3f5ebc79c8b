"""Searches of other libraries behind our protocol: their graphs read rightly, and clear words when they are missing."""

from importlib.util import find_spec

import numpy as np
import pandas
import pytest

import ml4c
from ml4c.baselines import Problem, libraries, method_named, peers
from ml4c.errors import DataError, WorkError
from ml4c.graph import skeleton
from ml4c.interop import from_causallearn, from_pgmpy

NAMES = [method.name for method in peers.METHODS]


def installed(name):
    method = method_named(name)
    for module in method.needs:
        pytest.importorskip(module, reason=f"{module} comes with the extra bench")
    return method


def noisy(rng, bits, share):
    return np.where(rng.random(len(bits)) < share, 1 - bits, bits)


@pytest.fixture(scope="module")
def collider():
    """Columns d, a, b, k, c: a -> b <- c, b -> d, and k is constant."""
    rng = np.random.default_rng(1)
    a, c = rng.integers(0, 2, (2, 4000))
    b = noisy(rng, a | c, 0.05)
    columns = [noisy(rng, b, 0.1), a, b, np.zeros_like(a), c]
    return ml4c.Dataset.from_array(np.column_stack(columns), list("dabkc"))


@pytest.mark.parametrize("name", ["causal-learn-pc", "pgmpy-pc", "pybnesian-pc", "pyagrum-miic"])
def test_a_clear_v_structure_is_found(name, collider):
    expected = np.zeros((5, 5), np.int8)
    expected[1, 2] = expected[4, 2] = expected[2, 0] = 1
    assert (installed(name)(Problem(collider)) == expected).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_chain_is_undirected_and_a_constant_is_isolated(name, collider):
    expected = np.zeros((4, 4), np.int8)
    expected[[0, 2, 1, 2], [2, 0, 2, 1]] = 1
    assert (installed(name)(Problem(collider.select("dabk"))) == expected).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_columns_means_nothing(name, collider):
    method = installed(name)
    order = [3, 2, 4, 0, 1]
    assert (method(Problem(collider.select(order))) == method(Problem(collider))[np.ix_(order, order)]).all()


def test_graphs_of_causallearn_are_read_as_the_interop_reads_them():
    from causallearn.search.ConstraintBased.PC import pc

    codes = ml4c.load_network("child").sample(1000, seed=0).codes.astype(int)
    found = pc(codes, 0.05, "chisq", show_progress=False)
    assert (peers.graph_of_marks(found.G.graph) == from_causallearn(found).matrix).all()


def test_two_arrowheads_become_an_undirected_edge():
    marks = np.array([[0, 1, -1], [1, 0, 0], [1, 0, 0]])
    assert peers.graph_of_marks(marks).tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 0]]


def test_the_graph_of_pgmpy_is_the_class_of_its_dag():
    from pgmpy.causal_discovery import HillClimbSearch

    data = ml4c.load_network("asia").sample(1000, seed=0)
    frame = pandas.DataFrame(data.codes.astype(str))  # names that are numbers: others would give ties to chance
    dag = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False).fit(frame).causal_graph_
    assert (peers.pgmpy_hc(data) == ml4c.cpdag_of(from_pgmpy(dag, [str(i) for i in range(8)]).matrix)).all()


def test_the_graph_of_pgmpy_pc_is_read_as_the_interop_reads_it():
    from pgmpy.causal_discovery import PC

    data = ml4c.load_network("child").sample(1000, seed=0)
    frame = pandas.DataFrame(data.codes.astype(str))
    found = PC(variant="stable", ci_test="chi_square", significance_level=0.05, show_progress=False).fit(frame)
    expected = from_pgmpy(found.causal_graph_, [str(i) for i in range(data.n_columns)]).matrix
    assert (peers.pgmpy_pc(data) == expected).all()
    assert (expected != expected.T).any()
    assert (expected & expected.T).any()


def test_the_graph_of_pyagrum_is_the_class_of_its_dag():
    pyagrum = pytest.importorskip("pyagrum", reason="pyagrum comes with the extra bench")
    data = ml4c.load_network("asia").sample(1000, seed=0)
    learner = pyagrum.BNLearner(data.to_polars().to_pandas())
    for choose in (learner.useGreedyHillClimbing, learner.useScoreBIC, learner.useNoPrior):
        choose()  # chained, they would outlive the learner and crash
    dag = np.zeros((8, 8), np.int8)
    for i, j in learner.learnDAG().arcs():
        dag[data.index(learner.nameFromId(i)), data.index(learner.nameFromId(j))] = 1
    assert (peers.pyagrum_hc(data) == ml4c.cpdag_of(dag)).all()


def test_the_graph_of_pybnesian_is_the_class_of_its_dag():
    pybnesian = pytest.importorskip("pybnesian", reason="pybnesian comes with the extra bench")
    data = ml4c.load_network("asia").sample(1000, seed=0)
    frame = data.to_polars().to_pandas()
    arcs = pybnesian.hc(frame, bn_type=pybnesian.DiscreteBNType(), score="bic", operators=["arcs"]).arcs()
    dag = np.zeros((8, 8), np.int8)
    for i, j in arcs:
        dag[data.index(i), data.index(j)] = 1
    assert (peers.pybnesian_hc(data) == ml4c.cpdag_of(dag)).all()


def test_a_missing_library_is_named_with_the_command_that_installs_it():
    assert find_spec("no_such_library") is None
    with pytest.raises(WorkError, match=r"no_such_library .*pip install 'ml4c\[bench\]'"):
        libraries.library("no_such_library")


def test_missing_values_are_refused():
    data = ml4c.Dataset.from_array(np.array([["a", "b"], [None, "c"], ["d", "c"]], object), missing="available")
    with pytest.raises(DataError, match="complete tables only"):
        method_named("causal-learn-pc")(Problem(data))


def test_a_skeleton_is_not_shown_to_a_peer(collider):
    method = method_named("causal-learn-pc")
    alone = method(Problem(collider))
    assert (method(Problem(collider, np.zeros((5, 5), np.int8))) == alone).all()
    assert skeleton(alone).any()
