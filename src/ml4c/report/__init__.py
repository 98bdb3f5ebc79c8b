"""The HTML report: one file that opens from disk, shows the graph, and answers why.

`summary_of` turns a result, as it is written to graph.json, into one plain dictionary; templates with autoescape and
our own script turn that into a page. Nothing else goes into it, so a report can be made again from a saved folder.
The script recomputes the graph when the reader asks what if; `ml4c.report.preview` is its twin, and tests compare them.
"""

from ml4c.report.benchmark import write_benchmark_report
from ml4c.report.comparison import compare, write_comparison
from ml4c.report.page import render_report, write_report
from ml4c.report.preview import Preview, preview
from ml4c.report.summary import summary_of

__all__ = [
    "Preview",
    "compare",
    "preview",
    "render_report",
    "summary_of",
    "write_benchmark_report",
    "write_comparison",
    "write_report",
]
