"""d-separation in a DAG, by walking the paths that a given set leaves open.

A path is open given S when every collider on it is in S or has a descendant in S, and no other node of it is
in S (Pearl 1988). Instead of paths, follow a ball that bounces through the graph (Shachter, UAI 1998, "Bayes
ball") over pairs of a node and the side from which it is entered:

- from a child, not in S: on to parents and to children; in S: the ball stops;
- from a parent, not in S: on to children; in S: back to parents.

A ball that falls from a collider to a descendant in S comes back up to it, and so finds it open. Each pair is
visited once, so all nodes connected to x are found in time linear in the edges. That is the unit of work of a
conditional independence oracle: one walk answers (x, y | S) for every y.
"""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph.acyclic import topological_order
from ml4c.graph.adjacency import Adjacency
from ml4c.graph.matrix import Graph


class DSeparation:
    """Answers d-separation questions about one DAG; its adjacency sets are built once."""

    def __init__(self, dag: Graph) -> None:
        topological_order(dag)  # raises when the graph is not a DAG
        self._g = Adjacency(dag)

    def connected(self, x: int, given: Collection[int]) -> npt.NDArray[np.bool_]:
        """Mark the nodes that are d-connected to x given the set; x and the set itself are not marked."""
        self._check([x], given)
        result = np.zeros(len(self._g), dtype=np.bool_)
        result[list(self._reached(x, set(given)) - {x})] = True
        return result

    def separated(self, x: int, y: int, given: Collection[int]) -> bool:
        """Tell whether x and y are d-separated given the set; x, y and the set must not overlap."""
        self._check([x, y], given)
        return y not in self._reached(x, set(given))

    def _check(self, asked: list[int], given: Collection[int]) -> None:
        nodes = [*asked, *given]
        for node in nodes:
            if not 0 <= node < len(self._g):
                raise GraphError(f"node {node} does not exist: this graph has nodes 0 to {len(self._g) - 1}")
        for node in asked:
            if nodes.count(node) > 1:
                raise GraphError(f"node {node} is asked about twice, or both asked about and given")

    def _reached(self, x: int, blocked: set[int]) -> set[int]:
        parents, children = self._g.parents, self._g.children
        from_child, from_parent = {x}, set[int]()
        climbing, falling = [x], list[int]()
        while climbing or falling:
            above, below = set[int](), set[int]()
            if climbing:
                node = climbing.pop()
                if node not in blocked:
                    above, below = parents[node], children[node]
            else:
                node = falling.pop()
                if node in blocked:
                    above = parents[node]
                else:
                    below = children[node]
            climbing.extend(above - from_child)
            falling.extend(below - from_parent)
            from_child |= above
            from_parent |= below
        return (from_child | from_parent) - blocked


def d_separated(dag: Graph, x: int, y: int, given: Collection[int] = ()) -> bool:
    """Tell whether x and y are d-separated given the set; to ask often about one DAG, use `DSeparation`."""
    return DSeparation(dag).separated(x, y, given)
