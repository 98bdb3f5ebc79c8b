"""Compiling, once, on two cores.

The first run of all compiles its kernels, most of a minute's work. It needs those of tests first, those of scores and
orientations later; so a second process compiles the latter meanwhile, on a table made up for it, and this one takes
them from Numba's cache on disk (`_kernels.compiling` waits for what is on its way). Where that cannot be - one core, no
cache, no interpreter to start - this process compiles everything by itself, as it would have.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import numpy as np

from ml4c._kernels import arrays
from ml4c._kernels.equivalence import draw
from ml4c._kernels.families import score_families
from ml4c.counting import Packed, available_cores, is_compiled, pack_table
from ml4c.dataset import Dataset
from ml4c.graph import Graph, unshielded_triples
from ml4c.orientation import orient_globally
from ml4c.triple_scores import score_triples

MODULES = tuple(
    f"ml4c._kernels.{name}" for name in ("annealing", "chains", "equivalence", "experts", "families", "terms")
)
"""Where the kernels are that the second process compiles: about half of the work."""
MEANWHILE = "ML4C_COMPILES_AHEAD"
"""Set in the environment of the second process, which starts no third."""
WORK = "import sys; sys.path = [p for p in sys.path if p]; from ml4c.pipeline.ahead import compile_rest; compile_rest()"
"""What it does; it imports nothing from the folder that the user is in."""
NODES, ROWS = 40, 60
"""Of the table made up: too many nodes for an exact search, which needs fewer kernels."""


def compile_ahead() -> None:
    """Have the kernels that a first run needs later compiled by another process, if they are not compiled yet."""
    if not arrays.OURS or available_cores() < 2 or is_compiled(score_families) or is_compiled(draw):
        return
    from ml4c._kernels.compiling import expect

    if MEANWHILE not in os.environ and _is_python(sys.executable):
        expect(_start, MODULES)


def _start() -> subprocess.Popen[bytes] | None:
    """Start the second process; None if there is none to be had."""
    nothing = subprocess.DEVNULL
    environment = {**os.environ, MEANWHILE: "1"}
    with suppress(OSError):
        return subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", WORK], stdin=nothing, stdout=nothing, stderr=nothing, env=environment
        )
    return None


def _is_python(executable: str | None) -> bool:
    """Tell whether this is an interpreter, not a program that has one inside."""
    name = os.path.basename(executable or "").lower()
    return not getattr(sys, "frozen", False) and name.startswith(("python", "pypy"))


def compile_rest() -> None:
    """Call every kernel of MODULES that `discover` calls: first those that need no others, which are being compiled."""
    packed, skeleton = _made_up()
    triples = unshielded_triples(skeleton)
    orient_globally(skeleton, triples, np.linspace(0.1, 0.9, len(triples)))
    score_triples(packed, skeleton, n_jobs=1)


def _made_up() -> tuple[Packed, Graph]:
    """Return a table of noise, and a tree over its columns."""
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(NODES)]
    table = Dataset.from_codes(names, [(0, 1)] * NODES, rng.integers(2, size=(ROWS, NODES)))
    tree = np.zeros((NODES, NODES), np.int8)
    child = np.arange(1, NODES)
    tree[child, (child - 1) // 2] = tree[(child - 1) // 2, child] = 1
    return pack_table(table), tree
