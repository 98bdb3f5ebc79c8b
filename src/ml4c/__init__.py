"""Causal graphs from tables of categorical data, with the evidence for every arrow.

The names below are the public surface. They are loaded when first used, so that `import ml4c` and the command line
start at once and Numba is imported only by what counts or samples.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ml4c.bayesnet import BayesNet
    from ml4c.bif import load_network, network_names, read_bif, write_bif
    from ml4c.bootstrapping import Bootstrap, bootstrap
    from ml4c.citest import DataTest, FrozenTest, OracleTest, questions
    from ml4c.dataset import Dataset, read_table
    from ml4c.errors import DataError, GraphError, KnowledgeError, Ml4cError, ModelError, NetworkError, WorkError
    from ml4c.interop import (
        from_edges,
        from_networkx,
        read_graph,
        read_knowledge,
        to_edges,
        to_networkx,
        write_graph,
        write_knowledge,
    )
    from ml4c.knowledge import Knowledge
    from ml4c.meek import certify, consistent_extension, cpdag_of
    from ml4c.metrics import edge_f1, shd, skeleton_scores, triple_f1
    from ml4c.pipeline import ML4C, Result, discover, orient
    from ml4c.report import write_comparison, write_report
    from ml4c.scores import LocalScores

__version__ = "0.1.0.dev0"

_HOME = {
    "ml4c.bayesnet": ("BayesNet",),
    "ml4c.bif": ("load_network", "network_names", "read_bif", "write_bif"),
    "ml4c.bootstrapping": ("Bootstrap", "bootstrap"),
    "ml4c.citest": ("DataTest", "FrozenTest", "OracleTest", "questions"),
    "ml4c.dataset": ("Dataset", "read_table"),
    "ml4c.errors": (
        "DataError",
        "GraphError",
        "KnowledgeError",
        "Ml4cError",
        "ModelError",
        "NetworkError",
        "WorkError",
    ),
    "ml4c.interop": (
        "from_edges",
        "from_networkx",
        "read_graph",
        "read_knowledge",
        "to_edges",
        "to_networkx",
        "write_graph",
        "write_knowledge",
    ),
    "ml4c.knowledge": ("Knowledge",),
    "ml4c.meek": ("certify", "consistent_extension", "cpdag_of"),
    "ml4c.metrics": ("edge_f1", "shd", "skeleton_scores", "triple_f1"),
    "ml4c.pipeline": ("ML4C", "Result", "discover", "orient"),
    "ml4c.report": ("write_comparison", "write_report"),
    "ml4c.scores": ("LocalScores",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "ML4C",
    "BayesNet",
    "Bootstrap",
    "DataError",
    "DataTest",
    "Dataset",
    "FrozenTest",
    "GraphError",
    "Knowledge",
    "KnowledgeError",
    "LocalScores",
    "Ml4cError",
    "ModelError",
    "NetworkError",
    "OracleTest",
    "Result",
    "WorkError",
    "bootstrap",
    "certify",
    "consistent_extension",
    "cpdag_of",
    "discover",
    "edge_f1",
    "from_edges",
    "from_networkx",
    "load_network",
    "network_names",
    "orient",
    "questions",
    "read_bif",
    "read_graph",
    "read_knowledge",
    "read_table",
    "shd",
    "skeleton_scores",
    "to_edges",
    "to_networkx",
    "triple_f1",
    "write_bif",
    "write_comparison",
    "write_graph",
    "write_knowledge",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'ml4c' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
