"""The methods that a benchmark may name: those of `ml4c.baselines`, the predicates of Table 2, and anyone's own.

A name with a colon is an import path, `package.module:METHOD`, to an object of the class `ml4c.baselines.Method`.
"""

from __future__ import annotations

from importlib import import_module

from ml4c import baselines
from ml4c.baselines import Method
from ml4c.baselines.ours import SCORE_ONLY
from ml4c.benchmark import predicates
from ml4c.errors import WorkError

BESIDE = (*SCORE_ONLY, *predicates.METHODS)
"""Methods that Table 1 does not show: scores without a learner (Table 3), and predicates (Table 2)."""


def all_methods() -> tuple[Method, ...]:
    """Return the methods of the package, in the order in which tables show them."""
    return (*baselines.methods(), *BESIDE)


def find_method(name: str) -> Method:
    """Return a method by its name or import path; WorkError if there is none."""
    if ":" in name:
        return _imported(name)
    for method in BESIDE:
        if method.name == name:
            return method
    return baselines.method_named(name)


def _imported(path: str) -> Method:
    module, _, attribute = path.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise WorkError(f"method {path!r} cannot be imported: {error}") from None
    if not isinstance(found, Method):
        raise WorkError(f"method {path!r} is no ml4c.baselines.Method but {type(found).__name__}")
    return found
