"""Libraries that only some users have: imported when a converter needs them, never before."""

from importlib import import_module
from typing import Any

from ml4c.errors import GraphError


def needed(module: str, package: str) -> Any:
    """Import a module of an optional package; GraphError with the command that installs it when that fails."""
    try:
        return import_module(module)
    except ImportError as error:
        raise GraphError(f"this needs {package}, which cannot be imported ({error}): pip install {package}") from error
