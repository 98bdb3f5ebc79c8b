"""What users have today: searches of other libraries, with the settings that one takes for a table of categories.

They see complete text categories under neutral names, without the columns that are constant (the tests of some fail on
them; here they are isolated nodes), on one thread where that can be told. Independence tests have the level .05, which
is the default of causal-learn and pybnesian (pgmpy's is .01), and scores are BIC. A DAG is returned as its CPDAG, and
an edge with two arrowheads, which PC draws where v-structures contradict each other, as an undirected one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c.baselines.libraries import library
from ml4c.baselines.protocol import Method, Problem
from ml4c.dataset import Dataset
from ml4c.errors import DataError
from ml4c.graph import Graph
from ml4c.meek import cpdag_of

ALPHA = 0.05
Arcs: TypeAlias = Iterable[tuple[str | int, str | int]]
Search: TypeAlias = Callable[[Dataset], Graph]


def causal_learn_pc(data: Dataset) -> Graph:
    """PC (stable) of causal-learn with its chi-squared test; v-structures do not overwrite earlier ones."""
    pc = library("causallearn.search.ConstraintBased.PC").pc
    found = pc(data.codes.astype(np.int64), ALPHA, "chisq", show_progress=False)
    return graph_of_marks(found.G.graph)


def pgmpy_hc(data: Dataset) -> Graph:
    """Tabu hill climbing of pgmpy with BIC."""
    search = library("pgmpy.causal_discovery").HillClimbSearch(
        scoring_method="bic-d", return_type="dag", show_progress=False
    )
    search.fit(_numbered_frame(data))
    return cpdag_of(_graph(data, search.causal_graph_.edges()))


def pgmpy_pc(data: Dataset) -> Graph:
    """PC (stable) of pgmpy with its chi-squared test, sets of at most five; the earlier of two v-structures stays."""
    search = library("pgmpy.causal_discovery").PC(
        variant="stable", ci_test="chi_square", significance_level=ALPHA, show_progress=False
    )
    found = search.fit(_numbered_frame(data)).causal_graph_
    return _graph(data, found.directed_edges, found.undirected_edges)


def pybnesian_pc(data: Dataset) -> Graph:
    """PC (stable) of pybnesian with its chi-squared test; v-structures by majority, which is its default."""
    pybnesian = library("pybnesian")
    found = pybnesian.PC().estimate(pybnesian.ChiSquare(_frame(data)), alpha=ALPHA)
    return _graph(data, found.arcs(), found.edges())


def pybnesian_hc(data: Dataset) -> Graph:
    """Hill climbing of pybnesian with BIC."""
    pybnesian = library("pybnesian")
    found = pybnesian.hc(_frame(data), bn_type=pybnesian.DiscreteBNType(), score="bic", operators=["arcs"])
    return cpdag_of(_graph(data, found.arcs()))


def pyagrum_miic(data: Dataset) -> Graph:
    """MIIC of pyAgrum with the correction by normalised maximum likelihood, as published (its default is MDL)."""
    learner = library("pyagrum").BNLearner(_frame(data))
    learner.setNumberOfThreads(1)
    learner.useMIIC()
    learner.useNMLCorrection()
    found = learner.learnPDAG()
    return _graph(data, found.arcs(), found.edges())


def pyagrum_hc(data: Dataset) -> Graph:
    """Hill climbing of pyAgrum with BIC, no prior counts."""
    learner = library("pyagrum").BNLearner(_frame(data))
    learner.setNumberOfThreads(1)
    learner.useGreedyHillClimbing()
    learner.useScoreBIC()
    learner.useNoPrior()
    return cpdag_of(_graph(data, learner.learnDAG().arcs()))


def graph_of_marks(marks: NDArray[Any]) -> Graph:
    """Read causal-learn's matrix, in which cell [i, j] is the mark at i: -1 for a tail, 1 for an arrowhead."""
    points_back = (marks == 1) & (marks.T == -1)
    return np.asarray((marks != 0) & ~points_back, np.int8)


def on_varying_columns(search: Search, problem: Problem) -> Graph:
    """Let a peer search the columns that vary; the others are isolated."""
    data = problem.data
    if any((codes == len(labels)).any() for codes, labels in zip(data.codes.T, data.categories, strict=True)):
        raise DataError("the peers take complete tables only: drop the rows with missing values")
    kept = [i for i, labels in enumerate(data.categories) if len(labels) > 1]
    found = np.zeros((data.n_columns, data.n_columns), np.int8)
    if len(kept) > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found[np.ix_(kept, kept)] = search(data.select(kept))
    return found


def _frame(data: Dataset) -> Any:
    """Return the table as a pandas frame of text categories; column i is named by its number."""
    pandas = library("pandas")
    columns = enumerate(zip(data.categories, data.codes.T, strict=True))
    return pandas.DataFrame(
        {f"x{i}": pandas.Categorical.from_codes(codes, [f"c{k}" for k in range(len(of))]) for i, (of, codes) in columns}
    )


def _numbered_frame(data: Dataset) -> Any:
    """Return the frame with numbers for names: pgmpy lets the hashes of names, random if they are text, settle ties."""
    return _frame(data).set_axis(range(data.n_columns), axis=1)


def _graph(data: Dataset, arcs: Arcs, lines: Arcs = ()) -> Graph:
    """Return arcs and undirected edges, between names or numbers of columns, as a matrix."""
    graph = np.zeros((data.n_columns, data.n_columns), np.int8)
    for i, j in arcs:
        graph[_number(i), _number(j)] = 1
    for i, j in lines:
        graph[_number(i), _number(j)] = graph[_number(j), _number(i)] = 1
    return graph


def _number(column: str | int) -> int:
    return int(str(column).removeprefix("x"))


def _method(name: str, title: str, source: str, made: str, search: Search, needs: tuple[str, ...]) -> Method:
    return Method(name, title, "peer", source, made, "none", partial(on_varying_columns, search), needs)


PC_STABLE = "Colombo, Maathuis 2014, JMLR 15 (PC-stable)"
CLIMBING = "Heckerman, Geiger, Chickering 1995, Machine Learning 20"
METHODS = (
    _method("causal-learn-pc", "causal-learn PC", PC_STABLE, "causal-learn", causal_learn_pc, ("causallearn",)),
    _method("pgmpy-pc", "pgmpy PC", PC_STABLE, "pgmpy", pgmpy_pc, ("pgmpy", "pandas")),
    _method("pgmpy-hc", "pgmpy HC", CLIMBING, "pgmpy", pgmpy_hc, ("pgmpy", "pandas")),
    _method("pybnesian-pc", "pybnesian PC", PC_STABLE, "pybnesian", pybnesian_pc, ("pybnesian", "pandas")),
    _method("pybnesian-hc", "pybnesian HC", CLIMBING, "pybnesian", pybnesian_hc, ("pybnesian", "pandas")),
    _method(
        "pyagrum-miic",
        "pyAgrum MIIC",
        "Verny, Sella, Affeldt, Singh, Isambert 2017, PLoS Computational Biology 13",
        "pyAgrum",
        pyagrum_miic,
        ("pyagrum", "pandas"),
    ),
    _method("pyagrum-hc", "pyAgrum HC", CLIMBING, "pyAgrum", pyagrum_hc, ("pyagrum", "pandas")),
)
