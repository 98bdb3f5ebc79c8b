"""How stable a graph is: the same discovery on many samples drawn from the table with replacement.

Each repeat is a unit of its own (`ml4c.units`): on any executor, kept in a folder, resumed after an interruption. Rows
are drawn from the table in an order that depends on their content alone, so neither the order of rows or columns
nor the naming of categories changes what is drawn (equally frequent categories of a column excepted, which are told
apart by their labels).

The consensus has the edges that most repeats have. Its directions are decided as those of any graph, all at once: the
repeats in which a triple is a v-structure stand against those in which it is a triple but none, in log-odds; so it is
a certified CPDAG like any other, which a graph of the most frequent directions need not be.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c.dataset import Dataset, Missing
from ml4c.errors import WorkError
from ml4c.graph import Graph, Triples, as_graph, edges, unshielded_triples
from ml4c.interop import FoundEdge, write_graph
from ml4c.interop.storage import AnyPath, replace_files, table_text
from ml4c.knowledge import Knowledge
from ml4c.meek import Certificate
from ml4c.orientation import Orientation, orient_globally
from ml4c.pipeline import Progress, Result, as_dataset, discover
from ml4c.pipeline.inputs import as_knowledge
from ml4c.pipeline.result import BOOTSTRAP_FILES
from ml4c.units import UnitStore, lent, number_of_jobs, run_units

Floats: TypeAlias = NDArray[np.float64]
Arrays: TypeAlias = dict[str, NDArray[Any]]

MAJORITY = 0.5
HALF = 0.5
"""Of a repeat is added to either side of a triple (Jeffreys): few repeats weigh little, and nothing is certain."""
_DEFAULTS = {
    name: option.default
    for name, option in inspect.signature(discover).parameters.items()
    if name not in ("data", "n_jobs", "missing", "progress")
}
NOTE, UNITS = "bootstrap.json", "bootstrap"


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """What many samples say about the edges of a table's graph.

    result: the graph of the whole table, with the frequencies beside its edges. adjacent: share of repeats in which two
    columns are adjacent, symmetric. directed: share of repeats with an arrow from the row's column to the column's.
    consensus: a certified CPDAG. Matrices are in the order of `names`.
    """

    names: tuple[str, ...]
    repeats: int
    result: Result
    adjacent: Floats
    directed: Floats
    consensus: Graph
    certificate: Certificate

    def save(self, folder: AnyPath) -> tuple[Path, ...]:
        """Write the files of the result, the consensus as a list of edges, and the frequencies of all pairs."""
        place = Path(folder)
        files = self.result.save(place)
        consensus, frequencies = (place / name for name in BOOTSTRAP_FILES)
        write_graph(consensus, self.consensus, self.names)
        rows = [
            (self.names[x], self.names[y], self.adjacent[x, y], self.directed[x, y], self.directed[y, x])
            for x, y in np.argwhere(np.triu(self.adjacent)).tolist()
        ]
        replace_files({frequencies: table_text(("a", "b", "adjacent", "a_to_b", "b_to_a"), rows)})
        return (*files, consensus, frequencies)


def bootstrap(
    data: object,
    *,
    repeats: int = 100,
    folder: AnyPath | None = None,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    missing: Missing = "error",
    knowledge: Knowledge | AnyPath | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Bootstrap:
    """Discover the graph of a table, and of `repeats` samples drawn from it with replacement.

    folder: keeps every finished repeat, so that an interrupted run goes on from there. executor: any
    `concurrent.futures.Executor`; without one, `n_jobs` processes (a script then needs the usual
    `if __name__ == "__main__"`). options: those of `discover`. progress: called with the phase, the number of units
    done and of all.
    """
    if not isinstance(repeats, (int, np.integer)) or repeats < 1:
        raise WorkError(f"cannot repeat {repeats!r} times: take at least one")
    jobs = number_of_jobs(n_jobs)
    table = as_dataset(data, missing)
    known = as_knowledge(knowledge)
    chosen = {**options, "knowledge": known, "seed": seed}
    result = discover(table, n_jobs=n_jobs, progress=progress, **chosen)
    graphs = _repeats(table, chosen, repeats, folder, executor, jobs, progress)
    adjacent, directed = _frequencies(graphs, table.n_columns)
    wanted: dict[str, Any] = {name: options[name] for name in ("decision", "confidence") if name in options}
    consensus = _consensus(graphs, adjacent, table.names, known, {**wanted, "seed": seed})
    return Bootstrap(
        table.names,
        repeats,
        replace(_annotated(result, adjacent, directed), repeats=int(repeats)),
        adjacent,
        directed,
        consensus.cpdag,
        consensus.certificate,
    )


def _repeats(
    table: Dataset,
    options: dict[str, Any],
    repeats: int,
    folder: AnyPath | None,
    executor: Executor | None,
    jobs: int,
    progress: Progress | None,
) -> list[Graph]:
    """Return the graph of every repeat, computing those that are not kept."""
    show = progress or (lambda _phase, _done, _total: None)
    store = None if folder is None else _store(Path(folder), table, options)
    kept = {} if store is None else {i: unit for i in range(repeats) if (unit := store.read(i)) is not None}
    left = [i for i in range(repeats) if i not in kept]
    show("bootstrap", len(kept), repeats)
    work = partial(_repeat, table.take(_canonical_rows(table)), options)
    if left:
        with closing(run_units(work, left, lent(executor, jobs), in_flight=2 * jobs)) as finished:
            for index, unit in finished:
                if store is not None:
                    store.write(index, unit)
                kept[index] = unit
                show("bootstrap", len(kept), repeats)
    return [_graph(kept[index], table.n_columns) for index in range(repeats)]


def _repeat(table: Dataset, options: dict[str, Any], index: int) -> Arrays:
    """Draw sample `index` from a table and return the edges of its graph; one thread."""
    rng = np.random.default_rng(np.random.SeedSequence(options["seed"], spawn_key=(index,)))
    rows = rng.integers(table.n_rows, size=table.n_rows)
    # A column that a sample has no value of is constant there.
    there = np.flatnonzero((table.codes[rows] < table.cardinalities).any(axis=0))
    found = edges(discover(_filled(table, there).take(rows), n_jobs=1, **options).cpdag)
    return {"directed": found.directed.astype(np.int32), "undirected": found.undirected.astype(np.int32)}


def _filled(table: Dataset, there: NDArray[np.intp]) -> Dataset:
    """Return the table with all other columns constant."""
    if len(there) == table.n_columns:
        return table
    codes = np.zeros_like(table.codes)
    codes[:, there] = table.codes[:, there]
    labels = tuple(labels if j in there else ("no value",) for j, labels in enumerate(table.categories))
    return replace(table, categories=labels, codes=codes)


def _graph(unit: Arrays, n_columns: int) -> Graph:
    matrix = np.zeros((n_columns, n_columns), np.int8)
    matrix[tuple(unit["directed"].T)] = 1
    matrix[tuple(unit["undirected"].T)] = 1
    matrix[tuple(unit["undirected"].T[::-1])] = 1
    return as_graph(matrix)


def _store(folder: Path, table: Dataset, options: dict[str, Any]) -> UnitStore:
    chosen = {**_DEFAULTS, **options}
    plain = {name: _plain(value) for name, value in chosen.items() if value is not None}
    return UnitStore(folder, {"table": _fingerprint(table), "options": plain}, note=NOTE, units=UNITS)


def _plain(value: Any) -> Any:
    """Return an option as it is written in the note of a folder."""
    if isinstance(value, Knowledge):
        return value.to_mapping()
    if isinstance(value, np.generic):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _fingerprint(table: Dataset) -> str:
    """Return a digest of names, labels and rows."""
    digest = hashlib.sha256(repr((table.names, table.categories, table.missing)).encode())
    for j in range(table.n_columns):
        digest.update(np.ascontiguousarray(table.codes[:, j]).tobytes())
    return digest.hexdigest()


def _canonical_rows(table: Dataset) -> NDArray[np.intp]:
    """Return the rows in an order that their content decides: by a hash of names and ranks of categories."""
    key = np.zeros(table.n_rows, np.uint64)
    for j, name in enumerate(table.names):
        codes, card = table.codes[:, j], len(table.categories[j])
        counts = np.bincount(codes, minlength=card + 1)
        rank = np.empty(card + 1, np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(card + 1)
        key += np.array([_hash(f"{place} {name}") for place in rank.tolist()], np.uint64)[codes]
    return np.argsort(key, kind="stable")


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def _frequencies(graphs: Iterable[Graph], n_columns: int) -> tuple[Floats, Floats]:
    """Return the shares of repeats in which columns are adjacent, and in which an arrow joins them."""
    adjacent, directed = np.zeros((2, n_columns, n_columns))
    repeats = 0
    for graph in graphs:
        repeats += 1
        adjacent += graph | graph.T
        directed += graph & ~graph.T & 1
    return adjacent / repeats, directed / repeats


def _consensus(
    graphs: list[Graph],
    adjacent: Floats,
    names: tuple[str, ...],
    knowledge: Knowledge | None,
    options: dict[str, Any],
) -> Orientation:
    """Decide the directions on the edges that most repeats have; options: of `orient_globally`."""
    order = np.array(sorted(range(len(names)), key=names.__getitem__))
    here = np.ix_(order, order)
    skeleton = as_graph(adjacent[here] > MAJORITY)
    triples = unshielded_triples(skeleton)
    shares = _collider_shares([graph[here] for graph in graphs], triples)
    by_name = [names[i] for i in order]
    constraints = None if knowledge is None else knowledge.bind(by_name)
    found = orient_globally(skeleton, triples, shares, constraints=constraints, names=by_name, **options)
    back = np.argsort(order)
    return replace(found, cpdag=np.ascontiguousarray(found.cpdag[np.ix_(back, back)]))


def _collider_shares(graphs: Iterable[Graph], triples: Triples) -> Floats:
    """Estimate, from the repeats in which each triple is unshielded, how often it is a v-structure."""
    x, t, y = triples.T
    unshielded, colliders = np.zeros((2, len(triples)))
    for graph in graphs:
        joined = (graph | graph.T) == 1
        here = joined[x, t] & joined[y, t] & ~joined[x, y]
        unshielded += here
        colliders += here & (graph[t, x] == 0) & (graph[t, y] == 0)
    shares: Floats = (colliders + HALF) / (unshielded + 2 * HALF)
    return shares


def _annotated(result: Result, adjacent: Floats, directed: Floats) -> Result:
    """Write the frequencies beside the edges of a result."""
    place = {name: i for i, name in enumerate(result.names)}

    def with_shares(edge: FoundEdge) -> FoundEdge:
        i, j = place[edge.source], place[edge.target]
        return replace(
            edge, adjacency=float(adjacent[i, j]), forward=float(directed[i, j]), backward=float(directed[j, i])
        )

    return replace(result, edges=tuple(map(with_shares, result.edges)))
