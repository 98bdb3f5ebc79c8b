"""The records of a result: its edges and its triples, with the evidence for each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ml4c.interop.edges import Edge
from ml4c.orientation import Reason, Verdict

EDGE_COLUMNS = ("source", "target", "type", "probability")
# Written only when some edge has them, so that a run without them has no empty columns.
NUMBER_COLUMNS = (
    "forward_probability",
    "backward_probability",
    "strength",
    "edge_probability",
    "adjacency",
    "forward",
    "backward",
)
EVIDENCE_COLUMNS = (*NUMBER_COLUMNS, "undetermined")
Silence: TypeAlias = Literal["constant", "copy", "no interaction"]
"""Why data say nothing about a direction: an end has one value, the ends are copies of one another, or no third column
tells the two apart."""
TRIPLE_COLUMNS = ("x", "t", "y", "probability", "verdict", "lost_to", "reason")


@dataclass(frozen=True)
class FoundEdge(Edge):
    """An edge of a result with its evidence; None for what is not known.

    probability: that the edge, if there is one, is as drawn, source -> target or undirected; of the published rule,
    the largest among the v-structures that orient it. forward_probability, backward_probability: of source -> target
    and target -> source; what they leave of 1 is that of an undirected edge. strength: of the dependence that keeps
    the edge in the skeleton. edge_probability: that the two are adjacent at all. adjacency, forward, backward: the
    shares of resampled tables in whose graph the two are adjacent, source -> target, and target -> source; what forward
    and backward leave of adjacency is undirected. undetermined: why the data say nothing about the direction, if so.
    """

    probability: float | None = None
    strength: float | None = None
    adjacency: float | None = None
    forward: float | None = None
    backward: float | None = None
    edge_probability: float | None = None
    forward_probability: float | None = None
    backward_probability: float | None = None
    undetermined: Silence | None = None

    @property
    def reversed(self) -> "FoundEdge":
        """The same edge seen from its other end; for undirected edges."""
        return replace(
            self,
            source=self.target,
            target=self.source,
            forward=self.backward,
            backward=self.forward,
            forward_probability=self.backward_probability,
            backward_probability=self.forward_probability,
        )


@dataclass(frozen=True)
class FoundTriple:
    """An unshielded triple of a result: how probable x -> t <- y is, and what became of it.

    verdict: "accepted" as a v-structure, "rejected" as improbable; "lost" in the published rule to the more probable
    triple `lost_to` that wants the opposite direction of an edge; in the global rule "overruled" when it is probable
    but not in the graph, "implied" when it is improbable but in the graph. reason: of the last two, by what: "triple"
    (the strongest that stands against it, `lost_to`), "knowledge", "acyclicity" or "decision"
    (another one than the best orientation was asked for).
    """

    x: str
    t: str
    y: str
    probability: float
    verdict: Verdict
    lost_to: tuple[str, str, str] | None = None
    reason: Reason = ""

    def __str__(self) -> str:
        return v_structure_text((self.x, self.t, self.y))


def v_structure_text(triple: tuple[str, str, str]) -> str:
    """Write a v-structure as x -> t <- y."""
    return f"{triple[0]} -> {triple[1]} <- {triple[2]}"


def evidence_columns(edges: Sequence[FoundEdge]) -> tuple[str, ...]:
    """Return the columns of further evidence that at least one of the edges has."""
    return tuple(name for name in EVIDENCE_COLUMNS if any(getattr(edge, name) is not None for edge in edges))
