"""Tables of the benchmark: compared with numbers that were worked out by hand, and with the published ones."""

import csv
import json
import re

import pytest
from typer.testing import CliRunner

from ml4c.benchmark import Cell, Record
from ml4c.benchmark.heatmap import heat_map
from ml4c.benchmark.page import write_tables
from ml4c.benchmark.plans import Plan
from ml4c.benchmark.predicates import RULES
from ml4c.benchmark.publications import PAPER_NAMES, published_accuracy, published_table
from ml4c.benchmark.summary import Results, Series
from ml4c.benchmark.table1 import table_1
from ml4c.benchmark.table2 import table_2
from ml4c.benchmark.table3 import table_3
from ml4c.benchmark.table4 import table_4
from ml4c.benchmark.table5 import table_5
from ml4c.benchmark.transfer import DOMAINS, Transfer, read_transfers
from ml4c.benchmark.unshuffled import unshuffled_controls
from ml4c.bif import network_names
from ml4c.cli import app

PLAN = Plan(("1", "2", "3"), ("asia", "child"), (5_000, 10_000), 2, ("ml4c", "ml4c-paper", "every-ut"))


def record(network, seed, method, f1, rows=10_000, skeleton="true", **more):
    scores = {"shd": round(10 * (1 - f1)), "f1": f1, "ut_f1": f1 / 2, "skeleton_f1": 0.9}
    known = {"certificate": "a CPDAG", "cpu": 2.0}
    return Record(Cell(network, rows, seed, method, skeleton), "done", scores=scores, **{**known, **more})


CELLS = [
    record("asia", 0, "ml4c", 1.0),
    record("asia", 1, "ml4c", 0.8),
    record("child", 0, "ml4c", 0.5),
    record("child", 1, "ml4c", 0.7, certificate="directed cycle"),
    record("child", 0, "ml4c-paper", 0.6, cpu=5.0),
    Record(Cell("child", 10_000, 1, "ml4c-paper", "true"), "timeout", "took more than 9 seconds"),
    Record(Cell("asia", 10_000, 0, "ml4c-paper", "true"), "memory", "took more than 9 MB"),
    record("asia", 0, "ml4c", 0.4, rows=5_000),
    record("asia", 7, "ml4c", 0.0),  # a seed outside of the plan
    record("alarm", 0, "ml4c", 0.0),  # a network outside of the plan
]


def rows_of(text, first):
    """Return the rows of the Markdown tables of a text that begin with a word, as cells."""
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if "|" in line]
    return [row for row in rows if row[0] == first]


def test_table_1_by_hand():
    text = table_1(CELLS, PLAN).text
    summary = rows_of(text, "ML4C (default)")[0]
    # asia 0.9 and child 0.6: mean 0.75; the first of two on asia, equal to the other on child
    assert summary[3:9] == ["4 of 4", "0.750 (2)", "0.750 (2)", "0.375 (2)", "1.2 (2)", "1.2 (2)"]
    assert summary[9:] == ["-", "-", "3 of 4", "2.0 (2)"]
    paper = rows_of(text, "ML4C (paper)")[0]
    # a graph on child alone, where ml4c has 0.6; last on asia, where it was run and has no graph
    assert paper[3:9] == ["1 of 4", "0.600 (1)*", "0.600 (1)*", "0.300 (1)*", "1.8 (2)", "1.8 (2)"]
    assert paper[9:] == ["0.600 (1)", "1.000 (1)", "1 of 1", "5.0 (1)"]
    shd, f1, ut_f1 = rows_of(text, "asia")
    assert shd[3:] == ["1.0 ± 1.0", "memory"]
    assert f1[3:] == ["0.900 ± 0.100", "memory"]
    assert ut_f1[3:] == ["0.450 ± 0.050", "memory"]
    assert rows_of(text, "child")[1][3:] == ["0.600 ± 0.100", "0.600 (1)"]
    assert ["ML4C (paper)", "timeout", "took more than 9 seconds", "child 1"] in rows_of(text, "ML4C (paper)")
    assert rows_of(text, "every UT") == [], "a method without cells has no row"


