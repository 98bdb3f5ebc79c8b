"""Bounds, partitions and compilation of the kernels."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from conftest import JIT
from ml4c._kernels import arrays, evaluate, logs, pairs, partition
from ml4c._kernels.arrays import options_for
from ml4c._kernels.families import score_families
from ml4c.citest import DataTest
from ml4c.counting import Group, Registry, group_new, pack_table, run
from ml4c.scores import LocalScores
from tables import code_tables, trusted


@njit
def cell(both, in_x, in_y, rows):
    return evaluate.cell_severity(both, in_x, in_y, rows)


@njit
def rows_cannot_win(rows, best):
    return not evaluate.can_win(rows, best)


@njit
def tops_cannot_win(top_x, top_y, rows, best):
    return evaluate.cannot_win(top_x, top_y, rows, best)


@njit
def commonest_cannot_win(top_x, top_y, rows, best):
    return evaluate.varies_too_little(top_x, top_y, rows, best)


@njit
def any_table_cannot_win(in_x, in_y, rows, best):
    return evaluate.margins_cannot_win(in_x, in_y, rows, best)


@njit
def worst_of(cells, in_x, in_y, rows, best):
    return evaluate.worst_cell(cells, np.int64(0), in_x, in_y, rows, best)


@njit
def logs_of(numbers, out):
    for i in range(numbers.shape[0]):
        out[i] = logs.log(numbers[i])


@njit
def log_gammas_of(numbers, out):
    for i in range(numbers.shape[0]):
        out[i] = logs.stirling(numbers[i]) + logs.HALF_LOG_TAU


@njit
def rises_of(numbers, count, out):
    logs.log_rises(numbers, np.full(len(numbers), float(count)), out, count < logs.AHEAD)


@njit
def bring(columns, members, trail):
    return partition.follow(columns, members, trail)


@njit
def by_size(labels, n_labels, stops, order, room):
    partition.sort_rows_by_size(labels, n_labels, stops, order, room)


def extremes(rows):
    """Severities of the most and least that a cell can hold, for all margins."""
    for in_x in range(1, rows + 1):
        for in_y in range(in_x, rows + 1):
            for both in (max(0, in_x + in_y - rows), in_x):
                yield in_x, in_y, cell(both, in_x, in_y, rows)


@pytest.mark.parametrize("rows", [2, 3, 5, 8, 9, 10, 20, 26, 27, 28, 40, 100] if JIT else [2, 9, 28])
def test_no_cell_exceeds_the_bounds_on_its_configuration(rows):
    worst = max(severity for _, _, severity in extremes(rows))
    assert not rows_cannot_win(rows, worst * (1 - 1e-6))
    assert rows_cannot_win(rows, worst * 1.13), "the bound is loose"
    for top_x, top_y in [(rows, rows), (rows, 1), (rows // 2 + 1, rows // 2 + 1), (rows // 3 + 1, rows)]:
        within = [
            severity
            for in_x, in_y, severity in extremes(rows)
            if (in_x <= top_x and in_y <= top_y) or (in_y <= top_x and in_x <= top_y)
        ]
        assert not tops_cannot_win(top_x, top_y, rows, max(within) * (1 - 1e-6))


@pytest.mark.parametrize("rows", [2, 3, 9, 10, 27, 40])
def test_no_cell_exceeds_the_bound_on_columns_that_hardly_vary(rows):
    for top_x, top_y in itertools.product(range(1, rows + 1), repeat=2):
        worst = max(
            (
                cell(both, a, b, rows)
                for a, b in ((top_x, top_y), (rows - top_x, top_y), (rows - top_x, rows - top_y))
                for both in (max(0, a + b - rows), min(a, b))
                if a > 0 and b > 0
            ),
        )
        assert not commonest_cannot_win(top_x, top_y, rows, worst * (1 - 1e-6)) or worst == 0.0
    assert commonest_cannot_win(rows, 1, rows, 0.0), "a constant column depends on nothing"


@given(st.data())
def test_screens_lose_no_cell(data):
    kx, ky = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    table = np.array(data.draw(st.lists(st.integers(0, 40), min_size=kx * ky, max_size=kx * ky)), np.int32)
    table[0] += 2
    cells = table.reshape(kx, ky)
    in_x, in_y, rows = cells.sum(axis=1).astype(np.int32), cells.sum(axis=0).astype(np.int32), int(cells.sum())
    worst = max(
        cell(cells[i, j], in_x[i], in_y[j], rows) for i in range(kx) for j in range(ky) if in_x[i] > 0 and in_y[j] > 0
    )
    assert worst_of(table, in_x, in_y, rows, 0.0) == worst
    assert worst_of(table, in_x, in_y, rows, worst * (1 - 1e-15)) == worst
    assert worst_of(table, in_x, in_y, rows, worst + 1.0) == worst + 1.0
    assert worst == 0.0 or not any_table_cannot_win(in_x, in_y, rows, worst * (1 - 1e-12))


@given(st.data())
def test_partition_groups_equal_rows(data):
    codes = data.draw(code_tables(missing=data.draw(st.booleans()), most_rows=600 if JIT else 60))
    present = codes.copy()
    cards = present.max(axis=0) + 1
    present[present < 0] = np.broadcast_to(cards, codes.shape)[present < 0]
    columns = pack_table(trusted(np.zeros_like(codes))).columns._replace(
        codes=np.ascontiguousarray(present.T, np.uint16),
        cards=cards.astype(np.int64),
        complete=(codes >= 0).all(axis=0).astype(np.int64),
    )
    trail = partition.new_trail(len(codes), codes.shape[1], int(cards.max()) + 1)
    for _ in range(4):
        members = sorted(data.draw(st.sets(st.integers(0, codes.shape[1] - 1), max_size=4)))
        n_labels = bring(columns, np.array(members, np.int64), trail)
        labels = trail.labels[len(members)]
        check_partition(codes[:, members], labels, n_labels)
        check_order(labels, n_labels, trail)


def check_partition(values, labels, n_labels):
    """The same label if and only if the same values; no label only where missing or alone."""
    keys = [tuple(row) if min(row, default=0) >= 0 else None for row in values.tolist()]
    assert labels.max(initial=-1) < max(n_labels, 1)
    of_key = {}
    for key, label in zip(keys, labels.tolist(), strict=True):
        if key is None:
            assert label == -1
        else:
            assert of_key.setdefault(key, label) == label
    labelled = [label for label in of_key.values() if label >= 0]
    assert len(set(labelled)) == len(labelled)
    for key, label in of_key.items():
        assert label >= 0 or keys.count(key) == 1


def check_order(labels, n_labels, trail):
    """Rows come label by label, and sizes fall by powers of two."""
    order, stops = np.empty(len(labels), np.int32), np.empty(len(labels) + 1, np.int32)
    by_size(labels, n_labels, stops, order, trail.room)
    runs = np.split(order[: stops[n_labels - 1] if n_labels else 0], stops[: max(n_labels - 1, 0)])
    assert sorted(np.concatenate(runs).tolist()) == np.flatnonzero(labels >= 0).tolist()
    for stretch in runs:
        assert len(set(labels[stretch].tolist())) <= 1
    magnitudes = [len(stretch).bit_length() for stretch in runs]
    assert magnitudes == sorted(magnitudes, reverse=True)


POSITIVE = st.floats(1e-300, 1e300)


@given(st.lists(st.one_of(POSITIVE, st.floats(0.5, 2.0)), min_size=1, max_size=9))
def test_logs_are_those_of_the_library(numbers):
    numbers, found = np.array(numbers), np.empty(len(numbers))
    logs_of(numbers, found)
    np.testing.assert_allclose(found, np.log(numbers), rtol=4e-16)


@given(st.lists(st.floats(logs.AHEAD, 1e7), min_size=1, max_size=9))
def test_log_gammas_are_those_of_the_library(numbers):
    numbers, found = np.array(numbers), np.empty(len(numbers))
    log_gammas_of(numbers, found)
    np.testing.assert_allclose(found, [math.lgamma(x) for x in numbers], rtol=4e-15)


@given(st.lists(st.floats(1e-6, 1e4), min_size=1, max_size=13), st.one_of(st.integers(1, 20), st.integers(1, 10_000)))
def test_logs_of_rising_factorials_are_sums_of_logs(numbers, count):
    numbers, found = np.array(numbers), np.empty(len(numbers))
    rises_of(numbers, count, found)
    exact = [math.fsum(math.log(a + i) for i in range(count)) for a in numbers]
    scale = np.abs(numbers + count) * np.log(numbers + count + 2.0)
    np.testing.assert_array_less(np.abs(found - exact), 1e-14 * scale + 1e-14)


@given(POSITIVE, st.integers(0, 3), st.integers(1, 50))
@pytest.mark.jit
def test_a_number_has_one_log_wherever_it_stands(number, before, count):
    """Four abreast or by itself: the bits are the same."""
    alone, found = np.empty(1), np.empty(before + 5)
    logs_of(np.array([number]), alone)
    logs_of(np.full(before + 5, number), found)
    assert set(found.tolist()) == set(alone.tolist())
    number = min(max(number, 1e-6), 1e4)
    rises_of(np.array([number]), count, alone)
    rises_of(np.full(before + 5, number), count, found)
    assert set(found.tolist()) == set(alone.tolist())


@pytest.mark.jit
def test_kernels_do_not_take_over_the_options_of_other_code():
    """Numba keeps the code for `max` by the types of its arguments: here it is compiled for others in between."""
    options = {key: value for key, value in {**arrays._OPTIONS, **arrays._WHOLE}.items() if key != "cache"}

    def first(numbers, out):
        for i in range(numbers.shape[0]):
            out[i] = max(numbers[i], out[i])

    def second(numbers, out):
        for i in range(numbers.shape[0]):
            out[i] += max(numbers[i], out[i])

    numbers, out = np.arange(5.0), np.full(5, 2.0)
    njit(**options)(first)(numbers, out)
    njit(fastmath=True)(lambda x, y: max(x, y))(1.0, 2.0)
    kernel = njit(**options)(second)
    kernel(numbers, out)
    assert out.tolist() == [4.0, 4.0, 4.0, 6.0, 8.0]
    assert " fast " not in kernel.inspect_llvm(kernel.signatures[0])


@pytest.mark.jit
def test_each_kernel_is_compiled_once():
    for codes in (np.eye(30, dtype=int)[:, :4], np.arange(900).reshape(300, 3) % 7):
        test = DataTest(trusted(codes), n_jobs=2)
        test.dependence([[0, 1, -1, -1], [0, 1, 2, -1]])
        test.association(np.array([[0, 1, 2]], np.int8))
        for kind in ("bic", "bdeu", "mix", "poe"):
            LocalScores(trusted(codes), kind).of(0, [1, 2])
    assert len(pairs.answer.signatures) == 1
    assert len(score_families.signatures) == 1


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=6, unique=True), min_size=1, max_size=60))
def test_registry_numbers_equal_questions_alike(asked):
    registry = Registry(tuple(map(str, range(10))), heads=2, width=1, most_entries=10**6)
    entry_of = {}
    for row in asked:
        found, new = registry.enter(registry.checked(np.array([row + [-1] * (7 - len(row))])))
        key = (frozenset(row[:2]), frozenset(row[2:]))
        assert entry_of.setdefault(key, found[0]) == found[0]
        assert (new.stop > new.start) == (found[0] == len(entry_of) - 1 and new.start == found[0])
    assert registry.n_entries == len(entry_of)


@given(st.integers(0, 10**6), st.integers(1, 300), st.integers(0, 7), st.integers(1, 40), st.integers(1, 3))
def test_new_questions_are_grouped_by_set_and_sets_ordered_by_members(seed, count, depth, most, sets):
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(np.arange(2, 12))[:depth] for _ in range(sets * (1 + count // 10))]
    asked = [[*rng.permutation(2)[:1], 12 + rng.integers(40), *drawn[rng.integers(len(drawn))]] for _ in range(count)]
    registry = Registry(tuple(map(str, range(52))), heads=2, width=1, most_entries=10**6)
    registry.enter(np.array(asked[:2], np.int32))
    _, new = registry.enter(np.array(asked, np.int32))
    if new.start == new.stop:
        return
    group = group_new(registry, new, most)
    assert sorted(group.entry) == list(range(new.start, new.stop))
    keys = registry.keys[group.entry].astype(np.int64)
    np.testing.assert_array_equal(keys >> 16 & 0xFFFF, group.first)
    np.testing.assert_array_equal(keys & 0xFFFF, group.second)
    members, start = registry.sets
    spans = [(tuple(members[start[s] : start[s + 1]]), b) for s, b in zip(group.sets, group.begin, strict=True)]
    assert spans == sorted(spans)
    covered = []
    for s, begin, end in zip(group.sets, group.begin, group.end, strict=True):
        assert 0 < end - begin <= most
        assert (keys[begin:end] >> 32 == s).all()
        covered.extend(range(begin, end))
    assert sorted(covered) == list(range(new.stop - new.start))


def test_an_error_in_one_thread_reaches_the_caller_after_all_have_stopped():
    piece = Group(*np.zeros((6, 8), np.int64))._replace(begin=np.arange(8), end=np.arange(1, 9))
    began, done = [], []

    def work(part):
        began.append(part.begin[0])
        if part.begin[0] == 2:
            raise ValueError("broken")
        done.append(part.begin[0])

    with pytest.raises(ValueError, match="broken"):
        run(work, piece, 10**9, 3)
    assert sorted(began) == sorted([*done, 2])
    again = []
    run(lambda part: again.append(part.begin[0]), piece, 10**9, 3)
    assert sorted(again) == list(range(8))


def test_registry_forgets_rather_than_grow_beyond_its_bound():
    registry = Registry(("a", "b", "c", "d"), heads=2, width=1, most_entries=4)
    for round_ in range(3):
        for row in ([0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]):
            found, new = registry.enter(np.array([row], np.int32))
            registry.values[new] = sum(row) + round_
            assert registry.values[found[0], 0] == pytest.approx(sum(row), abs=round_)
            assert registry.n_entries <= 4


def test_fixed_point_is_as_fine_as_promised():
    codes = np.arange(30000 if JIT else 300)[:, None] % [2, 3]
    g2 = DataTest(trusted(codes)).association([[0, 1]]).g2[0]
    assert math.isclose(g2, 0.0, abs_tol=1e-6)


def test_only_versions_of_numba_that_were_tried_are_compiled_our_way():
    assert options_for("0.61.2") == ({"cache": True}, {"cache": True})
    assert all("pipeline_class" in options for options in options_for("0.68.1"))
