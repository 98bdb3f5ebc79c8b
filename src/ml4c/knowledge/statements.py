"""What a user states, by the names of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from typing import Any, TypeAlias

from ml4c.errors import KnowledgeError
from ml4c.knowledge.constraints import Constraints, Sources
from ml4c.knowledge.contradiction import Arrow, Statement
from ml4c.knowledge.mapping import fields_of, mapping_of

Pair: TypeAlias = tuple[str, str]

NAMES_SHOWN = 10


@dataclass(frozen=True)
class Knowledge:
    """Statements about the graph that every result must satisfy.

    required: pairs (a, b), a -> b is there. forbidden: a -> b is not there. adjacent: a and b are joined, in either
    direction. tiers: groups of columns in order; no arrow leads from a later to an earlier one, and columns in no group
    are free. forbidden_within: the tiers, counted from 0, that have no edges inside. roots: columns without an
    arrow into them. leaves: columns without an arrow out of them.
    """

    required: tuple[Pair, ...] = ()
    forbidden: tuple[Pair, ...] = ()
    adjacent: tuple[Pair, ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()
    forbidden_within: tuple[int, ...] = ()
    roots: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for key, value in fields_of(vars(self)).items():
            object.__setattr__(self, key, value)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Knowledge:
        """Read statements from plain values, as in a YAML or JSON file.

        The keys are the names of the fields; a pair is a list of two names or a string such as "a -> b" ("a - b" under
        adjacent).
        """
        return cls(**fields_of(mapping))

    def to_mapping(self) -> dict[str, Any]:
        """Return plain values that `from_mapping` reads back; what is empty is left out."""
        return mapping_of(vars(self))

    def __bool__(self) -> bool:
        return any(vars(self).values())

    def bind(self, names: Sequence[str]) -> Constraints:
        """Return the same for columns of these names, by their numbers.

        KnowledgeError when a name is not among them, or when statements contradict each other.
        """
        index = {name: i for i, name in enumerate(names)}
        if len(index) < len(names):
            raise KnowledgeError("two columns have the same name; knowledge needs names that differ")
        for place, name in self._mentioned():
            if name not in index:
                raise KnowledgeError(f"{place}: {name!r} is not a column; {_nearest(name, names)}")
        return Constraints.of(list(names), self._sources(index))

    def _mentioned(self) -> Iterator[tuple[str, str]]:
        for key in ("required", "forbidden", "adjacent", "tiers"):
            yield from ((key, name) for name in chain.from_iterable(getattr(self, key)))
        for key in ("roots", "leaves"):
            yield from ((key, name) for name in getattr(self, key))

    def _sources(self, index: Mapping[str, int]) -> Sources:
        tier = {index[name]: number for number, group in enumerate(self.tiers) for name in group}
        within = {
            number: Statement(("forbidden_within", str(number)), f"forbidden_within: no edges inside tier {number}")
            for number in self.forbidden_within
        }
        return Sources(
            required=_arrows("required", self.required, index),
            forbidden=_arrows("forbidden", self.forbidden, index),
            adjacent=_lines(self.adjacent, index),
            tier=tier,
            within=within,
            roots=_columns("roots", self.roots, index),
            leaves=_columns("leaves", self.leaves, index),
        )


def _arrows(key: str, pairs: Iterable[Pair], index: Mapping[str, int]) -> dict[Arrow, Statement]:
    return {(index[a], index[b]): Statement((key, a, b), f"{key}: {a} -> {b}") for a, b in pairs}


def _lines(pairs: Iterable[Pair], index: Mapping[str, int]) -> dict[Arrow, Statement]:
    """Give the pairs their numbers, the smaller one first."""
    sorted_pairs = (sorted(pair, key=index.__getitem__) for pair in pairs)
    return {(index[a], index[b]): Statement(("adjacent", a, b), f"adjacent: {a} - {b}") for a, b in sorted_pairs}


def _columns(key: str, names: Iterable[str], index: Mapping[str, int]) -> dict[int, Statement]:
    return {index[name]: Statement((key, name), f"{key}: {name}") for name in names}


def _nearest(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name, names, n=3)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    shown = ", ".join(map(repr, names[:NAMES_SHOWN]))
    return f"the columns are {shown}" + (f", ... ({len(names)} in all)" if len(names) > NAMES_SHOWN else "")
