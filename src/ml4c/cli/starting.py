"""A quick start: what this process has no use for is not imported.

XGBoost imports scikit-learn, and igraph matplotlib, where they are installed: seconds, for classes that no command
needs. Only the script `ml4c` does without them; in a program that imports `ml4c` they are the program's affair.
"""

from __future__ import annotations

import sys

LARGE = ("sklearn", "matplotlib")


class _Process:
    ours = False
    """Whether this process is the script `ml4c`."""


def own_process() -> None:
    """Note that this process is the script `ml4c` and nothing else."""
    _Process.ours = True


def import_lightly() -> None:
    """Import XGBoost and igraph without what they take along if it is there; later imports find everything."""
    if not _Process.ours:
        return
    absent = [name for name in LARGE if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]  # None: as if not installed
    try:
        import igraph  # noqa: F401

        from ml4c.learner.library import xgboost_library

        xgboost_library()
    finally:
        for name in absent:
            del sys.modules[name]
