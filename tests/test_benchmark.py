"""Cells of the benchmark: measured in processes of their own, whatever these do, and never lost."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ml4c.benchmark import Cell, Record, Workplace, read_records, run_cells
from ml4c.benchmark.drawing import anonymous_names, draw_table
from ml4c.benchmark.linefile import LineFile
from ml4c.benchmark.measuring import WARM_STATES, WARM_TIMES, Task, certificate, measure
from ml4c.benchmark.methods import all_methods, find_method
from ml4c.benchmark.plans import Plan
from ml4c.bif import load_network, network_names
from ml4c.cli import app
from ml4c.errors import NetworkError, WorkError
from ml4c.graph import skeleton
from ml4c.search.orientations import Effort

TESTS = Path(__file__).parent


@pytest.fixture(autouse=True)
def importable(monkeypatch, tmp_path):
    """Let processes import the methods of the tests, and tell where to leave notes."""
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    monkeypatch.setenv("BENCH_TEST_FOLDER", str(tmp_path))
    monkeypatch.syspath_prepend(str(TESTS))


def odd(name, network="asia", seed=0):
    return Cell(network, 100, seed, f"bench_methods:{name}", "true")


def plain(network="asia", seed=0, method="file-order"):
    return Cell(network, 100, seed, method, "true")


def bench(*arguments):
    return CliRunner().invoke(app, ["bench", *map(str, arguments)])


def lines(folder):
    return (folder / "cells.jsonl").read_text().splitlines()


def test_a_cell_keeps_what_it_measured(tmp_path):
    cell = Cell("asia", 500, 2, "every-ut", "true")
    record = run_cells([cell], tmp_path)[cell]
    alone = measure(Task(cell))
    assert record.status == "done"
    assert record.scores == alone["scores"]
    assert record.certificate == alone["certificate"]
    assert set(record.versions) == {"ml4c", "python"}
    assert record.seconds >= 0
    assert record.cpu >= 0
    assert record.details == {"nodes": 8, "edges": 8, "constant": alone["details"]["constant"]}
    assert sys.platform != "linux" or 20 < record.memory < 2000
    assert read_records(tmp_path) == {cell: record}
    assert json.loads(lines(tmp_path)[0]) == record.to_dict()


def test_whatever_a_method_does_the_benchmark_goes_on(tmp_path):
    names = ("FAIL", "FALL", "CRASH", "NEEDY", "UNTRAINABLE", "EMPLOY", "POLARS", "COPY", "COPY_AGAIN")
    cells = [*map(odd, names), odd("TRAINED"), odd("TRAINED", seed=1)]
    found = run_cells(cells, tmp_path, workplace=Workplace(jobs=2))
    assert {cell.method.split(":")[-1]: (r.status, r.reason) for cell, r in found.items()} == {
        **dict.fromkeys(("EMPLOY", "POLARS", "COPY", "COPY_AGAIN", "TRAINED"), ("done", "")),
        "CRASH": ("failed", "the process was killed by signal 11"),
        "FAIL": ("failed", "ValueError: no graph today"),
        "FALL": ("failed", "the process ended with code 3"),
        "NEEDY": ("failed", "no_such_library is not installed: pip install 'ml4c[bench]'"),
        "UNTRAINABLE": ("failed", "training: ValueError: no graph today"),
    }
    assert found[odd("EMPLOY")].cpu > 0.4, "the CPU seconds of children count"
    seen = [file.read_text() for file in tmp_path.glob("seen-8-*")]
    assert (len(seen), len(set(seen))) == (2, 1), "all methods see the same table"
    again = [odd("FAIL"), odd("EMPLOY")]
    run_cells(again, tmp_path)
    assert len(lines(tmp_path)) == len(cells), "what failed stays failed"
    run_cells(again, tmp_path, retry=True)
    assert [json.loads(line)["method"] for line in lines(tmp_path)[len(cells) :]] == ["bench_methods:FAIL"]
    assert len(read_records(tmp_path)) == len(cells)


def test_a_table_says_nothing_by_order_or_names():
    net = load_network("insurance")
    agreeing = []
    for seed in range(20):
        drawn = draw_table("insurance", 50, seed)
        assert sorted(drawn.data.names) == [f"c{i:03d}" for i in range(27)]
        assert np.array_equal(drawn.data.codes, net.permuted(seed).sample(50, seed).codes)
        order = np.argsort(drawn.data.names)
        by_name = drawn.dag[np.ix_(order, order)]
        agreeing.append((np.triu(drawn.dag).sum() / 52, np.triu(by_name).sum() / 52))
    assert np.abs(np.mean(agreeing, axis=0) - 0.5).max() < 0.1
    assert anonymous_names(2000, 1) != sorted(anonymous_names(2000, 1))
    assert {len(name) for name in anonymous_names(2000, 1)} == {5}


def test_the_first_table_is_too_large_to_be_solved_exactly():
    assert len(WARM_STATES) * WARM_TIMES > Effort().exact_nodes


def test_a_learned_skeleton_is_that_of_its_provider(tmp_path):
    cell = Cell("asia", 1000, 0, "bench_methods:COPY", "ours")
    found = run_cells([cell], tmp_path)
    provider = Cell("asia", 1000, 0, "ml4c", "none")
    assert set(found) == {cell, provider}
    assert found[provider].edges
    assert found[cell].edges is None
    same = ("skeleton_precision", "skeleton_recall", "skeleton_f1")
    assert [found[cell].scores[key] for key in same] == [found[provider].scores[key] for key in same]


def test_without_a_learned_skeleton_a_cell_says_why(tmp_path):
    provider = Cell("asia", 1000, 0, "ml4c", "none")
    with LineFile(tmp_path / "cells.jsonl").writing():
        pass
    (tmp_path / "cells.jsonl").write_text(json.dumps(Record(provider, "timeout", "took too long").to_dict()) + "\n")
    cell = Cell("asia", 1000, 0, "bench_methods:COPY", "ours")
    assert run_cells([cell], tmp_path)[cell].reason == "no skeleton: ml4c took too long"


def test_who_ran_out_of_time_on_one_sample_is_not_tried_on_the_next_until_asked_again(tmp_path):
    cells = [plain(seed=seed) for seed in range(3)]
    slow = Record(cells[1], "timeout", "took more than 9 seconds")
    with LineFile(tmp_path / "cells.jsonl").writing():
        pass
    (tmp_path / "cells.jsonl").write_text(json.dumps(slow.to_dict()) + "\n")
    found = run_cells([*cells, plain(seed=2, method="every-ut")], tmp_path)
    assert found[cells[2]] == Record(cells[2], "timeout", "not tried: seed 1: took more than 9 seconds")
    assert found[cells[0]].done
    assert found[plain(seed=2, method="every-ut")].done
    again = run_cells([cells[2]], tmp_path, retry=True)
    assert again[cells[2]].done, "what happened in another run does not count"
    assert not again[cells[1]].done
    assert all(record.done for record in run_cells(cells, tmp_path, retry=True).values())


def test_the_certificate_is_of_the_graph_as_returned():
    names = ("a", "b", "c")
    arrows = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], np.int8)
    assert certificate(arrows, names) == "a DAG"
    assert certificate(skeleton(arrows), names) == "a CPDAG"
    arrows[2, 0] = 1
    assert "directed cycle" in certificate(arrows, names)


def test_a_dask_cluster_measures_the_same(tmp_path):
    distributed = pytest.importorskip("distributed")
    cells = [plain("asia"), plain("cancer")]
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        there = run_cells(cells, tmp_path / "there", workplace=Workplace(dask=cluster.scheduler_address))
    assert {cell: there[cell].scores for cell in cells} == {cell: measure(Task(cell))["scores"] for cell in cells}


def test_two_runs_do_not_write_into_one_folder(tmp_path):
    pytest.importorskip("fcntl")
    with LineFile(tmp_path / "cells.jsonl").writing(), pytest.raises(WorkError, match="another run writes here"):
        run_cells([plain()], tmp_path)


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / "cells.jsonl").write_text('{"network": "asia"}\n')
    with pytest.raises(WorkError, match="not a cell of the benchmark"):
        read_records(tmp_path)
    (tmp_path / "cells.jsonl").write_text("\n{broken\n")
    with pytest.raises(WorkError, match="line 2: no JSON object"):
        read_records(tmp_path)


def test_records_survive_their_line():
    cell = odd("COPY")
    for record in (
        Record(cell, "done", "", {"shd": 3, "f1": 0.5}, 1.0, 2.0, 3.0, "a DAG", {"ml4c": "1"}, [[0, 1]], {"n": 1}),
        Record(cell, "timeout", "took long"),
    ):
        assert Record.from_dict(json.loads(json.dumps(record.to_dict()))) == record


@pytest.mark.parametrize(
    ("cell", "error", "words"),
    [
        (Cell("asia", 10, 0, "nothing", "true"), WorkError, "there is no method 'nothing'"),
        (Cell("asia", 10, 0, "bench_methods:NOBODY", "true"), WorkError, "cannot be imported"),
        (Cell("asia", 10, 0, "bench_methods:TESTS", "true"), WorkError, "cannot be imported"),
        (Cell("asia", 10, 0, "bench_methods:told", "true"), WorkError, "is no ml4c.baselines.Method but function"),
        (Cell("asai", 10, 0, "file-order", "true"), NetworkError, "Did you mean asia"),
        (Cell("asia", 10, 0, "file-order", "none"), WorkError, "takes a skeleton"),
        (Cell("asia", 0, 0, "file-order", "true"), WorkError, "rows must be at least 1"),
    ],
)
def test_a_senseless_cell_is_refused_before_anything_is_written(tmp_path, cell, error, words):
    with pytest.raises(error, match=words):
        run_cells([plain(), cell], tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["1"], "-o DIR"),
        (["7", "-o", "x"], "there is no table '7'"),
        (["1", "-o", "x", "--methods", "magic"], "there is no method 'magic'"),
        (["1", "-o", "x", "--networks", "asai"], "Did you mean asia"),
        (["1", "-o", "x", "--rows", "many"], "whole numbers"),
    ],
)
def test_the_command_fails_in_one_line(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = bench(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_methods_are_listed():
    assert bench("--list-methods", "-q").output.split() == [method.name for method in all_methods()]
    output = bench("--list-methods").output
    assert "ml4c-paper" in output
    assert "strong-1" in output
    assert len({method.name for method in all_methods()}) == len(all_methods())
    assert all(find_method(method.name) is method for method in all_methods())


def test_a_plan_lists_the_cells_of_its_tables():
    plan = Plan(("1", "3"), ("asia", "child"), (100, 10_000), 2, ("ml4c", "file-order"))
    cells = plan.cells()
    assert len(cells) == len(set(cells)) == 2 * 2 * 2 * 2
    assert {cell.skeleton for cell in cells} == {"true"}
    assert [cell.seed for cell in cells] == sorted(cell.seed for cell in cells)
    assert Plan(("2",), seeds=1).cells() == [c for c in Plan(("2",)).cells() if c.seed == 0]
    assert len(Plan(("2",), seeds=1).cells()) == len(network_names()) * 9
