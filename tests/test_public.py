"""The public surface: every name loads, and loading is lazy."""

import subprocess
import sys

import pytest

import ml4c


@pytest.mark.parametrize("name", ml4c.__all__)
def test_every_public_name_loads_and_is_documented(name):
    assert getattr(ml4c, name).__doc__
    assert name in dir(ml4c)


def test_unknown_name():
    with pytest.raises(AttributeError, match="'ml4c' has no attribute 'learn'"):
        _ = ml4c.learn


def test_import_does_not_load_numba_or_polars():
    code = "import ml4c, sys; print(sorted({'numba', 'polars', 'scipy'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert shown.stdout.strip() == "[]"
