"""Learning which columns are adjacent, from a table or from any test of conditional independence.

`learn_skeleton` is the way in: it takes a table, sets constants and copies aside, learns with one of two methods, and
returns a `Skeleton` with evidence about every pair. "fast" lets tests propose edges and a score decide (`hybrid`,
`candidates`, and `ml4c.search.dags`); "pc" is PC-stable (`pc`), which `pc_skeleton` runs on any test, an oracle too.
Both look for separating sets in batches (`separation`) and note the best attempt on every pair (`pairs`).
"""

from ml4c.skeleton.learn import Method, learn_skeleton
from ml4c.skeleton.pc import pc_skeleton
from ml4c.skeleton.result import Evidence, Reason, Skeleton
from ml4c.skeleton.twins import Copies, Function
from ml4c.skeleton.watch import Progress

__all__ = [
    "Copies",
    "Evidence",
    "Function",
    "Method",
    "Progress",
    "Reason",
    "Skeleton",
    "learn_skeleton",
    "pc_skeleton",
]
