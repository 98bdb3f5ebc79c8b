"""Tables of categories: from a file, a frame or an array to small integer codes with their labels.

A source (text in `delimited`, Parquet and NPY in `reading`, frames and arrays in `memory`) gives one `factor`
for each column: its distinct values in natural order, and which of them each row holds. `encoding` decides
whether that may be a column of a table, bins it if asked (`binning`), and makes the codes. The result is a
`Dataset`, in `table`.
"""

from ml4c.dataset.binning import Discretize
from ml4c.dataset.delimited import MISSING_WORDS
from ml4c.dataset.encoding import Missing
from ml4c.dataset.reading import read_table
from ml4c.dataset.table import Dataset

__all__ = ["MISSING_WORDS", "Dataset", "Discretize", "Missing", "read_table"]
