"""Methods that do what no method should: for the tests of the benchmark, which takes them by import path."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from ml4c.baselines import Method


def told(name):
    return Path(os.environ["BENCH_TEST_FOLDER"]) / name


def real(problem):
    """Tell a problem of the tests from the one that methods see first."""
    return problem.data.n_columns == 8


def sleep(problem):
    if real(problem):
        told("sleeper").write_text(str(os.getpid()))
        time.sleep(300)


def toil(problem):
    while real(problem):
        pass


def eat(problem):
    meal = np.ones(200_000_000) if real(problem) else None
    time.sleep(300 if real(problem) else 0)
    return meal


def fall(problem):
    os._exit(3)


def crash(problem):
    os.kill(os.getpid(), signal.SIGSEGV)


def use_polars(problem):
    """Start the threads of Polars, which a nursery may not have."""
    frame = problem.data.to_polars()
    frame.lazy().group_by(frame.columns[0]).len().collect()
    return problem.skeleton


def fail(problem):
    raise ValueError("no graph today\nand more words")


def copy(problem):
    """Return the skeleton, and note what was seen."""
    data = problem.data
    seen = hashlib.sha256(repr((data.names, data.categories, data.codes.tolist(), problem.seed)).encode()).hexdigest()
    told(f"seen-{data.n_columns}-{os.getpid()}").write_text(seen)
    return problem.skeleton


def cycle(problem):
    """Turn every edge of a triangle the same way round."""
    found = np.zeros_like(problem.skeleton)
    found[0, 1] = found[1, 2] = found[2, 0] = 1
    return found


def employ(problem):
    """Let a child work."""
    if real(problem):
        subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"], check=True)
    return problem.skeleton


def learn(folder):
    with (folder / "lessons").open("a") as file:
        file.write("learned\n")


def recall(problem):
    if (problem.models / "lessons").read_text() != "learned\n":
        raise ValueError("not trained once")
    return problem.skeleton


def method(run, **more):
    return Method(run.__name__, run.__name__, "control", "a test", "tests", "given", run, **more)


SLEEP, TOIL, EAT, FALL, CRASH, FAIL = map(method, (sleep, toil, eat, fall, crash, fail))
COPY, CYCLE, EMPLOY, POLARS = map(method, (copy, cycle, employ, use_polars))
COPY_AGAIN = method(copy)
NEEDY = method(copy, needs=("no_such_library",))
TRAINED = method(recall, train=learn)
UNTRAINABLE = method(recall, train=fail)
