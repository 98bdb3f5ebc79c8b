"""The sets of every node, built once and kept up to date, for algorithms that ask for many of them.

The matrix answers "who are the parents of i" by reading a row and a column; on thousands of nodes an
algorithm must not ask that at every edge. An `Adjacency` holds the same four sets as Python sets and knows
the two changes that the algorithms of `ml4c.meek` make: an undirected edge becomes an arrow, a node leaves.
Its users may not let the order of a set decide a result.
"""

from ml4c.graph.matrix import Graph, edges


class Adjacency:
    """Parents, children, neighbours and adjacent nodes of every node, as lists of sets."""

    def __init__(self, a: Graph) -> None:
        self.parents: list[set[int]] = [set() for _ in range(len(a))]
        self.children: list[set[int]] = [set() for _ in range(len(a))]
        self.neighbours: list[set[int]] = [set() for _ in range(len(a))]
        found = edges(a)
        for i, j in found.directed.tolist():
            self.children[i].add(j)
            self.parents[j].add(i)
        for i, j in found.undirected.tolist():
            self.neighbours[i].add(j)
            self.neighbours[j].add(i)
        sets = zip(self.parents, self.children, self.neighbours, strict=True)
        self.adjacent: list[set[int]] = [p | c | n for p, c, n in sets]

    def __len__(self) -> int:
        return len(self.adjacent)

    def orient(self, i: int, j: int) -> None:
        """Make the undirected edge i - j the arrow i -> j."""
        self.neighbours[i].remove(j)
        self.neighbours[j].remove(i)
        self.children[i].add(j)
        self.parents[j].add(i)

    def remove(self, i: int) -> None:
        """Take node i and its edges out of the sets of all other nodes."""
        for j in self.adjacent[i]:
            for sets in (self.parents, self.children, self.neighbours, self.adjacent):
                sets[j].discard(i)
