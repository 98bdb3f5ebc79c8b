"""From verdicts about triples to a graph: v-structures, the strongest first, then Meek's rules.

Conflicts have one rule, that of bnlearn: v-structures are drawn in the order of their strength, and one that wants the
reverse of an arrow already drawn, or would close a directed cycle, is skipped.

A triple that is left open is no v-structure, and is not known to be none. Meek's rules 1 and 3 conclude from "no
v-structure at this triple", so they are not applied to open ones (Ramsey, Zhang and Spirtes 2006); rule 2, which
avoids cycles, always is. Rule 4 has nothing to do where all arrows come from v-structures.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ml4c.baselines.constraint.collider_rules import Verdicts
from ml4c.graph import Adjacency, Graph, Triples, edges
from ml4c.meek import meek_closure, rule_2


def draw(skeleton: Graph, verdicts: Verdicts) -> Graph:
    """Return the skeleton with the arrows of the v-structures and those that follow."""
    arrows = _draw_v_structures(skeleton, verdicts)
    unsure = verdicts.triples[verdicts.open]
    return _close_around(arrows, unsure) if len(unsure) else meek_closure(arrows)


def _draw_v_structures(skeleton: Graph, verdicts: Verdicts) -> Graph:
    graph = skeleton.copy()
    children: list[set[int]] = [set() for _ in range(len(graph))]
    rows = np.flatnonzero(verdicts.collider)
    x, t, y = verdicts.triples[rows].T
    for row in rows[np.lexsort((y, x, t, -verdicts.strength[rows]))].tolist():
        one, middle, other = verdicts.triples[row].tolist()
        if graph[one, middle] and graph[other, middle] and not _leads_to(children, middle, {one, other}):
            graph[middle, [one, other]] = 0
            children[one].add(middle)
            children[other].add(middle)
    return graph


def _leads_to(children: list[set[int]], start: int, targets: set[int]) -> bool:
    """Tell whether arrows lead from a node to one of the targets."""
    seen, waiting = {start}, [start]
    while waiting:
        new = children[waiting.pop()] - seen
        if new & targets:
            return True
        seen |= new
        waiting.extend(new)
    return False


def _close_around(pdag: Graph, unsure: Triples) -> Graph:
    """Apply rules 1 to 3 in rounds, without concluding from open triples; an edge wanted both ways stays as it is."""
    graph = pdag.copy()
    g = Adjacency(graph)
    unsure_at = {(t, frozenset((x, y))) for x, t, y in unsure.tolist()}
    while True:
        lines = edges(graph).undirected.tolist()
        asked = {(i, j) for a, b in lines for i, j in ((a, b), (b, a)) if _follows(g, i, j, unsure_at)}
        drawn = [(i, j) for i, j in asked if (j, i) not in asked]
        if not drawn:
            return graph
        for i, j in drawn:
            g.orient(i, j)
            graph[j, i] = 0


def _follows(g: Adjacency, i: int, j: int, unsure: set[tuple[int, frozenset[int]]]) -> bool:
    """Tell whether i - j must be i -> j: by rule 2, or by 1 or 3 at a triple around i that is not open."""
    ends = [{k, j} for k in g.parents[i] - g.adjacent[j]]
    middles = sorted(g.neighbours[i] & g.parents[j])
    ends += [{k, m} for k, m in combinations(middles, 2) if m not in g.adjacent[k]]
    return rule_2(g, i, j) or any((i, frozenset(pair)) not in unsure for pair in ends)
