"""What a user may pass as data and as a skeleton.

A skeleton may be a matrix, a list of named edges, a networkx graph, a frame with named columns, or a file. A DAG or
CPDAG will do: directions are dropped. Whatever carries names is aligned with the columns of the table by name, and a
name that is not a column is an error; only a bare matrix is taken in the order of the columns. Columns that a
skeleton does not mention are isolated.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ml4c.dataset import Dataset, Missing, read_table
from ml4c.errors import DataError, GraphError, KnowledgeError
from ml4c.graph import Graph, as_graph
from ml4c.graph import skeleton as skeleton_of
from ml4c.interop import Edge, NamedGraph, aligned, from_edges, from_networkx, read_graph, read_knowledge, with_names
from ml4c.knowledge import Knowledge


def as_dataset(data: object, missing: Missing) -> Dataset:
    """Return a table as it is, or read it from a path or a frame."""
    if isinstance(data, Dataset):
        if missing not in ("error", data.missing):
            raise DataError(
                f"missing={missing!r}, but this Dataset was made with missing={data.missing!r}: say so when making it"
            )
        return data
    if isinstance(data, (str, os.PathLike)):
        return read_table(data, missing=missing)
    if isinstance(data, (np.ndarray, list)):
        return Dataset.from_array(data, missing=missing)
    return Dataset.from_frame(data, missing=missing)


def as_knowledge(knowledge: Knowledge | str | os.PathLike[str] | None) -> Knowledge | None:
    """Return knowledge as it is, or read it from a file."""
    if knowledge is None or isinstance(knowledge, Knowledge):
        return knowledge
    if isinstance(knowledge, (str, os.PathLike)):
        return read_knowledge(knowledge)
    if isinstance(knowledge, Mapping):
        return Knowledge.from_mapping(knowledge)
    raise KnowledgeError(
        f"knowledge cannot be a {type(knowledge).__name__}: pass a Knowledge, a mapping or the path of a file"
    )


def as_skeleton(skeleton: object, names: Sequence[str]) -> Graph:
    """Return the symmetric matrix of a skeleton over the columns of these names."""
    return skeleton_of(_graph_over(skeleton, names))


def _graph_over(skeleton: Any, names: Sequence[str]) -> Graph:
    if isinstance(skeleton, NamedGraph):
        return aligned(skeleton, names)
    if isinstance(skeleton, (str, os.PathLike)):
        return _from_file(Path(skeleton), names)
    if hasattr(skeleton, "nodes") and hasattr(skeleton, "is_directed"):
        return aligned(from_networkx(skeleton), names)
    if hasattr(skeleton, "columns"):
        return _from_frame(skeleton, names)
    if isinstance(skeleton, np.ndarray) and skeleton.dtype.kind in "biuf":
        return with_names(skeleton, names).matrix
    if isinstance(skeleton, Iterable):
        return _from_items(list(skeleton), names)
    raise GraphError(
        f"a skeleton cannot be a {type(skeleton).__name__}: pass a 0/1 matrix, a list of edges between names, "
        "a networkx graph or the path of a .txt or .csv file"
    )


def _from_file(file: Path, names: Sequence[str]) -> Graph:
    if file.suffix.lower() == ".csv":
        return aligned(read_graph(file), names)
    return read_graph(file, names).matrix


def _from_items(items: list[Any], names: Sequence[str]) -> Graph:
    """Tell a list of edges from the rows of a matrix by what is in it."""
    if all(_is_edge(item) for item in items):
        return from_edges(items, names).matrix
    return with_names(as_graph(items), names).matrix


def _is_edge(item: Any) -> bool:
    if isinstance(item, (Edge, str)):
        return True
    return isinstance(item, (Sequence, np.ndarray)) and all(isinstance(end, str) for end in item)


def _from_frame(frame: Any, names: Sequence[str]) -> Graph:
    """Take a matrix in a frame, by the names of its columns unless they are only numbered."""
    matrix = as_graph(np.asarray(frame))
    columns = [str(column) for column in frame.columns]
    rows = [str(row) for row in getattr(frame, "index", columns)]
    numbered = [str(i) for i in range(len(columns))]
    if rows not in (columns, numbered):
        raise GraphError("the rows of the skeleton are not named as its columns are: bring them into the same order")
    return with_names(matrix, names).matrix if columns == numbered else aligned(with_names(matrix, columns), names)
