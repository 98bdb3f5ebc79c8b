"""What a method is given and what it gives back: the one shape that all of them have.

A method sees a table and perhaps a skeleton; it returns a graph over the columns, which need not be valid. Called
as `method(problem)` it sees the columns in the order of their names, so that no method can depend on the order of
columns, ties included; what the names say is the benchmark's concern, which gives them at random.

`read_as_cpdag` is the one rule that turns any graph, cyclic or not, into the CPDAG that is scored: the v-structures
of its arrows on its own skeleton, then Meek's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from ml4c.dataset import Dataset
from ml4c.errors import GraphError
from ml4c.graph import Graph, v_structures
from ml4c.graph import skeleton as skeleton_of
from ml4c.meek import cpdag_from_v_structures

Skeletons: TypeAlias = Literal["given", "none", "either"]
"""Whether a method needs a skeleton, takes none, or can do with and without."""
Family: TypeAlias = Literal["ours", "pairwise", "constraint-based", "score-based", "continuous", "peer", "control"]


@dataclass(frozen=True)
class Problem:
    """What a method sees: a table, the skeleton if it is given one, a seed, and the folder of trained models."""

    data: Dataset
    skeleton: Graph | None = None
    seed: int = 0
    models: Path | None = None


@dataclass(frozen=True)
class Method:
    """A method of the benchmark, with its source.

    source: the publication that defines it. made: whose code runs. run: the method itself, `method(problem)` calls it.
    needs: modules that the extra `bench` installs. train: makes what a supervised method needs in a folder, going on
    from what is there; that folder is then `models` of its problems.
    """

    name: str
    title: str
    family: Family
    source: str
    made: str
    skeleton: Skeletons
    run: Callable[[Problem], Graph]
    needs: tuple[str, ...] = ()
    train: Callable[[Path], None] | None = None

    def __call__(self, problem: Problem) -> Graph:
        """Run the method on the columns in the order of their names; the graph is in the order of the table."""
        if self.skeleton == "given" and problem.skeleton is None:
            raise GraphError(f"method {self.name!r} orients a skeleton: give it one")
        names = problem.data.names
        column = sorted(range(len(names)), key=names.__getitem__)
        given = None
        if self.skeleton != "none" and problem.skeleton is not None:
            given = np.ascontiguousarray(problem.skeleton[np.ix_(column, column)])
        found = self.run(replace(problem, data=problem.data.select(column), skeleton=given))
        rank = np.argsort(column)
        return np.ascontiguousarray(found[np.ix_(rank, rank)])


def read_as_cpdag(found: Graph) -> Graph:
    """Return the graph that is scored: the skeleton of what was found, its v-structures, closed under Meek's rules."""
    return cpdag_from_v_structures(skeleton_of(found), v_structures(found))
