"""The commands of `ml4c` but for the benchmark's: a thin layer of words around the library.

Every error that the library raises on purpose is one line on stderr and exit code 2, like a wrong option;
only a defect shows a traceback, with exit code 1. What a command needs is imported when it runs, so that help
is quick. Text that came from a user or a file is never read as markup.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperGroup

from ml4c.cli.repeating import repeatable
from ml4c.errors import Ml4cError

if TYPE_CHECKING:
    from rich.console import Console

    from ml4c.bootstrapping import Bootstrap
    from ml4c.dataset import Dataset, Missing
    from ml4c.graph import Graph
    from ml4c.pipeline import Result

EXIT_CODES = "Exit codes: 0 done, 1 a defect of ml4c (please report it), 2 a wrong input or option, 130 interrupted."


class _Commands(TyperGroup):
    """Turns the errors that the library raises on purpose into one line."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command."""
        try:
            return super().invoke(ctx)
        except Ml4cError as error:
            if ctx.params["debug"]:
                traceback.print_exc()
            _show_error(str(error))
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            _show_error("interrupted; what was written before is whole")
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; the entry point of the script `ml4c`."""
    app(prog_name="ml4c")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ml4c {version('ml4c')}")
        raise typer.Exit


@app.callback()
def _root(
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error was raised.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Causal graphs from tables of categorical data."""


@app.command()
def networks(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the names only, one a line.")] = False,
) -> None:
    """List the networks that can be sampled by name."""
    from rich.table import Table

    from ml4c.bif import network_summaries

    if quiet:
        for summary in network_summaries():
            typer.echo(summary.name)
        return
    table = Table("name", title="Networks of the bnlearn repository (CC BY-SA 3.0)", title_style="")
    for heading in ("nodes", "edges", "parameters", "max in-degree", "states"):
        table.add_column(heading, justify="right")
    for s in network_summaries():
        sizes = [f"{size:,}" for size in (s.nodes, s.edges, s.parameters, s.max_in_degree)]
        states = str(s.min_states) if s.min_states == s.max_states else f"{s.min_states}-{s.max_states}"
        table.add_row(s.name, *sizes, states)
    console().print(table)


