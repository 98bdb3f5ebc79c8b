"""What the user gets: a graph with names, the evidence for every edge and every triple, and whether it is valid."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ml4c import interop
from ml4c.dataset import Dataset
from ml4c.graph import Graph, Triples
from ml4c.interop import Edge, FoundEdge, FoundTriple
from ml4c.meek import Certificate
from ml4c.orientation import Orientation
from ml4c.pipeline.showing import as_html, as_text

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A graph over the columns of a table, with the evidence for it.

    cpdag, skeleton: matrices in the order of `names`; i -> j is [i, j] = 1 with [j, i] = 0, both 1 is i - j.
    edges: source, target, type, and the largest probability among the v-structures that orient the edge (None when
    it is undirected or follows by Meek's rules). triples: every unshielded triple with its probability and verdict.
    certificate: whether the graph is a valid CPDAG, and if not, why. model: the name on the model's card. data: what
    was understood of the table. constant: columns with one value, about which the data say nothing.
    """

    names: tuple[str, ...]
    cpdag: Graph
    skeleton: Graph
    edges: tuple[FoundEdge, ...]
    triples: tuple[FoundTriple, ...]
    certificate: Certificate
    model: str
    data: str
    constant: tuple[str, ...]

    def to_networkx(self) -> nx.DiGraph:
        """Return a DiGraph; an undirected edge is two arcs with kind="undirected"."""
        return interop.to_networkx(self.cpdag, self.names)

    def to_edges(self) -> list[Edge]:
        """List the edges by name, without probabilities."""
        return interop.to_edges(self.cpdag, self.names)

    def to_dot(self) -> str:
        """Return the text of the graph for Graphviz, with probabilities beside the edges."""
        return interop.labelled_dot(self.cpdag, self.names, self.edges)

    def to_dict(self) -> dict[str, object]:
        """Return everything but the matrices as plain values, ready for JSON."""
        return {
            "names": list(self.names),
            "edges": [asdict(edge) for edge in self.edges],
            "triples": [asdict(triple) for triple in self.triples],
            "certificate": {**asdict(self.certificate), "valid": self.certificate.valid},
            "model": self.model,
            "data": self.data,
            "constant": list(self.constant),
        }

    def save(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write cpdag.txt, edges.csv, triples.csv and graph.dot into a folder; return their paths."""
        return interop.write_results(folder, self.cpdag, self.names, self.edges, self.triples)

    def __str__(self) -> str:
        return as_text(self.headline, self.edges)

    def __repr__(self) -> str:
        return f"<Result: {self.headline[0]}>"

    def _repr_html_(self) -> str:
        return as_html(self.headline, self.edges)

    @property
    def headline(self) -> list[str]:
        """Size, evidence, validity and constant columns in a line each."""
        arrows = sum(edge.type == "directed" for edge in self.edges)
        verdicts = [triple.verdict for triple in self.triples]
        lines = [
            f"{len(self.names):,} columns, {arrows:,} directed and {len(self.edges) - arrows:,} undirected edges",
            f"model {self.model}: of {len(verdicts):,} triples {verdicts.count('accepted'):,} are v-structures, "
            f"{verdicts.count('lost'):,} lost a conflict",
            str(self.certificate),
        ]
        return lines + ([f"constant, nothing can be learnt about: {', '.join(self.constant)}"] * bool(self.constant))


def result_of(found: Orientation, table: Dataset, skeleton: Graph, *, model: str) -> Result:
    """Give an orientation the names of a table."""
    return Result(
        names=table.names,
        cpdag=found.cpdag,
        skeleton=skeleton,
        edges=_edges(found.cpdag, table.names, found.support),
        triples=_triples(found, table.names),
        certificate=found.certificate,
        model=model,
        data=table.summary(),
        constant=table.constant,
    )


def _edges(cpdag: Graph, names: Sequence[str], support: Mapping[tuple[int, int], float]) -> tuple[FoundEdge, ...]:
    named = {(names[i], names[j]): probability for (i, j), probability in support.items()}
    drawn = interop.to_edges(cpdag, names)
    return tuple(FoundEdge(e.source, e.target, e.type, named.get((e.source, e.target))) for e in drawn)


def _triples(found: Orientation, names: Sequence[str]) -> tuple[FoundTriple, ...]:
    named = _named(found.triples, names)
    decided = zip(named, found.probabilities.tolist(), found.verdicts, found.lost_to.tolist(), strict=True)
    return tuple(FoundTriple(*xty, p, verdict, named[to] if to >= 0 else None) for xty, p, verdict, to in decided)


def _named(triples: Triples, names: Sequence[str]) -> list[tuple[str, str, str]]:
    return [(names[x], names[t], names[y]) for x, t, y in triples.tolist()]
