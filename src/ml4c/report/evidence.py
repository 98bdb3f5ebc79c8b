"""The further evidence of a saved result, checked: a file may have been written by another version, or by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from ml4c.errors import GraphError
from ml4c.interop import GraphDocument

Record: TypeAlias = Mapping[str, Any]

AGAIN = "discover the graph again, or remove the key 'evidence'"


def edge_evidence(document: GraphDocument) -> dict[frozenset[str], dict[str, Any]]:
    """Return why edges are there, by their two ends: reason, given (names), p_value, gain; None where not said."""
    found = {}
    for record in _records(document, "edges"):
        ends = frozenset((_name(record, "source", document), _name(record, "target", document)))
        found[ends] = {
            "reason": _text(record.get("reason", "")),
            "given": _set(record.get("given", []), document),
            "p_value": _number(record.get("p_value")),
            "gain": _number(record.get("gain")),
        }
    return found


def triple_evidence(document: GraphDocument) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return why triples were judged so, by (x, t, y): their separating sets, and parts (about, measured, log_odds)."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for record in _records(document, "triples"):
        x, t, y = (_name(record, key, document) for key in "xty")
        found[x, t, y] = {
            "with_t": _number(record.get("with_t")),
            "without_t": _number(record.get("without_t")),
            "sets_with_t": [_set(item, document) for item in _list(record.get("sets_with_t", []))],
            "sets_without_t": [_set(item, document) for item in _list(record.get("sets_without_t", []))],
            "parts": [_part(item) for item in _list(record.get("parts", []))],
        }
    return found


def _records(document: GraphDocument, kind: str) -> Iterator[Record]:
    for item in _list(document.evidence.get(kind, [])):
        yield _checked(item, lambda value: isinstance(value, Mapping))


def _part(item: Any) -> tuple[str, float | None, float]:
    record = _checked(item, lambda value: isinstance(value, Mapping))
    return _text(record.get("about")), _number(record.get("measured")), _number(record.get("log_odds")) or 0.0


def _name(record: Record, key: str, document: GraphDocument) -> str:
    return str(_checked(record.get(key), lambda value: value in document.names))


def _set(item: Any, document: GraphDocument) -> list[str]:
    return [str(_checked(name, lambda value: value in document.names)) for name in _list(item)]


def _list(item: Any) -> list[Any]:
    return list(_checked(item, lambda value: isinstance(value, list | tuple)))


def _text(item: Any) -> str:
    return str(_checked(item, lambda value: isinstance(value, str)))


def _number(item: Any) -> float | None:
    real = _checked(item, lambda value: value is None or (isinstance(value, int | float) and value is not True))
    return None if real is None else float(real)


def _checked(item: Any, fits: Callable[[Any], bool]) -> Any:
    if not fits(item):
        raise GraphError(f"evidence: {str(item)[:60]!r} is not what belongs there: {AGAIN}")
    return item
