"""The methods that we compare ourselves with, each behind one small protocol (table, optional skeleton) -> graph.

Every method names its source. Where its definition can be met on our own counting engine it is written here; else a
library is wrapped. `methods()` lists them in the order of the paper's Table 1, then the controls and the peers.
"""

from ml4c.baselines.protocol import Method, Problem, read_as_cpdag
from ml4c.baselines.registry import method_named, methods

__all__ = ["Method", "Problem", "method_named", "methods", "read_as_cpdag"]
