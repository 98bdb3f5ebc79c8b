"""Skeletons from tables: naive twins, invariances, knowledge, copies, odd tables, budgets."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_skeleton
from conftest import JIT
from ml4c.bif import load_network
from ml4c.citest import DataTest
from ml4c.counting import pack_table
from ml4c.dataset import Dataset
from ml4c.errors import DataError, KnowledgeError
from ml4c.skeleton import Reason, hybrid, learn_skeleton, pc, pc_skeleton
from ml4c.skeleton.assembly import is_present
from ml4c.skeleton.pairs import Ledger, in_common
from ml4c.skeleton.rules import Rules
from ml4c.skeleton.separation import Referee
from ml4c.skeleton.twins import find_copies
from ml4c.skeleton.watch import Watch
from tables import code_tables, dataset, trusted

ROWS = 600 if JIT else 60
METHODS = ["fast", "pc"]  # "accurate" has tests of its own


def constraints(n, required=(), forbidden=(), adjacent=(), absent=()):
    """Constraints as `ml4c.knowledge` makes them."""
    cells = {}
    for key, pairs in {"required": required, "forbidden": forbidden, "adjacent": adjacent, "absent": absent}.items():
        cells[key] = np.zeros((n, n), bool)
        for i, j in pairs:
            cells[key][i, j] = True
            if key in ("adjacent", "absent"):
                cells[key][j, i] = True
    return SimpleNamespace(**cells)


def edges_of(skeleton):
    return {frozenset(pair) for pair in np.argwhere(np.triu(skeleton.matrix)).tolist()}


def by_names(skeleton, names):
    """Everything in a skeleton, by names, comparable to the last bit."""

    def rows(evidence):
        found = {}
        columns = (evidence.reason, evidence.p_value, evidence.z, evidence.gain)
        for k, (i, j) in enumerate(evidence.pairs.tolist()):
            given = frozenset(names[c] for c in evidence.given[k].tolist() if c >= 0)
            found[frozenset((names[i], names[j]))] = (given, *(column[k].tobytes() for column in columns))
        return found

    groups = {(names[g.leader], frozenset(names[c] for c in g.columns)) for g in skeleton.copies}
    functions = {(names[f.column], names[f.of]) for f in skeleton.functions}
    return rows(skeleton.present), rows(skeleton.absent), {names[c] for c in skeleton.constant}, groups, functions


def check(skeleton, n):
    """What holds for every skeleton."""
    assert skeleton.matrix.dtype == np.int8
    assert (skeleton.matrix == skeleton.matrix.T).all()
    assert not skeleton.matrix.diagonal().any()
    assert len(skeleton.present) + len(skeleton.absent) == n * (n - 1) // 2
    assert edges_of(skeleton) == {frozenset(pair) for pair in skeleton.present.pairs.tolist()}
    assert (skeleton.present.reason <= Reason.REQUIRED).all()
    assert (skeleton.absent.reason > Reason.REQUIRED).all()
    for column in skeleton.constant:
        assert not skeleton.matrix[column].any()


@pytest.mark.parametrize("missing", [False, True])
@given(data=st.data())
def test_pc_equals_its_naive_twin(missing, data):
    codes = data.draw(code_tables(most_rows=ROWS // 2, most_columns=5, missing=missing))
    largest = data.draw(st.integers(0, 3))
    found = pc_skeleton(DataTest(dataset(codes), n_jobs=1), max_condition=largest)
    expected = naive_skeleton.pc(
        lambda x, y, s: naive_skeleton.g2_p_value(codes, x, y, s), codes.shape[1], 0.01, largest
    )
    check(found, codes.shape[1])
    assert edges_of(found) == expected
    for k, (i, j) in enumerate(found.absent.pairs.tolist()):
        given = [c for c in found.absent.given[k].tolist() if c >= 0]
        p = naive_skeleton.g2_p_value(codes, i, j, given)
        assert found.absent.p_value[k] == pytest.approx(p, abs=1e-9)
        assert p > 0.01
        assert set(found.absent.separator(j, i)) == set(given)


@given(codes=code_tables(most_rows=ROWS // 2, least_columns=4, most_columns=6), pool=st.integers(1, 3))
def test_pc_with_a_largest_pool_takes_the_strongest_neighbours(codes, pool):
    test = DataTest(dataset(codes), n_jobs=1)
    n = codes.shape[1]
    found = pc.find_pc(test, Rules.of(None, n), Watch(), pc.Limits(pc.ALPHA, 3, None, pool))
    marginal = pc.find_pc(test, Rules.of(None, n), Watch(), pc.Limits(0.0, 0, None))
    z = {frozenset(pair): z for pair, z in zip(marginal.pairs.tolist(), marginal.z.tolist(), strict=True)}

    def shortened(near, column, size):
        if size < 2:
            return near
        return set(sorted(near, key=lambda other: (-z[frozenset((column, other))], test.names[other]))[:pool])

    expected = naive_skeleton.pc(lambda x, y, s: naive_skeleton.g2_p_value(codes, x, y, s), n, pc.ALPHA, 3, shortened)
    assert {frozenset(pair) for pair in found.pairs[is_present(found.reason)].tolist()} == expected


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("missing", [False, True])
@given(data=st.data())
def test_columns_categories_rows_and_threads_change_no_bit(method, missing, data):
    codes = data.draw(code_tables(most_rows=ROWS, missing=missing))
    n = codes.shape[1]
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    names = [f"c{j}" for j in range(n)]
    order = rng.permutation(n)
    other = codes.copy()
    for column in other.T:
        names_of = rng.permutation(int(column.max()) + 1)
        column[:] = np.where(column >= 0, names_of[column], -1)
    other = other[rng.permutation(len(other))][:, order]
    moved = dataset(other)
    moved = Dataset(tuple(names[j] for j in order), moved.categories, moved.codes, moved.missing)
    first, second = learn_skeleton(dataset(codes), method, n_jobs=1), learn_skeleton(moved, method, n_jobs=3)
    check(first, n)
    assert by_names(first, names) == by_names(second, moved.names)


@given(codes=code_tables(most_rows=60, most_columns=6, missing=True))
def test_copies_are_those_of_the_definition(codes):
    copied = np.hstack([codes, np.where(codes[:, :2] >= 0, 200 - codes[:, :2], -1)])
    for table in (codes, copied):
        found = {group.columns for group in find_copies(pack_table(dataset(table)))}
        assert found == naive_skeleton.copies(table)


def test_functions_are_told_and_chance_is_not():
    rng = np.random.default_rng(1)
    of = rng.integers(6, size=500)
    noise = rng.integers(2, size=500)
    every_row = np.arange(500)
    rare = (np.arange(500) == 7).astype(int)
    found = learn_skeleton(trusted(np.stack([of // 2, of, noise, every_row, rare], axis=1)))
    assert [(f.column, f.of) for f in found.functions] == [(0, 1)]
    assert naive_skeleton.determines(np.stack([of // 2, of], axis=1), 1, 0)


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data())
def test_knowledge_is_obeyed(method, data):
    codes = data.draw(code_tables(most_rows=ROWS // 2, least_columns=4))
    n = codes.shape[1]
    order = data.draw(st.permutations(range(n)))
    known = constraints(
        n,
        required=[(order[0], order[1])],
        adjacent=[(order[0], order[1]), (order[1], order[2])],
        absent=[(order[2], order[3])],
        forbidden=[(order[3], order[0]), (order[2], order[3]), (order[3], order[2])],
    )
    found = learn_skeleton(dataset(codes), method, constraints=known, n_jobs=1)
    assert found.matrix[order[0], order[1]] == found.matrix[order[1], order[2]] == 1
    assert found.matrix[order[2], order[3]] == 0
    assert found.absent.reason[found.absent.find(order[2], order[3])] == Reason.FORBIDDEN


def test_contradictions_and_wrong_sizes_are_errors():
    table = trusted(np.array([[0, 1], [1, 0], [1, 1]]))
    with pytest.raises(KnowledgeError, match="must be adjacent and must not be"):
        learn_skeleton(table, constraints=constraints(2, adjacent=[(0, 1)], absent=[(0, 1)]))
    with pytest.raises(KnowledgeError, match="3 columns"):
        learn_skeleton(table, constraints=constraints(3))
    with pytest.raises(DataError, match="'slow'"):
        learn_skeleton(table, "slow")
    with pytest.raises(DataError, match="max_degree"):
        learn_skeleton(table, max_degree=-1)


@pytest.mark.parametrize("method", METHODS)
@given(codes=code_tables(most_rows=ROWS // 2), most=st.integers(0, 3))
def test_degrees_are_limited(method, codes, most):
    found = learn_skeleton(dataset(codes), method, max_degree=most, n_jobs=1)
    links = found.present.pairs[found.present.reason == Reason.COPY_LINK]
    linked = np.bincount(links.ravel(), minlength=codes.shape[1])
    assert (found.matrix.sum(axis=1) - linked <= most).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "codes",
    [
        np.array([[0, 0, 0], [1, 1, 0]]),
        np.zeros((5, 3), int),
        np.tile(np.arange(4)[:, None], (3, 5)),
        np.stack([np.arange(300), np.arange(300) % 7, np.arange(300) % 2], axis=1),
        np.arange(4)[:, None],
        np.zeros((1, 2), int),
    ],
)
def test_odd_tables(method, codes):
    found = learn_skeleton(trusted(codes), method, n_jobs=1)
    check(found, codes.shape[1])
    assert found.complete
    assert found.note == ""


@pytest.mark.parametrize("method", METHODS)
def test_a_budget_of_nothing_gives_a_valid_skeleton_and_says_so(method):
    rng = np.random.default_rng(0)
    table = trusted(rng.integers(3, size=(200, 6)))
    told = []
    found = learn_skeleton(table, method, time_budget=0, progress=lambda *what: told.append(what))
    check(found, 6)
    assert not found.complete
    assert "time budget of 0 seconds" in found.note
    assert learn_skeleton(table, method, time_budget=1000).complete
    assert "not complete" in repr(found)


def test_progress_is_told():
    told = []
    learn_skeleton(trusted(np.random.default_rng(0).integers(3, size=(100, 5))), progress=lambda *w: told.append(w))
    assert {phase for phase, _, _ in told} == {"pairs", "candidates", "search"}
    assert all(0 <= done <= total for _, done, total in told)


@pytest.mark.jit
@pytest.mark.parametrize(("method", "least"), [("fast", 0.85), ("pc", 0.85)])
def test_alarm_is_found(method, least):
    net = load_network("alarm")
    found = learn_skeleton(net.sample(10_000, seed=5), method).matrix
    truth = net.dag | net.dag.T
    assert 2 * (found & truth).sum() / (found.sum() + truth.sum()) > least


def test_two_causes_joined_over_their_effect_are_told_apart():
    """A cover joins independent columns with a common neighbour; a column that acts only with another has none."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(2, size=(2, 4000))
    effect = a + b
    noise = rng.random(4000) < 0.05
    parity = (a ^ rng.integers(2, size=4000)) ^ noise
    test = DataTest(Dataset.from_array(np.column_stack([a, b, effect, parity])))
    referee = Referee(test, hybrid.ALPHA, Ledger(4), stop=lambda: False)
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    joined = np.array([pair in {(0, 1), (0, 2), (1, 2), (0, 3)} for pair in pairs])
    assert [pair for pair, cover in zip(pairs, hybrid._covers(referee, joined), strict=True) if cover] == [(0, 1)]


@given(st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_what_pairs_have_in_common_is_a_product_of_matrices(n_columns, seed):
    rng = np.random.default_rng(seed)
    near = rng.random((n_columns, n_columns)) < 0.3
    x, y = rng.integers(0, n_columns, (2, 40)).astype(np.int32)
    assert in_common(near, x, y).tolist() == (near.astype(int) @ near.T.astype(int))[x, y].tolist()


@pytest.mark.jit
@pytest.mark.parametrize("method", ["fast", "accurate"])
def test_one_job_is_one_thread(method):
    table = load_network("pigs").sample(300, seed=0)
    learn_skeleton(table, method, n_jobs=1)
    mine, everyones = time.thread_time(), time.process_time()
    learn_skeleton(table, method, n_jobs=1)
    mine, everyones = time.thread_time() - mine, time.process_time() - everyones
    assert everyones < 1.1 * mine, "a library computes with threads of its own"
