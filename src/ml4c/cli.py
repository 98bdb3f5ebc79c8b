"""The command `ml4c`: a thin layer of words around the library.

Every error that the library raises on purpose is one line on stderr and exit code 2, like a wrong option;
only a defect shows a traceback, with exit code 1. What a command needs is imported when it runs, so that help
is quick. Text that came from a user or a file is never read as markup.
"""

from __future__ import annotations

import traceback
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ml4c.errors import Ml4cError

if TYPE_CHECKING:
    from rich.console import Console

EXIT_CODES = "Exit codes: 0 done, 1 a defect of ml4c (please report it), 2 a wrong input or option."


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
    _console().print(table)


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

    with _console(stderr=True, quiet=quiet).status(f"Sampling {rows:,} records"):
        net = load_network(network)
        if permute:
            net = net.permuted(seed)
        net.sample(rows, seed).write(output)
    if not quiet:
        typer.echo(f"{output}: {rows:,} rows x {net.n_nodes} columns, seed {seed}")


def _console(*, stderr: bool = False, quiet: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, quiet=quiet, highlight=False)


def _show_error(message: str) -> None:
    from rich.text import Text

    # soft_wrap: a long message stays one line for whoever reads it by program
    _console(stderr=True).print(Text.assemble(("error:", "bold red"), " ", message), soft_wrap=True)
