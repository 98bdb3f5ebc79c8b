"""Training: the same bits on threads, processes and a Dask cluster, whoever is killed on the way."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from ml4c.cli import app
from ml4c.embedding import draw_embedding
from ml4c.errors import ModelError, WorkError
from ml4c.features import FEATURE_NAMES
from ml4c.graph import skeleton, unshielded_triples, v_structures
from ml4c.learner import load_learner
from ml4c.synthesis import PaperRecipe, network
from ml4c.training import FeatureStore, Unit, compute_unit, train
from ml4c.training import run as run_module
from ml4c.training import unit as unit_module
from ml4c.units import local_processes, open_executor, run_units

# One after the other: each starts processes of its own.
pytestmark = pytest.mark.xdist_group("training")

TINY = PaperRecipe(name="tiny", sizes=((10, 12),), replicates=3, rows=300)
NO_FEATURES = np.zeros((0, len(FEATURE_NAMES)), np.float32)


def bits(folder):
    """Return the content of every file of a training folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def quick_features(test, graph, *, embedding):
    """Stand in for the real features: cheap, and a function of the data."""
    triples = unshielded_triples(graph)
    matrix = np.zeros((len(triples), len(FEATURE_NAMES)))
    matrix[:, 0] = test.dependence(triples[:, [0, 2, 1]]).severity
    matrix[:, 1] = graph.sum(axis=0)[triples[:, 1]] * embedding.weights[0]
    return SimpleNamespace(triples=triples, matrix=matrix)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(unit_module, "triple_features", quick_features)


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The files of an uninterrupted run on one thread."""
    folder = tmp_path_factory.mktemp("reference")
    with ThreadPoolExecutor(1) as pool:
        train(TINY, folder, executor=pool, n_jobs=1)
    return bits(folder)


# --- one network


def test_labels_are_those_of_the_true_graph(quick):
    made = network(TINY, 1)
    unit = compute_unit(TINY, draw_embedding(0), 1)
    assert unit.matrix.dtype == np.float32
    assert unit.labels.sum() == len(v_structures(made.net.dag))
    triples = unshielded_triples(skeleton(made.net.dag)).tolist()
    colliders = v_structures(made.net.dag).tolist()
    assert unit.labels.tolist() == [int(triple in colliders) for triple in triples]


# --- the run


def test_report_card_and_model(quick, threads, tmp_path):
    seen = []
    report = train(TINY, tmp_path, executor=threads, progress=lambda *state: seen.append(state))
    assert seen == [(done, 6) for done in range(7)]
    assert (report.networks, report.reused) == (6, 0)
    assert 0 < report.v_structures < report.triples
    learner = load_learner(tmp_path)
    assert learner.card.counts == {"networks": 6, "triples": report.triples, "v_structures": report.v_structures}
    assert PaperRecipe.from_dict(learner.card.recipe) == TINY
    assert learner.card.embedding == draw_embedding(TINY.seed)
    assert learner.card.figures["training_log_loss"] > 0
    assert threads.submit(int).result() == 0  # the caller's executor is left open


def test_a_first_part_is_a_prefix(quick, threads, tmp_path):
    assert train(TINY, tmp_path, executor=threads, limit=2).networks == 2
    report = train(TINY, tmp_path, executor=threads, limit=99)
    assert (report.networks, report.reused) == (6, 2)


def test_nothing_is_computed_twice(quick, threads, tmp_path, monkeypatch):
    train(TINY, tmp_path, executor=threads)
    before = bits(tmp_path)
    monkeypatch.setattr(unit_module, "triple_features", None)
    assert train(TINY, tmp_path, executor=threads).reused == 6
    assert bits(tmp_path) == before


def halved(content):
    return content[: len(content) // 2]


def flipped(content):
    return content[:3000] + bytes([content[3000] ^ 1]) + content[3001:]


@pytest.mark.parametrize("damage", [halved, flipped, lambda _: b"", lambda _: b"PK\x03\x04 not a zip"])
def test_damaged_features_are_computed_anew(quick, threads, tmp_path, damage):
    train(TINY, tmp_path, executor=threads)
    before = bits(tmp_path)
    file = tmp_path / "features" / "00004.npz"
    file.write_bytes(damage(file.read_bytes()))
    assert train(TINY, tmp_path, executor=threads).reused == 5
    assert bits(tmp_path) == before


def test_features_of_another_network_are_not_used(quick, threads, tmp_path):
    train(TINY, tmp_path, executor=threads)
    before = bits(tmp_path)
    (tmp_path / "features" / "00001.npz").write_bytes(before[os.path.join("features", "00002.npz")])
    assert train(TINY, tmp_path, executor=threads).reused == 5
    assert bits(tmp_path) == before


def test_the_folder_of_another_recipe_is_refused(quick, threads, tmp_path):
    train(TINY, tmp_path, executor=threads, limit=1)
    before = bits(tmp_path)
    other = PaperRecipe(name="tiny", sizes=((10, 12),), replicates=3, rows=301)
    with pytest.raises(WorkError, match=r"recipe\.json: made by another run.*choose another folder, or delete"):
        train(other, tmp_path, executor=threads)
    (tmp_path / "recipe.json").unlink()
    with pytest.raises(WorkError, match=r"card\.json: made by another run"):
        train(other, tmp_path, executor=threads)
    for name in ("card.json", "model.ubj"):
        (tmp_path / name).unlink()
    with pytest.raises(WorkError, match=r"00000\.npz: made by another run"):
        train(other, tmp_path, executor=threads)
    assert (tmp_path / "features" / "00000.npz").read_bytes() == before[os.path.join("features", "00000.npz")]


def test_a_note_that_is_not_ours(threads, tmp_path):
    for text in ("{", "[]", "{}"):
        (tmp_path / "recipe.json").write_text(text)
        with pytest.raises(WorkError, match=r"recipe\.json"):
            train(TINY, tmp_path, executor=threads)


def test_an_error_of_a_unit_is_not_retried(threads, tmp_path, monkeypatch):
    calls = []

    def fail(*_arguments, **_options):
        calls.append(1)
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(unit_module, "triple_features", fail)
    with pytest.raises(ZeroDivisionError, match="a defect"):
        train(TINY, tmp_path, executor=threads, n_jobs=1)
    assert len(calls) <= 3


def test_recipe_without_triples(threads, tmp_path, monkeypatch):
    nothing = SimpleNamespace(triples=np.zeros((0, 3), np.int64), matrix=NO_FEATURES)
    monkeypatch.setattr(unit_module, "triple_features", lambda *_a, **_k: nothing)
    with pytest.raises(ModelError, match="no unshielded triple"):
        train(TINY, tmp_path, executor=threads)


@pytest.mark.parametrize("options", [{"limit": 0}, {"n_jobs": 0}])
def test_options_that_make_no_sense(tmp_path, options):
    with pytest.raises(WorkError, match="at least one"):
        train(TINY, tmp_path, **options)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkError, match="cannot be used"):
        train(TINY, tmp_path / "file" / "folder")


def test_features_that_cannot_be_written(tmp_path):
    store = FeatureStore(tmp_path, TINY, draw_embedding(0))
    (tmp_path / "features" / "00000.npz").mkdir()
    with pytest.raises(WorkError, match="cannot be written"):
        store.write(0, Unit(NO_FEATURES, np.zeros(0, np.uint8)))


# --- workers that die


class Failing(Executor):
    """Runs work at once; the first tries of every index end with these errors."""

    def __init__(self, errors):
        self.errors, self.tries = errors, {}

    def submit(self, work, index):
        self.tries[index] = self.tries.get(index, 0) + 1
        future = Future()
        if self.tries[index] <= len(self.errors):
            future.set_exception(self.errors[self.tries[index] - 1])
        else:
            future.set_result(work(index))
        return future


def test_a_lost_worker_is_forgiven_three_times():
    losses = [BrokenExecutor("gone"), CancelledError(), type("KilledWorker", (Exception,), {})("gone")]
    executor = Failing(losses)
    assert dict(run_units(str, range(5), lambda: executor, in_flight=2)) == {i: str(i) for i in range(5)}
    assert set(executor.tries.values()) == {4}
    with pytest.raises(WorkError, match=r"unit 0: its worker died 4 times .*run again with fewer jobs"):
        dict(run_units(str, range(5), lambda: Failing([*losses, BrokenExecutor("gone")]), in_flight=2))


def test_a_cancelled_unit_is_tried_again():
    class Cancelling(Failing):
        def submit(self, work, index):
            future = super().submit(work, index)
            if self.tries[index] > 1:
                return future
            cancelled = Future()
            cancelled.cancel()
            cancelled.set_running_or_notify_cancel()
            return cancelled

    assert dict(run_units(str, range(3), lambda: Cancelling([]), in_flight=2)) == {0: "0", 1: "1", 2: "2"}


def test_no_more_in_flight_than_asked():
    flying, most = set(), []

    class Counting(ThreadPoolExecutor):
        def submit(self, work, index):
            flying.add(index)
            most.append(len(flying))
            return super().submit(work, index)

    for index, _ in run_units(str, range(30), lambda: Counting(2), in_flight=4):
        flying.discard(index)
    assert max(most) <= 5  # one may be done and not yet handed out


def test_a_broken_executor_of_the_caller(tmp_path):
    class Broken(Executor):
        def submit(self, *_arguments):
            raise BrokenExecutor("no workers")

    with pytest.raises(WorkError, match="the executor lost its workers"):
        train(TINY, tmp_path, executor=Broken())


def die_once(marks, index):
    """Kill the process that runs this, the first time that index 2 is asked for."""
    mark = marks / "died"
    if index == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return index * 10


def test_a_killed_process_costs_nothing_but_time(tmp_path):
    found = dict(run_units(partial(die_once, tmp_path), range(5), partial(local_processes, 2), in_flight=4))
    assert found == {index: index * 10 for index in range(5)}
    assert (tmp_path / "died").exists()


# --- the same bits everywhere


@pytest.mark.jit
def test_two_threads(reference, threads, tmp_path):
    train(TINY, tmp_path, executor=threads, n_jobs=2)
    assert bits(tmp_path) == reference


@pytest.mark.jit
def test_two_processes(reference, tmp_path):
    train(TINY, tmp_path, n_jobs=2)
    assert bits(tmp_path) == reference


@pytest.mark.jit
def test_a_dask_cluster_that_loses_a_worker(reference, tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        open_executor(None, dask=cluster.scheduler_address) as (executor, workers),
    ):
        pids = list(client.run(os.getpid).values())
        assert (len(set(pids)), workers) == (2, 2)

        def kill_one(done, _total):
            if done == 2:
                os.kill(pids[0], signal.SIGKILL)

        train(TINY, tmp_path, executor=executor, n_jobs=workers, progress=kill_one)
        assert pids[0] not in client.run(os.getpid).values()
    assert bits(tmp_path) == reference


KILLED = """
import json, os, signal, sys
from ml4c.synthesis import PaperRecipe
from ml4c.training import train

