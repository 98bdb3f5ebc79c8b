"""The command `ml4c discover`: a table in, a graph with its evidence out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ml4c.cli.binning import bins
from ml4c.cli.commands import app
from ml4c.cli.failing import long_work
from ml4c.cli.repeating import repeatable
from ml4c.cli.screen import bars_of_phases, console
from ml4c.cli.starting import import_lightly
from ml4c.errors import GraphError

if TYPE_CHECKING:
    from ml4c.bootstrapping import Bootstrap
    from ml4c.dataset import Dataset, Missing
    from ml4c.orientation import Decision
    from ml4c.pipeline import Result


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
    skeleton_method: Annotated[
        str,
        typer.Option(help="How to learn the skeleton: accurate, fast, pc, or auto (accurate, but fast if large)."),
    ] = "auto",
    model: Annotated[
        str, typer.Option(help="default, paper (the method as published), or the folder of a model.")
    ] = "default",
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Least probability of a v-structure, 1/2 by default, 1/3 with --skeleton; higher: fewer arrows."
        ),
    ] = None,
    decision: Annotated[
        str, typer.Option(help="Which graph: best (the best orientation), f1 or shd (the best expected figure).")
    ] = "best",
    confidence: Annotated[
        float | None,
        typer.Option(help="Draw no arrow that is less probable, where an orientation without it is found."),
    ] = None,
    bootstrap: Annotated[
        int | None, typer.Option(min=1, metavar="REPEATS", help="Repeat on so many samples drawn from the table.")
    ] = None,
    missing: Annotated[str, typer.Option(help="Missing values: error, available or category.")] = "error",
    discretize: Annotated[
        list[str] | None,
        typer.Option(metavar="BINS", help="Bins for columns that look continuous, or COLUMN=BINS for each one named."),
    ] = None,
    separator: Annotated[
        str | None, typer.Option(help="Between the cells of a text file; comma in .csv, tab in .tsv.")
    ] = None,
    max_condition: Annotated[int | None, typer.Option(min=0, help="Largest set that tests condition on.")] = None,
    max_degree: Annotated[int | None, typer.Option(min=0, help="Most edges of a column.")] = None,
    edge_threshold: Annotated[
        float | None, typer.Option(help="Least probability of an edge (accurate); by default the best expected F1.")
    ] = None,
    time_budget: Annotated[float | None, typer.Option(min=0, help="Seconds for the search of the skeleton.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn at random.")] = 0,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Workers; all cores by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print graph.json and the list of files.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the edges only, one a line.")] = False,
) -> None:
    """Turn a table into a causal graph, with the evidence for every edge."""
    from ml4c.dataset import read_table
    from ml4c.interop import printable
    from ml4c.pipeline.choice import Choice

    if output is not None and output.exists() and not output.is_dir():
        raise GraphError(f"{output}: a file with this name exists; results need a folder")
    Choice(threshold, cast("Decision", decision), confidence)
    begin = perf_counter()
    between = "\t" if separator == r"\t" else separator
    table = read_table(data, missing=cast("Missing", missing), discretize=bins(discretize), separator=between)
    if not (quiet or as_json):
        for line in table.summary().split("\n"):
            typer.echo(printable(line))
    deciding = {"threshold": threshold, "decision": decision, "confidence": confidence}
    options = {"model": model, "knowledge": knowledge, **deciding, "n_jobs": jobs, "seed": seed}
    limits = {"max_condition": max_condition, "max_degree": max_degree, "time_budget": time_budget}
    searching = {"skeleton_method": skeleton_method, "edge_threshold": edge_threshold, **limits}
    resumable = bootstrap is not None and output is not None
    with long_work(resumable=resumable), bars_of_phases(quiet=quiet) as progress:
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
    import_lightly()
    from ml4c import pipeline
    from ml4c.bootstrapping import bootstrap

    if skeleton is not None:
        if repeats is not None or any(value not in (None, "auto") for value in searching.values()):
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


def _show_result(found: Result, files: Sequence[Path], seconds: float) -> None:
    from rich.table import Table
    from rich.text import Text

    from ml4c.interop import printable
    from ml4c.pipeline.showing import HEADER, edge_cells, evidence_cells, shown_evidence

    table = Table()
    numbers = shown_evidence(found.edges)
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
