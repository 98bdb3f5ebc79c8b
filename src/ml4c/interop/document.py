"""A result as one JSON document: everything that the tables and drawings say, for programs.

The format, version 1, is an object with

    format, version   "ml4c graph" and 1
    names             the columns, in their order; isolated ones too
    edges             a list of {source, target, type, probability}; type is "directed" (source -> target) or
                      "undirected"; with the further evidence of `FoundEdge`, where it is known
    triples           a list of {x, t, y, probability, verdict, lost_to, reason}; lost_to is [x, t, y] or null
    certificate       {acyclic, extendable, closed, is_cpdag, valid, reason}, or null when nothing was certified
    columns           a list of {name, ...} with what was understood of a column
    run               what was run: an object of any facts
    evidence          left out when there is none: {edges, triples}, lists of objects about some of the above, with
                      further facts: of an edge {source, target, reason, given, p_value, gain}, of a triple
                      {x, t, y, with_t, without_t, sets_with_t, sets_without_t, parts}

A reader must refuse a larger version and pass over keys that it does not know. The text is ASCII, every other
character being an escape of JSON, so that no name can break a terminal, a page or an encoding. Facts that JSON
has no value for, dates and infinite numbers among them, are written as strings.
"""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from reprlib import repr as shown  # a wrong value may be large
from typing import Any, get_args

import numpy as np

from ml4c.errors import GraphError
from ml4c.interop.edges import NamedGraph, from_edges, index_of
from ml4c.interop.records import EDGE_COLUMNS, EVIDENCE_COLUMNS, NUMBER_COLUMNS, FoundEdge, FoundTriple, Silence
from ml4c.interop.storage import located
from ml4c.meek import Certificate
from ml4c.orientation import Reason, Verdict

FORMAT, VERSION = "ml4c graph", 1


