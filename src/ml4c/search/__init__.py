"""Score search: over the DAGs within candidate arcs, and over the orientations of a skeleton."""

from ml4c.search.dags import FoundDag, best_dag

__all__ = ["FoundDag", "best_dag"]
