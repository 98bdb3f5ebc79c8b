"""From probabilities of v-structures to a graph.

Two rules. `orient_globally`, the default, decides all triples at once: its graph is the CPDAG of the best DAG, so it is
always valid, and knowledge is a hard constraint. `orient_as_published` is Algorithm 1 of the paper, which repairs
conflicts in pairs and may return a graph that no DAG extends. Both return an `Orientation`, which says what became
of every triple.
"""

from ml4c.orientation.decision import EVEN, ON_GIVEN, orient_globally
from ml4c.orientation.published import THRESHOLD, orient_as_published
from ml4c.orientation.records import NOBODY, Confidence, Orientation, Probabilities, Reason, Rows, Verdict
from ml4c.orientation.weighing import DECISIONS, Decision

__all__ = [
    "DECISIONS",
    "EVEN",
    "NOBODY",
    "ON_GIVEN",
    "THRESHOLD",
    "Confidence",
    "Decision",
    "Orientation",
    "Probabilities",
    "Reason",
    "Rows",
    "Verdict",
    "orient_as_published",
    "orient_globally",
]
