"""How fast the counting engine is: ratios to a plain numpy twin, and the memory it takes, measured in one run.

    python benchmarks/engine.py [--rows 10000] [--quick]

The twin does for one question what anyone would write: `np.bincount` over (configuration of S, x, y), then whole-array
arithmetic; only configurations that occur are numbered, in blocks that fit in memory. "shared" asks about all pairs of
columns under few sets S, "unshared" gives every question a set of its own, thousands in a batch. Times are microseconds
for each question: wall clock, and CPU in brackets. The engine knows no answer at the start of a measurement, but has
worked on the table before (its threads have their memory).
"""

from __future__ import annotations

import argparse
import itertools
import math
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ml4c import Dataset, DataTest, load_network
from ml4c.citest import questions

COLUMNS, PAIRED, UNSHARED = 2000, 40, 4000
STATES = (2, 4, 21, 100)
DEPTHS = (1, 2, 3)
BLOCK_CELLS = 1 << 22


def twin(codes: np.ndarray, cards: np.ndarray, x: int, y: int, given: tuple[int, ...]) -> float:
    """Severity by plain numpy."""
    labels = np.zeros(len(codes), np.int64)
    for s in given:
        labels = labels * cards[s] + codes[:, s]
    occurring, labels = np.unique(labels, return_inverse=True)
    size = int(cards[x] * cards[y])
    keys = labels * size + codes[:, x] * cards[y] + codes[:, y]
    step = max(1, BLOCK_CELLS // size)
    worst = 0.0
    if len(occurring) > step:
        keys = np.sort(keys)
    for first in range(0, len(occurring), step):
        count = min(step, len(occurring) - first)
        if len(occurring) > step:
            low, high = np.searchsorted(keys, [first * size, (first + count) * size])
            cells = np.bincount(keys[low:high] - first * size, minlength=count * size)
        else:
            cells = np.bincount(keys, minlength=count * size)
        worst = max(worst, _worst(cells.reshape(count, cards[x], cards[y])))
    return worst


def _worst(cells: np.ndarray) -> float:
    n = cells.sum(axis=(1, 2), keepdims=True).astype(float)
    observed = cells / n
    expected = observed.sum(axis=2, keepdims=True) * observed.sum(axis=1, keepdims=True)
    low, high = np.minimum(9, n) / (9 + n), np.maximum(9, n) / (9 + n)
    p = np.clip(expected, low, high)
    difference = np.abs(observed - expected)
    difference[difference < 1e-8] = 0.0
    return float((difference / np.sqrt(p * (1 - p) / n)).max())


def table(states: int, rows: int) -> np.ndarray:
    """Columns with skewed margins, most of which follow an earlier one part of the time."""
    rng = np.random.default_rng(states)
    codes = np.empty((rows, COLUMNS), np.int64)
    for j in range(COLUMNS):
        codes[:, j] = rng.choice(states, rows, p=rng.dirichlet(np.ones(states)))
        if j:
            follows = rng.random(rows) < 0.4
            codes[:, j] = np.where(follows, (codes[:, rng.integers(j)] + rng.integers(2)) % states, codes[:, j])
    return codes


def shared_questions(depth: int, n_sets: int, first: int = PAIRED) -> np.ndarray:
    """All pairs of some columns under a few sets of others."""
    sets = [tuple(range(first + i * depth, first + (i + 1) * depth)) for i in range(n_sets)]
    return questions((x, y, s) for s in sets for x, y in itertools.combinations(range(PAIRED), 2))


def warm_questions(depth: int) -> np.ndarray:
    """Enough of what nothing else asks about for every thread to have its memory."""
    return shared_questions(depth, 12, COLUMNS // 2)


def unshared_questions(depth: int, count: int) -> np.ndarray:
    """One pair for each of many sets."""
    rng = np.random.default_rng(depth)
    rows: dict[tuple[int, ...], tuple[int, int]] = {}
    for _ in range(count):
        x, y, *given = rng.choice(COLUMNS, 2 + depth, replace=False).tolist()
        rows[tuple(sorted(given))] = x, y
    return questions((*rows[given], given) for given in sorted(rows))


def clock(make: Callable[[], Callable[[], object]], repeats: int) -> tuple[float, float]:
    """Best wall-clock and CPU seconds of some repeats, each of freshly made work."""
    wall, cpu = math.inf, math.inf
    for _ in range(repeats):
        work = make()
        start, start_cpu = time.perf_counter(), time.process_time()
        work()
        wall, cpu = min(wall, time.perf_counter() - start), min(cpu, time.process_time() - start_cpu)
    return wall, cpu


def measure(states: int, depth: int, sharing: str, data: Dataset, quick: bool) -> tuple[float, float]:
    """Print one line; return the ratio to numpy with one thread and the gain of two."""
    few = states > 4 or quick
    asked = shared_questions(depth, 3 if few else 12) if sharing == "shared" else unshared_questions(depth, UNSHARED)
    codes, cards = data.codes.astype(np.int64), data.cardinalities
    sample = asked[:: max(1, len(asked) // (5 if quick or states > 4 else 30))]
    rows = [(int(q[0]), int(q[1]), tuple(int(s) for s in q[2:])) for q in sample]
    expected = [twin(codes, cards, *row) for row in rows]
    np.testing.assert_allclose(DataTest(data).dependence(sample).severity, expected, rtol=1e-9, atol=1e-9)
    plain, _ = clock(lambda: lambda: [twin(codes, cards, *row) for row in rows], 2)
    plain /= len(rows)
    packed = DataTest(data).packed

    def engine(n_jobs: int) -> Callable[[], object]:
        test = DataTest(packed, n_jobs=n_jobs)
        test.dependence(warm_questions(depth))
        return lambda: test.dependence(asked)

    one, one_cpu = (t / len(asked) for t in clock(lambda: engine(1), 5))
    two, two_cpu = (t / len(asked) for t in clock(lambda: engine(2), 5))
    print(
        f"{states:6d} {depth:4d}  {sharing:9s} {plain * 1e6:11.0f} {one * 1e6:9.2f} ({one_cpu * 1e6:7.2f})"
        f" {two * 1e6:9.2f} ({two_cpu * 1e6:7.2f}) {plain / one:9.0f}x {one / two:8.2f}x",
        flush=True,
    )
    return plain / one, one / two


def ceiling() -> float:
    """Return what two threads gain here on work that shares nothing: processors are not always whole ones."""

    def work(seed: int) -> None:
        numbers = np.random.default_rng(seed).random(20_000)
        for _ in range(1000):
            np.exp(numbers, out=numbers)
            np.log(numbers, out=numbers)

    with ThreadPoolExecutor(2) as pool:
        one, _ = clock(lambda: lambda: [work(0), work(1)], 3)
        two, _ = clock(lambda: lambda: list(pool.map(work, (0, 1))), 3)
    return one / two


MEMORY = """
import re, sys, time
from pathlib import Path
import numpy as np
from ml4c import DataTest, load_network
name, rows = sys.argv[1], int(sys.argv[2])
data = load_network(name).sample(rows, seed=0)
def peak():  # of this process alone, unlike ru_maxrss, which a child inherits
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
before = peak()
test = DataTest(data, n_jobs=2)
d = data.n_columns
x, y = np.triu_indices(d, 1)
rng = np.random.default_rng(0)
start = time.perf_counter()
test.dependence(np.column_stack([x, y]))
count = min(300_000, 3_000_000_000 // (rows * 10))
asked = rng.permuted(np.broadcast_to(np.arange(d), (count, d)), axis=1)[:, :4] if d < 100 else None
if asked is None:
    asked = rng.integers(0, d, (2 * count, 4))
    asked = asked[(np.diff(np.sort(asked, axis=1), axis=1) > 0).all(axis=1)][:count]
    asked[:, 2:] = asked[np.arange(len(asked)) // 20 * 20, 2:]
    asked = asked[(asked[:, :2, None] != asked[:, None, 2:]).all(axis=(1, 2))]
test.dependence(asked)
print(f"{name:9s} {rows:9,d} rows {d:5d} columns {len(x) + len(asked):8,d} questions "
      f"{time.perf_counter() - start:7.1f} s   peak {peak():6.0f} MB, {before:5.0f} MB before counting")
"""


def report_memory(quick: bool) -> None:
    """Print peaks of processes of their own."""
    runs = [("munin", 10_000), ("alarm", 10_000), ("alarm", 100_000), ("alarm", 1_000_000)]
    for name, rows in runs[:2] if quick else runs:
        load_network(name)
        subprocess.run([sys.executable, "-c", MEMORY, name, str(rows)], check=True)  # noqa: S603


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true", help="few repeats, no large tables")
    options = parser.parse_args()
    start = time.process_time()
    warm = Dataset.from_array(table(3, 100)[:, :4])
    DataTest(warm).ask("x0", "x1", ["x2"])
    print(f"first question: {time.process_time() - start:.1f} CPU s (compiling the kernels, or loading their cache)")
    print(f"{options.rows:,} rows, {COLUMNS} columns; microseconds a question, wall (CPU)\n")
    print("states  |S|  S           numpy twin    one thread           two threads           ratio  threads")
    ratios: dict[tuple[int, str], list[float]] = {}
    gains = []
    for states in STATES:
        names, labels = [f"x{j}" for j in range(COLUMNS)], [tuple(range(states))] * COLUMNS
        data = Dataset.from_codes(names, labels, table(states, options.rows))
        for sharing, depth in itertools.product(("shared", "unshared"), DEPTHS):
            ratio, gain = measure(states, depth, sharing, data, options.quick)
            ratios.setdefault((states, sharing), []).append(ratio)
            gains.append(gain)
        ratios[states, "both"] = ratios[states, "shared"] + ratios[states, "unshared"]
    print("\ngeometric mean over |S| of the ratio to numpy, and the least:")
    for (states, sharing), values in ratios.items():
        print(f"{states:6d}  {sharing:9s} {math.exp(np.mean(np.log(values))):9.0f}x {min(values):9.0f}x")
    print(
        f"\ntwo threads against one: geometric mean {math.exp(np.mean(np.log(gains))):.2f}x, least {min(gains):.2f}x; "
        f"threads that share nothing gain {ceiling():.2f}x\n"
    )
    report_memory(options.quick)


if __name__ == "__main__":
    main()
