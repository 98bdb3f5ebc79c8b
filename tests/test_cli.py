"""The command line: what it prints, what it writes, and how it fails."""

import csv
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest
from typer.testing import CliRunner

from ml4c.bif import load_network, network_names
from ml4c.cli import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def columns(path):
    """Return {name: labels} of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def test_version():
    result = run("--version")
    assert (result.exit_code, result.output) == (0, f"ml4c {version('ml4c')}\n")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_names_the_commands_and_the_exit_codes(arguments):
    output = run(*arguments).output
    for word in ("networks", "sample", "--debug", "Exit codes"):
        assert word in output


def test_networks_lists_names_and_sizes():
    result = run("networks")
    assert result.exit_code == 0
    lines = [line.strip(" │\n").replace(" ", "").split("│") for line in result.output.splitlines()]
    assert ["alarm", "37", "46", "509", "4", "2-4"] in lines
    assert ["munin", "1,041", "1,397", "80,592", "3", "2-21"] in lines
    assert ["pigs", "441", "592", "5,618", "2", "3"] in lines


def test_quiet_networks_are_names_alone():
    assert run("networks", "--quiet").output.split() == list(network_names())


def test_sample_writes_what_the_library_samples(tmp_path):
    path = tmp_path / "asia.csv"
    result = run("sample", "asia", "-n", 50, "-o", path, "--seed", 3)
    assert (result.exit_code, result.output) == (0, f"{path}: 50 rows x 8 columns, seed 3\n")
    data = load_network("asia").sample(50, seed=3)
    assert columns(path) == {name: tuple(data.column(name)) for name in data.names}
    assert list(columns(path)) == list(data.names)


def test_permute_moves_the_columns_only(tmp_path):
    run("sample", "asia", "-n", 50, "-o", tmp_path / "plain.csv")
    run("sample", "asia", "-n", 50, "-o", tmp_path / "moved.csv", "--permute")
    plain, moved = columns(tmp_path / "plain.csv"), columns(tmp_path / "moved.csv")
    assert plain == moved
    assert list(plain) != list(moved)


@pytest.mark.parametrize("ending", ["tsv", "parquet", "npy"])
def test_sample_takes_the_format_from_the_name(tmp_path, ending):
    path = tmp_path / f"asia.{ending}"
    assert run("sample", "asia", "-n", 20, "-o", path).exit_code == 0
    start = {"tsv": b"asia\ttub\t", "parquet": b"PAR1", "npy": b"\x93NUMPY"}[ending]
    assert path.read_bytes().startswith(start)
    if ending == "npy":
        assert np.load(path).shape == (20, 8)


def test_quiet_sample_prints_nothing(tmp_path):
    result = run("sample", "asia", "-n", 5, "-o", tmp_path / "x.csv", "-q")
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "x.csv").exists()


def test_sample_reads_a_file(tmp_path):
    bif = tmp_path / "[bold]coin.bif"
    bif.write_text("variable c { type discrete [2] { h t }; } probability (c) { table 1 0; }")
    result = run("sample", bif, "-n", 3, "-o", tmp_path / "[red].csv")
    assert (result.exit_code, "[red].csv: 3 rows x 1 columns" in result.output) == (0, True)
    assert columns(tmp_path / "[red].csv") == {"c": ("h", "h", "h")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["alrm", "-o", "x.csv"], "error: no network is called 'alrm'. Did you mean alarm?"),
        (["[red]x[/red][/]", "-o", "x.csv"], "error: no network is called '[red]x[/red][/]'"),
        (["missing.bif", "-o", "x.csv"], "error: cannot read missing.bif: No such file"),
        (["asia", "-o", "x.doc"], "x.doc"),
        (["asia", "-o", "no/such/place.csv"], "place.csv"),
        (["asia"], "Missing option"),
        (["asia", "-o", "x.csv", "-n", "0"], "Invalid value"),
        (["asia", "-o", "x.csv", "--seed", "-1"], "Invalid value"),
    ],
)
def test_a_wrong_input_is_one_message_and_exit_code_2(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = run("sample", *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert not message.startswith("error:") or result.output.count("\n") == 1
    assert "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []


def test_debug_shows_where_the_error_was_raised():
    result = run("--debug", "sample", "alrm", "-o", "x.csv")
    assert result.exit_code == 2
    assert "Traceback" in result.output
    assert "load_network" in result.output


def test_as_a_process(tmp_path):
    def ml4c(*arguments):
        command = [sys.executable, "-m", "ml4c", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603

    done = ml4c("sample", "cancer", "-n", "10", "-o", "c.csv")
    assert (done.returncode, done.stdout, done.stderr) == (0, "c.csv: 10 rows x 5 columns, seed 0\n", "")
    failed = ml4c("sample", "bad.bif", "-o", "c2.csv")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == "error: cannot read bad.bif: No such file or directory\n"
