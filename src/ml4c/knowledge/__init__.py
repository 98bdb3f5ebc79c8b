"""Background knowledge: what a user knows about the graph before any data speak.

`Knowledge` is by names, as a user states it: required, forbidden and adjacent pairs, tiers, roots and leaves.
`Constraints` is the same by column numbers, as the searches need it. Knowledge is never traded for evidence: either a
graph satisfies all of it, or a `ContradictionError` names the smallest set of statements that cannot hold together, by
themselves or with a given skeleton.
"""

from ml4c.knowledge.constraints import Constraints
from ml4c.knowledge.contradiction import ContradictionError, Statement
from ml4c.knowledge.statements import Knowledge

__all__ = ["Constraints", "ContradictionError", "Knowledge", "Statement"]
