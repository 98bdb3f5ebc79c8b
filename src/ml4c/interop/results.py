"""The records of a result, and its files: the matrix, the edges, the triples and a drawing, in one folder.

`cpdag.txt` is the 0/1 matrix in the order of the columns. `edges.csv` and `triples.csv` are the records as tables;
`read_graph` reads the first of them back. `graph.dot` is for Graphviz. All of them are written in full before
the first one takes its place, so a failure leaves the files of an earlier result whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.interop.dot import to_dot
from ml4c.interop.edges import Edge, index_of
from ml4c.interop.files import AnyPath, matrix_text, replace_files, table_text

EDGE_COLUMNS = ("source", "target", "type", "probability")
TRIPLE_COLUMNS = ("x", "t", "y", "probability", "verdict", "lost_to")


@dataclass(frozen=True)
class FoundEdge(Edge):
    """An edge of a result; the largest probability among the v-structures that orient it, or None without any."""

    probability: float | None = None


@dataclass(frozen=True)
class FoundTriple:
    """An unshielded triple of a result: how probable x -> t <- y is, and what became of it.

    verdict: "accepted" as a v-structure, "rejected" as improbable, or "lost" to the more probable triple `lost_to`
    that wants the opposite direction of an edge.
    """

    x: str
    t: str
    y: str
    probability: float
    verdict: Literal["accepted", "rejected", "lost"]
    lost_to: tuple[str, str, str] | None = None

    def __str__(self) -> str:
        return v_structure_text((self.x, self.t, self.y))


def v_structure_text(triple: tuple[str, str, str]) -> str:
    """Write a v-structure as x -> t <- y."""
    return f"{triple[0]} -> {triple[1]} <- {triple[2]}"


def labelled_dot(cpdag: npt.ArrayLike, names: Sequence[str], edges: Sequence[FoundEdge]) -> str:
    """Return the graph for Graphviz with probabilities beside the edges."""
    index = index_of(names)
    scored = [(edge, edge.probability) for edge in edges if edge.probability is not None]
    labels = {(index[edge.source], index[edge.target]): f"{probability:.2f}" for edge, probability in scored}
    return to_dot(cpdag, names, labels)


def write_results(
    folder: AnyPath,
    cpdag: npt.ArrayLike,
    names: Sequence[str],
    edges: Sequence[FoundEdge],
    triples: Sequence[FoundTriple],
) -> tuple[Path, ...]:
    """Write the four files into a folder, which is made if need be; return their paths."""
    place = Path(folder)
    edge_rows = [(e.source, e.target, e.type, e.probability) for e in edges]
    triple_rows = [
        (r.x, r.t, r.y, r.probability, r.verdict, r.lost_to and v_structure_text(r.lost_to)) for r in triples
    ]
    texts = {
        place / "cpdag.txt": matrix_text(cpdag, names),
        place / "edges.csv": table_text(EDGE_COLUMNS, edge_rows),
        place / "triples.csv": table_text(TRIPLE_COLUMNS, triple_rows),
        place / "graph.dot": labelled_dot(cpdag, names, edges),
    }
    make_folder(place)
    replace_files(texts)
    return tuple(texts)


def make_folder(folder: AnyPath) -> None:
    """Make a folder and those above it, unless it exists; GraphError when that is not possible."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise GraphError(f"{folder}: a file with this name exists; results need a folder") from error
    except OSError as error:
        raise GraphError(f"{folder}: cannot make this folder ({error.strerror})") from error
