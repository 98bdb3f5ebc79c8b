"""What the graph would be with fewer v-structures, or with what a reader states: the twin of the page's script.

The page holds the v-structures of the graph, the most probable first. A *preview* takes those at or above a least
probability and what is stated, and

1. takes stated absences out of the skeleton and draws the stated arrows, those of the run's knowledge included;
2. draws each v-structure in turn, unless one of its arrows is already drawn the other way or one of its edges is gone;
3. closes under Meek's rules (`ml4c.meek.meek_closure`) and certifies the graph with what is stated
   (`ml4c.meek.certify`).

With the least probability 0 and nothing stated that is the graph of the result. With fewer v-structures it need not
be a CPDAG: some skeletons have none without a v-structure that was left out; the certificate says so. It is a preview:
only a new run with the statements as knowledge looks at the data again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.graph import Graph, as_graph, v_structures
from ml4c.graph import skeleton as skeleton_of
from ml4c.interop import FoundTriple, GraphDocument
from ml4c.meek import Certificate, Step, certify, closure_steps, meek_closure

Arrow: TypeAlias = tuple[int, int]
Ranked: TypeAlias = Sequence[tuple[int, int, int, float]]

EVEN = 0.5
"""The probability of a v-structure that was not judged, as the decision over all triples has it."""


@dataclass(frozen=True, eq=False)
class Preview:
    """A graph that might be; left_out: numbers of probable enough v-structures that contradict what is drawn."""

    graph: Graph
    certificate: Certificate
    left_out: tuple[int, ...]
    steps: tuple[Step, ...]


def ranked_v_structures(document: GraphDocument) -> list[tuple[int, int, int, float]]:
    """Return (x, t, y, probability) of the v-structures of a result, the most probable first, equals by name."""
    names, index = document.names, {name: i for i, name in enumerate(document.names)}
    judged = {_key(triple): triple for triple in document.triples}
    drawn = [
        (triple.x, triple.t, triple.y, triple.probability)
        for triple in document.triples
        if triple.verdict in ("accepted", "implied")
    ]
    for x, t, y in v_structures(document.graph.matrix).tolist():
        key = (names[t], *sorted((names[x], names[y])))
        if key not in judged:
            drawn.append((names[x], names[t], names[y], EVEN))
    drawn.sort(key=lambda found: (-found[3], found[1], *sorted((found[0], found[2]))))
    return [(index[x], index[t], index[y], p) for x, t, y, p in drawn]


def preview(
    skeleton: npt.ArrayLike,
    ranked: Ranked,
    *,
    least: float = 0.0,
    arrows: Iterable[Arrow] = (),
    absent: Iterable[Arrow] = (),
    names: Sequence[str] | None = None,
) -> Preview:
    """Draw v-structures (x, t, y, probability) at or above the least probability, and what is stated; close, certify.

    arrows: stated i -> j, on edges of the skeleton that are not stated absent. absent: pairs stated not to be joined.
    """
    a = skeleton_of(as_graph(skeleton)).copy()
    for i, j in absent:
        a[i, j] = a[j, i] = 0
    stated = [(i, j) for i, j in arrows if a[i, j] or a[j, i]]
    for i, j in stated:
        a[j, i] = 0
    left_out = []
    for number, (x, t, y, probability) in enumerate(ranked):
        if probability < least:
            continue
        if a[x, t] and a[y, t]:
            a[t, x] = a[t, y] = 0
        else:
            left_out.append(number)
    fixed = np.array(stated, np.intp).reshape(-1, 2)
    closed = meek_closure(a)
    return Preview(closed, certify(closed, names, fixed=fixed), tuple(left_out), tuple(closure_steps(a)))


def _key(triple: FoundTriple) -> tuple[str, ...]:
    return (triple.t, *sorted((triple.x, triple.y)))
