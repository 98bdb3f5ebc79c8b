"""The commands `discover` and `evaluate`: what they print, what they write, and how they fail."""

import json
import subprocess
import sys
from unittest.mock import Mock

import numpy as np
import pytest
from typer.testing import CliRunner

import ml4c
from judges import Loader
from ml4c import bootstrapping
from ml4c.cli import app
from ml4c.graph import skeleton
from ml4c.interop import read_graph, to_edges, write_graph
from ml4c.learner import load_learner
from ml4c.pipeline import steps

NET = ml4c.load_network("asia")
EVIL = "[red]lung[/red][/]"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(autouse=True)
def loader(monkeypatch):
    stub = Loader()
    monkeypatch.setattr(steps, "load_learner", stub)
    return stub


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a table, its skeleton in two forms, and nothing else."""
    monkeypatch.chdir(tmp_path)
    NET.sample(5000, seed=1).write("asia.csv")
    write_graph("asia_edges.csv", skeleton(NET.dag), NET.names)
    write_graph("asia.txt", skeleton(NET.dag), NET.names)
    return tmp_path


def failed(result, message):
    """One line on stderr, no traceback, exit code 2."""
    return (
        result.exit_code == 2
        and message in result.stderr
        and result.stderr.startswith("error:")
        and result.stderr.count("\n") == 1
    )


# discover


def test_discover_shows_what_was_understood_and_found(place):
    result = run("discover", "asia.csv", "--skeleton", "asia_edges.csv", "-o", "out")
    assert result.exit_code == 0
    expected = ml4c.orient("asia.csv", "asia_edges.csv")
    for line in [*expected.data.split("\n"), *expected.headline]:
        assert line in result.stdout
    lines = [line.strip("│ ").replace(" ", "").split("│") for line in result.stdout.splitlines()]
    for edge in expected.edges:
        arrow = "->" if edge.type == "directed" else "-"
        probability = "" if edge.probability is None else f"{edge.probability:.2f}"
        row = [edge.source, arrow, edge.target, probability]
        assert row in lines or (edge.probability is None and row[:3] in lines)
    for file in ("cpdag.txt", "edges.csv", "triples.csv", "graph.dot", "graph.graphml", "graph.json"):
        assert (place / "out" / file).is_file()
        assert f"out/{file}" in result.stdout.replace("\\", "/")
    assert result.stdout.rstrip().endswith("seconds")
    assert np.array_equal(read_graph("out/cpdag.txt").matrix, expected.cpdag)


def test_discover_takes_a_matrix_and_writes_nothing_unless_asked(place):
    before = sorted(path.name for path in place.iterdir())
    assert run("discover", "asia.csv", "--skeleton", "asia.txt").exit_code == 0
    assert sorted(path.name for path in place.iterdir()) == before


@pytest.mark.usefixtures("place")
def test_quiet_discover_prints_the_edges_alone():
    result = run("discover", "asia.csv", "--skeleton", "asia.txt", "-q")
    expected = ml4c.orient("asia.csv", "asia.txt")
    assert result.stdout.splitlines() == [str(edge) for edge in expected.edges]
    assert result.stderr == ""


@pytest.mark.usefixtures("place")
def test_json_is_json_and_says_everything():
    result = run("discover", "asia.csv", "--skeleton", "asia.txt", "--json", "-o", "out")
    expected = ml4c.orient("asia.csv", "asia.txt")
    plain = json.loads(result.stdout)
    assert plain["names"] == list(expected.names)
    assert [(e["source"], e["target"], e["type"], e["probability"]) for e in plain["edges"]] == [
        (e.source, e.target, e.type, e.probability) for e in expected.edges
    ]
    assert [t["verdict"] for t in plain["triples"]] == [t.verdict for t in expected.triples]
    assert plain["certificate"]["valid"] == expected.certificate.valid
    assert plain["certificate"]["reason"] == expected.certificate.reason
    assert (plain["run"]["model"], plain["run"]["constant"], len(plain["files"])) == ("default", [], 7)


@pytest.mark.usefixtures("place")
def test_the_model_is_passed_on(loader):
    run("discover", "asia.csv", "--skeleton", "asia.txt", "--model", "my/model")
    run("discover", "asia.csv", "--skeleton", "asia.txt")
    assert loader.asked == ["my/model", "default"]


def test_missing_and_discretize_reach_the_reader(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    numbers = np.random.default_rng(0).normal(size=200)
    rows = [f"{number},{'' if i == 3 else 'yes' if number > 0 else 'no'}" for i, number in enumerate(numbers)]
    (tmp_path / "t.csv").write_text("\n".join(["size,big", *rows]) + "\n")
    (tmp_path / "s.csv").write_text("source,target\nsize,big\n")
    assert failed(run("discover", "t.csv", "--skeleton", "s.csv", "--discretize", 3), "--missing available")
    remedy = "pass --discretize 5 for quantile bins of all such columns, or --discretize size=5 for one"
    assert failed(run("discover", "t.csv", "--skeleton", "s.csv", "--missing", "category"), remedy)
    assert failed(run("discover", "t.csv", "--skeleton", "s.csv", "--missing", "drop"), "--missing drop: choose")
    result = run("discover", "t.csv", "--skeleton", "s.csv", "--missing", "available", "--discretize", 3)
    assert result.exit_code == 0
    assert "missing: big 1" in result.stdout
    assert "discretised: size at" in result.stdout


def test_bins_are_for_all_columns_or_for_those_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("\n".join(["big,age=now", *(f"{i % 2},{i % 50}" for i in range(200))]) + "\n")
    options = ["--discretize", "age=now=4", "--discretize", "big=2"]
    result = run("discover", "t.csv", "-o", "out", *options)
    assert result.exit_code == 0
    expected = ml4c.read_table("t.csv", discretize={"age=now": 4, "big": 2})
    assert set(expected.bins) == {"age=now", "big"}
    assert result.stdout.startswith(expected.summary())
    command = json.loads((tmp_path / "out" / "graph.json").read_text())["run"]["command"]
    assert command == "ml4c discover t.csv --discretize age=now=4 --discretize big=2"
    for wrong in (["4", "big=2"], ["big="], ["=x"], ["4", "5"], ["-3"]):
        words = [word for value in wrong for word in ("--discretize", value)]
        assert failed(run("discover", "t.csv", *words), "give one number of bins, or COLUMN=BINS")
    assert failed(run("discover", "t.csv", "--discretize", "small=2"), "'small'")


@pytest.mark.parametrize("separator", ["\t", r"\t"])
def test_a_tab_can_be_named(tmp_path, monkeypatch, separator):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a\tb\n" + "x\ty\nz\ty\n" * 20)
    assert failed(run("discover", "t.csv"), r"pass --separator '\t'")
    assert run("discover", "t.csv", "--separator", separator).exit_code == 0


def test_hostile_names_are_printed_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["0,0,0", "1,0,1", "0,1,1", "1,1,0"] * 20
    (tmp_path / "t.csv").write_text("\n".join([f'{EVIL},"a\x07",[/]', *rows]) + "\n")
    (tmp_path / "s.csv").write_text(f'source,target\n{EVIL},[/]\n"a\x07",[/]\n')
    for options in ([], ["-q"]):
        result = run("discover", "t.csv", "--skeleton", "s.csv", *options)
        assert result.exit_code == 0
        assert EVIL in result.stdout
        assert "a\\x07" in result.stdout
        assert "\x07" not in result.stdout


@pytest.mark.usefixtures("place")
def test_a_place_that_is_no_folder_is_told_before_the_work(loader):
    assert failed(run("discover", "asia.csv", "--skeleton", "asia.txt", "-o", "asia.txt"), "a file with this name")
    assert loader.asked == []


def test_long_names_are_not_cut(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    long = "n" * 150
    (tmp_path / "t.csv").write_text("\n".join([f"{long},b", *["0,1", "1,0"] * 20]) + "\n")
    (tmp_path / "s.csv").write_text(f"source,target\n{long},b\n")
    result = run("discover", "t.csv", "--skeleton", "s.csv")
    table = result.stdout[result.stdout.index("source") :]
    assert table.count("n") >= 150
    assert "…" not in table


@pytest.mark.usefixtures("place")
def test_a_terminal_sees_progress_unless_quiet(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "Features" in run("discover", "asia.csv", "--skeleton", "asia.txt").stderr
    assert "Candidates" in run("discover", "asia.csv").stderr
    assert run("discover", "asia.csv", "--skeleton", "asia.txt", "-q").stderr == ""
    monkeypatch.delenv("FORCE_COLOR")
    assert run("discover", "asia.csv", "--skeleton", "asia.txt").stderr == ""


def test_without_a_skeleton_it_is_learned(place):
    result = run("discover", "asia.csv", "-o", "out", "--seed", 3, "-j", 1)
    assert result.exit_code == 0
    expected = ml4c.discover("asia.csv", seed=3)
    assert np.array_equal(read_graph("out/cpdag.txt").matrix, expected.cpdag)
    assert "strength" in result.stdout
    by_pc = json.loads(run("discover", "asia.csv", "--skeleton-method", "pc", "--max-condition", 1, "--json").stdout)
    assert by_pc["run"]["skeleton"]["method"] == "pc"
    assert run("discover", "asia.csv", "--max-degree", 0, "-q").stdout == ""


def test_knowledge_comes_from_a_file(place):
    (place / "known.yaml").write_text("required: [dysp -> bronc]\n")
    assert "dysp -> bronc" in run("discover", "asia.csv", "--knowledge", "known.yaml", "-q").stdout.splitlines()
    (place / "wrong.yaml").write_text("required: [dysp -> bronc]\nforbidden: [dysp -> bronc]\n")
    assert failed(run("discover", "asia.csv", "--knowledge", "wrong.yaml", "-o", "out"), "dysp -> bronc")
    assert not (place / "out").exists()


def test_what_is_about_learning_a_skeleton_is_refused_with_one(place):
    options = [["--bootstrap", 2], ["--skeleton-method", "pc"], ["--max-degree", 3], ["--time-budget", 1]]
    for option in options:
        assert failed(run("discover", "asia.csv", "--skeleton", "asia.txt", *option), "--skeleton gives the skeleton")


def test_ctrl_c_in_a_bootstrap_says_that_it_goes_on(place, monkeypatch):
    monkeypatch.setattr(bootstrapping, "run_units", Mock(side_effect=KeyboardInterrupt))
    kept = run("discover", "asia.csv", "--bootstrap", 3, "-o", "out")
    assert (kept.exit_code, kept.stderr) == (130, "error: interrupted; run the same command again to go on\n")
    lost = run("discover", "asia.csv", "--bootstrap", 3)
    assert (lost.exit_code, lost.stderr) == (130, "error: interrupted; what was written before is whole\n")


def test_ctrl_c_says_so_and_leaves_nothing(place, monkeypatch):
    monkeypatch.setattr(steps, "learn_skeleton", Mock(side_effect=KeyboardInterrupt))
    result = run("discover", "asia.csv", "-o", "out")
    assert result.exit_code == 130
    assert result.stderr == "error: interrupted; what was written before is whole\n"
    assert not (place / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv", "--skeleton", "asia.txt"], "nowhere.csv"),
        (["asia.csv", "--skeleton", "nowhere.csv"], "nowhere.csv: cannot be read"),
        (["asia.csv", "--skeleton", "bad.csv"], f"names {EVIL!r}, 'tubb'"),
        (["asia.csv", "--skeleton", "small.txt"], "2 nodes needs as many names, but 8"),
        (["asia.csv", "--skeleton", "asia.csv"], "header must name the columns source, target"),
        (["asia.csv", "--skeleton-method", "slow"], "choose one of auto, fast, accurate, pc"),
        (["asia.csv", "--knowledge", "nowhere.yaml"], "nowhere.yaml"),
        (["asia.csv", "--skeleton", "asia.txt", "-o", "small.txt"], "small.txt: a file with this name exists"),
        (["asia.csv", "--skeleton", "asia.txt", "--discretize", "1"], "number of bins"),
    ],
)
def test_a_wrong_input_is_one_line_and_exit_code_2(place, arguments, message):
    (place / "bad.csv").write_text(f"source,target\n{EVIL},tubb\n")
    (place / "small.txt").write_text("0 1\n1 0\n")
    before = sorted(path.name for path in place.iterdir())
    assert failed(run("discover", *arguments), message)
    assert sorted(path.name for path in place.iterdir()) == before


@pytest.mark.usefixtures("place")
def test_an_unknown_model_is_one_line(monkeypatch):
    monkeypatch.setattr(steps, "load_learner", load_learner)
    assert failed(run("discover", "asia.csv", "--skeleton", "asia.txt", "--model", "[/]nobody"), "'[/]nobody'")


# evaluate


def test_evaluate_a_perfect_and_a_wrong_answer(tmp_path):
    cpdag = ml4c.cpdag_of(NET.dag)
    write_graph(tmp_path / "same.csv", cpdag, NET.names)
    result = run("evaluate", "asia", tmp_path / "same.csv", "--json")
    assert json.loads(result.stdout) == {
        "nodes": 8,
        "shd": 0,
        "edge_f1": 1.0,
        "triple_f1": 1.0,
        "skeleton_precision": 1.0,
        "skeleton_recall": 1.0,
        "skeleton_f1": 1.0,
        "found_is_valid": True,
        "note": "",
    }
    (tmp_path / "part.csv").write_text("source,target,type\ntub,either,directed\nasia,xray,undirected\n")
    scores = json.loads(run("evaluate", "asia", tmp_path / "part.csv", "--json").stdout)
    edges = to_edges(cpdag, NET.names)
    assert scores["shd"] == len(edges) - 1 + 1
    assert (scores["skeleton_precision"], scores["skeleton_recall"]) == (0.5, 1 / len(edges))
    arrows = sum(edge.type == "directed" for edge in edges)
    assert scores["edge_f1"] == pytest.approx(2 / (arrows + 1))
    assert scores["triple_f1"] == 0.0
    assert not scores["found_is_valid"]
    assert "without an edge in the found graph" in scores["note"]


def test_a_true_dag_counts_as_its_cpdag(tmp_path):
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    write_graph(tmp_path / "truth.txt", chain, list("abc"))
    write_graph(tmp_path / "found.txt", chain | chain.T, list("abc"))
    assert json.loads(run("evaluate", tmp_path / "truth.txt", tmp_path / "found.txt", "--json").stdout)["shd"] == 0
    # The other way round it is the found graph that claims too much.
    scores = json.loads(run("evaluate", tmp_path / "found.txt", tmp_path / "truth.txt", "--json").stdout)
    assert (scores["shd"], scores["edge_f1"], scores["found_is_valid"]) == (2, 0.0, False)


def test_evaluate_prints_a_line_for_each_score(tmp_path):
    (tmp_path / "t.csv").write_text(f"source,target,type\na,{EVIL},directed\nb,{EVIL},directed\n")
    (tmp_path / "f.csv").write_text(f"source,target,type\na,{EVIL},undirected\n")
    result = run("evaluate", tmp_path / "t.csv", tmp_path / "f.csv")
    assert result.exit_code == 0
    words = [line.rsplit(maxsplit=1) for line in result.stdout.splitlines()[:7]]
    assert words == [
        ["nodes", "3"],
        ["shd", "2"],
        ["edge f1", "0.0000"],
        ["triple f1", "0.0000"],
        ["skeleton precision", "1.0000"],
        ["skeleton recall", "0.5000"],
        ["skeleton f1", "0.6667"],
    ]
    assert result.stdout.splitlines()[7:] == [
        "the found graph is a valid CPDAG",
        "note: without an edge in the found graph: 'b'",
    ]


def test_evaluate_reads_a_bif_file_and_what_discover_wrote(place):
    ml4c.write_bif(NET, place / "net.bif")
    run("discover", "asia.csv", "--skeleton", "asia.txt", "-o", "out", "-q")
    by_name = run("evaluate", "net.bif", "out/edges.csv", "--json")
    by_position = run("evaluate", "asia", "out/cpdag.txt", "--json")
    first, second = json.loads(by_name.stdout), json.loads(by_position.stdout)
    assert second.pop("note").startswith("compared by position")
    assert first.pop("note") == ""
    assert first == second
    assert first["skeleton_f1"] == 1.0


@pytest.mark.parametrize(
    ("truth", "found", "message"),
    [
        ("assia", "edges.csv", "no network is called 'assia'. Did you mean asia?"),
        ("asia", "edges.csv", "names 'a', '[red]b[/]', which the true graph does not have"),
        ("asia", "two.txt", "8 nodes and the found one 2"),
        ("two.txt", "edges.csv", "a matrix has no names"),
        ("asia", "nowhere.csv", "nowhere.csv: cannot be read"),
        ("asia", "graph.doc", "a graph file ends in"),
        ("broken.bif", "edges.csv", "broken.bif"),
    ],
)
def test_what_cannot_be_evaluated(tmp_path, monkeypatch, truth, found, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text("source,target\na,[red]b[/]\n")
    (tmp_path / "two.txt").write_text("0 1\n1 0\n")
    (tmp_path / "broken.bif").write_text("variable {")
    assert failed(run("evaluate", truth, found), message)


def test_help_does_not_load_the_engine():
    code = (
        "import sys\nfrom ml4c.cli import app\n"
        "try: app(['discover', '--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numba', 'polars', 'xgboost', 'networkx'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert shown.stdout.splitlines()[-1] == "[]"
