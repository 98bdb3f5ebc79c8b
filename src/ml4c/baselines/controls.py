"""Two controls that look at no data: what a method must beat to have learned anything.

In many benchmark files causes come before effects, so "earlier to later" scores well unless columns are shuffled,
and "every unshielded triple is a v-structure" is what a tool gives that ran no test (METHOD section 8). Here
"file order" means the order of the columns as given, which the benchmark has shuffled.
"""

from __future__ import annotations

import numpy as np

from ml4c.baselines.protocol import Method, Problem
from ml4c.errors import GraphError
from ml4c.graph import Graph, unshielded_triples


def file_order(problem: Problem) -> Graph:
    """Orient every edge from the earlier to the later column."""
    return np.triu(_skeleton_of(problem))


def every_triple(problem: Problem) -> Graph:
    """Call every unshielded triple a v-structure, later ones overwriting the arrows of earlier ones."""
    found = _skeleton_of(problem).copy()
    for x, t, y in unshielded_triples(found).tolist():
        found[x, t] = found[y, t] = 1
        found[t, x] = found[t, y] = 0
    return found


def _skeleton_of(problem: Problem) -> Graph:
    if problem.skeleton is None:
        raise GraphError("a control orients a skeleton: give it one")
    return problem.skeleton


METHODS = (
    Method("file-order", "file order", "control", "METHOD section 8", "ml4c", "given", file_order),
    Method("every-ut", "every UT", "control", "METHOD section 8", "ml4c", "given", every_triple),
)
