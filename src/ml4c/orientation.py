"""From probabilities to a CPDAG, by the rule of the paper (Algorithm 1).

Every unshielded triple comes with the probability that it is a v-structure. Those at or above a threshold are
accepted. Two accepted ones conflict when they want opposite directions of one edge; of every conflicting pair
the less probable one is removed, and on a tie both are. All pairs are compared before any is removed, so the
order of triples and nodes cannot matter. The arrows of the survivors are closed under Meek's rules.

Comparing pairs would be quadratic around a hub. But a triple loses exactly when the most probable triple that
wants the reverse of one of its arrows is no less probable: one champion for each direction of each edge suffices.

The rule prevents neither directed cycles nor graphs that no DAG extends; the certificate says when that happened.
Rules without a model (PC, majority-PC) are the same function with probabilities 0 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Graph, Triples, as_graph
from ml4c.graph import skeleton as skeleton_of
from ml4c.meek import Certificate, certify, cpdag_from_v_structures

Verdict: TypeAlias = Literal["accepted", "rejected", "lost"]
Probabilities: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.intp]

THRESHOLD = 0.1
NOBODY = -1


@dataclass(frozen=True, eq=False)
class Orientation:
    """A graph, and what became of every triple that it was made from; nodes and triples are numbers.

    `verdicts`: "accepted" triples are v-structures of the graph, "rejected" ones were not probable enough, "lost"
    ones were removed by a conflict. `lost_to`: the row of the triple to which each one lost, -1 for none; of
    several the most probable, and of equals the one with the smallest numbers.
    """

    cpdag: Graph
    certificate: Certificate
    triples: Triples
    probabilities: Probabilities
    verdicts: tuple[Verdict, ...]
    lost_to: Rows

    @cached_property
    def support(self) -> dict[tuple[int, int], float]:
        """The arrows (i, j) that v-structures draw, with the largest probability among those; no others."""
        drawn = np.flatnonzero([verdict == "accepted" for verdict in self.verdicts])
        champions = _champions(self.triples, self.probabilities, drawn, len(self.cpdag))
        arrows = np.column_stack(np.divmod(champions.arrows, len(self.cpdag))).tolist()
        return {(i, j): p for (i, j), p in zip(arrows, self.probabilities[champions.rows].tolist(), strict=True)}


def orient_as_published(
    skeleton: npt.ArrayLike,
    triples: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    *,
    threshold: float = THRESHOLD,
    names: Sequence[str] | None = None,
) -> Orientation:
    """Accept triples by probability, remove conflicts in pairs, draw the survivors, close under Meek's rules.

    triples: rows (x, t, y), unshielded in the skeleton. names: only for the words of the certificate.
    """
    a = skeleton_of(as_graph(skeleton))
    rows = _unshielded(a, triples)
    p = _probabilities(probabilities, len(rows))
    if not 0.0 <= threshold <= 1.0:
        raise GraphError(f"threshold={threshold!r}: give a probability from 0 to 1")
    accepted = np.flatnonzero(p >= threshold)
    lost_to = _losses(rows, p, accepted, len(a))
    verdicts = np.full(len(rows), "rejected", dtype=object)
    verdicts[accepted] = np.where(lost_to[accepted] == NOBODY, "accepted", "lost")
    cpdag = cpdag_from_v_structures(a, rows[verdicts == "accepted"])
    return Orientation(cpdag, certify(cpdag, names), rows, p, tuple(verdicts.tolist()), lost_to)


@dataclass(frozen=True, eq=False)
class _Champions:
    """For each arrow that some triple wants, numbered source * nodes + target and sorted: the strongest such row."""

    arrows: Rows
    rows: Rows

    def of(self, arrows: Rows) -> Rows:
        """Return the champion of each of these arrows, or NOBODY."""
        if not len(self.arrows):
            return np.full(len(arrows), NOBODY, dtype=np.intp)
        places = np.minimum(np.searchsorted(self.arrows, arrows), len(self.arrows) - 1)
        return np.where(self.arrows[places] == arrows, self.rows[places], NOBODY)


def _losses(triples: Triples, p: Probabilities, accepted: Rows, n_nodes: int) -> Rows:
    """Return for each triple the row that removes it, or NOBODY."""
    champions = _champions(triples, p, accepted, n_nodes)
    lost_to = np.full(len(triples), NOBODY, dtype=np.intp)
    strength = np.append(_strength(triples, p), -1)  # NOBODY, the last place, is weaker than all
    for end in (0, 2):
        source, target = triples[accepted, end], triples[accepted, 1]
        rival = champions.of(target * n_nodes + source)
        beaten = (rival != NOBODY) & (p[rival] >= p[accepted])
        stronger = beaten & (strength[rival] > strength[lost_to[accepted]])
        lost_to[accepted[stronger]] = rival[stronger]
    return lost_to


def _champions(triples: Triples, p: Probabilities, among: Rows, n_nodes: int) -> _Champions:
    """Find the strongest of these triples for every arrow that they want."""
    x, t, y = triples[among].T
    arrows = np.concatenate([x * n_nodes + t, y * n_nodes + t])
    rows = np.concatenate([among, among])
    order = np.lexsort((-_strength(triples, p)[rows], arrows))
    wanted, first = np.unique(arrows[order], return_index=True)
    return _Champions(wanted, rows[order[first]])


def _strength(triples: Triples, p: Probabilities) -> Rows:
    """Rank the triples by probability, and equals by their nodes whatever their rows: the strongest has most."""
    x, t, y = triples.T
    weakest_last = np.lexsort((np.maximum(x, y), np.minimum(x, y), t, -p))
    strength = np.empty(len(p), dtype=np.intp)
    strength[weakest_last] = np.arange(len(p))[::-1]
    return strength


def _unshielded(a: Graph, triples: npt.ArrayLike) -> Triples:
    rows = np.asarray(triples, dtype=np.intp)
    rows = rows if rows.size else np.empty((0, 3), dtype=np.intp)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise GraphError(f"triples are rows (x, t, y), but this array has shape {rows.shape}")
    for row in rows[((rows < 0) | (rows >= len(a))).any(axis=1)]:
        raise GraphError(f"{tuple(row.tolist())} names a node that is not in this skeleton of {len(a)}")
    x, t, y = rows.T
    for row in rows[(a[x, t] == 0) | (a[t, y] == 0) | (a[x, y] == 1) | (x == y)]:
        raise GraphError(f"{tuple(row.tolist())} is not an unshielded triple of the skeleton")
    return rows


def _probabilities(values: npt.ArrayLike, n_triples: int) -> Probabilities:
    p = np.asarray(values, dtype=np.float64)
    if p.shape != (n_triples,):
        raise GraphError(f"{n_triples} triples need as many probabilities, but their shape is {p.shape}")
    for row in np.flatnonzero(~((p >= 0.0) & (p <= 1.0))):
        raise GraphError(f"the probability of triple {row} is {p[row]}; it must be from 0 to 1")
    return p
