"""Slow, obvious twins of `ml4c.graph` and `ml4c.meek`, and the graphs to compare them on.

Every twin is the definition written as loops over nodes; none of them imports the package. In a matrix,
a[i, j] = 1 and a[j, i] = 0 is i -> j; both 1 is i - j.
"""

from collections import defaultdict
from functools import cache
from itertools import combinations, pairwise, permutations, product

import numpy as np
from hypothesis import strategies as st

STATES = ((0, 0), (1, 0), (0, 1), (1, 1))  # none, ->, <-, -


def random_dag(rng, d, density):
    order = rng.permutation(d)
    a = np.zeros((d, d), dtype=np.int8)
    a[np.ix_(order, order)] = np.triu(rng.random((d, d)) < density, 1)
    return a


def random_pdag(rng, d, weights=(0.4, 0.15, 0.15, 0.3)):
    """Every pair of nodes in a random one of the four states; seldom a sensible graph."""
    a = np.zeros((d, d), dtype=np.int8)
    for i, j in combinations(range(d), 2):
        a[i, j], a[j, i] = STATES[rng.choice(4, p=weights)]
    return a


def moral_dag(rng, d):
    """A DAG without v-structures: the parents of each node are an earlier node and some of its parents."""
    a = np.zeros((d, d), dtype=np.int8)
    for node in range(1, d):
        parent = rng.integers(node)
        a[:, node] = a[:, parent] * (rng.random(d) < 0.8)
        a[parent, node] = 1
    order = rng.permutation(d)
    return a[np.ix_(order, order)]


def sparse_dag(rng, d, n_edges):
    """A DAG with many nodes and exactly so many edges, in a random order of nodes."""
    order = rng.permutation(d)
    a = np.zeros((d, d), dtype=np.int8)
    while (missing := n_edges - np.count_nonzero(a)) > 0:
        i, j = np.sort(rng.integers(d, size=(2, missing)), axis=0)
        a[order[i[i < j]], order[j[i < j]]] = 1
    return a


@st.composite
def pdags(draw, max_nodes=7, states=STATES):
    d = draw(st.integers(1, max_nodes))
    a = np.zeros((d, d), dtype=np.int8)
    for i, j in combinations(range(d), 2):
        a[i, j], a[j, i] = draw(st.sampled_from(states))
    return a


@st.composite
def dags(draw, max_nodes=7):
    return relabelled(np.triu(draw(pdags(max_nodes))), draw)


def relabelled(a, draw):
    order = draw(st.permutations(range(len(a))))
    return a[np.ix_(order, order)]


def graph(d, *drawn):
    """A graph from strings such as "0>1" and "1-2"."""
    a = np.zeros((d, d), dtype=np.int8)
    for i, kind, j in drawn:
        a[int(i), int(j)] = 1
        a[int(j), int(i)] = kind == "-"
    return a


def every_pdag(d):
    """All ways to put each pair of nodes in one of the four states."""
    pairs = list(combinations(range(d), 2))
    for states in product(STATES, repeat=len(pairs)):
        a = np.zeros((d, d), dtype=np.int8)
        for (i, j), state in zip(pairs, states, strict=True):
            a[i, j], a[j, i] = state
        yield a


def arrow(a, i, j):
    return a[i, j] == 1 and a[j, i] == 0


def line(a, i, j):
    return a[i, j] == 1 and a[j, i] == 1


def joined(a, i, j):
    return a[i, j] == 1 or a[j, i] == 1


def unshielded_triples(a):
    nodes = range(len(a))
    return {
        (x, t, y)
        for x, t, y in product(nodes, repeat=3)
        if x < y and t not in (x, y) and joined(a, x, t) and joined(a, t, y) and not joined(a, x, y)
    }


def v_structures(a):
    return {(x, t, y) for x, t, y in unshielded_triples(a) if arrow(a, x, t) and arrow(a, y, t)}


def is_acyclic(a):
    """No walk along arrows is as long as there are nodes."""
    arrows = ((a == 1) & (a.T == 0)).astype(np.int64)
    return not np.linalg.matrix_power(arrows, len(a)).any()


