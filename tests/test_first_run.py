"""The first run of all, and the start of every other: what is compiled by whom, and what is not imported."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

from ml4c._kernels import compiling
from ml4c.pipeline import ahead

KERNEL = """
from ml4c._kernels.arrays import kernel

@kernel
def double(numbers):
    for i in range(numbers.shape[0]):
        numbers[i] *= 2
"""


def run(code, **environment):
    """What a new process prints."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    env = {**os.environ, **environment}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout  # noqa: S603


@pytest.mark.jit
def test_a_kernel_that_another_process_compiles_is_waited_for_and_not_compiled_again(tmp_path):
    (tmp_path / "doubling.py").write_text(KERNEL)
    found = run(
        """
        import subprocess, sys
        import numpy as np
        from doubling import double
        from ml4c._kernels.compiling import expect
        later = "import time, numpy as np; from doubling import double; time.sleep(1); double(np.ones(3))"
        expect(lambda: subprocess.Popen([sys.executable, "-c", later]), ["doubling"])
        numbers = np.ones(3)
        double(numbers)
        print(numbers.tolist(), sum(double.stats.cache_hits.values()), sum(double.stats.cache_misses.values()))
        """,
        PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
        NUMBA_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert found.split() == ["[2.0,", "2.0,", "2.0]", "1", "0"]


@pytest.mark.jit
@pytest.mark.parametrize("expected", ["doubling", "another"])
def test_a_kernel_that_the_other_process_fails_to_compile_or_never_meant_to_is_compiled_here(tmp_path, expected):
    (tmp_path / "doubling.py").write_text(KERNEL)
    found = run(
        f"""
        import subprocess, sys
        import numpy as np
        from doubling import double
        from ml4c._kernels.compiling import expect
        idle = "import time; time.sleep({2 if expected == "doubling" else 600})"
        process = subprocess.Popen([sys.executable, "-c", idle])
        expect(lambda: process, ["{expected}"])
        numbers = np.ones(3)
        double(numbers)
        print(numbers[0], sum(double.stats.cache_misses.values()))
        process.kill()
        """,
        PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
        NUMBA_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert found.split() == ["2.0", "1"]


@pytest.mark.parametrize(
    ("executable", "frozen", "starts"),
    [("/usr/bin/python3", False, True), ("/opt/app/app", False, False), (None, False, False), ("python", True, False)],
)
def test_only_an_interpreter_is_started_to_compile_ahead(executable, frozen, starts, monkeypatch):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    assert ahead._is_python(sys.executable) == starts


def test_one_process_compiles_ahead_at_a_time_and_starts_no_other(monkeypatch):
    class Process:
        def poll(self):
            return None

    started = []

    def start():
        started.append(Process())
        return started[-1]

    monkeypatch.setattr(compiling._Elsewhere, "process", None)
    for _ in range(3):
        compiling.expect(start, ["nothing"])
    assert len(started) == 1
    monkeypatch.setattr(ahead, "is_compiled", lambda _kernel: False)
    monkeypatch.setattr(ahead, "available_cores", lambda: 2)
    monkeypatch.setenv(ahead.MEANWHILE, "1")
    monkeypatch.setattr(compiling, "expect", lambda *_: started.append(None))
    ahead.compile_ahead()
    assert len(started) == 1


@pytest.mark.jit
def test_the_second_process_imports_nothing_from_the_folder_at_hand(tmp_path):
    (tmp_path / "numba.py").write_text("raise RuntimeError('not this one')")
    code = ahead.WORK.replace("compile_rest()", "print(compile_rest)")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S603
    assert "compile_rest" in done.stdout


@pytest.mark.jit
def test_what_is_compiled_ahead_is_what_a_run_then_calls():
    """Every kernel of the modules that the second process is given, with the same signatures."""
    told = """
        import importlib, json
        from ml4c.pipeline.ahead import MODULES
        found = {}
        for name in MODULES:
            for key, value in vars(importlib.import_module(name)).items():
                if hasattr(value, "enable_caching") and value.py_func.__module__ == name and value._cache.cache_path:
                    found[f"{name}.{key}"] = sorted(map(str, value.signatures))
        print(json.dumps(found))
        """
    ahead = run("from ml4c.pipeline.ahead import compile_rest\ncompile_rest()\n" + textwrap.dedent(told))
    whole = run("import ml4c\nml4c.discover(ml4c.load_network('alarm').sample(1000, 1))\n" + textwrap.dedent(told))
    compiled, called = json.loads(ahead), json.loads(whole)
    called = {name: signatures for name, signatures in called.items() if signatures}
    assert {"ml4c._kernels.families.score_families", "ml4c._kernels.equivalence.draw"} <= set(called)
    assert {name: compiled[name] for name in called} == called


def test_the_script_imports_no_large_package_that_it_does_not_need(tmp_path):
    pytest.importorskip("sklearn")
    table = tmp_path / "table.csv"
    table.write_text("a,b\n" + "x,y\nx,z\nw,y\nw,y\n" * 30)
    found = run(
        f"""
        import atexit, sys
        def tell():
            import sklearn.base  # is still there for others
            print(before)
        atexit.register(tell)
        atexit.register(lambda: globals().update(before=sorted({{"matplotlib", "sklearn"}} & set(sys.modules))))
        sys.argv = ["ml4c", "discover", {str(table)!r}, "--quiet", "-o", {str(tmp_path / "out")!r}]
        from ml4c.cli import main
        main()
        """
    )
    assert found.splitlines()[-1] == "[]"
    assert (tmp_path / "out" / "report.html").exists()
