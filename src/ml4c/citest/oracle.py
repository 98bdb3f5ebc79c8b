"""The test that knows the graph: dependence is d-connection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ml4c.citest.answers import Association, Dependence
from ml4c.counting import Registry
from ml4c.errors import GraphError
from ml4c.graph import DSeparation, as_graph

CERTAIN = 100.0
"""Severity, and G2 on one degree of freedom over ten, of every dependence: its p-value is 0."""


class OracleTest:
    """Conditional dependence read off a DAG: severity 0 and p-value 1, or CERTAIN and 0."""

    def __init__(self, dag: ArrayLike, names: Sequence[str] | None = None) -> None:
        graph = as_graph(dag)
        self._paths = DSeparation(graph)
        self._names = tuple(names) if names is not None else tuple(f"x{i}" for i in range(len(graph)))
        if len(self._names) != len(graph):
            raise GraphError(f"{len(self._names)} names for a graph of {len(graph)} nodes.")
        self._reached: dict[tuple[int, tuple[int, ...]], NDArray[np.bool_]] = {}
        self._check = Registry(self._names, heads=2, width=1)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the nodes that questions number."""
        return self._names

    def dependence(self, questions: ArrayLike) -> Dependence:
        """Return CERTAIN where x and y are d-connected given S, 0 where they are separated."""
        connected = self._connected(questions)
        return Dependence(connected * CERTAIN, np.full(len(connected), np.inf))

    def association(self, questions: ArrayLike) -> Association:
        """Return statistics on one degree of freedom with p-value 0 or 1."""
        statistic = self._connected(questions) * (CERTAIN * CERTAIN)
        one = np.ones(len(statistic))
        return Association(statistic, statistic, one, one * np.inf)

    def _connected(self, questions: ArrayLike) -> NDArray[np.float64]:
        rows = self._check.checked(questions)
        answers = np.empty(len(rows))
        for i, (x, y, *given) in enumerate(rows.tolist()):
            key = (min(x, y), tuple(sorted({g for g in given if g >= 0})))
            if key not in self._reached:
                self._reached[key] = self._paths.connected(*key)
            answers[i] = self._reached[key][max(x, y)]
        return answers
