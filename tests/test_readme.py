"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest

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
