"""Why pairs of columns are adjacent or not, by name and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ml4c.dataset.names import listed, unknown_name
from ml4c.errors import DataError
from ml4c.skeleton import Evidence, Reason, Skeleton

WORDS = {
    Reason.DEPENDENT: "adjacent",
    Reason.COPY_LINK: "adjacent: copies of one another",
    Reason.REQUIRED: "adjacent: stated by the user",
    Reason.SEPARATED: "not adjacent: independent",
    Reason.WEAK: "not adjacent: an edge would explain too little",
    Reason.CONSTANT: "not adjacent: one of them has a single value",
    Reason.COPY: "not adjacent: one of them is a copy, and another column like it has the edge",
    Reason.FORBIDDEN: "not adjacent: stated by the user",
    Reason.DEGREE: "not adjacent: stronger edges fill the largest degree",
    Reason.UNDECIDED: "not adjacent: the time was over before they were looked at",
}


@dataclass(frozen=True, eq=False, repr=False)
class Adjacencies:
    """A learned skeleton with names."""

    names: tuple[str, ...]
    skeleton: Skeleton

    @property
    def method(self) -> str:
        """How the skeleton was learned."""
        return self.skeleton.method

    @property
    def copies(self) -> tuple[tuple[str, ...], ...]:
        """Groups of columns that divide the rows alike: no data tell which of a group owns an edge."""
        return tuple(tuple(self.names[i] for i in group.columns) for group in self.skeleton.copies)

    @property
    def functions(self) -> tuple[tuple[str, str], ...]:
        """Pairs (column, of): the value of the one follows from that of the other."""
        return tuple((self.names[f.column], self.names[f.of]) for f in self.skeleton.functions)

    def strength(self, a: str, b: str) -> float | None:
        """Return what speaks for the edge between two columns: nats of score, or standard deviations ("pc").

        None when they are not adjacent, or are for another reason than the data.
        """
        present = self.skeleton.present
        row = present.find(self._index(a), self._index(b))
        if row is None:
            return None
        value = float((present.z if self.method == "pc" else present.gain)[row])
        return value if np.isfinite(value) else None

    def probability(self, a: str, b: str) -> float | None:
        """Return how probable the edge between two adjacent columns is; None unless a learner judged it."""
        present = self.skeleton.present
        row = present.find(self._index(a), self._index(b))
        return None if row is None or np.isnan(present.probability[row]) else float(present.probability[row])

    def evidence(self, a: str, b: str) -> dict[str, object]:
        """Return why two adjacent columns are so, as plain values; nothing when they are not.

        given: the set that came closest to separating them; p_value: given that set; gain: nats of score.
        """
        present = self.skeleton.present
        row = present.find(self._index(a), self._index(b))
        if row is None:
            return {}
        numbers = {"p_value": float(present.p_value[row]), "gain": float(present.gain[row])}
        return {
            "reason": Reason(present.reason[row]).name.lower(),
            "given": [self.names[c] for c in present.given[row].tolist() if c >= 0],
            **{name: value for name, value in numbers.items() if np.isfinite(value)},
        }

    def explain(self, a: str, b: str) -> str:
        """Say in a sentence why two columns are adjacent or not."""
        i, j = self._index(a), self._index(b)
        for evidence in (self.skeleton.present, self.skeleton.absent):
            row = evidence.find(i, j)
            if row is not None:
                return f"{a} and {b} are {self._words(evidence, row)}."
        raise DataError(f"{a!r} is one column: name two")

    def _words(self, evidence: Evidence, row: int) -> str:
        reason = Reason(evidence.reason[row])
        words = [WORDS[reason]]
        if np.isfinite(evidence.gain[row]) and reason in (Reason.DEPENDENT, Reason.WEAK, Reason.DEGREE):
            words.append(f"an edge gains {evidence.gain[row]:.1f} nats")
        if np.isfinite(evidence.probability[row]):
            words.append(f"an edge has the probability {evidence.probability[row]:.2f}")
        if reason == Reason.DEPENDENT and self._copied[evidence.pairs[row]].any():
            words.append("no data tell whether a copy has it instead")
        if np.isfinite(evidence.p_value[row]) and reason in (Reason.DEPENDENT, Reason.SEPARATED, Reason.WEAK):
            given = [self.names[c] for c in evidence.given[row].tolist() if c >= 0]
            condition = f"given {', '.join(given)}" if given else "by themselves"
            tried = "the largest p-value of all sets tried is" if reason != Reason.SEPARATED else "p"
            words.append(f"{tried} {evidence.p_value[row]:.2g}, {condition}")
        return "; ".join(words)

    @property
    def notes(self) -> list[str]:
        """Sentences about what a user should know of these columns."""
        copies = [f"{' = '.join(group)}" for group in self.copies]
        functions = [f"{column} by {of}" for column, of in self.functions]
        lines = [
            f"copies of one another, so that no data tell whose an edge is: {listed(copies)}" if copies else "",
            f"determined by another column: {listed(functions)}" if functions else "",
            self.skeleton.note,
        ]
        return [line for line in lines if line]

    def facts(self) -> Mapping[str, object]:
        """Return what was found beside the edges, as plain values."""
        return {
            "method": self.method,
            "complete": self.skeleton.complete,
            "copies": [list(group) for group in self.copies],
            "functions": [list(pair) for pair in self.functions],
        }

    def _index(self, name: str) -> int:
        if name not in self._place:
            raise unknown_name(name, self.names)
        return self._place[name]

    @cached_property
    def _copied(self) -> NDArray[np.bool_]:
        """Which columns have copies."""
        return np.isin(np.arange(len(self.names)), [c for group in self.skeleton.copies for c in group.columns])

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}
