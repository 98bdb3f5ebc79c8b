"""Tables on the disk: each as Markdown and CSV, the heat map, and all of them on one page.

The page opens with `intro.md` of the folder, if there is one: what someone found in these cells, in words. How the
cells were measured is said by this module, because it holds for every folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ml4c.benchmark.cells import Record
from ml4c.benchmark.heatmap import heat_map
from ml4c.benchmark.plans import Plan
from ml4c.benchmark.running import read_records
from ml4c.benchmark.sections import Section
from ml4c.benchmark.table1 import table_1
from ml4c.benchmark.table2 import table_2
from ml4c.benchmark.table3 import table_3
from ml4c.benchmark.table4 import table_4
from ml4c.benchmark.table5 import table_5
from ml4c.benchmark.transfer import read_transfers
from ml4c.errors import WorkError
from ml4c.units import write_whole

FIGURE = "figure1.png"
MEASURED = """\
## How it was measured
A cell is a method on a sample of a network, in a process of its own with one thread. Columns are shuffled and renamed
at random by the seed, the same for all methods: in eight of the files every edge points from an earlier to a later
column, so a method that breaks ties by column order would read off the answer. Whatever graph a method returns is read
as a CPDAG by one rule: the v-structures of its arrows on its own skeleton, then Meek's rules. SHD counts the pairs of
columns whose state differs from the true CPDAG; F1 is over identifiable edges, the directed edges of the two CPDAGs,
and 1 when neither has one; UT-F1 is the F1 of the v-structures over the true unshielded triples. CPU seconds are of
the method's call alone, kernels compiled and libraries loaded. Published figures are those of Dai, Ding, Jiang, Han,
Zhang, SDM 2023.
"""
NO_FIGURE = "(Not drawn, for want of matplotlib: `pip install 'ml4c[bench]'`.)"
TABLES: Mapping[str, Callable[[list[Record], Plan], Section]] = {
    "1": table_1,
    "2": table_2,
    "3": table_3,
    "4": table_4,
}


def write_tables(folder: Path, plan: Plan, *, page: Path | None = None, command: str = "") -> list[Path]:
    """Write the tables of a plan from the cells of a folder into its folder `tables`; returns the files.

    page: where to write all of them as one page, with its picture beside it. command: what made it, for the page.
    """
    records = list(read_records(folder).values())
    sections = _sections(records, folder, plan)
    home = folder / "tables"
    target = page or home / "results.md"
    contents: dict[Path, str | bytes] = {}
    for section in sections:
        contents[home / f"{section.name}.md"] = section.markdown()
        contents[home / f"{section.name}.csv"] = section.csv()
    figure = FIGURE if page is None else f"{target.stem}-{FIGURE}"
    if picture := _picture(records, plan):
        contents[target.with_name(figure)] = picture
    contents[target] = _page(folder, sections, figure if picture else "", command)
    home.mkdir(parents=True, exist_ok=True)
    for file, content in contents.items():
        write_whole(file, content.encode() if isinstance(content, str) else content)
    return list(contents)


def _sections(records: list[Record], folder: Path, plan: Plan) -> list[Section]:
    made = [TABLES[number](records, plan) for number in plan.tables if number in TABLES]
    return [*made, table_5(read_transfers(folder))] if "5" in plan.tables else made


def _picture(records: list[Record], plan: Plan) -> bytes:
    if "1" not in plan.tables:
        return b""
    try:
        return heat_map(records, plan)
    except WorkError:  # no matplotlib: the tables need none
        return b""


def _page(folder: Path, sections: list[Section], figure: str, command: str) -> str:
    intro = folder / "intro.md"
    opening = intro.read_text(encoding="utf-8").strip() if intro.exists() else "# Results of the benchmark"
    parts = [opening + "\n", MEASURED]
    if command:
        parts.append(f"This page is generated: `{command}`. Every cell is a line of `cells.jsonl` in that folder.\n")
    for section in sections:
        parts.append(section.markdown())
        if section.name == "table1":
            image = f"![F1 of every method on every network]({figure})" if figure else NO_FIGURE
            parts.append(f"## Figure 1: the heat map of F1\n\n{image}\n")
    return "\n".join(parts)
