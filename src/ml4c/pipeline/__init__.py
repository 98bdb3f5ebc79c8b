"""The story in one place: dataset -> CI test -> triples and features -> learner -> orientation -> result.

`orient` takes what a user has (a table in any form, a skeleton in any form) and returns a `Result`, in which
everything has names again. `decide` is the middle of it, from a CI test to an orientation: data, an oracle or a
record of answers drive it alike, and any function of the features may take the place of the learner. `inputs` is
the border that checks and aligns by name; `result` and `showing` are what the user sees.
"""

from ml4c.pipeline.adjacencies import Adjacencies
from ml4c.pipeline.estimator import ML4C
from ml4c.pipeline.inputs import as_dataset
from ml4c.pipeline.result import Result
from ml4c.pipeline.steps import Judge, Progress, decide, discover, orient

__all__ = ["ML4C", "Adjacencies", "Judge", "Progress", "Result", "as_dataset", "decide", "discover", "orient"]