@dataclass(frozen=True)
class GraphDocument:
    """A result in plain records; `columns` are facts by the name of a column, `run` facts about the run.

    `evidence` are further facts about edges and triples, each with the names of what it is about.
    """

    names: tuple[str, ...]
    edges: tuple[FoundEdge, ...] = ()
    triples: tuple[FoundTriple, ...] = ()
    certificate: Certificate | None = None
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def graph(self) -> NamedGraph:
        """The matrix with its names."""
        return from_edges(self.edges, self.names)

    def to_mapping(self) -> dict[str, Any]:
        """Return the document as plain values, ready for JSON."""
        certificate = self.certificate and _plain({**asdict(self.certificate), "valid": self.certificate.valid})
        told = {"evidence": _plain(self.evidence)} if any(self.evidence.values()) else {}
        return {
            "format": FORMAT,
            "version": VERSION,
            "names": list(self.names),
            "edges": [_edge_mapping(edge) for edge in self.edges],
            "triples": [_plain(asdict(triple)) for triple in self.triples],
            "certificate": certificate,
            "columns": [{"name": name, **_plain(facts)} for name, facts in self.columns.items()],
            "run": _plain(self.run),
            **told,
        }

    def to_json(self) -> str:
        """Return the text of the document."""
        return json.dumps(self.to_mapping(), ensure_ascii=True, allow_nan=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "GraphDocument":
        """Read the text of a document; GraphError says which part of it is wrong."""
        try:
            content = json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise GraphError(f"not JSON ({error})") from error
        return cls.from_mapping(content)

    @classmethod
    def from_mapping(cls, content: Any) -> "GraphDocument":
        """Read plain values as `to_mapping` gives them."""
        _check_format(content)
        names = tuple(index_of(_text(name, "names") for name in _list(content, "names")))
        document = cls(
            names=names,
            edges=tuple(_each(content, "edges", _edge)),
            triples=tuple(_each(content, "triples", _triple)),
            certificate=_certificate(content.get("certificate")),
            columns=_columns(list(_each(content, "columns", _column))),
            run=_object(content.get("run", {}), "run"),
            evidence=_object(content.get("evidence", {}), "evidence"),
        )
        _check_names(document)
        return document


def _edge_mapping(edge: FoundEdge) -> dict[str, Any]:
    """Evidence that an edge does not have is left out; the probability is always there, null without any."""
    every = {name: getattr(edge, name) for name in (*EDGE_COLUMNS, *EVIDENCE_COLUMNS)}
    return {name: _plain(value) for name, value in every.items() if name in EDGE_COLUMNS or value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number of JSON")


def _check_format(content: Any) -> None:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GraphError(f'not a graph of ml4c: it does not say "format": "{FORMAT}"')
    version = content.get("version")
    if not isinstance(version, int) or version < 1:
        raise GraphError(f"the version is {shown(version)}, which is not a number of a format")
    if version > VERSION:
        raise GraphError(f"written in version {version} of the format, this ml4c reads {VERSION}: pip install -U ml4c")


def _check_names(document: GraphDocument) -> None:
    """Draw the edges, which checks their ends, and look up all other names."""
    known = set(document.graph.names)
    for k, triple in enumerate(document.triples):
        _check_known((triple.x, triple.t, triple.y, *(triple.lost_to or ())), known, f"triples[{k}]")
    _check_known(document.columns, known, "columns")


def _check_known(names: Any, known: set[str], place: str) -> None:
    for name in names:
        if name not in known:
            raise GraphError(f"{place}: {name!r} is not among the names")


def _each(content: Mapping[str, Any], key: str, read: Any) -> Iterator[Any]:
    for k, item in enumerate(_list(content, key)):
        with located(f"{key}[{k}]"), _fitting(item):
            yield read(item)


@contextmanager
def _fitting(item: Any) -> Iterator[None]:
    """Say which key a record lacks."""
    try:
        yield
    except KeyError as error:
        raise GraphError(f"{error.args[0]!r} is missing in {shown(item)}") from error


def _edge(item: Any) -> FoundEdge:
    record = _object(item, "an edge")
    kind = record["type"]
    if kind not in ("directed", "undirected"):
        raise GraphError(f"the type is {shown(kind)}; it must be directed or undirected")
    silence = record.get("undetermined")
    if silence is not None and silence not in get_args(Silence):
        raise GraphError(f"undetermined is {shown(silence)}; it must be one of {', '.join(get_args(Silence))}, or null")
    told: dict[str, Any] = {name: _number(record.get(name), name) for name in ("probability", *NUMBER_COLUMNS)}
    ends = _text(record["source"], "source"), _text(record["target"], "target")
    return FoundEdge(*ends, kind, **told, undetermined=silence)


def _triple(item: Any) -> FoundTriple:
    record = _object(item, "a triple")
    probability, verdict, lost_to = _number(record["probability"], "probability"), record["verdict"], record["lost_to"]
    if probability is None or verdict not in get_args(Verdict):
        raise GraphError(f"the probability is {probability} and the verdict {shown(verdict)}; a triple needs both")
    reason = record.get("reason", "")
    if reason not in get_args(Reason):
        raise GraphError(f"the reason is {shown(reason)}; it must be one of {', '.join(get_args(Reason)[1:])} or empty")
    x, t, y = (_text(record[key], key) for key in "xty")
    return FoundTriple(x, t, y, probability, verdict, None if lost_to is None else _names_of_three(lost_to), reason)


def _names_of_three(item: Any) -> tuple[str, str, str]:
    if not isinstance(item, list) or len(item) != 3:
        raise GraphError(f"lost_to is {shown(item)}; it must be three names or null")
    x, t, y = (_text(name, "lost_to") for name in item)
    return x, t, y


def _column(item: Any) -> tuple[str, dict[str, Any]]:
    facts = dict(_object(item, "a column"))
    return _text(facts.pop("name"), "name"), facts


def _columns(pairs: list[tuple[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    with located("columns"):
        index_of(name for name, _ in pairs)
    return dict(pairs)


def _certificate(item: Any) -> Certificate | None:
    if item is None:
        return None
    with located("certificate"), _fitting(item):
        record = _object(item, "it")
        found = {part.name: record[part.name] for part in fields(Certificate)}
        for name, value in found.items():
            if not isinstance(value, str if name == "reason" else bool):
                raise GraphError(f"{name} cannot be {shown(value)}")
        return Certificate(**found)


def _list(content: Mapping[str, Any], key: str) -> list[Any]:
    items = content.get(key, [] if key != "names" else None)
    if not isinstance(items, list):
        raise GraphError(f"{key} must be a list, but is {shown(items)}")
    return items


def _object(item: Any, what: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise GraphError(f"{what} must be an object, but is {shown(item)}")
    return item


def _text(item: Any, what: str) -> str:
    if not isinstance(item, str):
        raise GraphError(f"{what}: {shown(item)} is not a name")
    return item


def _number(item: Any, what: str) -> float | None:
    if item is not None and (isinstance(item, bool) or not isinstance(item, int | float)):
        raise GraphError(f"{what}: {shown(item)} is not a number")
    return item
