"""Table 1: every method on every network, with its mean, its rank and its cost, beside the published figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from ml4c.benchmark.cells import VALID, Record
from ml4c.benchmark.methods import find_method
from ml4c.benchmark.plans import Plan, usual_skeleton
from ml4c.benchmark.publications import published_accuracy
from ml4c.benchmark.sections import Section, Value, grid
from ml4c.benchmark.summary import Results, Series, Spread, figures, spread
from ml4c.benchmark.unshuffled import TITLES, unshuffled_controls

YARDSTICK = "ml4c"
"""Whose mean over the same networks stands beside every mean."""
DIGITS = {"shd": 1, "f1": 3, "ut_f1": 3}
SCORE_NAMES = {"shd": "SHD", "f1": "F1", "ut_f1": "UT-F1"}
HEADER = (
    *("method", "family", "skeleton", "cells", "F1", f"{YARDSTICK}, same networks", "UT-F1", "rank by F1"),
    *("rank by SHD", "F1 on the paper's networks", "published F1, same networks", "valid", "CPU s"),
)
NOTE = """\
F1, UT-F1 and CPU seconds are means over networks of the means over seeds. The number of networks is in brackets, and
`*` marks a mean that is not over all {networks}: compare it only with the column beside it, which has `{yardstick}` on
the same networks. Ranks are among the methods that were run on a network, controls left out; who was run and found no
graph is last. "Valid" counts graphs that are a CPDAG or a DAG as the method returned them. "Unshuffled" controls see
the columns in the order of the network's file, which no method does.
"""


def table_1(records: Iterable[Record], plan: Plan) -> Section:
    """Make Table 1 of the cells that a plan covers."""
    rows = plan.main_rows
    added = [*filter(plan.covers, records), *unshuffled_controls(plan.networks, rows)]
    results = Results(added, plan.networks)
    names = [*TITLES, *plan.compared()]
    shown = [series_of(name, rows) for name in names]
    shown = [series for series in shown if results.cells(series)]
    note = NOTE.format(networks=len(plan.networks), yardstick=YARDSTICK)
    parts = [note, _summary(results, shown, plan), *(_by_network(results, shown, score) for score in DIGITS)]
    text = "\n".join([*parts, _failures(results, shown)])
    return Section("table1", f"Table 1: all methods, {rows:,} rows", text, _numbers(results, shown))


def series_of(name: str, rows: int) -> Series:
    """Return the row of a method, or of a control on unshuffled columns."""
    return Series(name, rows, "true" if name in TITLES else usual_skeleton(name))


def title_of(name: str) -> str:
    """Return what tables call a method."""
    return TITLES.get(name) or find_method(name).title


def _is_control(name: str) -> bool:
    return name in TITLES or find_method(name).family == "control"


def _summary(results: Results, shown: Sequence[Series], plan: Plan) -> str:
    rivals = [series for series in shown if not _is_control(series.method)]
    ranks = {score: results.ranks(rivals, score) for score in ("f1", "shd")}
    rows, total = [], len(results.networks)
    for series in shown:
        covered = results.covered(series)
        yardstick = results.over(covered, series_of(YARDSTICK, series.rows), "f1")
        rows.append(
            (
                title_of(series.method),
                "control" if _is_control(series.method) else find_method(series.method).family,
                series.skeleton,
                _counted(results, series, plan),
                _mean(results.over(covered, series, "f1"), 3, total),
                _mean(yardstick, 3, total),
                _mean(results.over(covered, series, "ut_f1"), 3, total),
                *(_mean(ranks[score].get(series), 1, total) for score in ("f1", "shd")),
                *_beside_the_paper(results, series),
                _valid(results.done(series)),
                _cpu(results, series),
            )
        )
    return grid(HEADER, rows)


def _mean(one: Spread | None, digits: int, total: int) -> str:
    """Return a mean and how many networks it covers, marked if these are not all."""
    return "-" if one is None else f"{one.mean:.{digits}f} ({one.count}){'' if one.count == total else '*'}"


def _counted(results: Results, series: Series, plan: Plan) -> str:
    if series.method in TITLES:
        return "no data"
    return f"{len(results.done(series))} of {len(plan.networks) * plan.seeds}"


def _beside_the_paper(results: Results, series: Series) -> tuple[str, str]:
    """Return our mean and the published one over the networks that both have."""
    said = {name: published_accuracy().get((name, series.method), {}).get("f1") for name in results.covered(series)}
    theirs = spread([value for value in said.values() if value is not None])
    if theirs is None:
        return "-", "-"
    ours = results.over([name for name, value in said.items() if value is not None], series, "f1")
    return _mean(ours, 3, theirs.count), _mean(theirs, 3, theirs.count)


def _valid(done: Sequence[Record]) -> str:
    known = [record for record in done if record.certificate]
    return f"{sum(record.certificate in VALID for record in known)} of {len(known)}" if known else "-"


def _cpu(results: Results, series: Series) -> str:
    costs = [[r.cpu for r in results.done(series, name) if r.cpu is not None] for name in results.networks]
    known = [float(np.mean(cost)) for cost in costs if cost]
    return f"{np.mean(known):.1f} ({len(known)})" if known else "-"


def _by_network(results: Results, shown: Sequence[Series], score: str) -> str:
    """Return a score with a row for each network and a column for each method."""
    header = ["network", *(title_of(series.method) for series in shown)]
    rows = [[network, *(_cell(results, series, network, score) for series in shown)] for network in results.networks]
    published = "" if score == "ut_f1" else ", the published figure in brackets"
    return f"### {SCORE_NAMES[score]}\nMean ± standard deviation over seeds{published}.\n\n{grid(header, rows)}"


def _cell(results: Results, series: Series, network: str, score: str) -> str:
    found = results.on(network, series, score)
    if found is None:
        ended = [record.status for record in results.cells(series, network)]
        return ended[0] if ended else "-"
    said = published_accuracy().get((network, series.method), {}).get(score)
    return found.words(DIGITS[score]) + ("" if said is None else f" ({said:g})")


def _failures(results: Results, shown: Sequence[Series]) -> str:
    """List the cells without a graph, by reason."""
    where: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for series in shown:
        for record in results.cells(series):
            if not record.done:
                cell = record.cell
                where[title_of(cell.method), record.status, record.reason].append(f"{cell.network} {cell.seed}")
    if not where:
        return ""
    rows = [(*key, ", ".join(cells)) for key, cells in where.items()]
    return "### Cells without a graph\n\n" + grid(("method", "what happened", "reason", "network and seed"), rows)


def _numbers(results: Results, shown: Sequence[Series]) -> list[dict[str, Value]]:
    return [
        _number(results, series, network)
        for series in shown
        for network in results.networks
        if results.cells(series, network)
    ]


def _number(results: Results, series: Series, network: str) -> dict[str, Value]:
    said = published_accuracy().get((network, series.method), {})
    values: dict[str, Value] = {"network": network, "method": series.method, "skeleton": series.skeleton}
    values["cells"], values["done"] = len(results.cells(series, network)), len(results.done(series, network))
    for score in DIGITS:
        values.update(figures(score, results.on(network, series, score)))
    return {**values, "published_shd": said.get("shd"), "published_f1": said.get("f1")}
