"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ml4c.cli import app

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.jit
def test_first_example_prints_what_the_readme_shows(capsys):
    code, shown = re.search(r"```python\n(.*?)```\nprints\n```\n(.*?)```", README, re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out == shown


@pytest.mark.jit
def test_tutorial_prints_what_it_shows(capsys):
    tutorial = (Path(__file__).parents[1] / "docs" / "tutorial.md").read_text(encoding="utf-8")
    code, shown = re.search(r"```python\n(.*?)```\nprints\n```\n(.*?)```", tutorial, re.DOTALL).groups()
    exec(compile(code, "tutorial.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out == shown


@pytest.mark.jit
def test_the_demo_runs(capsys):
    demo = Path(__file__).parents[1] / "examples" / "first.py"
    exec(compile(demo.read_text(encoding="utf-8"), str(demo), "exec"), {})  # noqa: S102
    assert "a valid CPDAG" in capsys.readouterr().out


@pytest.mark.jit
def test_discover_prints_what_the_readme_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    shown = re.search(r"-o out/\n\.\.\.\n(.*?)\$ ml4c evaluate", README, re.DOTALL)[1]
    commands = re.findall(r"^\$ ml4c (.*)$", README, re.MULTILINE)[:3]
    output = [CliRunner().invoke(app, command.split()) for command in commands]
    assert [done.exit_code for done in output] == [0, 0, 0]
    assert shown in output[1].output
    wrong = re.search(r"prints\n```\n.*?\n(\d+)\n```", README, re.DOTALL)[1]  # the same table and graph in Python
    assert f"shd                        {wrong}\n" in output[2].output


@pytest.mark.jit
def test_other_blocks_run(tmp_path, monkeypatch):
    """Every block that goes on from the first example."""
    monkeypatch.chdir(tmp_path)
    first, *others = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names = {}
    exec(compile(first, "README.md", "exec"), names)  # noqa: S102
    for block in others:
        if "patients.csv" not in block:
            exec(compile(block, "README.md", "exec"), names)  # noqa: S102