def stop(done, total):
    if done == 3:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    train(PaperRecipe.from_dict(json.loads(sys.argv[1])), sys.argv[2], n_jobs=2, progress=stop)
"""


@pytest.mark.jit
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_kill_9_and_go_on(reference, threads, tmp_path):
    script, folder = tmp_path / "killed.py", tmp_path / "run"
    script.write_text(KILLED)
    ended = subprocess.run([sys.executable, script, json.dumps(TINY.to_dict()), folder])  # noqa: S603
    assert ended.returncode == -signal.SIGKILL
    assert not (folder / "model.ubj").exists()
    assert train(TINY, folder, executor=threads).reused == 3
    assert bits(folder) == reference


# --- the command


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def recipe_file(tmp_path):
    file = tmp_path / "tiny.json"
    file.write_text(json.dumps(TINY.to_dict()))
    return file


def test_command(quick, recipe_file, tmp_path):
    result = run("train", recipe_file, "-o", tmp_path / "out", "--threads", "--jobs", 1, "--networks", 2)
    assert result.exit_code == 0
    assert f"{tmp_path / 'out'}: a model of 2 networks" in result.stdout
    assert "0 networks from an earlier run" in result.stdout
    assert load_learner(tmp_path / "out").card.counts["networks"] == 2
    result = run("train", recipe_file, "-o", tmp_path / "out", "--threads", "--networks", 2, "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_ctrl_c_says_that_training_goes_on(quick, recipe_file, tmp_path, monkeypatch):
    def stop(*_, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "run_units", stop)
    result = run("train", recipe_file, "-o", tmp_path / "out", "--threads", "--quiet")
    assert (result.exit_code, result.stderr) == (130, "error: interrupted; run the same command again to go on\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.json"], "no recipe is called 'nothing.json'"),
        (["paper", "--threads", "--dask", "tcp://127.0.0.1:1"], "choose threads or a Dask cluster"),
    ],
)
def test_wrong_commands_are_one_line(tmp_path, arguments, message):
    result = run("train", *arguments, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_dask_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkError, match=r"pip install 'ml4c\[dask\]'"), open_executor(1, dask="tcp://127.0.0.1:1"):
        pass
