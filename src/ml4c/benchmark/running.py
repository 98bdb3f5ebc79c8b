"""Running cells: train what must be trained, then every cell that is not there yet, each finished one a line at once.

Cells run on any `concurrent.futures.Executor`: threads here, each of which waits for the process of its cell, or the
workers of a Dask cluster, which then start these processes. Here they are forked (`processes`), unless there are only
a few. A skeleton that BLIP or our own learner finds is the edges of a cell of theirs, so such cells come first, and
cells that are given the edges after them.

What failed stays failed until it is asked for again, with its reason. Samples of a network are alike: who ran out of
time or memory on one of them is not tried on the next. Whoever is killed loses the cells in flight.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, TypeAlias

from ml4c.benchmark.cells import Cell, Record
from ml4c.benchmark.guarding import Limits, run_guarded
from ml4c.benchmark.linefile import LineFile
from ml4c.benchmark.methods import find_method
from ml4c.benchmark.processes import Nurseries
from ml4c.bif import load_network, network_names
from ml4c.errors import WorkError
from ml4c.units import number_of_jobs, open_executor, run_units, write_whole

PROVIDERS: Mapping[str, str] = {"blip": "blip", "ours": "ml4c"}
"""The method whose edges, found without a skeleton, are the skeleton of this name."""
CELLS = "cells.jsonl"
FEW = 2
"""Cells for each worker that take no longer to start afresh than a nursery does to get ready."""

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the number of cells that are there, the number of all, and words about what happened last."""
Order: TypeAlias = dict[str, Any]


def read_records(folder: Path) -> dict[Cell, Record]:
    """Return the cells of a folder; of a cell that was measured twice, the later one."""
    records = map(Record.from_dict, LineFile(folder / CELLS).read())
    return {record.cell: record for record in records}


@dataclass(frozen=True)
class Workplace:
    """Where and within which limits cells run: so many at once here, or on the Dask cluster at an address."""

    limits: Limits = field(default_factory=Limits)
    jobs: int | None = None
    dask: str | None = None


def run_cells(
    cells: Iterable[Cell],
    folder: Path,
    *,
    workplace: Workplace | None = None,
    retry: bool = False,
    progress: Progress | None = None,
) -> dict[Cell, Record]:
    """Measure the cells that a folder lacks, and return all that it then has.

    The cells whose edges others need are added. With `retry`, what failed is measured again. On a cluster the folder
    must be one that all its machines see, if a method is trained.
    """
    wanted = list(dict.fromkeys(with_providers(cells)))
    _check(wanted)
    return _Run(folder, workplace or Workplace(), progress or (lambda _done, _all, _words: None)).fill(wanted, retry)


def with_providers(cells: Iterable[Cell]) -> Iterable[Cell]:
    """Yield cells, before each the one that finds its skeleton."""
    for cell in cells:
        if cell.skeleton in PROVIDERS:
            yield _provider(cell)
        yield cell


def _provider(cell: Cell) -> Cell:
    return replace(cell, method=PROVIDERS[cell.skeleton], skeleton="none")


def _check(cells: Sequence[Cell]) -> None:
    """Raise for unknown methods and networks, and for a method that cannot do with its skeleton."""
    for name in {cell.network for cell in cells} - set(network_names()):
        load_network(name)
    for name, skeleton in sorted({(cell.method, cell.skeleton) for cell in cells}):
        takes = find_method(name).skeleton
        if (takes == "given" and skeleton == "none") or (takes == "none" and skeleton != "none"):
            raise WorkError(f"method {name!r} takes {'a' if takes == 'given' else 'no'} skeleton")
    for cell in cells:
        if cell.rows < 1 or cell.seed < 0:
            raise WorkError(f"{cell}: rows must be at least 1 and seeds at least 0")


