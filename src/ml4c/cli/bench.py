"""The command `ml4c bench`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ml4c.cli.commands import app
from ml4c.cli.failing import long_work
from ml4c.cli.screen import console
from ml4c.errors import WorkError

if TYPE_CHECKING:
    from ml4c.benchmark import Workplace
    from ml4c.benchmark.plans import Plan

QUICK_SECONDS = 120.0


@app.command()
def bench(
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE]...", help="1 to 5, the tables of the paper; all by default.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A folder for cells and tables; a run goes on from it.")
    ] = None,
    networks: Annotated[str, typer.Option(help="Names or .bif files, commas between; all 24 by default.")] = "",
    rows: Annotated[str, typer.Option(help="Numbers of rows, commas between; the paper's by default.")] = "",
    seeds: Annotated[int | None, typer.Option(min=1, help="Samples of each network; 3 by default.")] = None,
    methods: Annotated[
        str, typer.Option(help="Names of --list-methods, or module:METHOD of your own, commas between.")
    ] = "",
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Tables 1, 2 and 4 of four small networks, 1,000 rows, one seed, two minutes for each cell; all "
            "methods, in about ten minutes on two cores.",
        ),
    ] = False,
    list_methods: Annotated[bool, typer.Option("--list-methods", help="Show the methods and their sources.")] = False,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Measure what is missing, or write tables only.")] = True,
    retry: Annotated[bool, typer.Option("--retry", help="Measure again what failed.")] = False,
    time_limit: Annotated[float | None, typer.Option(min=0, help="Seconds for a cell; 3600 by default.")] = None,
    memory_limit: Annotated[float, typer.Option(min=0, help="Gigabytes for a cell (on Linux).")] = 8.0,
    page: Annotated[Path | None, typer.Option(help="Write all tables as one page there.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Cells at once; as many as cores.")] = None,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Measure on this Dask cluster.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Measure methods on the networks, and write the paper's tables with our figures beside the published ones."""
    if list_methods:
        _show_methods(quiet)
        return
    if output is None:
        raise WorkError("a benchmark needs a folder for its cells and tables: -o DIR")
    from ml4c.benchmark import Limits, Workplace
    from ml4c.benchmark.page import write_tables

    plan = _plan(tables, networks, rows, seeds, methods, quick)
    usual = QUICK_SECONDS if quick else Limits().seconds
    place = Workplace(Limits(usual if time_limit is None else time_limit, 1024 * memory_limit), jobs, dask)
    if run:
        _measure(plan, output, place, retry, quiet)
    options = {"--networks": networks, "--rows": rows, "--seeds": seeds, "--methods": methods, "--page": page}
    said = [word for option, value in options.items() if value for word in (option, str(value))]
    whole = [*plan.tables, "--no-run", "-o", str(output), *(["--quick"] if quick else []), *said]
    files = write_tables(output, plan, page=page, command=shlex.join(["ml4c", "bench", *whole]))
    if not quiet:
        for file in files:
            typer.echo(str(file))


def _plan(tables: list[str] | None, networks: str, rows: str, seeds: int | None, methods: str, quick: bool) -> Plan:
    from ml4c.benchmark.plans import QUICK_NETWORKS, QUICK_ROWS, QUICK_TABLES, Plan

    small = {"tables": QUICK_TABLES, "networks": QUICK_NETWORKS, "rows": (QUICK_ROWS,), "seeds": 1}
    chosen: dict[str, Any] = small if quick else {}
    named = {"tables": tuple(tables or ()), "networks": _listed(networks), "methods": _listed(methods)}
    given = {**named, "rows": _numbers(rows), "seeds": seeds}
    return Plan(**{**chosen, **{key: value for key, value in given.items() if value}})


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part.replace("_", "")) for part in _listed(text))
    except ValueError:
        raise WorkError(f"--rows {text!r}: give whole numbers with commas between, like 1000,10000") from None


def _measure(plan: Plan, output: Path, place: Workplace, retry: bool, quiet: bool) -> None:
    from ml4c.benchmark import run_cells
    from ml4c.benchmark.transfer import run_transfers
    from ml4c.units import open_executor

    with long_work(resumable=True), _told(quiet) as progress:
        run_cells(plan.cells(), output, workplace=place, retry=retry, progress=progress)
        if "5" in plan.tables:
            with open_executor(place.jobs, dask=place.dask) as (executor, workers):
                run_transfers(output, executor=executor, jobs=workers, progress=progress)


@contextmanager
def _told(quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """Tell each cell in a line on stderr, above a bar if that is a terminal."""
    from rich import progress as rich
    from rich.text import Text

    columns = (rich.TextColumn("Cells"), rich.BarColumn(), rich.MofNCompleteColumn(), rich.TimeElapsedColumn())
    screen = console(stderr=True, quiet=quiet)
    with rich.Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def show(done: int, total: int, words: str) -> None:
            bar.update(task, completed=done, total=total)
            if words:
                screen.print(Text(f"{done}/{total} {words}"), soft_wrap=True)

        yield show


def _show_methods(quiet: bool) -> None:
    """List the methods, a line each, and under it whose code runs and whose idea it is."""
    from ml4c.benchmark import all_methods

    for method in all_methods():
        if quiet:
            typer.echo(method.name)
            continue
        made = f"{method.made}, trained first" if method.train is not None else method.made
        needs = f"; needs {', '.join(method.needs)}" if method.needs else ""
        typer.echo(f"{method.name:18}{method.family}, skeleton {method.skeleton}; code: {made}{needs}")
        typer.echo(f"{'':18}{method.source}")
