"""Meek's four orientation rules (Meek, UAI 1995, figure 1), one function each.

Every rule looks at an undirected edge i - j and says whether it must be i -> j, because j -> i would make
either a directed cycle or a v-structure that the graph does not have. Rules 1 to 3 suffice when the arrows
are those of v-structures; rule 4 is needed when background knowledge adds others. Together they are sound and
complete: what they leave undirected has both directions among the consistent DAGs.
"""

from ml4c.graph import Adjacency


def rule_1(g: Adjacency, i: int, j: int) -> bool:
    """Find k -> i with k, j nonadjacent: j -> i would make the v-structure k -> i <- j."""
    return not g.parents[i] <= g.adjacent[j]


def rule_2(g: Adjacency, i: int, j: int) -> bool:
    """Find i -> k -> j: j -> i would close a cycle."""
    return not g.children[i].isdisjoint(g.parents[j])


def rule_3(g: Adjacency, i: int, j: int) -> bool:
    """Find i - k -> j, i - m -> j with k, m nonadjacent: j -> i would force the v-structure k -> i <- m."""
    middles = g.neighbours[i] & g.parents[j]
    return any(len(middles - g.adjacent[k]) > 1 for k in middles)


def rule_4(g: Adjacency, i: int, j: int) -> bool:
    """Find i - k -> m -> j, k, j nonadjacent, i, m adjacent: j -> i would force m -> i and k -> i <- j."""
    return any(not g.neighbours[i] & g.parents[m] <= g.adjacent[j] for m in g.adjacent[i] & g.parents[j])


def applicable_rule(g: Adjacency, i: int, j: int) -> int | None:
    """Return the number of the first rule that makes the undirected edge i - j the arrow i -> j."""
    for number, rule in enumerate((rule_1, rule_2, rule_3, rule_4), start=1):
        if rule(g, i, j):
            return number
    return None
