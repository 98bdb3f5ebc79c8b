"""The command line: what it prints, what it writes, and how it fails."""

import csv
import os
import signal
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest
from typer.testing import CliRunner

from ml4c.bif import load_network, network_names
from ml4c.cli import app
from ml4c.cli.wording import in_options


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
        (["asia"], "error: missing option '--output'"),
        (["asia", "-o", "x.csv", "-n", "0"], "error: invalid value for '--rows'"),
        (["asia", "-o", "x.csv", "--seed", "-1"], "error: invalid value for '--seed'"),
        (["asia", "-o", "x.csv", "--rows"], "error: option '--rows' requires an argument. Try 'ml4c sample --help'\n"),
        (["asia", "-o", "x.csv", "--sed", "1"], "error: no such option"),
        (["asia", "-o", "x.csv", "too", "many"], "too many"),
    ],
)
def test_a_wrong_input_is_one_message_and_exit_code_2(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = run("sample", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "reason", "command"),
    [
        (["--nothing"], "no such option", "ml4c"),
        (["sampel"], "no such command 'sampel'. Did you mean 'sample'?", "ml4c"),
        (["--debug"], "missing command", "ml4c"),
        (["networks", "--nothing"], "no such option", "ml4c networks"),
    ],
)
def test_words_that_are_no_command_or_option(arguments, reason, command):
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"error: {reason}")
    assert result.stderr.endswith(f" Try '{command} --help'\n")


@pytest.mark.parametrize(
    "arguments", [["--debug", "sample", "alrm", "-o", "x.csv"], ["sample", "alrm", "-o", "x.csv", "--debug"]]
)
def test_debug_shows_where_the_error_was_raised(arguments):
    result = run(*arguments)
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


@pytest.mark.parametrize("arguments", [["networks"], ["networks", "--quiet"], ["--help"], ["sample", "--help"]])
def test_a_reader_who_has_gone_is_no_error(arguments):
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "ml4c", *arguments]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
def test_ctrl_c_ends_a_wait():
    code = (
        "import signal, threading\nfrom ml4c.cli.failing import long_work\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job ignores it
        "with long_work(resumable=True):\n    print('waiting', flush=True)\n    threading.Event().wait()\n"
    )
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # noqa: S603
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt: interrupted; run the same command again to go on" in said


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("pass missing='available' (a) or missing='category'", "pass --missing available (a) or --missing category"),
        ("missing='drop': choose", "--missing drop: choose"),
        (
            "pass discretize=5 for all, or discretize={'a b': 5} for one",
            "pass --discretize 5 for all, or --discretize 'a b=5' for one",
        ),
        ("""drop it, or pass discretize={"it's}": 5}""", """drop it, or pass --discretize 'it'"'"'s}=5'"""),
        ("discretize['age']=1: the number", "--discretize age=1: the number"),
        ("leave it out of discretize=", "leave it out of --discretize"),
        ("pass separator='\\t'", "pass --separator '\\t'"),
        ("pass separator=';'", "pass --separator ';'"),
        ("threshold=1.5: give", "--threshold 1.5: give"),
        ("x.csv: 3 values are missing; a=b", "x.csv: 3 values are missing; a=b"),
    ],
)
def test_messages_name_options_instead_of_keywords(said, shown):
    assert in_options(said) == shown
