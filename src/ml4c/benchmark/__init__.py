"""The benchmark: every method on every network, each cell in a process of its own, tables beside the published ones.

`cells` says what a cell is and what is kept of it, `plans` which cells a table needs, `running` measures those that a
folder lacks (`guarding`, `processes`, `nursery`, `child`, `measuring`: the process of a cell). `table1` to `table5`,
`heatmap` and `page` write down what is there; they are imported by name, so that the processes of cells need not.
"""

from ml4c.benchmark.cells import Cell, Record
from ml4c.benchmark.guarding import Limits
from ml4c.benchmark.methods import all_methods, find_method
from ml4c.benchmark.running import Workplace, read_records, run_cells

__all__ = ["Cell", "Limits", "Record", "Workplace", "all_methods", "find_method", "read_records", "run_cells"]
