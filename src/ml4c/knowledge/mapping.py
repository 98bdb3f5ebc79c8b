"""Statements as plain values: what may stand under each key of a knowledge file, checked item by item.

An item that cannot be understood is a KnowledgeError that quotes it with its key and says how to write it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from ml4c.errors import KnowledgeError

Pair: TypeAlias = tuple[str, str]

PAIRS = ("required", "forbidden", "adjacent")
NAMES = ("roots", "leaves")
KEYS = (*PAIRS, "tiers", "forbidden_within", *NAMES)

ARROW = re.compile(r"\s*-{1,2}>\s*")
LINE = re.compile(r"\s+-{1,2}\s+")


def fields_of(mapping: Any) -> dict[str, Any]:
    """Return tuples of names, pairs and tiers for the keys that are there; KnowledgeError for anything odd."""
    if not isinstance(mapping, Mapping):
        raise KnowledgeError(f"knowledge has the keys {', '.join(KEYS)}, but this is {_kind(mapping)}")
    for key in mapping:
        if key not in KEYS:
            raise KnowledgeError(f"{key!r} is not a key of knowledge; the keys are {', '.join(KEYS)}")
    found: dict[str, Any] = {}
    for key, value in mapping.items():
        items = _items(key, value)
        if key in PAIRS:
            found[key] = tuple(dict.fromkeys(_pair(key, item) for item in items))
        elif key == "tiers":
            found[key] = tuple(_tier(number, item) for number, item in enumerate(items))
        elif key in NAMES:
            found[key] = tuple(dict.fromkeys(_name(key, item) for item in items))
        else:
            found[key] = tuple(dict.fromkeys(_number(item) for item in items))
    _check_tiers(found.get("tiers", ()), found.get("forbidden_within", ()))
    return found


def mapping_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain lists and strings that `fields_of` reads back; what is empty is left out."""
    plain: dict[str, Any] = {}
    for key in KEYS:
        if fields[key]:
            plain[key] = [_plain(key, item) for item in fields[key]]
    return plain


def _plain(key: str, item: Any) -> Any:
    if key in PAIRS:
        return _written(key, item)
    return list(item) if key == "tiers" else item


def _written(key: str, pair: Pair) -> str | list[str]:
    """Write a pair as "a -> b", unless that could be read in another way."""
    text = f"{pair[0]} {'-' if key == 'adjacent' else '->'} {pair[1]}"
    parts = _split(key, text)
    return text if parts == list(pair) else list(pair)


def _split(key: str, text: str) -> list[str]:
    return [part.strip() for part in (LINE if key == "adjacent" else ARROW).split(text)]


def _items(key: str, value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise KnowledgeError(f"{key}: write a list, not {_kind(value)}")
    return value


def _pair(key: str, item: Any) -> Pair:
    how = "'a - b'" if key == "adjacent" else "'a -> b'"
    if isinstance(item, str):
        parts = _split(key, item)
        if len(parts) != 2 or not all(parts):
            raise KnowledgeError(f"{key}: {item!r} is not a pair; write {how}, or a list of two names")
    elif isinstance(item, Sequence) and not isinstance(item, bytes) and len(item) == 2:
        parts = [_name(key, name) for name in item]
    else:
        raise KnowledgeError(f"{key}: {item!r} is not a pair; write {how}, or a list of two names")
    if parts[0] == parts[1]:
        raise KnowledgeError(f"{key}: {item!r} joins a column with itself; leave it out")
    return parts[0], parts[1]


def _tier(number: int, item: Any) -> tuple[str, ...]:
    if isinstance(item, str):
        return (item,)
    return tuple(_name(f"tiers, tier {number}", name) for name in _items(f"tiers, tier {number}", item))


def _name(key: str, item: Any) -> str:
    if not isinstance(item, str):
        raise KnowledgeError(f"{key}: {item!r} is {_kind(item)}, not a name; put names in quotes")
    return str(item)


def _number(item: Any) -> int:
    if isinstance(item, bool) or not isinstance(item, int):
        raise KnowledgeError(f"forbidden_within: {item!r} is not the number of a tier; the first is 0")
    return item


def _check_tiers(tiers: Sequence[Sequence[str]], within: Sequence[int]) -> None:
    for name, times in Counter(chain.from_iterable(tiers)).items():
        if times > 1:
            raise KnowledgeError(f"tiers: {name!r} is listed twice; a column belongs to one tier")
    for number in within:
        if not 0 <= number < len(tiers):
            raise KnowledgeError(f"forbidden_within: there is no tier {number}; {len(tiers)} are given, the first is 0")


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    words = {bool: "yes or no", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a mapping"}
    return words.get(type(value), f"a {type(value).__name__}")
