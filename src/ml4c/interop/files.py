"""Graphs in files: a plain 0/1 matrix (.txt) or a list of edges (.csv).

`.txt` has one line for each row of the matrix, numbers separated by spaces, and no names. `.csv` has a header
with the columns source, target and type ("directed" or "undirected"; without that column every edge is
undirected); other columns are ignored. It does not list isolated nodes: give all names when reading it. A
file is written under another name first and then renamed, so a reader never sees half of it.
"""

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.interop.edges import Edge, NamedGraph, draw, index_of, to_edges, with_names

AnyPath: TypeAlias = str | os.PathLike[str]


def read_graph(path: AnyPath, names: Sequence[str] | None = None) -> NamedGraph:
    """Read a graph from a .txt (0/1 matrix) or .csv (source, target, type) file.

    Without names, the nodes of a matrix are called "0", "1", ... and those of an edge list are taken in the
    order in which they first occur.
    """
    file = Path(path)
    if _suffix(file) == ".txt":
        return _read_matrix(file, names)
    return _read_edges(file, names)


def write_graph(path: AnyPath, matrix: npt.ArrayLike, names: Sequence[str]) -> None:
    """Write a graph to a .txt (0/1 matrix) or .csv (source, target, type) file, all of it or nothing."""
    file = Path(path)
    if _suffix(file) == ".txt":
        replace_files({file: matrix_text(matrix, names)})
    else:
        rows = [(edge.source, edge.target, edge.type) for edge in to_edges(matrix, names)]
        replace_files({file: table_text(("source", "target", "type"), rows)})


def matrix_text(matrix: npt.ArrayLike, names: Sequence[str]) -> str:
    """Write the matrix as lines of 0 and 1."""
    rows = with_names(matrix, names).matrix.tolist()
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)


def table_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV under a header; None is an empty cell and a number has all its digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _suffix(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in (".txt", ".csv"):
        raise GraphError(f"{file}: a graph file ends in .txt (0/1 matrix) or .csv (source, target, type)")
    return suffix


def _read_matrix(file: Path, names: Sequence[str] | None) -> NamedGraph:
    lines = [(n, line.split()) for n, line in enumerate(_text(file).split("\n"), start=1) if line.strip()]
    if not lines:
        raise GraphError(f"{file}: empty; write one line of 0 and 1 for each row of the matrix")
    rows = []
    for n, fields in lines:
        with _located(f"{file}, line {n}"):
            rows.append(_row(fields, len(lines)))
    with _located(str(file)):
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
        with _located(f"{file}, line {n}"):
            draw(matrix, index, edge)
    return NamedGraph(matrix, tuple(index))


def _edge_lines(file: Path) -> list[tuple[int, Edge]]:
    reader = csv.DictReader(io.StringIO(_text(file), newline=""), restval="")
    lines = []
    try:
        if not {"source", "target"} <= set(reader.fieldnames or ()):
            raise GraphError(f"{file}, line 1: the header must name the columns source, target and type")
        for row in reader:
            with _located(f"{file}, line {reader.line_num}"):
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


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise GraphError(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise GraphError(f"{file}: not a text file in UTF-8 (byte {error.start})") from error


def replace_files(texts: Mapping[Path, str]) -> None:
    """Write these texts to these files: all are written under other names before the first is renamed."""
    unfinished = {file: file.with_name(f".{file.name}.{os.getpid()}.tmp") for file in texts}
    try:
        for file, text in texts.items():
            with _writing(file):
                unfinished[file].write_text(text, encoding="utf-8", newline="\n")
        for file in texts:
            with _writing(file):
                os.replace(unfinished[file], file)
    finally:
        for left in unfinished.values():
            left.unlink(missing_ok=True)


@contextmanager
def _writing(file: Path) -> Iterator[None]:
    """Say which file cannot be written."""
    try:
        yield
    except OSError as error:
        raise GraphError(f"{file}: cannot be written ({error.strerror})") from error


@contextmanager
def _located(place: str) -> Iterator[None]:
    """Say where in a file an error lies."""
    try:
        yield
    except GraphError as error:
        raise GraphError(f"{place}: {error}") from error
