"""Table 4: skeletons that were learned, BLIP's and our own, and what orienting makes of them.

The paper gives ML4C the skeleton of BLIP and compares with what BLIP itself finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ml4c.benchmark.cells import Record
from ml4c.benchmark.plans import LEARNED, PUBLISHED_METHOD, Plan
from ml4c.benchmark.publications import published_table
from ml4c.benchmark.running import PROVIDERS
from ml4c.benchmark.sections import Section, Value, grid
from ml4c.benchmark.summary import Results, Series
from ml4c.benchmark.table1 import title_of

NOTE = """\
Mean ± standard deviation over seeds; in brackets the published figure. "Skeleton F1" is over adjacent pairs (the
paper's bracket: its "skeleton accuracy").
"""
FINDERS = {"blip": "BLIP", "ours": "our learner"}
"""What finds the skeletons."""


@dataclass(frozen=True)
class Column:
    """A score of a series, and the column of the published table that it stands beside."""

    heading: str
    series: Series
    score: str
    published: str = ""


def table_4(records: Iterable[Record], plan: Plan) -> Section:
    """Make Table 4 of the cells that a plan covers."""
    results = Results(filter(plan.covers, records), plan.networks)
    columns = [column for column in _columns(plan) if results.cells(column.series)]
    rows = [[network, *(_cell(results, network, column) for column in columns)] for network in plan.networks]
    rows.append(["mean (networks)", *(_mean(results, plan.networks, column) for column in columns)])
    shared = [name for name in plan.networks if all(name in results.covered(column.series) for column in columns)]
    rows.append(["mean where all are done", *(_mean(results, shared, column) for column in columns)])
    table = grid(["network", *(column.heading for column in columns)], rows)
    text = f"{NOTE}\n{table}" if columns else "No cells yet.\n"
    title = f"Table 4: learned skeletons, {plan.main_rows:,} rows"
    return Section("table4", title, text, _numbers(results, columns))


def _columns(plan: Plan) -> Iterable[Column]:
    rows = plan.main_rows
    for source in LEARNED:
        provider = Series(PROVIDERS[source], rows, "none")
        paper = source == "blip"
        name = FINDERS[source]
        yield Column(f"{name}: skeleton F1", provider, "skeleton_f1", "skeleton_accuracy" if paper else "")
        yield Column(f"{name}: SHD", provider, "shd", "blip_shd" if paper else "")
        yield Column(f"{name}: F1", provider, "f1", "blip_f1" if paper else "")
        for method in plan.oriented():
            series = Series(method, rows, source)
            on = f"{title_of(method)} on the skeleton of {name}"
            like = paper and method == PUBLISHED_METHOD
            yield Column(f"{on}: SHD", series, "shd", "ml4c_shd" if like else "")
            yield Column(f"{on}: F1", series, "f1", "ml4c_f1" if like else "")


def _published(network: str, column: Column) -> str:
    for row in published_table(4):
        if row["network"] == network and column.published:
            return row[column.published]
    return ""


def _digits(column: Column) -> int:
    return 1 if column.score == "shd" else 3


def _cell(results: Results, network: str, column: Column) -> str:
    found, said = results.on(network, column.series, column.score), _published(network, column)
    ended = [record.status for record in results.cells(column.series, network)]
    words = found.words(_digits(column)) if found is not None else (ended[0] if ended else "-")
    return words + (f" ({said})" if said else "")


def _mean(results: Results, networks: Iterable[str], column: Column) -> str:
    one = results.over(networks, column.series, column.score)
    return "-" if one is None else f"{one.mean:.{_digits(column)}f} ({one.count})"


def _numbers(results: Results, columns: Sequence[Column]) -> list[dict[str, Value]]:
    rows: list[dict[str, Value]] = []
    for network in results.networks:
        for column in columns:
            found = results.on(network, column.series, column.score)
            rows.append(
                {
                    "network": network,
                    "method": column.series.method,
                    "skeleton": column.series.skeleton,
                    "score": column.score,
                    "done": len(results.done(column.series, network)),
                    "mean": None if found is None else found.mean,
                    "deviation": None if found is None else found.deviation,
                    "published": _published(network, column) or None,
                }
            )
    return rows