class _Run:
    """One run in one folder."""

    def __init__(self, folder: Path, workplace: Workplace, progress: Progress) -> None:
        self.folder = folder
        self.place = workplace
        self.file = LineFile(folder / CELLS)
        self.progress = progress
        self.stop = Event()
        self.retry = False
        self.kept: set[Cell] = set()

    def fill(self, wanted: list[Cell], retry: bool) -> dict[Cell, Record]:
        """Measure what is missing."""
        self.retry = retry
        with self.file.writing():
            self.records = read_records(self.folder)
            self.wanted = wanted
            missing = [c for c in wanted if c not in self.records or (retry and not self.records[c].done)]
            self._report("")
            untrained = self._train({cell.method for cell in missing})
            self._measure([c for c in missing if c.skeleton not in PROVIDERS], untrained)
            self._measure([c for c in missing if c.skeleton in PROVIDERS], untrained)
        return self.records

    def _measure(self, cells: list[Cell], untrained: Mapping[str, str]) -> None:
        for seed in sorted({cell.seed for cell in cells}):
            self._measure_seed([cell for cell in cells if cell.seed == seed], untrained)

    def _measure_seed(self, cells: list[Cell], untrained: Mapping[str, str]) -> None:
        ready: dict[Cell, Order] = {}
        for cell in cells:
            order = self._order(cell)
            if cell.method in untrained:
                self._keep(Record(cell, "failed", f"training: {untrained[cell.method]}"))
            elif isinstance(order, str):
                self._keep(Record(cell, "failed", order))
            elif (before := self._hopeless(cell)) is not None:
                self._keep(Record(cell, before.status, f"not tried: seed {before.cell.seed}: {before.reason}"))
            else:
                ready[cell] = order
        numbered = list(ready)
        with closing(self._answers(list(ready.values()), self.place.limits, self.place.dask)) as answers:
            for index, answer in answers:
                self._keep(_record(numbered[index], answer))

    def _hopeless(self, cell: Cell) -> Record | None:
        """Return the first record of the same on another sample, if that ran out of time or memory.

        Where what failed is measured again, only what happened in this run counts.
        """
        others = [replace(cell, seed=seed) for seed in range(cell.seed)]
        known = [self.records[other] for other in others if other in self.records]
        counts = [of for of in known if not self.retry or of.cell in self.kept]
        return next((of for of in counts if of.status in ("timeout", "memory")), None)

    def _order(self, cell: Cell) -> Order | str:
        """Return what the process of a cell is told, or why there is nothing to tell."""
        edges = None
        if cell.skeleton in PROVIDERS:
            found = self.records[_provider(cell)]
            if found.edges is None:
                return f"no skeleton: {found.cell.method} {found.reason or 'left no edges'}"
            edges = found.edges
        trained = find_method(cell.method).train is not None
        models = str(self._models(cell.method).absolute()) if trained else None
        return {"cell": asdict(cell), "edges": edges, "models": models}

    def _keep(self, record: Record) -> None:
        self.file.append(record.to_dict())
        self.records[record.cell] = record
        self.kept.add(record.cell)
        self._report(str(record))

    def _report(self, words: str) -> None:
        self.progress(sum(cell in self.records for cell in self.wanted), len(self.wanted), words)

    def _models(self, method: str) -> Path:
        return self.folder / "models" / method.replace(":", "-")

    def _note(self, method: str) -> Path:
        """Return the file that is there when a method has been trained."""
        folder = self._models(method)
        return folder.with_name(f"{folder.name}.json")

    def _train(self, methods: Iterable[str]) -> dict[str, str]:
        """Train methods that need it, once; returns the reasons of those that could not be trained."""
        names = [name for name in sorted(methods) if find_method(name).train and not self._note(name).exists()]
        orders: list[Order] = [{"train": name, "models": str(self._models(name).absolute())} for name in names]
        failed = {}
        if names:
            self._report(f"training {', '.join(names)}")
        with closing(self._answers(orders, replace(self.place.limits, seconds=math.inf), None)) as answers:
            for index, answer in answers:
                if answer["status"] == "done":
                    write_whole(self._note(names[index]), (json.dumps(answer, indent=1) + "\n").encode())
                    self._report(f"trained {names[index]}, {answer['cpu']:.0f} CPU seconds")
                else:
                    failed[names[index]] = answer["reason"]
        return failed

    def _answers(
        self, orders: list[Order], limits: Limits, dask: str | None
    ) -> Generator[tuple[int, dict[str, Any]], None, None]:
        """Yield (number, answer) as orders are finished; when left early, end what still runs here."""
        if not orders:
            return
        jobs = self.place.jobs if dask is not None else number_of_jobs(self.place.jobs)
        nurseries = Nurseries(forking=jobs is not None and len(orders) > FEW * jobs)
        with closing(nurseries), open_executor(jobs, threads=dask is None, dask=dask) as (executor, workers):
            if executor is None or workers is None:
                raise WorkError("there is nothing to run cells on")
            here = (self.stop, nurseries) if dask is None else (None, None)
            work = partial(_obeyed, limits, *here)
            dealer = _Dealer(executor, orders)
            try:
                with closing(run_units(work, range(len(orders)), lambda: dealer, in_flight=workers)) as finished:
                    yield from finished
            except BaseException:
                self.stop.set()
                raise


def _obeyed(limits: Limits, stop: Event | None, nurseries: Nurseries | None, order: Any) -> dict[str, Any]:
    return run_guarded(order, limits, stop, nurseries)


class _Dealer(Executor):
    """Deals each worker the order of a number, not the whole pack: a cluster would copy it for every cell."""

    def __init__(self, executor: Executor, orders: Sequence[Order]) -> None:
        self._executor = executor
        self._orders = orders

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a function of the order whose number is given."""
        return self._executor.submit(fn, self._orders[args[0]], **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the executor open: it is not ours."""


def _record(cell: Cell, answer: dict[str, Any]) -> Record:
    """Make a record of what the process of a cell has answered; edges stay only where a cell may be given them."""
    provides = cell.skeleton == "none" and cell.method in PROVIDERS.values()
    edges = answer.pop("edges", None)
    return Record(cell, **answer, edges=edges if provides else None)
