"""What an orientation is made of and says about itself; shared by all rules that make one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Graph, Triples
from ml4c.meek import Certificate
from ml4c.search.directions import Directions

Verdict: TypeAlias = Literal["accepted", "rejected", "lost", "overruled", "implied"]
Reason: TypeAlias = Literal["", "triple", "knowledge", "acyclicity", "decision"]
Probabilities: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.intp]

NOBODY = -1


@dataclass(frozen=True)
class Confidence:
    """How sure the decision is, given the probabilities.

    objective: the sum of the log-odds of the v-structures in the graph. gap: by how much the best known graph with
    other v-structures is worse, in the same unit (nats), 0 for a tie, None when no other is known. exact: the graph is
    proven to be the best and the gap to be right; otherwise the gap is at most this. agreement: the share of restarts
    that found the best value, 1 when exact; in a graph of several components, that of the least sure one.
    """

    objective: float
    gap: float | None
    exact: bool
    agreement: float


@dataclass(frozen=True, eq=False)
class Orientation:
    """A graph, and what became of every triple that it was made from; nodes and triples are numbers.

    `verdicts`: "accepted" triples are v-structures of the graph as their probability says, "rejected" ones are not,
    as their probability says. The published rule has "lost": probable, but removed by a conflict. The global rule
    has "overruled": probable, but not in the graph; and "implied": improbable, but in the graph. `lost_to`: the row of
    the triple to which a triple lost or by which it was overruled or implied, -1 for none.

    Of the global rule alone: `reasons`, "triple" (see `lost_to`), "knowledge", "acyclicity" or "decision" (another one
    than the best orientation was asked for) where a triple went against its probability, "" elsewhere; `confidence`, of
    the best orientation; `fixed`, rows (i, j), the arrows that knowledge fixed: with them the graph directs more than a
    CPDAG does (it is an MPDAG); and `directions`, how probable each direction of each edge is.
    """

    cpdag: Graph
    certificate: Certificate
    triples: Triples
    probabilities: Probabilities
    verdicts: tuple[Verdict, ...]
    lost_to: Rows
    reasons: tuple[Reason, ...] = ()
    confidence: Confidence | None = None
    fixed: Rows | None = None
    directions: Directions | None = None

    @cached_property
    def support(self) -> dict[tuple[int, int], float]:
        """The arrows (i, j) that v-structures draw, with the largest probability among those; no others."""
        drawn = np.flatnonzero([verdict in ("accepted", "implied") for verdict in self.verdicts])
        found = champions(self.triples, self.probabilities, drawn, len(self.cpdag))
        arrows = np.column_stack(np.divmod(found.arrows, len(self.cpdag))).tolist()
        return {(i, j): p for (i, j), p in zip(arrows, self.probabilities[found.rows].tolist(), strict=True)}


@dataclass(frozen=True, eq=False)
class Champions:
    """For each arrow that some triple wants, numbered source * nodes + target and sorted: the strongest such row."""

    arrows: Rows
    rows: Rows

    def of(self, arrows: Rows) -> Rows:
        """Return the champion of each of these arrows, or NOBODY."""
        if not len(self.arrows):
            return np.full(len(arrows), NOBODY, dtype=np.intp)
        places = np.minimum(np.searchsorted(self.arrows, arrows), len(self.arrows) - 1)
        return np.where(self.arrows[places] == arrows, self.rows[places], NOBODY)


def champions(triples: Triples, p: Probabilities, among: Rows, n_nodes: int) -> Champions:
    """Find the strongest of these triples for every arrow that they want."""
    x, t, y = triples[among].T
    arrows = np.concatenate([x * n_nodes + t, y * n_nodes + t])
    rows = np.concatenate([among, among])
    order = np.lexsort((-strength(triples, p)[rows], arrows))
    wanted, first = np.unique(arrows[order], return_index=True)
    return Champions(wanted, rows[order[first]])


def strength(triples: Triples, p: Probabilities) -> Rows:
    """Rank the triples by probability, and equals by their nodes whatever their rows: the strongest has most."""
    x, t, y = triples.T
    weakest_last = np.lexsort((np.maximum(x, y), np.minimum(x, y), t, -p))
    rank = np.empty(len(p), dtype=np.intp)
    rank[weakest_last] = np.arange(len(p))[::-1]
    return rank


def as_probabilities(values: npt.ArrayLike, n_triples: int) -> Probabilities:
    """Return one probability for each triple; GraphError when one is none."""
    p = np.asarray(values, dtype=np.float64)
    if p.shape != (n_triples,):
        raise GraphError(f"{n_triples} triples need as many probabilities, but their shape is {p.shape}")
    for row in np.flatnonzero(~((p >= 0.0) & (p <= 1.0))):
        raise GraphError(f"the probability of triple {row} is {p[row]}; it must be from 0 to 1")
    return p
