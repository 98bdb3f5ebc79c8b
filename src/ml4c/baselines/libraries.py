"""Libraries that only the extra `bench` installs: imported when a method runs, never before."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ml4c.errors import WorkError


def library(module: str) -> Any:
    """Import a module; WorkError with the command that installs it when that fails."""
    try:
        return import_module(module)
    except ImportError as error:
        raise WorkError(f"{module} cannot be imported ({error}): pip install 'ml4c[bench]'") from error
