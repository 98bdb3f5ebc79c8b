"""Learning which columns are adjacent, from a table or from any test of conditional independence.

`learn_skeleton` is the way in: it takes a table, sets constants and copies aside, learns with one of three methods, and
returns a `Skeleton` with evidence about every pair. "fast" lets tests propose edges and a score decide (`hybrid`,
`candidates`, and `ml4c.search.dags`); "accurate" lets more searches look (`sights`) and a learner weigh what they say
(`edge_features`, `judge`, `accurate`); "pc" is PC-stable (`pc`), which `pc_skeleton` runs on any test, an oracle too.
All look for separating sets in batches (`separation`) and note the best attempt on every pair (`pairs`).
"""

from ml4c.skeleton.copies import edge_probabilities, leaders, merged
from ml4c.skeleton.edge_features import EDGE_FEATURE_NAMES
from ml4c.skeleton.judge import EdgeJudge, best_threshold, load_judge
from ml4c.skeleton.learn import JudgedPairs, Method, learn_skeleton, pairs_to_judge, usual_method
from ml4c.skeleton.pc import pc_skeleton
from ml4c.skeleton.result import Evidence, Reason, Skeleton
from ml4c.skeleton.twins import Copies, Function
from ml4c.skeleton.watch import Progress

__all__ = [
    "EDGE_FEATURE_NAMES",
    "Copies",
    "EdgeJudge",
    "Evidence",
    "Function",
    "JudgedPairs",
    "Method",
    "Progress",
    "Reason",
    "Skeleton",
    "best_threshold",
    "edge_probabilities",
    "leaders",
    "learn_skeleton",
    "load_judge",
    "merged",
    "pairs_to_judge",
    "pc_skeleton",
    "usual_method",
]
