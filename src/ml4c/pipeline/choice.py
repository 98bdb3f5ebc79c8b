"""What a user asks of the graph: which of all possible ones is taken."""

from __future__ import annotations

from dataclasses import dataclass

from ml4c.errors import WorkError
from ml4c.orientation import DECISIONS, Decision


@dataclass(frozen=True)
class Choice:
    """A threshold of v-structures, a decision and a least confidence, as of `orient`; WorkError if one is wrong."""

    threshold: float | None = None
    decision: Decision = "best"
    confidence: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("threshold", self.threshold), ("confidence", self.confidence)):
            if value is not None and not 0.0 < value < 1.0:
                raise WorkError(f"{name}={value!r}: give a probability between 0 and 1")
        if self.decision not in DECISIONS:
            raise WorkError(f"decision={self.decision!r}: choose among {', '.join(DECISIONS)}")

    def refuse_for_published(self) -> None:
        """Raise WorkError if this asks for what the published rule does not know."""
        if self.decision != "best" or self.confidence is not None:
            raise WorkError("the published rule (model paper) knows no decision and no confidence: leave them out")
