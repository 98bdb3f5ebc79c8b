"""Everything that the page says, as one plain dictionary: the input of the template and of the script.

It is made from a `GraphDocument` alone, which is what graph.json holds, so a report from a saved folder is the same to
the byte. Nodes are numbers in the order of the columns; names appear once. Lists of triples are bounded, so that
the page stays small when the graph does not: those in the graph or against their probability come first, then the
most probable ones.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias, get_args

from ml4c.drawing import layered_layout
from ml4c.graph import skeleton as skeleton_of
from ml4c.interop import FoundTriple, GraphDocument, printable
from ml4c.orientation import Reason, Verdict
from ml4c.report.distance import distance_rows
from ml4c.report.evidence import edge_evidence, triple_evidence
from ml4c.report.facts import assumptions, command_of, data_facts, headline, run_facts
from ml4c.report.preview import preview, ranked_v_structures
from ml4c.report.words import WORDS

Summary: TypeAlias = dict[str, Any]

MOST_TRIPLES = 12_000
WHOLE = 300
"""The largest graph that is shown whole at first."""
VERDICTS: tuple[str, ...] = get_args(Verdict)
REASONS: tuple[str, ...] = get_args(Reason)


def summary_of(document: GraphDocument, title: str = "") -> Summary:
    """Return what the page shows; title: what the table is called."""
    return {
        "title": printable(title) or "Causal graph",
        "eyebrow": "Causal graph" if title else "ml4c",
        "headline": headline(document),
        "data_facts": data_facts(document),
        "columns": _columns(document),
        "assumptions": assumptions(document),
        "distance": distance_rows(document),
        "measured": bool(document.run.get("shift")),
        "run_facts": run_facts(document),
        "command": command_of(document),
        "graph": graph_data(document),
    }


def graph_data(document: GraphDocument) -> Summary:
    """Return what the script draws and recomputes, in numbers."""
    index = {name: i for i, name in enumerate(document.names)}
    triples = _shown_triples(document.triples)
    place = {(triple.x, triple.t, triple.y): k for k, triple in enumerate(triples)}
    layout = layered_layout(document.graph.matrix, document.names)
    fixed = [[index[a], index[b]] for a, b in _known(document)]
    matrix = document.graph.matrix
    ranked = ranked_v_structures(document)
    remade = preview(skeleton_of(matrix), ranked, arrows=[(i, j) for i, j in fixed])
    return {
        "names": list(document.names),
        "shown": [printable(name) for name in document.names],
        "edges": _edges(document, index),
        "triples": [_triple(triple, index, place) for triple in triples],
        "n_triples": len(document.triples),
        "weighed": _weighed(document, index, place),
        "ranked": [list(row) for row in ranked],
        "fixed": fixed,
        "faithful": bool((remade.graph == matrix).all()),
        "places": [list(place) for place in layout.places],
        "bends": [[i, j, *map(list, points)] for (i, j), points in sorted(layout.bends.items())],
        "knowledge": document.run.get("knowledge") or {},
        "certificate": str(document.certificate) if document.certificate else "not certified",
        "valid": bool(document.certificate and document.certificate.valid),
        "unit": _unit(document),
        "whole": WHOLE,
        "words": WORDS,
        "verdicts": list(VERDICTS),
        "reasons": list(REASONS),
    }


def as_script_data(data: Summary) -> str:
    """Return JSON that is safe inside a script element: ASCII, and no character that HTML could read as markup."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for letter in "<>&'":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _edges(document: GraphDocument, index: dict[str, int]) -> list[list[Any]]:
    """Return [i, j, directed, probability, strength, adjacency, forward, backward, why, joined, ...] of every edge.

    The last three are the probabilities of i -> j and j -> i, and why the direction is undetermined.
    """
    why = edge_evidence(document)
    rows = []
    for edge in document.edges:
        told = why.get(frozenset((edge.source, edge.target)))
        facts = told and [told["reason"], [index[name] for name in told["given"]], told["p_value"], told["gain"]]
        numbers = (edge.probability, edge.strength, edge.adjacency, edge.forward, edge.backward)
        ends = [index[edge.source], index[edge.target], int(edge.type == "directed")]
        odds = map(_rounded, (edge.edge_probability, edge.forward_probability, edge.backward_probability))
        rows.append([*ends, *map(_rounded, numbers), facts, *odds, edge.undetermined])
    return rows


def _shown_triples(triples: Sequence[FoundTriple]) -> list[FoundTriple]:
    if len(triples) <= MOST_TRIPLES:
        return list(triples)
    order = sorted(range(len(triples)), key=lambda k: (triples[k].verdict == "rejected", -triples[k].probability))
    return [triples[k] for k in sorted(order[:MOST_TRIPLES])]


def _triple(triple: FoundTriple, index: dict[str, int], place: dict[tuple[str, str, str], int]) -> list[Any]:
    """Return [x, t, y, probability, verdict, lost to, reason] in numbers; lost to is a triple, or -1."""
    nodes = [index[name] for name in (triple.x, triple.t, triple.y)]
    rival = -1 if triple.lost_to is None else place.get(triple.lost_to, -1)
    said = VERDICTS.index(triple.verdict), REASONS.index(triple.reason)
    return [*nodes, _rounded(triple.probability), said[0], rival, said[1]]


def _weighed(
    document: GraphDocument, index: dict[str, int], place: dict[tuple[str, str, str], int]
) -> dict[str, list[Any]]:
    """Return [with T, without T, sets with T, sets without T, parts] by the number of a triple."""
    found = {}
    for key, told in triple_evidence(document).items():
        if key in place:
            sets = [[[index[name] for name in s] for s in told[kind]] for kind in ("sets_with_t", "sets_without_t")]
            found[str(place[key])] = [told["with_t"], told["without_t"], *sets, [list(part) for part in told["parts"]]]
    return found


def _known(document: GraphDocument) -> list[tuple[str, str]]:
    """Return the arrows that knowledge fixed; those of another version or graph are passed over."""
    pairs = document.run.get("known") or []
    drawn = {(edge.source, edge.target) for edge in document.edges}
    return [(pair[0], pair[1]) for pair in pairs if isinstance(pair, list) and tuple(pair) in drawn]


def _columns(document: GraphDocument) -> list[Summary]:
    """Return a row for each column of the table: name, categories, missing, bins, notes."""
    constant = set(document.run.get("constant") or ())
    rows = []
    for name in document.names:
        facts = document.columns.get(name, {})
        bins = facts.get("bins") or []
        rows.append(
            {
                "name": printable(name),
                "categories": facts.get("categories"),
                "missing": facts.get("missing"),
                "bins": ", ".join(str(edge) for edge in bins) if isinstance(bins, list) else "",
                "constant": name in constant,
            }
        )
    return rows


def _unit(document: GraphDocument) -> str:
    """Return what the strength of an edge is counted in."""
    skeleton = document.run.get("skeleton")
    by_tests = isinstance(skeleton, dict) and skeleton.get("method") == "pc"
    return "standard deviations from independence" if by_tests else "nats of score"


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
