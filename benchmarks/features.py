"""How fast the 755 features are: the ratio to a plain numpy featuriser over a sample of triples, in one run.

    python benchmarks/features.py [--triples 20] [NETWORK ...]

The plain one walks Python sets as the definition reads (tests/naive_triples.py) and counts every question once with
`np.bincount` (the twin of benchmarks/engine.py), remembering answers as the engine does. It has no caps, so the sample
is drawn from the triples none of whose lists is thinned. Both see 10,000 rows and use one thread, both start with an
empty memory, and their results are compared.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / "tests"), str(Path(__file__).parent)]

import naive_triples  # noqa: E402
from engine import twin  # noqa: E402
from ml4c import DataTest, load_network  # noqa: E402
from ml4c.embedding import draw_embedding  # noqa: E402
from ml4c.features import FEATURE_NAMES, raw_features  # noqa: E402
from ml4c.triples import PAPER, vicinity_of  # noqa: E402

NETWORKS = ("alarm", "win95pts", "andes", "hepar2", "munin1", "diabetes", "barley", "mildew")
ROWS = 10_000


class Plain:
    """Severities by plain numpy, each question once."""

    def __init__(self, codes: np.ndarray, cards: np.ndarray) -> None:
        self._codes, self._cards = codes, cards
        self._known: dict[tuple[int, int, frozenset[int]], float] = {}

    def __call__(self, a: int, b: int, given: set[int]) -> float:
        """Return the severity of (a, b | given)."""
        key = (min(a, b), max(a, b), frozenset(given))
        if key not in self._known:
            self._known[key] = twin(self._codes, self._cards, key[0], key[1], tuple(sorted(given)))
        return self._known[key]


def measure(name: str, n_triples: int) -> float:
    """Print one line; return the ratio."""
    net = load_network(name)
    data = net.sample(ROWS, seed=0)
    embedding = draw_embedding(0)
    vicinity = vicinity_of(net.dag, data.names)
    start = time.process_time()
    everything = raw_features(DataTest(data, n_jobs=1), vicinity, embedding)
    each = (time.process_time() - start) / len(everything)
    sizes = everything[:, [i for i, feature in enumerate(FEATURE_NAMES) if feature.endswith("size")]]
    whole = np.flatnonzero((sizes.max(axis=1) < PAPER.combinations) & (everything[:, 3] < PAPER.sepsets))
    sample = np.sort(np.random.default_rng(0).permutation(whole)[:n_triples])
    some = replace(vicinity, triples=vicinity.triples[sample])
    start = time.process_time()
    ours = raw_features(DataTest(data, n_jobs=1), some, embedding)
    our_time = time.process_time() - start
    plain = Plain(data.codes.astype(np.int64), data.cardinalities)
    start = time.process_time()
    columns = vicinity.column[some.triples].tolist()
    rows = [naive_triples.features(plain, net.dag | net.dag.T, *triple, embedding) for triple in columns]
    plain_time = time.process_time() - start
    np.testing.assert_allclose(ours, rows, rtol=1e-6, atol=1e-6)
    print(
        f"{name:10s} {len(everything):6d} triples {each * 1e3:8.2f} ms each; of {len(sample):3d}: "
        f"{our_time / len(sample) * 1e3:8.2f} ms, plain {plain_time / len(sample) * 1e3:8.0f} ms, "
        f"{plain_time / our_time:6.0f}x",
        flush=True,
    )
    return plain_time / our_time


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--triples", type=int, default=20)
    options = parser.parse_args()
    measure("asia", 1)
    print(f"\n{ROWS:,} rows, one thread, CPU milliseconds for each triple")
    ratios = [measure(name, options.triples) for name in options.networks]
    print(f"\ngeometric mean {math.exp(np.mean(np.log(ratios))):.0f}x, least {min(ratios):.0f}x")


if __name__ == "__main__":
    main()
