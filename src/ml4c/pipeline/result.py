"""What the user gets: a graph with names, the evidence for every edge and every triple, and whether it is valid."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ml4c import interop
from ml4c.dataset import Dataset
from ml4c.drawing import Look, svg_picture
from ml4c.graph import Graph, Triples
from ml4c.interop import Edge, FoundEdge, FoundTriple, GraphDocument
from ml4c.knowledge import Knowledge
from ml4c.learner.card import library_versions
from ml4c.meek import Certificate
from ml4c.orientation import Confidence, Orientation, Reason
from ml4c.pipeline.adjacencies import Adjacencies
from ml4c.pipeline.explaining import explanation
from ml4c.pipeline.shift import Shift, warning
from ml4c.pipeline.showing import as_html, as_text, confidence_text, verdicts_text
from ml4c.pipeline.silence import Pairs
from ml4c.pipeline.weighing import Judgement

if TYPE_CHECKING:
    import networkx as nx


BOOTSTRAP_FILES = ("consensus.csv", "frequencies.csv")
REPORT_FILE = "report.html"
MOST_DRAWN = 120
WANTED = {
    "best": "the best orientation",
    "f1": "the largest expected F1 of arrows",
    "shd": "the least expected number of wrong edges",
}
"""What a decision is for, in words."""
"""Columns in the picture that a notebook shows."""


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A graph over the columns of a table, with the evidence for it.

    cpdag, skeleton: matrices in the order of `names`; i -> j is [i, j] = 1 with [j, i] = 0, both 1 is i - j.
    edges: source, target, type, how probable the edge is as drawn, and further evidence (`FoundEdge`). triples: every
    unshielded triple with its probability and verdict. certificate: whether the graph is valid, and if not, why.
    confidence: how sure the best orientation of all triples is; None of the published rule. learned: why pairs are
    adjacent or not; None when the skeleton was given.
    model: the name of the model. data: what was understood of the table. constant: columns with one value, about
    which the data say nothing. knowledge: what was stated; known: the arrows (source, target) that it fixes. seed: of
    the search. decision: threshold, decision and confidence as asked for. limits: of the search for the skeleton.
    repeats: of the bootstrap. rows, missing: of the table, and how missing values were treated. trained_on: the recipe
    of the model. judged: what the learner saw. source, command: the file of the table, and what made this on the
    command line.
    """

    names: tuple[str, ...]
    cpdag: Graph
    skeleton: Graph
    edges: tuple[FoundEdge, ...]
    triples: tuple[FoundTriple, ...]
    certificate: Certificate
    model: str
    data: str
    columns: Mapping[str, Mapping[str, object]]
    constant: tuple[str, ...]
    confidence: Confidence | None = None
    learned: Adjacencies | None = None
    knowledge: Knowledge | None = None
    known: tuple[tuple[str, str], ...] = ()
    seed: int = 0
    decision: Mapping[str, str | float | None] = field(default_factory=dict)
    limits: Mapping[str, float | None] | None = None
    repeats: int | None = None
    rows: int | None = None
    missing: str = "error"
    trained_on: Mapping[str, Any] = field(default_factory=dict)
    judged: Judgement | None = None
    shift: tuple[Shift, ...] = ()
    source: str = ""
    command: str = ""

    def to_networkx(self) -> nx.DiGraph:
        """Return a DiGraph; an undirected edge is two arcs with kind="undirected"."""
        return interop.to_networkx(self.cpdag, self.names)

    def to_causallearn(self) -> Any:
        """Return a GeneralGraph of causal-learn."""
        return interop.to_causallearn(self.cpdag, self.names)

    def to_pgmpy(self) -> Any:
        """Return a PDAG of pgmpy."""
        return interop.to_pgmpy(self.cpdag, self.names)

    def to_pcalg(self) -> interop.NamedMatrix:
        """Return the matrix in the convention of pcalg (amat.cpdag)."""
        return interop.to_pcalg(self.cpdag, self.names)

    def to_tetrad(self) -> str:
        """Return the graph in the text format of Tetrad."""
        return interop.to_tetrad(self.cpdag, self.names)

    def to_edges(self) -> list[Edge]:
        """List the edges by name, without probabilities."""
        return interop.to_edges(self.cpdag, self.names)

    def to_dot(self) -> str:
        """Return the text of the graph for Graphviz, with probabilities beside the edges."""
        return interop.labelled_dot(self.cpdag, self.names, self.edges)

    @property
    def document(self) -> GraphDocument:
        """Everything in plain records, as it is written to graph.json."""
        run = {
            "ml4c": version("ml4c"),
            "model": self.model,
            "seed": self.seed,
            "decision": dict(self.decision),
            "data": self.data,
            "constant": list(self.constant),
            "confidence": self.confidence and asdict(self.confidence),
            "skeleton": self.learned and {**self.learned.facts(), **(self.limits or {})},
            "knowledge": None if self.knowledge is None else self.knowledge.to_mapping(),
            "bootstrap_repeats": self.repeats,
            "known": [list(arrow) for arrow in self.known],
            "rows": self.rows,
            "missing": self.missing,
            "trained_on": dict(self.trained_on),
            "shift": [shift.to_dict() for shift in self.shift],
            "versions": library_versions(),
            "source": self.source,
            "command": self.command,
        }
        return GraphDocument(self.names, self.edges, self.triples, self.certificate, self.columns, run, self.evidence)

    @property
    def evidence(self) -> dict[str, list[dict[str, Any]]]:
        """Why the edges are there, and why the learner judged the triples that matter most as it did."""
        learned = self.learned
        pairs = (
            [] if learned is None else [(e.source, e.target, learned.evidence(e.source, e.target)) for e in self.edges]
        )
        return {
            "edges": [{"source": a, "target": b, **why} for a, b, why in pairs if why],
            "triples": [] if self.judged is None else self.judged.records,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON: the content of graph.json."""
        return self.document.to_mapping()

    def save(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write the files of the result (see `ml4c.interop.results`) into a folder; return their paths.

        What an earlier bootstrap or report said there about another graph is removed.
        """
        files = interop.write_document(folder, self.document)
        for name in (*BOOTSTRAP_FILES, REPORT_FILE):
            (Path(folder) / name).unlink(missing_ok=True)
        return files

    def explain(self, a: str, b: str) -> str:
        """Say in words why two columns are adjacent or not, and what gives their edge its direction."""
        return explanation(self, a, b)

    def __str__(self) -> str:
        return as_text(self.headline, self.edges)

    def __repr__(self) -> str:
        return f"<Result: {self.headline[0]}>"

    def _repr_html_(self) -> str:
        return as_html(self.headline, self.edges, self._picture())

    def _picture(self) -> str:
        """Draw the columns that have edges, unless they are too many for a picture that does not move."""
        joined = np.flatnonzero(self.skeleton.any(axis=1)).tolist()
        if not 0 < len(joined) <= MOST_DRAWN:
            return ""
        place = {self.names[i]: k for k, i in enumerate(joined)}
        sure = [(edge, edge.probability) for edge in self.edges if edge.probability is not None]
        looks = {(place[e.source], place[e.target]): Look(1 + 2 * p, title=f"{e}, {p:.2f}") for e, p in sure}
        return svg_picture(self.cpdag[np.ix_(joined, joined)], [self.names[i] for i in joined], looks=looks)

    @property
    def _decided(self) -> list[str]:
        """Which graph was taken, and how sure the best orientation is."""
        asked, least = str(self.decision.get("decision", "best")), self.decision.get("confidence")
        if asked == "best" and least is None:
            return [confidence_text(self.confidence)] if self.confidence else []
        said = f"decided for {WANTED[asked]}"
        return [said + (f", with no arrow that is less probable than {least:g}" if least is not None else "")]

    @property
    def _doubts(self) -> list[str]:
        """Arrows that are less probable than was asked for, and edges of which the data say nothing."""
        least = float(self.decision.get("confidence") or 0.0)
        arrows = [edge for edge in self.edges if edge.type == "directed"]
        short = sum(edge.probability is not None and edge.probability < least for edge in arrows)
        silent = sum(edge.undetermined is not None for edge in self.edges)
        which = "1 arrow is" if short == 1 else f"{short:,} arrows are"
        said = f"{which} less probable than {least:g}, because no orientation was found without"
        nothing = f"undetermined: the data say nothing about {silent:,} direction{'s' * (silent != 1)}"
        return [said] * bool(short) + [nothing] * bool(silent)

    @property
    def headline(self) -> list[str]:
        """Size, evidence, validity, and what is to be known of some columns, in a line each."""
        arrows = sum(edge.type == "directed" for edge in self.edges)
        lines = [
            f"{len(self.names):,} columns, {arrows:,} directed and {len(self.edges) - arrows:,} undirected edges",
            f"model {self.model}: {verdicts_text([triple.verdict for triple in self.triples])}",
            *self._decided,
            f"{self.certificate}{', with what is known drawn in' if self.known else ''}",
            *self._doubts,
            *(self.learned.notes if self.learned else []),
            *([said] if (said := warning(self.shift)) else []),
        ]
        return lines + ([f"constant, nothing can be learnt about: {', '.join(self.constant)}"] * bool(self.constant))


def result_of(
    found: Orientation,
    table: Dataset,
    skeleton: Graph,
    *,
    learned: Adjacencies | None,
    silent: Pairs,
    model: str,
    knowledge: Knowledge | None,
    seed: int,
    decision: Mapping[str, str | float | None],
    limits: Mapping[str, float | None] | None,
    trained_on: Mapping[str, Any],
) -> Result:
    """Give an orientation the names of a table; silent: edges of which the data say nothing, by numbers."""
    return Result(
        names=table.names,
        cpdag=found.cpdag,
        skeleton=skeleton,
        edges=_edges(found, table.names, learned, silent),
        triples=_triples(found, table.names),
        certificate=found.certificate,
        model=model,
        data=table.summary(),
        columns=_columns(table),
        constant=table.constant,
        confidence=found.confidence,
        learned=learned,
        knowledge=knowledge,
        known=tuple((table.names[i], table.names[j]) for i, j in (found.fixed if found.fixed is not None else ())),
        seed=seed,
        decision=decision,
        limits=limits,
        rows=table.n_rows,
        missing=table.missing,
        trained_on=trained_on,
    )


def _columns(table: Dataset) -> dict[str, dict[str, object]]:
    """Return what was understood of each column."""
    facts: dict[str, dict[str, object]] = {}
    for name, labels, missing in zip(table.names, table.categories, table.missing_counts.tolist(), strict=True):
        facts[name] = {"categories": len(labels), "missing": missing}
        if name in table.bins:
            facts[name]["bins"] = list(table.bins[name])
    return facts


def _edges(
    found: Orientation, names: Sequence[str], learned: Adjacencies | None, silent: Pairs
) -> tuple[FoundEdge, ...]:
    support = {(names[i], names[j]): probability for (i, j), probability in found.support.items()}
    undetermined = {frozenset((names[i], names[j])): why for (i, j), why in silent.items()}
    known = set() if found.fixed is None else {(names[i], names[j]) for i, j in found.fixed.tolist()}
    odds = _odds(found, names)
    edges = []
    for e in interop.to_edges(found.cpdag, names):
        ends = e.source, e.target
        edges.append(
            FoundEdge(
                *ends,
                e.type,
                probability=odds.get(ends, {}).get(e.type, support.get(ends)),
                strength=learned.strength(*ends) if learned else None,
                edge_probability=learned.probability(*ends) if learned else None,
                forward_probability=odds.get(ends, {}).get("directed"),
                backward_probability=odds.get(ends[::-1], {}).get("directed"),
                undetermined=None if ends in known else undetermined.get(frozenset(ends)),
            )
        )
    return tuple(edges)


def _odds(found: Orientation, names: Sequence[str]) -> dict[tuple[str, str], dict[str, float]]:
    """Return how probable each direction is as an arrow, and its edge as a line; nothing of the published rule."""
    if found.directions is None:
        return {}
    share = found.directions.by_arrow()
    return {
        (names[i], names[j]): {"directed": p, "undirected": max(0.0, 1.0 - (p + share[j, i]))}
        for (i, j), p in share.items()
    }


def _triples(found: Orientation, names: Sequence[str]) -> tuple[FoundTriple, ...]:
    named = _named(found.triples, names)
    reasons: Sequence[Reason] = found.reasons or [""] * len(named)
    decided = zip(named, found.probabilities.tolist(), found.verdicts, found.lost_to.tolist(), reasons, strict=True)
    return tuple(FoundTriple(*xty, p, said, named[to] if to >= 0 else None, why) for xty, p, said, to, why in decided)


def _named(triples: Triples, names: Sequence[str]) -> list[tuple[str, str, str]]:
    return [(names[x], names[t], names[y]) for x, t, y in triples.tolist()]
