"""Long work in units that share nothing: on any executor, through any interruption.

A unit is a number and what a function makes of it (the features of a synthetic network, the graph of a bootstrap
sample). `crew` runs units on a `concurrent.futures.Executor`, a bounded number in flight, and again when a worker
dies. `store` keeps each finished unit in a file of its own, written whole or not at all, so that whoever runs again
with the same folder goes on from there.
"""

from ml4c.units.crew import (
    MAX_RETRIES,
    lent,
    local_processes,
    number_of_jobs,
    open_executor,
    run_units,
)
from ml4c.units.files import write_whole
from ml4c.units.store import UnitStore

__all__ = [
    "MAX_RETRIES",
    "UnitStore",
    "lent",
    "local_processes",
    "number_of_jobs",
    "open_executor",
    "run_units",
    "write_whole",
]
