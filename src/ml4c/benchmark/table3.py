"""Table 3: other numbers of rows, beside the published figures of ML4C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ml4c.benchmark.cells import Record
from ml4c.benchmark.plans import Plan, usual_skeleton
from ml4c.benchmark.publications import published_table
from ml4c.benchmark.sections import Section, Value, grid
from ml4c.benchmark.summary import Results, Series, figures
from ml4c.benchmark.table1 import title_of

NOTE = """F1, mean ± standard deviation over seeds; in brackets what the paper reports of ML4C. The last
two lines are about columns that vary in the sample, since about the others no data speak: the mean over the networks
none of whose samples has a constant column, and the mean over all networks of F1 between columns that vary.
"""


def table_3(records: Iterable[Record], plan: Plan) -> Section:
    """Make Table 3 of the cells that a plan covers: a part for each method."""
    results = Results(filter(plan.covers, records), plan.networks)
    rows = sorted(plan.rows)
    families = [[Series(name, size, usual_skeleton(name)) for size in rows] for name in plan.shown()]
    families = [sizes for sizes in families if any(map(results.cells, sizes))]
    text = NOTE + "".join(f"\n### {title_of(sizes[0].method)}\n\n{_part(results, sizes)}" for sizes in families)
    numbers = [_number(results, series, name) for sizes in families for series in sizes for name in plan.networks]
    return Section("table3", "Table 3: other numbers of rows", text, numbers)


def _published() -> dict[tuple[str, int], dict[str, str]]:
    return {(row["network"], int(row["samples"])): row for row in published_table(3)}


def _part(results: Results, sizes: Sequence[Series]) -> str:
    said = _published()
    rows = []
    for network in results.networks:
        cells = []
        for series in sizes:
            found = results.on(network, series, "f1")
            paper = said.get((network, series.rows))
            cells.append(("-" if found is None else found.words(3)) + (f" ({paper['f1']})" if paper else ""))
        rows.append([network, *cells])
    everywhere = [name for name in results.networks if all(name in results.covered(series) for series in sizes)]
    rows.append(["mean (networks)", *(_mean(results, results.networks, series) for series in sizes)])
    rows.append(["mean of those with all sizes", *(_mean(results, everywhere, series) for series in sizes)])
    rows.append(["cells", *(str(len(results.done(series))) for series in sizes)])
    rows.append(["mean, networks that vary", *(_mean(results, _varied(results, s), s) for s in sizes)])
    rows.append(["mean, varying columns", *(_mean(results, results.networks, s, "f1_varying") for s in sizes)])
    return grid(["network", *(f"{series.rows:,}" for series in sizes)], rows)


def _varied(results: Results, series: Series) -> list[str]:
    """Return the networks none of whose samples has a constant column, as far as cells say."""
    found = {name: [r.details.get("constant") for r in results.done(series, name)] for name in results.networks}
    return [name for name, constants in found.items() if constants and set(constants) == {0}]


def _mean(results: Results, networks: Iterable[str], series: Series, score: str = "f1") -> str:
    """Return a mean and over how many networks it is; nothing if some have graphs without that score."""
    among = [name for name in networks if results.done(series, name)]
    one = results.over(among, series, score)
    return "-" if one is None or one.count < len(among) else f"{one.mean:.3f} ({one.count})"


def _number(results: Results, series: Series, network: str) -> dict[str, Value]:
    paper = _published().get((network, series.rows), {})
    values: dict[str, Value] = {"network": network, "method": series.method, "rows": series.rows}
    values["done"] = len(results.done(series, network))
    for score in ("shd", "f1", "f1_varying"):
        values.update(figures(score, results.on(network, series, score)))
    return {**values, "published_shd": paper.get("shd"), "published_f1": paper.get("f1")}
