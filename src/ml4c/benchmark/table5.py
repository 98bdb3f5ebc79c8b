"""Table 5: trained on one kind of network, tested on another, beside the published figures."""

from __future__ import annotations

from collections.abc import Sequence

from ml4c.benchmark.publications import published_table
from ml4c.benchmark.sections import Section, Value, grid
from ml4c.benchmark.summary import figures, spread
from ml4c.benchmark.transfer import TESTS, TRIPLES, Transfer

HEADER = ("domain", "train", "test", "networks", "SHD", "F1", "published SHD", "published F1")
NOTE = (
    f"Every model saw about {TRIPLES:,} triples; {TESTS} test networks; mean ± standard deviation over them, "
    "true skeleton, the published rule.\n"
)


def table_5(transfers: Sequence[Transfer]) -> Section:
    """Make Table 5 of what there is of the study."""
    published = {(row["domain"], row["train"], row["test"]): row for row in published_table(5)}
    rows: list[tuple[str, ...]] = []
    numbers: list[dict[str, Value]] = []
    for one in transfers:
        said = published[one.domain, one.train, one.test]
        shd, f1 = spread(one.shd), spread(one.f1)
        if shd is None or f1 is None:
            continue
        paper = (f"{said[f'{score}_mean']} ± {said[f'{score}_std']}" for score in ("shd", "f1"))
        rows.append((one.domain, one.train, one.test, str(shd.count), shd.words(1), f1.words(2), *paper))
        measured = {**figures("shd", shd), **figures("f1", f1)}
        theirs = {f"published_{key}": float(said[key]) for key in ("shd_mean", "shd_std", "f1_mean", "f1_std")}
        about: dict[str, Value] = {"domain": one.domain, "train": one.train, "test": one.test, "networks": shd.count}
        numbers.append({**about, **measured, **theirs})
    title = "Table 5: trained on one kind of network, tested on another"
    return Section("table5", title, NOTE + "\n" + grid(HEADER, rows), numbers)
