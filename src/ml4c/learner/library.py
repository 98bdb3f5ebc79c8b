"""XGBoost, imported when it is first needed, with threads that wait without spinning for long.

Its threads wait for each other many times for every tree. By default they spin for milliseconds meanwhile, in the hope
of a processor of their own; beside other work, or in a container that may use less than it sees, each wait then costs a
slice of the scheduler: a small fit with two threads took half a minute, and three seconds with this bound; on an idle
machine the two could not be told apart. GNU's OpenMP reads it when it is loaded; whoever has set it is left alone.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

SPINS = "GOMP_SPINCOUNT"
FEW = "3000"


def xgboost_library() -> ModuleType:
    """Return the module `xgboost`; the environment is as it was."""
    if "xgboost" not in sys.modules and SPINS not in os.environ:
        os.environ[SPINS] = FEW
        try:
            import xgboost
        finally:
            del os.environ[SPINS]
    import xgboost

    return xgboost
