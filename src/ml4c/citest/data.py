"""The test that reads a table: batches of questions, answered once each, on as many threads as there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ml4c._kernels.arrays import Columns, Floats, apart
from ml4c._kernels.evaluate import ASSOCIATION, SEVERITY, Tally
from ml4c._kernels.pairs import AUTOMATIC, Desk, answer, new_desk
from ml4c.citest.answers import Association, Dependence, Finding
from ml4c.counting import (
    Desks,
    Group,
    Packed,
    Registry,
    announce_compiling,
    available_cores,
    group_new,
    log_terms,
    pack_table,
    run,
    unit_for,
)
from ml4c.dataset import Dataset

BATCH = 1 << 20
"""Questions taken at a time: bounds what a batch of any size needs beside its answers."""
WIDTH = {SEVERITY: 2, ASSOCIATION: 4}


class DataTest:
    """Conditional dependence in a table.

    Answers are kept, so a question costs its counting once. They are the same to the bit for any number of
    threads, any order of rows and columns, and any naming of categories.
    """

    def __init__(self, data: Dataset | Packed, *, n_jobs: int | None = None, route: int = AUTOMATIC) -> None:
        self.packed = pack_table(data)
        self.n_jobs = available_cores() if n_jobs is None else n_jobs
        self._route = route
        self._known = {what: Registry(self.names, heads=2, width=width) for what, width in WIDTH.items()}
        self._units = _Units(self.packed.columns)
        self._desks: Desks[Desk] = Desks(lambda depth: new_desk(self.packed.columns, depth))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that questions number."""
        return self.packed.names

    def dependence(self, questions: ArrayLike) -> Dependence:
        """Return severity and p-value of each question: rows x, y, members of S, -1 for none."""
        return Dependence(*self._ask(questions, SEVERITY).T)

    def association(self, questions: ArrayLike) -> Association:
        """Return G2 and chi2 of each question: rows x, y, members of S, -1 for none."""
        return Association(*self._ask(questions, ASSOCIATION).T)

    def ask(self, x: str | int, y: str | int, given: Sequence[str | int] = ()) -> Finding:
        """Return everything about one question, asked by names or numbers of columns."""
        row = self.packed.indices([x, y, *given])
        dependence, association = self.dependence([row]), self.association([row])
        return Finding(
            x=self.names[row[0]],
            y=self.names[row[1]],
            given=tuple(self.names[i] for i in row[2:]),
            severity=float(dependence.severity[0]),
            p_value=float(dependence.p_value[0]),
            g2=float(association.g2[0]),
            g2_p_value=float(association.g2_p_value[0]),
            chi2=float(association.chi2[0]),
            chi2_p_value=float(association.chi2_p_value[0]),
            dof=int(association.dof[0]),
            n=int(association.n[0]),
        )

    def _ask(self, questions: ArrayLike, what: int) -> Floats:
        known = self._known[what]
        rows = known.checked(questions)
        return known.answers(rows, BATCH, lambda new: self._count(known, new, what, rows.shape[1] - 2))

    def _count(self, known: Registry, new: slice, what: int, depth: int) -> None:
        """Count what is new; each answer goes to its place in the registry."""
        announce_compiling(answer)
        most = max(256, (new.stop - new.start) // (2 * self.n_jobs))
        group = group_new(known, new, most)

        def work(piece: Group) -> None:
            desk = self._desks.take(depth)
            tally = self._units.tally(what)
            answer(self.packed.columns, known.sets, piece, self._route, desk, tally, known.values)
            self._desks.leave(desk)

        run(work, group, self.packed.n_rows, self.n_jobs)


class _Units:
    """Scales of fixed-point sums for one table."""

    def __init__(self, columns: Columns) -> None:
        rows = columns.codes.shape[1]
        self.log_terms, self.g2 = log_terms(rows)
        self.chi2 = unit_for(float(rows) * float(columns.cards.max()))

    def tally(self, what: int) -> Tally:
        return Tally(what, self.log_terms, self.g2, self.chi2, apart(1, np.float64), apart(3))
