"""From probabilities to a graph by one decision over all triples: the default of the product.

Among all acyclic orientations of the skeleton, take the one whose v-structures have the largest sum of log-odds: if
triples were judged independently, the most probable one. Triples may count less than once: those of copies, and those
over doubtful edges. The CPDAG of that orientation is the answer, so it is always valid. A threshold other than even
odds is subtracted from every v-structure: a higher one leaves more edges undirected. Beside the best orientation all
others are weighed: how probable is each direction of each edge (`ml4c.search.directions`)? Other decisions than the
best orientation go by that (`ml4c.orientation.weighing`). What knowledge says is never traded for probability: arrows
that it fixes do not turn during the search, and the answer is the CPDAG with these arrows drawn, closed under Meek's
rules.

A triple may end up against its probability. Then the result says by what: the strongest triple that stands against it,
knowledge, or that it would close a directed cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Graph, Triples, as_graph, as_triples
from ml4c.graph import skeleton as skeleton_of
from ml4c.knowledge import Constraints
from ml4c.meek import certify, cpdag_of, with_arrows
from ml4c.orientation.records import (
    NOBODY,
    Confidence,
    Orientation,
    Probabilities,
    Reason,
    Rows,
    Verdict,
    as_probabilities,
    strength,
)
from ml4c.orientation.weighing import DECISIONS, Decision, decided, evidence, log_odds
from ml4c.search.directions import draw_directions
from ml4c.search.orientations import BestOrientation, Effort, Part, best_orientation

EVEN = 0.5
ON_GIVEN = 1 / 3
"""The threshold on a skeleton that is given. Of the four ways to point two edges one is a collider, so chance alone has
log-odds of log 1/3, and a sum of log-odds counts it again with every triple. Part of it is given back: on training
networks judged by learners that had not seen them, 1,271 of up to 160 columns, F1 is .769 at 1/3, .772 at 1/4 and .749
at 1/2. Not so on learned skeletons (`accurate`: .544, .543 and .548), where a wrong edge looks like a collider."""


def orient_globally(
    skeleton: npt.ArrayLike,
    triples: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    constraints: Constraints | None = None,
    threshold: float = EVEN,
    decision: Decision = "best",
    confidence: float | None = None,
    names: Sequence[str] | None = None,
    seed: int = 0,
    effort: Effort | None = None,
) -> Orientation:
    """Find the acyclic orientation with the largest sum of log-odds over its v-structures; return its CPDAG.

    triples: rows (x, t, y), unshielded in the skeleton; those left out count as even, and as chance has it (one in
    four) among the probabilities of directions. weights: how often each triple counts, by default once; less than that
    where several are one to the data, or where it is in doubt whether it is one. constraints: what knowledge says;
    KnowledgeError when no acyclic orientation satisfies it. threshold: from which probability on a v-structure speaks
    for itself; with a higher one fewer are drawn and more edges stay undirected. decision: "best", or the CPDAG with
    the largest expected "f1" or the least expected "shd". confidence: arrows that are less probable are not drawn,
    where an orientation without them is found. names: only for the words of the certificate. seed: of the search in
    components too large for an exact one, and of the draws. Equal sums go to fewer v-structures, and
    then by the numbers of the nodes (see `ml4c.search.orientations`).
    """
    a = skeleton_of(as_graph(skeleton))
    rows = as_triples(a, triples)
    _refuse_repeats(rows)
    p = as_probabilities(probabilities, len(rows))
    weight = np.ones(len(rows)) if weights is None else np.asarray(weights, np.float64)
    known = Constraints.none(len(a)) if constraints is None else constraints
    known.check_skeleton(a)
    fixed = known.arrows(a)
    _refuse_options(threshold, decision, confidence)

    def best_from(least: float) -> BestOrientation:
        worth = weight * (log_odds(p) - log_odds(np.array(least)))
        return best_orientation(a, rows, worth, fixed=fixed, seed=seed, effort=effort)

    best = best_from(threshold)
    directions = draw_directions(a, rows, weight * evidence(a, rows, p), best.dag, fixed=fixed, seed=seed)
    dag = best.dag
    if decision != "best" or confidence is not None:
        starts = [best.dag] if confidence is None else [best.dag, best_from(max(threshold, confidence)).dag]
        dag = decided(a, directions, starts, decision=decision, confidence=confidence, fixed=fixed)
    plain = cpdag_of(dag)
    graph = with_arrows(plain, fixed)
    outcome = _Outcome(dag, plain, graph, rows, p, weight, fixed, threshold, is_best=np.array_equal(dag, best.dag))
    reasons, by = outcome.explained()
    return Orientation(
        graph,
        certify(graph, names, fixed=fixed),
        rows,
        p,
        outcome.verdicts(),
        by,
        reasons,
        _confidence(best.parts),
        fixed,
        directions,
    )


def _refuse_options(threshold: float, decision: Decision, confidence: float | None) -> None:
    for name, value in (("threshold", threshold), ("confidence", confidence)):
        if value is not None and not 0.0 < value < 1.0:
            raise GraphError(f"{name}={value!r}: give a probability between 0 and 1")
    if decision not in DECISIONS:
        raise GraphError(f"decision={decision!r}: choose among {', '.join(DECISIONS)}")


def _refuse_repeats(triples: Triples) -> None:
    x, t, y = triples.T
    same = np.column_stack([np.minimum(x, y), t, np.maximum(x, y)])
    first = np.unique(same, axis=0, return_index=True)[1]
    for row in np.setdiff1d(np.arange(len(triples)), first):
        raise GraphError(f"{tuple(triples[row].tolist())} is given twice; leave one of the two out")


def _confidence(parts: Sequence[Part]) -> Confidence:
    """Sum up the components: as sure as the least sure of them."""
    gaps = [part.gap for part in parts if part.gap is not None]
    return Confidence(
        objective=float(sum(part.value for part in parts)),
        gap=min(gaps, default=None),
        exact=all(part.exact for part in parts),
        agreement=min((part.agreeing / part.starts for part in parts if part.starts), default=1.0),
    )


@dataclass(frozen=True, eq=False)
class _Outcome:
    """A found DAG, its CPDAG without and with knowledge, and what it was made from."""

    dag: Graph
    plain: Graph
    graph: Graph
    triples: Triples
    p: Probabilities
    weight: Probabilities
    fixed: Rows
    threshold: float
    is_best: bool

    @cached_property
    def drawn(self) -> npt.NDArray[np.bool_]:
        """For each triple: whether it is a v-structure of the DAG."""
        x, t, y = self.triples.T
        return np.asarray(self.dag[x, t] & self.dag[y, t], dtype=np.bool_)

    @cached_property
    def wanted(self) -> npt.NDArray[np.bool_]:
        """For each triple: whether it is probable enough to speak for itself."""
        return self.p >= self.threshold

    def verdicts(self) -> tuple[Verdict, ...]:
        """Say of each triple whether it is in the graph, and whether its probability agrees."""
        there = np.where(self.wanted, "accepted", "implied")
        return tuple(np.where(self.drawn, there, np.where(self.wanted, "overruled", "rejected")).tolist())

    def explained(self) -> tuple[tuple[Reason, ...], Rows]:
        """Say of each triple that went against its probability by what, and by which triple if by one."""
        reasons: list[Reason] = [""] * len(self.p)
        by = np.full(len(self.p), NOBODY, dtype=np.intp)
        for row in np.flatnonzero(self.drawn != self.wanted).tolist():
            reasons[row], by[row] = self._against(row)
        return tuple(reasons), by

    def _against(self, row: int) -> tuple[Reason, int]:
        """Find out who holds the arrows that keep a triple from what it wants.

        An overruled triple needs each of its arrows reversed that points away from t; any that is held explains
        it. An implied one goes as soon as one of its two arrows does; it is explained when both are held.
        """
        x, t, y = self.triples[row].tolist()
        if self.drawn[row]:
            held = [(x, t), (y, t)]
            stated = all(map(self._known, held))
            held = [arrow for arrow in held if not self._known(arrow)] or held
        else:
            held = [(t, end) for end in (x, y) if self.dag[t, end]]
            stated = any(map(self._known, held))
        if stated:
            return "knowledge", NOBODY
        if (holder := self._holder(held, row)) != NOBODY:
            return "triple", holder
        ways = [[arrow] for arrow in held] if self.drawn[row] else [held]
        if all(self._closes_cycle(way) for way in ways):
            return "acyclicity", NOBODY
        return self._at_stake(held, row) if self.is_best else ("decision", NOBODY)

    def _known(self, arrow: tuple[int, int]) -> bool:
        """Tell whether knowledge holds an arrow: stated, or directed only because of what is stated."""
        i, j = arrow
        return arrow in self._stated or bool(self.plain[j, i] and not self.graph[j, i])

    @cached_property
    def _stated(self) -> set[tuple[int, int]]:
        return {(i, j) for i, j in self.fixed.tolist()}

    @cached_property
    def _rank(self) -> Rows:
        return strength(self.triples, self.weight * self.p)

    @cached_property
    def _drawing(self) -> dict[tuple[int, int], list[int]]:
        """For each arrow that v-structures draw: the probable ones among these, at most two, strongest first."""
        among = np.flatnonzero(self.drawn & self.wanted)
        found: dict[tuple[int, int], list[int]] = {}
        for row in among[np.argsort(-self._rank[among])].tolist():
            x, t, y = self.triples[row].tolist()
            for arrow in ((x, t), (y, t)):
                found.setdefault(arrow, []).append(row)
        return found

    def _holder(self, arrows: list[tuple[int, int]], row: int) -> int:
        """Return the strongest probable v-structure, other than this one, that draws one of these arrows."""
        rows = [found for arrow in arrows for found in self._drawing.get(arrow, [])[:2] if found != row]
        return max(rows, key=lambda found: int(self._rank[found]), default=NOBODY)

    def _closes_cycle(self, arrows: list[tuple[int, int]]) -> bool:
        """Tell whether reversing these arrows of the DAG, which all enter or all leave one node, makes a cycle."""
        gone = set(arrows)
        goals = {(j, i) for i, j in arrows}
        for start, goal in goals:  # the new arrow start -> goal closes a cycle if start can be reached from goal
            seen, waiting = {goal}, [goal]
            while waiting:
                node = waiting.pop()
                new = {j for j in self._children[node] if (node, j) not in gone} | {j for i, j in goals if i == node}
                waiting.extend(new - seen)
                seen |= new
                if start in new:
                    return True
        return False

    @cached_property
    def _children(self) -> list[list[int]]:
        return [np.flatnonzero(line).tolist() for line in self.dag]

    def _at_stake(self, arrows: list[tuple[int, int]], row: int) -> tuple[Reason, int]:
        """Name the surest other triple that reversing one of these arrows touches and that is as it wants to be."""
        x, t, y = self.triples.T
        touched = np.zeros(len(self.p), dtype=np.bool_)
        for i, j in arrows:
            touched |= ((t == i) & ((x == j) | (y == j))) | ((t == j) & ((x == i) | (y == i)))
        touched[row] = False
        rows = np.flatnonzero(touched & (self.drawn == self.wanted))
        if not len(rows):
            return "acyclicity", NOBODY
        stake = self.weight[rows] * np.abs(self.p[rows] - self.threshold)
        surest = rows[np.lexsort((-self._rank[rows], -stake))[0]]
        return "triple", int(surest)