@app.command()
def sample(
    network: Annotated[str, typer.Argument(help="A name of 'ml4c networks', or a .bif or .bif.gz file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A .csv, .tsv, .parquet or .npy file.")],
    rows: Annotated[int, typer.Option("--rows", "-n", min=1, help="Number of records.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same records.")] = 0,
    permute: Annotated[
        bool, typer.Option(help="Shuffle the columns by the seed: in many networks causes come first.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Draw records from a Bayesian network into a table."""
    from ml4c.bif import load_network

    with console(stderr=True, quiet=quiet).status(f"Sampling {rows:,} records"):
        net = load_network(network)
        if permute:
            net = net.permuted(seed)
        net.sample(rows, seed).write(output)
    if not quiet:
        typer.echo(f"{output}: {rows:,} rows x {net.n_nodes} columns, seed {seed}")


@app.command()
def discover(
    ctx: typer.Context,
    data: Annotated[Path, typer.Argument(help="A .csv, .tsv (also .gz), .parquet or .npy file.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A folder for the files of the result.")] = None,
    knowledge: Annotated[
        Path | None, typer.Option(help="What must and must not be: a .yaml or .json file (see docs/knowledge.md).")
    ] = None,
    skeleton: Annotated[
        Path | None,
        typer.Option(help="Orient this undirected graph: .csv (source, target), .txt (0/1 matrix), .json or .graphml."),
    ] = None,
    skeleton_method: Annotated[str, typer.Option(help="How to learn the skeleton: fast, accurate or pc.")] = "fast",
    model: Annotated[
        str, typer.Option(help="default, paper (the method as published), or the folder of a model.")
    ] = "default",
    threshold: Annotated[
        float | None,
        typer.Option(help="Least probability of a v-structure, 0.5 by default; higher leaves more undirected."),
    ] = None,
    bootstrap: Annotated[
        int | None, typer.Option(min=1, metavar="REPEATS", help="Repeat on so many samples drawn from the table.")
    ] = None,
    missing: Annotated[str, typer.Option(help="Missing values: error, available or category.")] = "error",
    discretize: Annotated[int | None, typer.Option(help="Number of bins for columns that look continuous.")] = None,
    separator: Annotated[
        str | None, typer.Option(help="Between the cells of a text file; comma in .csv, tab in .tsv.")
    ] = None,
    max_condition: Annotated[int | None, typer.Option(min=0, help="Largest set that tests condition on.")] = None,
    max_degree: Annotated[int | None, typer.Option(min=0, help="Most edges of a column.")] = None,
    time_budget: Annotated[float | None, typer.Option(min=0, help="Seconds for the search of the skeleton.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")] = 0,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers; all cores by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print graph.json and the list of files.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the edges only, one a line.")] = False,
) -> None:
    """Turn a table into a causal graph, with the evidence for every edge."""
    from ml4c.dataset import read_table
    from ml4c.errors import GraphError
    from ml4c.interop import printable

    if output is not None and output.exists() and not output.is_dir():
        raise GraphError(f"{output}: a file with this name exists; results need a folder")
    begin = perf_counter()
    table = read_table(data, missing=cast("Missing", missing), discretize=discretize, separator=separator)
    if not (quiet or as_json):
        for line in table.summary().split("\n"):
            typer.echo(printable(line))
    options = {"model": model, "knowledge": knowledge, "threshold": threshold, "n_jobs": jobs, "seed": seed}
    limits = {"max_condition": max_condition, "max_degree": max_degree, "time_budget": time_budget}
    searching = {"skeleton_method": skeleton_method, **limits}
    with _phases(quiet=quiet) as progress:
        made = _run_discovery(table, skeleton, bootstrap, output, searching, {**options, "progress": progress})
    found, files = _written(made, output, source=data, command=repeatable(ctx))
    if as_json:
        typer.echo(json.dumps({**found.to_dict(), "files": [str(file) for file in files]}, indent=1))
    elif quiet:
        for edge in found.edges:
            typer.echo(printable(str(edge)))
    else:
        _show_result(found, files, perf_counter() - begin)


def _run_discovery(
    table: Dataset,
    skeleton: Path | None,
    repeats: int | None,
    output: Path | None,
    searching: dict[str, Any],
    options: dict[str, Any],
) -> Result | Bootstrap:
    """Orient a given skeleton, or learn it, or do so many times."""
    from ml4c import pipeline
    from ml4c.bootstrapping import bootstrap
    from ml4c.errors import GraphError

    if skeleton is not None:
        if repeats is not None or any(value not in (None, "fast") for value in searching.values()):
            raise GraphError("--skeleton gives the skeleton: leave out what is about learning one, and --bootstrap")
        return pipeline.orient(table, skeleton, **options)
    if repeats is not None:
        return bootstrap(table, repeats=repeats, folder=output, **searching, **options)
    return pipeline.discover(table, **searching, **options)


def _written(
    made: Result | Bootstrap, output: Path | None, *, source: Path, command: str
) -> tuple[Result, Sequence[Path]]:
    """Say in the result where it comes from, and write its files and its report if there is a place for them."""
    from ml4c.pipeline import Result
    from ml4c.report import write_report

    found = replace(made if isinstance(made, Result) else made.result, source=str(source), command=command)
    if output is None:
        return found, ()
    files = found.save(output) if isinstance(made, Result) else replace(made, result=found).save(output)
    return found, (*files, write_report(output))


@app.command()
def evaluate(
    truth: Annotated[str, typer.Argument(help="The true graph: .txt, .csv, .bif, .bif.gz, or a network's name.")],
    found: Annotated[Path, typer.Argument(help="The found graph: .txt (0/1 matrix) or .csv (source, target, type).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")] = False,
) -> None:
    """Compare a found graph with the true one; a true DAG is turned into its CPDAG."""
    from ml4c.graph import is_dag
    from ml4c.interop import printable, read_pair
    from ml4c.meek import certify, cpdag_of

    pair = read_pair(truth, found)
    scores = _scores(cpdag_of(pair.truth) if is_dag(pair.truth) else pair.truth, pair.found)
    certificate = certify(pair.found)
    if as_json:
        typer.echo(json.dumps({**scores, "found_is_valid": certificate.valid, "note": pair.note}, indent=1))
        return
    for name, value in scores.items():
        typer.echo(f"{name.replace('_', ' '):20}{value if isinstance(value, int) else f'{value:.4f}':>8}")
    typer.echo(f"the found graph is {'' if certificate.valid else 'not '}a valid CPDAG")
    if pair.note:
        typer.echo(f"note: {printable(pair.note)}")


def _scores(truth: Graph, found: Graph) -> dict[str, int | float]:
    from ml4c import metrics

    joined = metrics.skeleton_scores(truth, found)
    return {
        "nodes": len(truth),
        "shd": metrics.shd(truth, found),
        "edge_f1": metrics.edge_f1(truth, found),
        "triple_f1": metrics.triple_f1(truth, found),
        "skeleton_precision": joined.precision,
        "skeleton_recall": joined.recall,
        "skeleton_f1": joined.f1,
    }


@contextmanager
def _phases(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar for every phase on stderr, if that is a terminal."""
    from rich.progress import Progress, TaskID

    screen = console(stderr=True)
    with Progress(console=screen, transient=True, disable=quiet or not screen.is_terminal) as bar:
        tasks: dict[str, TaskID] = {}

        def show(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase.capitalize(), total=total)
            bar.update(tasks[phase], completed=done, total=total)

        yield show


def _show_result(found: Result, files: Sequence[Path], seconds: float) -> None:
    from rich.table import Table
    from rich.text import Text

    from ml4c.interop import evidence_columns, printable
    from ml4c.pipeline.showing import HEADER, edge_cells, evidence_cells

    table = Table()
    numbers = evidence_columns(found.edges)
    for heading in HEADER:  # fold: a long name is never cut
        table.add_column(heading, justify="right" if heading == "probability" else "left", overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right")
    for edge in found.edges:
        table.add_row(*map(Text, (*edge_cells(edge), *evidence_cells(edge, numbers))))
    console().print(table)
    for line in found.headline:
        typer.echo(printable(line))
    for file in files:
        typer.echo(str(file))
    typer.echo(f"{seconds:.1f} seconds")


@app.command()
def train(
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder; an interrupted run goes on from it.")],
    recipe: Annotated[
        str, typer.Argument(help="'default', 'paper', 'skeleton', or a JSON file with the fields of a recipe.")
    ] = "paper",
    networks: Annotated[int | None, typer.Option(min=1, help="Take only the first networks of the recipe.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers; all cores by default.")] = None,
    threads: Annotated[bool, typer.Option("--threads", help="Threads instead of processes.")] = False,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Compute on this Dask cluster.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Train a model on synthetic networks."""
    from ml4c.synthesis import load_recipe
    from ml4c.training import train as train_model
    from ml4c.units import open_executor

    chosen = load_recipe(recipe)
    with open_executor(jobs, threads=threads, dask=dask) as (executor, workers), _progress_bar(quiet) as progress:
        report = train_model(chosen, output, executor=executor, n_jobs=workers, progress=progress, limit=networks)
    if not quiet:
        counts = ", ".join(f"{count:,} {what.replace('_', '-')}" for what, count in report.card.counts.items())
        typer.echo(f"{output}: a model of {counts} ({report.reused:,} networks from an earlier run)")


@contextmanager
def _progress_bar(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show how many networks are done, and how long the others may take."""
    from rich import progress as rich

    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn())
    times = (rich.TimeElapsedColumn(), rich.TextColumn("left"), rich.TimeRemainingColumn(elapsed_when_finished=True))
    with rich.Progress(*columns, *times, console=console(stderr=True, quiet=quiet)) as bar:
        task = bar.add_task("Networks", total=None)

        def show(done: int, total: int) -> None:
            said = "Networks" if done < total else "Fitting"
            bar.update(task, completed=done, total=total, description=said)

        yield show


def console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Return where to print; quiet prints nothing."""
    from rich.console import Console

    return Console(stderr=stderr, quiet=quiet, highlight=False)


def _show_error(message: str) -> None:
    from rich.text import Text

    from ml4c.interop.words import printable

    # soft_wrap: a long message stays one line for whoever reads it by program
    console(stderr=True).print(Text.assemble(("error:", "bold red"), " ", printable(message)), soft_wrap=True)
