"""Graphs in files.

.txt       a 0/1 matrix: one line for each row, numbers separated by spaces, no names; or a graph of Tetrad, which has
           names and is known by its line "Graph Nodes:" (read only)
.csv       a list of edges: a header with the columns source, target and type ("directed" or "undirected"; without
           that column every edge is undirected); other columns are ignored. Isolated nodes are not listed: give
           all names when reading it
.json      the document of `ml4c.interop.document`
.graphml   see `ml4c.interop.graphml`
"""

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.interop.alignment import in_order
from ml4c.interop.document import GraphDocument
from ml4c.interop.edges import Edge, NamedGraph, draw, index_of, to_edges, with_names
from ml4c.interop.graphml import from_graphml, to_graphml
from ml4c.interop.records import FoundEdge
from ml4c.interop.storage import AnyPath, located, read_text, replace_files, table_text
from ml4c.interop.tetrad import from_tetrad, is_of_tetrad

ENDINGS = (".txt", ".csv", ".json", ".graphml")


def read_graph(path: AnyPath, names: Sequence[str] | None = None) -> NamedGraph:
    """Read a graph from a .txt (0/1 matrix, or Tetrad's), .csv (source, target, type), .json or .graphml file.

    Without names, the nodes of a matrix are called "0", "1", ... and those of an edge list are taken in the
    order in which they first occur.
    """
    file = Path(path)
    return _READERS[_suffix(file)](file, names)


def read_document(path: AnyPath) -> GraphDocument:
    """Read everything that a graph.json says; GraphError names the part that is wrong."""
    file = Path(path)
    text = read_text(file)
    with located(str(file)):
        return GraphDocument.from_json(text)


def write_graph(path: AnyPath, matrix: npt.ArrayLike, names: Sequence[str]) -> None:
    """Write a graph to a .txt (0/1 matrix), .csv (source, target, type), .json or .graphml file, or nothing at all."""
    file = Path(path)
    replace_files({file: _WRITERS[_suffix(file)](matrix, names)})


def matrix_text(matrix: npt.ArrayLike, names: Sequence[str]) -> str:
    """Write the matrix as lines of 0 and 1."""
    rows = with_names(matrix, names).matrix.tolist()
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


def _suffix(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in ENDINGS:
        raise GraphError(
            f"{file}: a graph file ends in .txt (0/1 matrix), .csv (source, target, type), .json or .graphml"
        )
    return suffix


def _read_txt(file: Path, names: Sequence[str] | None) -> NamedGraph:
    text = read_text(file)
    if not is_of_tetrad(text):
        return _read_matrix(file, text, names)
    with located(str(file)):
        return from_tetrad(text, names)


def _read_matrix(file: Path, text: str, names: Sequence[str] | None) -> NamedGraph:
    lines = [(n, line.split()) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise GraphError(f"{file}: empty; write one line of 0 and 1 for each row of the matrix")
    rows = []
    for n, fields in lines:
        with located(f"{file}, line {n}"):
            rows.append(_row(fields, len(lines)))
    with located(str(file)):
        return with_names(rows, [str(i) for i in range(len(rows))] if names is None else names)


def _row(fields: list[str], size: int) -> npt.NDArray[np.int8]:
    if len(fields) != size:
        raise GraphError(f"{len(fields)} numbers, but the file has {size} rows; a graph is a square matrix")
    for field in fields:
        if field not in ("0", "1"):
            raise GraphError(f"{field!r} is not 0 or 1; write numbers separated by spaces, without a header")
    return np.array(fields).astype(np.int8)


def _read_edges(file: Path, names: Sequence[str] | None) -> NamedGraph:
    lines = _edge_lines(file)
    mentioned = dict.fromkeys(name for _, edge in lines for name in (edge.source, edge.target))
    index = index_of(mentioned if names is None else names)
    matrix = np.zeros((len(index), len(index)), dtype=np.int8)
    for n, edge in lines:
        with located(f"{file}, line {n}"):
            draw(matrix, index, edge)
    return NamedGraph(matrix, tuple(index))


def _edge_lines(file: Path) -> list[tuple[int, Edge]]:
    reader = csv.DictReader(io.StringIO(read_text(file), newline=""), restval="")
    lines = []
    try:
        if not {"source", "target"} <= set(reader.fieldnames or ()):
            raise GraphError(f"{file}, line 1: the header must name the columns source, target and type")
        for row in reader:
            with located(f"{file}, line {reader.line_num}"):
                lines.append((reader.line_num, _edge(row)))
    except csv.Error as error:
        raise GraphError(f"{file}, line {reader.line_num + 1}: {error}; is this a list of edges?") from error
    return lines


def _edge(row: dict[str, str]) -> Edge:
    if not (row["source"] and row["target"]):
        raise GraphError("source or target is empty; name both ends of the edge")
    kind = row.get("type", "undirected")
    if kind not in ("directed", "undirected"):
        raise GraphError(f"the type is {kind!r}; write directed or undirected")
    return Edge(row["source"], row["target"], "directed" if kind == "directed" else "undirected")


def _read_json(file: Path, names: Sequence[str] | None) -> NamedGraph:
    document = read_document(file)
    with located(str(file)):
        return in_order(document.graph, names)


def _read_graphml(file: Path, names: Sequence[str] | None) -> NamedGraph:
    text = read_text(file)
    with located(str(file)):
        return from_graphml(text, names)


def _csv_text(matrix: npt.ArrayLike, names: Sequence[str]) -> str:
    rows = [(edge.source, edge.target, edge.type) for edge in to_edges(matrix, names)]
    return table_text(("source", "target", "type"), rows)


def _json_text(matrix: npt.ArrayLike, names: Sequence[str]) -> str:
    edges = [FoundEdge(edge.source, edge.target, edge.type) for edge in to_edges(matrix, names)]
    return GraphDocument(tuple(names), tuple(edges)).to_json()


_READERS: dict[str, Callable[[Path, Sequence[str] | None], NamedGraph]] = {
    ".txt": _read_txt,
    ".csv": _read_edges,
    ".json": _read_json,
    ".graphml": _read_graphml,
}
_WRITERS: dict[str, Callable[[npt.ArrayLike, Sequence[str]], str]] = {
    ".txt": matrix_text,
    ".csv": _csv_text,
    ".json": _json_text,
    ".graphml": to_graphml,
}
