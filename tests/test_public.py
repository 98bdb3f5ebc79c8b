"""The public surface: every name loads, and loading is lazy."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ml4c

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", ml4c.__all__)
def test_every_public_name_loads_and_is_documented(name):
    assert getattr(ml4c, name).__doc__
    assert name in dir(ml4c)


def test_type_checkers_and_the_interpreter_see_the_same_names():
    imports = [
        node for node in ast.walk(ast.parse(Path(ml4c.__file__).read_text("utf-8"))) if isinstance(node, ast.ImportFrom)
    ]
    checked = {(node.module, name.name) for node in imports for name in node.names if node.module.startswith("ml4c.")}
    assert checked == {(module, name) for module, names in ml4c._HOME.items() for name in names}
    assert sorted(name for _, name in checked) == sorted(ml4c.__all__)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_the_pages_show_in_python_is_public(page):
    code = "".join(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL))
    assert not re.findall(r"from ml4c\.|import ml4c\.", code)
    assert set(re.findall(r"\bml4c\.(\w+)", code)) <= set(ml4c.__all__)


def test_unknown_name():
    with pytest.raises(AttributeError, match="'ml4c' has no attribute 'learn'"):
        _ = ml4c.learn


def test_import_does_not_load_numba_or_polars():
    code = "import ml4c, sys; print(sorted({'numba', 'polars', 'scipy'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert shown.stdout.strip() == "[]"
