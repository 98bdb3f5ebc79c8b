"""The command `ml4c`, and its commands that have no module of their own: a thin layer of words around the library.

What a command needs is imported when it runs, so that help is quick.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ml4c.cli.binning import bins
from ml4c.cli.failing import EXIT_CODES, Commands, long_work, note_debug
from ml4c.cli.screen import bar_of_networks, console
from ml4c.cli.starting import own_process

if TYPE_CHECKING:
    from ml4c.graph import Graph

__all__ = ["app", "main"]

app = typer.Typer(
    cls=Commands,
    pretty_exceptions_enable=False,
    epilog=EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; the entry point of the script `ml4c`."""
    own_process()
    app(prog_name="ml4c")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ml4c {version('ml4c')}")
        raise typer.Exit


@app.callback()
def _root(
    _debug: Annotated[
        bool, typer.Option("--debug", callback=note_debug, help="Show where an error was raised.")
    ] = False,
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


@app.command()
def train(
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder; an interrupted run goes on from it.")],
    recipe: Annotated[
        str | None,
        typer.Argument(help="'default', 'paper' (if none is named), 'skeleton', or a JSON file with a recipe."),
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(metavar="TABLE", help="Train on 100 networks like this table instead, for --model OUTPUT."),
    ] = None,
    discretize: Annotated[
        list[str] | None, typer.Option(metavar="BINS", help="Of the table of --like, as in `ml4c discover`.")
    ] = None,
    networks: Annotated[int | None, typer.Option(min=1, help="Take only the first networks of the recipe.")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers; all cores by default.")] = None,
    threads: Annotated[bool, typer.Option("--threads", help="Threads instead of processes.")] = False,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Compute on this Dask cluster.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Train a model on synthetic networks."""
    from ml4c.dataset import read_table
    from ml4c.errors import ModelError
    from ml4c.synthesis import load_recipe, recipe_like
    from ml4c.training import train as train_model
    from ml4c.units import open_executor

    if like is not None and recipe is not None:
        raise ModelError(f"--like {like} makes a recipe of its own: leave {recipe} out")
    if like is None:
        chosen = load_recipe(recipe or "paper")
    else:
        chosen = recipe_like(read_table(like, missing="available", discretize=bins(discretize)))
    with (
        long_work(resumable=True),
        open_executor(jobs, threads=threads, dask=dask) as (executor, workers),
        bar_of_networks(quiet=quiet) as progress,
    ):
        report = train_model(chosen, output, executor=executor, n_jobs=workers, progress=progress, limit=networks)
    if not quiet:
        counts = ", ".join(f"{count:,} {what.replace('_', '-')}" for what, count in report.card.counts.items())
        typer.echo(f"{output}: a model of {counts} ({report.reused:,} networks from an earlier run)")
