"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ml4c.bif import load_network
from ml4c.cli import app
from ml4c.graph import skeleton
from ml4c.interop import write_graph

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.jit
def test_first_example_prints_what_the_readme_shows(capsys):
    code, shown = re.search(r"```python\n(.*?)```\nprints\n```\n(.*?)```", README, re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out == shown


def test_demo_makes_the_same_statements():
    demo = (Path(__file__).parents[1] / "examples" / "first.py").read_text(encoding="utf-8")
    statements = re.findall(r"^(?:print|gain|scores|test|cpdag).*$", demo, re.MULTILINE)
    assert len(statements) > 8
    for statement in statements[:-1]:
        assert statement in README


@pytest.mark.jit
def test_discover_prints_what_the_readme_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    net = load_network("asia")
    write_graph("skeleton.csv", skeleton(net.dag), net.names)
    shown = re.search(r"-o out/\n\.\.\.\n(.*?)\$ ml4c evaluate", README, re.DOTALL)[1]
    commands = re.findall(r"^\$ ml4c (.*)$", README, re.MULTILINE)
    output = [CliRunner().invoke(app, command.split()) for command in commands]
    assert [done.exit_code for done in output] == [0, 0, 0]
    assert shown in output[1].output
    assert "shd                        0" in output[2].output
