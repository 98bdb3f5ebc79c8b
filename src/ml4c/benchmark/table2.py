"""Table 2: the eight predicates in the place of the learner, beside the published figures."""

from __future__ import annotations

from collections.abc import Iterable

from ml4c.benchmark.cells import Record
from ml4c.benchmark.plans import PUBLISHED_METHOD, Plan
from ml4c.benchmark.publications import published_table
from ml4c.benchmark.sections import Section, Value, grid
from ml4c.benchmark.summary import Results, Series, figures

HEADER = ("rule", "definition", "networks", "F1", "UT-F1", "published F1")
NOTE = "Mean ± standard deviation over networks of the means over seeds, on the true skeleton.\n"


def table_2(records: Iterable[Record], plan: Plan) -> Section:
    """Make Table 2 of the cells that a plan covers."""
    results = Results(filter(plan.covers, records), plan.networks)
    rows: list[tuple[str, ...]] = []
    numbers: list[dict[str, Value]] = []
    for said in published_table(2):
        name = PUBLISHED_METHOD if said["classifier"] == "ML4C" else said["classifier"]
        series = Series(name, plan.main_rows, "true")
        covered = results.covered(series)
        f1, ut_f1 = (results.over(covered, series, score) for score in ("f1", "ut_f1"))
        words = ("-" if one is None else one.words(2) for one in (f1, ut_f1))
        count = f"{len(covered)} of {len(plan.networks)}"
        rows.append((name, said["definition"], count, *words, f"{said['f1_mean']} ± {said['f1_std']}"))
        measured = {**figures("f1", f1), **figures("ut_f1", ut_f1)}
        published = {f"published_f1_{part}": float(said[f"f1_{part}"]) for part in ("mean", "std")}
        numbers.append({"rule": name, "networks": len(covered), **measured, **published})
    title = f"Table 2: predicates instead of the learner, {plan.main_rows:,} rows"
    return Section("table2", title, NOTE + "\n" + grid(HEADER, rows), numbers)
