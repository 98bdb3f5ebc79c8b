"""The story in one place: dataset -> CI test -> triples and features -> learner -> orientation -> result.

`orient` takes what a user has (a table in any form, a skeleton in any form) and returns a `Result`, in which
everything has names again. `decide` is the middle of it, from a CI test to an orientation: data, an oracle or a
record of answers drive it alike, and any function of the features may take the place of the learner. `inputs` is
the border that checks and aligns by name; `result` and `showing` are what the user sees.
"""

from ml4c.pipeline.result import Result
from ml4c.pipeline.steps import Judge, decide, orient

__all__ = ["Judge", "Result", "decide", "orient"]
