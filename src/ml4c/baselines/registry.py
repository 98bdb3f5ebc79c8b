"""All methods by name, in the order in which tables show them.

A module of methods has a tuple METHODS; it imports heavy libraries only when a method runs, so that listing is quick.
"""

from __future__ import annotations

from importlib import import_module

from ml4c.baselines.protocol import Method
from ml4c.errors import WorkError

MODULES = (
    "ours",
    "pairwise",
    "constraint",
    "ges",
    "hill_climbing",
    "gobnilp",
    "blip",
    "grasp",
    "dag_gnn",
    "controls",
    "peers",
)


def methods() -> tuple[Method, ...]:
    """Return all methods."""
    return tuple(method for name in MODULES for method in import_module(f"ml4c.baselines.{name}").METHODS)


def method_named(name: str) -> Method:
    """Return a method; WorkError with the names that there are if there is none of this name."""
    for method in methods():
        if method.name == name:
            return method
    known = ", ".join(method.name for method in methods())
    raise WorkError(f"there is no method {name!r}: take one of {known}")
