"""The files of a result, in one folder.

`cpdag.txt` is the 0/1 matrix in the order of the columns. `edges.csv` and `triples.csv` are the records as tables.
`graph.dot` is for Graphviz, `graph.graphml` for programs that draw or analyse graphs (see `ml4c.interop.graphml`),
and `graph.json` holds everything (see `ml4c.interop.document`). `read_graph` reads the graph back from all of
these but `graph.dot`. All of them are written in full before the first one takes its place, so a failure leaves the
files of an earlier result whole.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.interop.document import GraphDocument
from ml4c.interop.dot import to_dot
from ml4c.interop.edges import index_of, with_names
from ml4c.interop.files import matrix_text
from ml4c.interop.graphml import to_graphml
from ml4c.interop.records import (
    EDGE_COLUMNS,
    TRIPLE_COLUMNS,
    FoundEdge,
    FoundTriple,
    evidence_columns,
    v_structure_text,
)
from ml4c.interop.storage import AnyPath, replace_files, table_text


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
    """Write the files of a result of which no more is known; its edges must be those of the matrix."""
    named = with_names(cpdag, names)
    document = GraphDocument(named.names, tuple(edges), tuple(triples))
    for i, j in np.argwhere(document.graph.matrix != named.matrix):
        one, other = named.names[i], named.names[j]
        raise GraphError(f"the edges and the matrix of this result disagree about {one!r} and {other!r}")
    return write_document(folder, document)


def write_document(folder: AnyPath, document: GraphDocument) -> tuple[Path, ...]:
    """Write all files of a result into a folder, which is made if need be; return their paths."""
    place, cpdag, names, edges = Path(folder), document.graph.matrix, document.names, document.edges
    texts = {
        place / "cpdag.txt": matrix_text(cpdag, names),
        place / "edges.csv": _edges_text(edges),
        place / "triples.csv": _triples_text(document.triples),
        place / "graph.dot": labelled_dot(cpdag, names, edges),
        place / "graph.graphml": to_graphml(cpdag, names, edges),
        place / "graph.json": document.to_json(),
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


def _edges_text(edges: Sequence[FoundEdge]) -> str:
    header = (*EDGE_COLUMNS, *evidence_columns(edges))
    return table_text(header, [[getattr(edge, column) for column in header] for edge in edges])


def _triples_text(triples: Sequence[FoundTriple]) -> str:
    rows = [
        (r.x, r.t, r.y, r.probability, r.verdict, r.lost_to and v_structure_text(r.lost_to), r.reason) for r in triples
    ]
    return table_text(TRIPLE_COLUMNS, rows)
