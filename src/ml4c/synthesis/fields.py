"""A recipe as JSON: what a frozen dataclass of plain values needs to go into a file and come back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar

from ml4c.errors import ModelError

Recipe = TypeVar("Recipe", bound="Fields")


class Fields:
    """The two ways of a recipe, which is a dataclass, to and from JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON has them: lists for tuples."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))  # type: ignore[call-overload]
        return plain

    @classmethod
    def from_dict(cls: type[Recipe], plain: Mapping[str, Any]) -> Recipe:
        """Return the recipe with these fields, defaults for the others; ModelError for a field that is unknown."""
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        if unknown := sorted(set(plain) - known):
            raise ModelError(f"a recipe has no field {unknown[0]!r}; its fields are {', '.join(sorted(known))}")
        try:
            return cls(**{key: _as_tuple(value) for key, value in plain.items()})
        except (TypeError, ValueError) as error:
            raise ModelError(f"a field of the recipe has a wrong type: {error}") from error


def _as_tuple(value: Any) -> Any:
    return tuple(_as_tuple(item) for item in value) if isinstance(value, list) else value
