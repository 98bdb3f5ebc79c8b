"""The test that repeats recorded answers: for replays, and for numbers frozen from another program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ml4c.citest.answers import Association, Dependence, Floats
from ml4c.citest.protocol import CITest
from ml4c.counting import Registry
from ml4c.errors import DataError

DEPENDENCE, ASSOCIATION = slice(0, 2), slice(2, 6)


class FrozenTest:
    """Answers from a table of questions; a question that is not in it is an error, never a guess."""

    def __init__(
        self,
        names: Sequence[str],
        questions: ArrayLike,
        *,
        dependence: Dependence | None = None,
        association: Association | None = None,
    ) -> None:
        self._names = tuple(names)
        self._known = Registry(self._names, heads=2, width=6, most_entries=np.iinfo(np.int32).max)
        rows = self._known.checked(questions)
        answers = np.full((len(rows), 6), np.nan)
        if dependence is not None:
            answers[:, DEPENDENCE] = np.column_stack([dependence.severity, dependence.n])
        if association is not None:
            columns = [association.g2, association.chi2, association.dof, association.n]
            answers[:, ASSOCIATION] = np.column_stack(columns)
        entries, _ = self._known.enter(rows)
        self._known.values[entries] = answers
        self._recorded = self._known.n_entries

    @classmethod
    def record(cls, test: CITest, questions: ArrayLike) -> FrozenTest:
        """Ask another test, and keep its answers."""
        return cls(
            test.names,
            questions,
            dependence=test.dependence(questions),
            association=test.association(questions),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that questions number."""
        return self._names

    def dependence(self, questions: ArrayLike) -> Dependence:
        """Return the recorded severities."""
        return Dependence(*self._recall(questions, DEPENDENCE).T)

    def association(self, questions: ArrayLike) -> Association:
        """Return the recorded classical statistics."""
        return Association(*self._recall(questions, ASSOCIATION).T)

    def _recall(self, questions: ArrayLike, part: slice) -> Floats:
        rows = self._known.checked(questions)
        entries, new = self._known.enter(rows)
        self._known.values[new] = np.nan
        answers = self._known.values[entries, part]
        unknown = np.flatnonzero(np.isnan(answers).any(axis=1))
        if len(unknown):
            x, y, *given = rows[unknown[0]].tolist()
            named = ", ".join(self._names[g] for g in given if g >= 0) or "nothing"
            raise DataError(
                f"no answer was recorded for {self._names[x]} ~ {self._names[y]} given {named} "
                f"({len(unknown)} of {len(rows)} questions)."
            )
        return answers
