"""Random skeletons and DAGs from an explicit generator.

The paper's two models draw skeletons, lists of pairs (i, j), one row for each edge, that `orient_at_random` directs.
The others draw DAGs at once, because direction is what makes them different: hubs, trees and polytrees, layers,
pedigrees, fault trees. No model repeats an edge.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c.graph import Graph

Pairs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


def erdos_renyi(nodes: int, edges: int, rng: np.random.Generator) -> Pairs:
    """Return `edges` of all pairs of nodes, every set of pairs being equally likely (the model G(n, m))."""
    first, second = np.triu_indices(nodes, 1)
    chosen = rng.choice(len(first), min(edges, len(first)), replace=False)
    return np.stack([first[chosen], second[chosen]], axis=1).astype(np.int64)


def barabasi(nodes: int, per_node: int, rng: np.random.Generator, *, power: float, appeal: float) -> Pairs:
    """Return a graph that grows node by node, each new one joined to `per_node` earlier ones, or to all if fewer.

    An earlier node is chosen with weight degree^power + appeal, without repetition. A power of 1 makes hubs; a negative
    one avoids them.
    """
    degree = np.zeros(nodes)
    pairs: list[tuple[int, int]] = []
    for node in range(1, nodes):
        earlier = np.arange(node)
        if node > per_node:
            weight = degree[:node] ** power + appeal
            earlier = rng.choice(node, per_node, replace=False, p=weight / weight.sum())
        degree[earlier] += 1
        degree[node] = len(earlier)
        pairs.extend((int(other), node) for other in earlier)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def orient_at_random(pairs: Pairs, nodes: int, rng: np.random.Generator) -> Graph:
    """Return the DAG in which every edge follows a random order of the nodes; nodes without an edge are left out."""
    rank = rng.permutation(nodes)
    forward = rank[pairs[:, 0]] < rank[pairs[:, 1]]
    dag = np.zeros((nodes, nodes), dtype=np.int8)
    dag[np.where(forward, pairs[:, 0], pairs[:, 1]), np.where(forward, pairs[:, 1], pairs[:, 0])] = 1
    kept = np.flatnonzero(dag.any(axis=0) | dag.any(axis=1))
    return np.ascontiguousarray(dag[np.ix_(kept, kept)])


def random_dag(nodes: int, edges: int, most_parents: int, weights: Floats, rng: np.random.Generator) -> Graph:
    """Return a DAG whose edges join nodes drawn with these weights, at most so many parents each, in a random order."""
    rank, dag = rng.permutation(nodes), np.zeros((nodes, nodes), dtype=np.int8)
    share = weights / weights.sum()
    for first, second in rng.choice(nodes, (8 * edges, 2), p=share).tolist():
        parent, child = (first, second) if rank[first] < rank[second] else (second, first)
        if parent != child and dag[:, child].sum() < most_parents:
            dag[parent, child] = 1
        if dag.sum() >= edges:
            break
    return dag


def tree(nodes: int, most_parents: int, rng: np.random.Generator) -> Graph:
    """Return a tree whose edges point away from a root (one parent at most) or each by chance (a polytree)."""
    dag, place = np.zeros((nodes, nodes), dtype=np.int8), rng.permutation(nodes)
    for new in range(1, nodes):
        old, young = place[rng.integers(new)], place[new]
        if most_parents > 1 and rng.random() < 0.5 and dag[:, old].sum() < most_parents:
            dag[young, old] = 1
        else:
            dag[old, young] = 1
    return dag


def layered(nodes: int, edges: int, most_parents: int, rng: np.random.Generator) -> Graph:
    """Return a DAG in which causes come shortly before their effects: a process in time."""
    dag, place = np.zeros((nodes, nodes), dtype=np.int8), rng.permutation(nodes)
    reach = max(2, int(rng.integers(3, 10)))
    for later, step in zip(rng.integers(1, nodes, 4 * edges).tolist(), rng.integers(1, reach, 4 * edges), strict=True):
        if later >= step and dag[:, place[later]].sum() < most_parents:
            dag[place[later - step], place[later]] = 1
        if dag.sum() >= edges:
            break
    return dag


def pedigree(nodes: int, rng: np.random.Generator) -> Graph:
    """Return a DAG in which every node but the founders has two parents."""
    dag, place = np.zeros((nodes, nodes), dtype=np.int8), rng.permutation(nodes)
    founders = max(2, int(nodes * rng.uniform(0.15, 0.5)))
    for new in range(min(founders, nodes), nodes):
        dag[place[rng.choice(new, 2, replace=False)], place[new]] = 1
    return dag


def fault_tree(nodes: int, most_parents: int, rng: np.random.Generator) -> Graph:
    """Return a DAG in which many causes lead to few outcomes, as in fault trees and assessments.

    It grows from its outcomes: a node without causes, any of them, is given some, until there are enough nodes. Some
    causes have a second effect, among the nodes that were given theirs before. An outcome that is never given any has
    no edge.
    """
    dag, place = np.zeros((nodes, nodes), dtype=np.int8), rng.permutation(nodes)
    there = int(rng.integers(1, 1 + max(1, nodes // 10), endpoint=True))
    most, shared = int(rng.integers(min(2, most_parents), most_parents, endpoint=True)), rng.uniform(0.0, 0.5)
    without, given = list(range(there)), list[int]()
    while there < nodes:
        effect = without.pop(int(rng.integers(len(without))))
        causes = range(there, min(nodes, there + int(rng.integers(1, most, endpoint=True))))
        dag[place[causes], place[effect]] = 1
        for cause in causes:
            if given and rng.random() < shared:
                second = place[rng.choice(given)]
                dag[place[cause], second] = dag[:, second].sum() < most_parents
        without.extend(causes)
        given.append(effect)
        there = causes.stop
    return dag