def test_the_numbers_of_table_1_are_those_of_its_words():
    found = {(row["method"], row["network"]): row for row in table_1(CELLS, PLAN).numbers}
    assert found["ml4c", "asia"]["f1_mean"] == pytest.approx(0.9)
    assert found["ml4c", "asia"]["f1_deviation"] == pytest.approx(0.1)
    assert found["ml4c-paper", "child"]["published_f1"] == 1.0
    assert (found["ml4c-paper", "child"]["cells"], found["ml4c-paper", "child"]["done"]) == (2, 1)
    assert found["ml4c-paper", "asia"]["shd_mean"] is None


def test_ranks_share_ties_and_put_those_without_a_graph_last():
    cells = [record("asia", 0, name, f1) for name, f1 in (("a", 0.9), ("b", 0.9), ("c", 0.5))]
    cells.append(Record(Cell("asia", 10_000, 0, "d", "true"), "failed", "no"))
    series = {name: Series(name, 10_000, "true") for name in "abcde"}
    ranks = Results(cells, ["asia", "child"]).ranks(list(series.values()), "f1")
    found = {name: ranks[one].mean for name, one in series.items() if one in ranks}
    assert found == {"a": 1.5, "b": 1.5, "c": 3.0, "d": 4.0}


def test_table_2_by_hand():
    cells = [
        record("asia", 0, "strong-1", 0.2),
        record("asia", 1, "strong-1", 0.4),
        record("child", 0, "strong-1", 0.9),
    ]
    text = table_2(cells, PLAN).text
    assert rows_of(text, "strong-1")[0][2:] == ["2 of 2", "0.60 ± 0.30", "0.30 ± 0.15", "0.77 ± 0.31"]
    assert rows_of(text, "weak-1")[0][2:] == ["0 of 2", "-", "-", "0.72 ± 0.25"]
    assert [row["classifier"] for row in published_table(2)[1:]] == list(RULES)


def test_table_3_by_hand():
    text = table_3(CELLS, PLAN).text
    assert rows_of(text, "asia") == [["asia", "0.400", "0.900 ± 0.100"], ["asia", "-", "-"]]
    assert rows_of(text, "mean (networks)")[0][1:] == ["0.400 (1)", "0.750 (2)"]
    assert rows_of(text, "mean of those with all sizes")[0][1:] == ["0.400 (1)", "0.900 (1)"]


def test_table_3_tells_apart_the_networks_that_have_constant_columns():
    cells = [record("asia", seed, "ml4c", f1, details={"constant": 0}) for seed, f1 in ((0, 0.8), (1, 0.6))]
    cells += [record("child", seed, "ml4c", 0.1, details={"constant": seed}) for seed in (0, 1)]
    cells[0].scores["f1_varying"] = 0.9
    text = table_3(cells, PLAN).text
    assert rows_of(text, "mean, varying columns")[0][1:] == ["-", "-"], "one network of two has that score"
    assert rows_of(text, "mean, networks that vary")[0][1:] == ["-", "0.700 (1)"]
    assert rows_of(text, "mean (networks)")[0][1:] == ["-", "0.400 (2)"]


def test_table_4_by_hand():
    cells = [
        record("asia", 0, "blip", 0.5, skeleton="none"),
        record("asia", 0, "ml4c-paper", 0.7, skeleton="blip"),
        record("asia", 0, "ml4c", 0.8, skeleton="none"),
        record("child", 0, "ml4c", 0.6, skeleton="none"),
    ]
    text = table_4(cells, PLAN).text
    header = [words.split(": ")[-1] for words in rows_of(text, "network")[0][1:]]
    assert header == ["skeleton F1", "SHD", "F1", "SHD", "F1", "skeleton F1", "SHD", "F1"]
    asia = rows_of(text, "asia")[0][1:]
    assert asia[:5] == ["0.900 (0.82)", "5.0 (6)", "0.500 (0.57)", "3.0 (6)", "0.700 (0.57)"]
    assert asia[5:] == ["0.900", "2.0", "0.800"]
    assert rows_of(text, "mean (networks)")[0][-1] == "0.700 (2)"
    assert rows_of(text, "mean where all are done")[0][-1] == "0.800 (1)"


