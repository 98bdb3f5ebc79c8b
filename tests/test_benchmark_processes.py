"""Processes of cells, forked or started afresh: limited, ended with the benchmark, and no loss when they die."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest

from ml4c.benchmark import Cell, Limits, Record, read_records, run_cells
from ml4c.benchmark.guarding import run_guarded
from ml4c.benchmark.nursery import other_threads
from ml4c.benchmark.processes import Errand, ForkedProcess, FreshProcess, Nurseries, Nursery

TESTS = Path(__file__).parent
pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="processes are watched through /proc")


@pytest.fixture(autouse=True)
def importable(monkeypatch, tmp_path):
    """Let processes import the methods of the tests, and tell where to leave notes."""
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    monkeypatch.setenv("BENCH_TEST_FOLDER", str(tmp_path))


def order(method):
    return {"cell": asdict(Cell("asia", 100, 0, method, "true")), "edges": None, "models": None}


def errand(folder, method):
    folder.mkdir(exist_ok=True)
    return Errand(order(method), folder / "answer.json", folder / "log.txt")


def until(true, what):
    for _ in range(3000):
        if true():
            return
        time.sleep(0.1)
    pytest.fail(f"waited five minutes for {what}")


def status_of(pid):
    """Return the state of a process, its parent and more."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def alive(pid):
    try:
        return status_of(pid)[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def number_in(file):
    until(lambda: file.exists() and file.read_text(), "the method")
    return int(file.read_text())


@pytest.mark.parametrize("forking", [True, False])
def test_time_and_memory_are_limited(forking):
    with closing(Nurseries(forking=forking)) as nurseries:
        slow = run_guarded(order("bench_methods:TOIL"), Limits(seconds=1), None, nurseries)
        hungry = run_guarded(order("bench_methods:EAT"), Limits(megabytes=900), None, nurseries)
        small = run_guarded(order("file-order"), Limits(), None, nurseries)
    assert (slow["status"], slow["reason"]) == ("timeout", "took more than 1 seconds")
    assert slow["seconds"] >= 1
    assert slow["cpu"] > 0
    assert (hungry["status"], hungry["reason"]) == ("memory", "took more than 900 MB")
    assert hungry["memory"] > 900
    assert small["status"] == "done"
    assert 20 < small["memory"] < 500


def test_a_nursery_forks_until_it_dies(tmp_path):
    with closing(Nurseries()) as nurseries:
        for killed in (False, True):
            with nurseries.running(errand(tmp_path / str(killed), "bench_methods:SLEEP"), bool) as process:
                assert isinstance(process, ForkedProcess)
                assert number_in(tmp_path / "sleeper") == process.pid == os.getpgid(process.pid)
                assert process.wait(0) is None
                nursery = int(status_of(process.pid)[1])
                if killed:
                    os.kill(nursery, signal.SIGKILL)
                    until(lambda: process.wait(1) is not None, "the loss of the nursery")
            until(lambda: not alive(process.pid), "the process to end")
            assert alive(nursery) == (not killed)
            (tmp_path / "sleeper").unlink()


def test_without_a_nursery_processes_start_afresh(tmp_path, monkeypatch):
    monkeypatch.setattr(Nursery, "is_ready", lambda *_: False)
    with closing(Nurseries()) as nurseries, nurseries.running(errand(tmp_path, "file-order"), bool) as process:
        assert isinstance(process, FreshProcess)
        until(lambda: process.wait(1) is not None, "the cell")
    assert json.loads((tmp_path / "answer.json").read_text())["status"] == "done"


def test_a_nursery_knows_its_threads():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert other_threads()
    finally:
        done.set()
        thread.join()


KILLED = """
import sys
from pathlib import Path
from ml4c.benchmark import Cell, Workplace, run_cells, running
running.FEW = int(sys.argv[2])
cells = [Cell("asia", 100, 0, "file-order", "true"), Cell("asia", 100, 1, "bench_methods:SLEEP", "true")]
run_cells(cells, Path(sys.argv[1]), workplace=Workplace(jobs=1))
"""


@pytest.mark.parametrize("few", [0, 2], ids=["forked", "afresh"])
def test_kill_9_costs_the_cell_in_flight_alone(tmp_path, few):
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), str(few)])  # noqa: S603
    sleeper = number_in(tmp_path / "sleeper")
    parent = int(status_of(sleeper)[1])
    assert (parent != process.pid) == (few == 0)
    process.send_signal(signal.SIGKILL)
    process.wait()
    until(lambda: not alive(sleeper), "the process of the cell to end")
    until(lambda: not alive(parent), "its nursery to end")
    assert (tmp_path / "cells.jsonl").read_bytes().count(b"\n") == 1


def test_a_run_goes_on_from_a_torn_line(tmp_path):
    first, second = (Cell("asia", 100, seed, "file-order", "true") for seed in range(2))
    before = json.dumps(Record(first, "timeout", "took long").to_dict()).encode() + b"\n"
    (tmp_path / "cells.jsonl").write_bytes(before + before[:100])  # as if killed while writing
    assert len(read_records(tmp_path)) == 1
    run_cells([first, second], tmp_path)
    after = (tmp_path / "cells.jsonl").read_bytes()
    assert after.startswith(before)
    assert [json.loads(line)["seed"] for line in after.splitlines()] == [0, 1]


def heed_ctrl_c():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it


def test_ctrl_c_leaves_whole_lines_and_no_process(tmp_path):
    methods = "file-order,every-ut,bench_methods:SLEEP"  # enough for a nursery
    arguments = ["1", "--methods", methods, "--networks", "asia", "--rows", "100"]
    command = [sys.executable, "-m", "ml4c", "bench", *arguments, "--seeds", "1", "-j", "1", "-o", str(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed_ctrl_c)  # noqa: S603
    sleeper = number_in(tmp_path / "sleeper")
    nursery = int(status_of(sleeper)[1])
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=200)
    assert process.returncode == 130
    assert "interrupted" in said
    assert [record.cell.method for record in read_records(tmp_path).values()] == ["file-order", "every-ut"]
    until(lambda: not alive(sleeper) and not alive(nursery), "the processes to end")
