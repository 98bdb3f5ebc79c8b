"""The command `ml4c report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ml4c.cli.commands import app
from ml4c.errors import GraphError


@app.command()
def report(
    results: Annotated[
        list[Path] | None, typer.Argument(metavar="DIR [OTHER]", help="One folder of 'ml4c discover -o', or two.")
    ] = None,
    benchmark: Annotated[
        Path | None, typer.Option(help="Show the tables and figures in this folder of 'ml4c bench' instead.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A .html file, or a folder; by default the folder itself.")
    ] = None,
) -> None:
    """Write the HTML page of a result again, of two results compared, or of a benchmark."""
    from ml4c.report import write_benchmark_report, write_comparison, write_report

    folders = results or []
    if benchmark is not None and not folders:
        file = write_benchmark_report(benchmark, output)
    elif benchmark is None and len(folders) == 1:
        file = write_report(folders[0], output)
    elif benchmark is None and len(folders) == 2:
        file = write_comparison(folders[0], folders[1], output)
    else:
        raise GraphError("give the folder of one result, two to compare them, or --benchmark and a folder")
    typer.echo(str(file))