def test_table_5_by_hand():
    text = table_5([Transfer("nodes", "10", "50", (2, 4), (0.9, 1.0))]).text
    assert rows_of(text, "nodes")[0][3:] == ["2", "3.0 ± 1.0", "0.95 ± 0.05", "4.8 ± 3.4", "0.95 ± 0.03"]
    kinds = {(domain, a, b) for domain, recipes in DOMAINS.items() for a in recipes for b in recipes}
    assert kinds == {(row["domain"], row["train"], row["test"]) for row in published_table(5)}


def test_file_order_unshuffled_is_the_published_column_of_ncc():
    networks = [name for name in network_names() if (name, "ncc") in published_accuracy()]
    assert len(networks) == 19
    found = {(r.cell.network, r.cell.method): r.scores for r in unshuffled_controls(networks, 10_000)}

    def agreeing(control, method):
        said = {name: published_accuracy()[name, method] for name in networks}
        ours = {name: found[name, control] for name in networks}
        return [n for n in networks if ours[n]["shd"] == said[n]["shd"] and abs(ours[n]["f1"] - said[n]["f1"]) < 0.0051]

    assert agreeing("file-order, unshuffled", "ncc") == networks
    # METHOD section 8 counts 18 networks; here it is 17, one pair differs on each of the other two, and why is unknown
    others = set(networks) - set(agreeing("every-ut, unshuffled", "pc"))
    assert others == {"insurance", "barley"}
    for name in others:
        assert abs(found[name, "every-ut, unshuffled"]["shd"] - published_accuracy()[name, "pc"]["shd"]) == 1


def test_every_published_method_has_a_name_here():
    assert {row["method"] for row in published_table(1)} == set(PAPER_NAMES.values())


def test_files_and_page_are_written(tmp_path):
    cells = tmp_path / "cells.jsonl"
    cells.write_text("".join(json.dumps(one.to_dict()) + "\n" for one in CELLS))
    (tmp_path / "intro.md").write_text("# What we saw\n\nMuch.\n")
    files = write_tables(tmp_path, PLAN, page=tmp_path / "page.md", command="ml4c bench")
    assert all(file.stat().st_size for file in files)
    assert {"table1.md", "table1.csv", "table2.md", "table3.csv", "page.md"} <= {file.name for file in files}
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# What we saw\n")
    assert re.findall(r"^## (.*)", page, re.M)[:2] == ["How it was measured", "Table 1: all methods, 10,000 rows"]
    assert "`ml4c bench`" in page
    with (tmp_path / "tables" / "table1.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["f1_mean"] for row in rows if row["method"] == "ml4c"] == ["0.9", "0.6"]


def test_the_heat_map_is_a_picture():
    pytest.importorskip("matplotlib", reason="only the extra bench installs it")
    assert heat_map(CELLS, PLAN).startswith(b"\x89PNG")


def test_the_command_writes_tables_of_what_is_there(tmp_path):
    (tmp_path / "cells.jsonl").write_text("".join(json.dumps(one.to_dict()) + "\n" for one in CELLS))
    arguments = ["bench", "1", "--no-run", "-o", tmp_path, "--networks", "asia,child", "--seeds", "2"]
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0
    assert str(tmp_path / "tables" / "results.md") in result.output
    assert "0.750 (2)" in (tmp_path / "tables" / "table1.md").read_text()
    assert read_transfers(tmp_path) == []