def meek_rules(a, i, j):
    """Numbers of all rules that orient the undirected edge i - j as i -> j."""
    others = [k for k in range(len(a)) if k not in (i, j)]
    pairs = list(permutations(others, 2))
    found = {
        1: any(arrow(a, k, i) and not joined(a, k, j) for k in others),
        2: any(arrow(a, i, k) and arrow(a, k, j) for k in others),
        3: any(
            line(a, i, k) and line(a, i, m) and arrow(a, k, j) and arrow(a, m, j) and not joined(a, k, m)
            for k, m in pairs
        ),
        4: any(
            line(a, i, k) and arrow(a, k, m) and arrow(a, m, j) and joined(a, i, m) and not joined(a, k, j)
            for k, m in pairs
        ),
    }
    return [number for number, applies in found.items() if applies]


def implied_arrows(a):
    pairs = permutations(range(len(a)), 2)
    return {(i, j) for i, j in pairs if line(a, i, j) and meek_rules(a, i, j)}


def closure_in_rounds(a):
    """Draw all arrows that the rules imply at once, except edges wanted in both directions; repeat."""
    a = a.copy()
    while True:
        implied = implied_arrows(a)
        agreed = [(i, j) for i, j in implied if (j, i) not in implied]
        if not agreed:
            return a
        for i, j in agreed:
            a[j, i] = 0


def closure_one_by_one(a, rng):
    """Draw one implied arrow after another, in random order."""
    a = a.copy()
    while implied := sorted(implied_arrows(a)):
        i, j = implied[rng.integers(len(implied))]
        a[j, i] = 0
    return a


@cache
def all_dags(d):
    """Every DAG on d nodes, as an array (number, d, d)."""
    pairs = list(combinations(range(d), 2))
    choices = np.array(list(product(range(3), repeat=len(pairs))), dtype=np.int8)
    graphs = np.zeros((len(choices), d, d), dtype=np.int8)
    for column, (i, j) in enumerate(pairs):
        graphs[:, i, j] = choices[:, column] == 1
        graphs[:, j, i] = choices[:, column] == 2
    walks = graphs.astype(np.int64)
    for _ in range(d):
        walks = walks @ graphs
    return graphs[~walks.any(axis=(1, 2))]


def class_key(a):
    return (a | a.T).tobytes(), frozenset(v_structures(a))


@cache
def markov_classes(d):
    """All DAGs on d nodes, grouped by skeleton and v-structures."""
    classes = defaultdict(list)
    for dag in all_dags(d):
        classes[class_key(dag)].append(dag)
    return {key: np.array(members) for key, members in classes.items()}


def extensions(a):
    """All DAGs with the skeleton, the v-structures and the arrows of a."""
    members = markov_classes(len(a)).get(class_key(a), np.empty((0, *a.shape), dtype=np.int8))
    return members[(members <= a).all(axis=(1, 2))]


def d_connected(dag, x, y, given):
    """Whether some path between x and y is open: the definition, path by path."""
    descendants = np.linalg.matrix_power(np.eye(len(dag), dtype=np.int64) + dag, len(dag)) > 0
    inner = [k for k in range(len(dag)) if k not in (x, y)]
    for size in range(len(inner) + 1):
        for middle in permutations(inner, size):
            path = (x, *middle, y)
            if all(joined(dag, i, j) for i, j in pairwise(path)) and all(
                descendants[k, list(given)].any() if dag[i, k] and dag[j, k] else k not in given
                for i, k, j in zip(path, path[1:], path[2:], strict=False)
            ):
                return True
    return False


def shd(a, b):
    return sum((a[i, j], a[j, i]) != (b[i, j], b[j, i]) for i, j in combinations(range(len(a)), 2))


def f1(true, found):
    """F1 of two sets by way of precision and recall."""
    if not true and not found:
        return 1.0
    if not true & found:
        return 0.0
    precision, recall = len(true & found) / len(found), len(true & found) / len(true)
    return 2 * precision * recall / (precision + recall)
