"""A cell of the benchmark, and what was measured in it: one line of JSON.

A cell is a question: this method, on this many rows of this network drawn with this seed, given this skeleton. Its
record says how it ended, how far the graph is from the true one, what it cost, what ran, and whether the graph that
the method returned was valid before the benchmark read it as a CPDAG.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from ml4c.errors import WorkError

SkeletonSource: TypeAlias = Literal["true", "none", "blip", "ours"]
"""Which skeleton a method is given: the true one, none, or what BLIP or our own learner found in the same table."""
Status: TypeAlias = Literal["done", "failed", "timeout", "memory"]

SCORES = ("shd", "f1", "f1_varying", "ut_f1", "skeleton_precision", "skeleton_recall", "skeleton_f1")
VALID = ("a CPDAG", "a DAG")
"""What the certificate says of a valid graph; of others it says what fails."""


@dataclass(frozen=True, order=True)
class Cell:
    """A question."""

    network: str
    rows: int
    seed: int
    method: str
    skeleton: SkeletonSource

    def __str__(self) -> str:
        given = "no skeleton" if self.skeleton == "none" else f"{self.skeleton} skeleton"
        return f"{self.method} on {self.network}, {self.rows:,} rows, seed {self.seed}, {given}"


@dataclass(frozen=True)
class Record:
    """An answer.

    reason: why there is no graph. scores: those of SCORES. seconds, cpu: of the method alone, children included.
    memory: the peak of the process in megabytes; of a forked one without the code that it never touched.
    certificate: one of VALID, or what fails; empty if unknown. edges: the adjacent pairs of columns, kept where
    another cell is given them as its skeleton. details: whatever else.
    """

    cell: Cell
    status: Status
    reason: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None
    cpu: float | None = None
    memory: float | None = None
    certificate: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    edges: list[list[int]] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        """True when there is a graph."""
        return self.status == "done"

    def __str__(self) -> str:
        if not self.done:
            return f"{self.cell}: {self.status}: {self.reason}"
        cost = "" if self.cpu is None else f", {self.cpu:.1f} CPU seconds"
        return f"{self.cell}: SHD {self.scores['shd']:.0f}, F1 {self.scores['f1']:.3f}{cost}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, without those that say nothing."""
        plain = asdict(self)
        said = {key: value for key, value in plain.items() if key != "cell" and value not in ("", None, {})}
        return {**plain["cell"], **said}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Record:
        """Read plain values; WorkError if they are no record."""
        values = dict(plain)
        try:
            cell = Cell(*(values.pop(name) for name in Cell.__dataclass_fields__))
            record = cls(cell, **values)
        except (KeyError, TypeError) as error:
            raise WorkError(f"not a cell of the benchmark ({error}): {str(dict(plain))[:80]}") from None
        if record.status not in get_args(Status):
            raise WorkError(f"not a cell of the benchmark (status {record.status!r}): {cell}")
        return record
