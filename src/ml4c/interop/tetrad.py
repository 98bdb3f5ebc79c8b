"""Graphs for Tetrad, and from it: its text and its matrix of endpoints.

The text is what Tetrad shows, saves as .txt and loads:

    Graph Nodes:
    rain;sprinkler;wet

    Graph Edges:
    1. rain --> wet
    2. rain --- sprinkler

Tetrad splits the nodes at `;` and `,`, the edges at spaces, and takes (a name) in round brackets for a hidden variable
and [one] in square brackets for a selected one. It has no way to quote, so a name with any of these is refused
here. What follows an edge on its line, such as bootstrap frequencies, and further sections are passed over, as Tetrad
does.

In the matrix of endpoints, cell [i, j] is the mark at *j* of the edge between i and j: 0 for no edge, 1 for a circle, 2
for an arrowhead, 3 for a tail. So [i, j] = 2 with [j, i] = 3 is i -> j, and 3 in both cells is i - j. py-tetrad's
`graph_to_matrix` returns it, and it is pcalg's type `amat.pag`.
"""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.interop.alignment import in_order
from ml4c.interop.edges import Edge, NamedGraph, draw, index_of, to_edges, with_names
from ml4c.interop.marks import Marks, NamedMatrix, ends_of, graph_of_ends
from ml4c.interop.storage import located

NODES, EDGES = "Graph Nodes:", "Graph Edges:"
MARKS = Marks(tail=3, arrow=2, others={1: "a circle"})
EDGE = re.compile(r"\d+\.\s*(?P<one>\S+)\s+(?P<arrow>\S{3})\s+(?P<other>\S+)(?:\s.*)?")


def to_tetrad(matrix: npt.ArrayLike, names: Sequence[str]) -> str:
    """Return the text of the graph; a name that Tetrad would take apart is a GraphError."""
    named = with_names(matrix, names)
    for name in named.names:
        _check_name(name)
    arrows = {"directed": "-->", "undirected": "---"}
    lines = [f"{edge.source} {arrows[edge.type]} {edge.target}" for edge in to_edges(named.matrix, named.names)]
    numbered = [f"{number}. {line}" for number, line in enumerate(lines, start=1)]
    return "\n".join([NODES, ";".join(named.names), "", EDGES, *numbered]) + "\n"


def from_tetrad(text: str, names: Sequence[str] | None = None) -> NamedGraph:
    """Read the text of a graph; an edge other than -->, <-- and --- is a GraphError.

    Names, when given, are the order of the nodes; those that are not in the graph are isolated.
    """
    lines = [line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    index = index_of(name.strip() for _, line in _section(lines, NODES) for name in re.split("[,;]", line))
    for name in index:
        _check_name(name)
    matrix = np.zeros((len(index), len(index)), dtype=np.int8)
    for number, line in _section(lines, EDGES):
        with located(f"line {number}"):
            draw(matrix, index, _edge(line))
    return in_order(NamedGraph(matrix, tuple(index)), names)


def is_of_tetrad(text: str) -> bool:
    """Tell whether a text has the line that begins a graph of Tetrad."""
    return any(line.strip() == NODES for line in text.splitlines())


def to_tetrad_matrix(matrix: npt.ArrayLike, names: Sequence[str]) -> NamedMatrix:
    """Return the matrix of endpoints, rows and columns in the order of the names; any name will do."""
    named = with_names(matrix, names)
    return NamedMatrix(ends_of(named.matrix, MARKS), named.names)


def from_tetrad_matrix(ends: npt.ArrayLike, names: Sequence[str]) -> NamedGraph:
    """Read a matrix of endpoints; a circle or an edge with two arrowheads is a GraphError."""
    return graph_of_ends(ends, names, MARKS)


def _check_name(name: str) -> None:
    if not name:
        raise GraphError("a node has an empty name, which Tetrad cannot hold; rename it")
    for c in name:
        if c in ",;" or c.isspace() or not c.isprintable():
            raise GraphError(f"the name {name!r} has {c!r}, which the text of Tetrad cannot hold; rename it")
    if (name[0], name[-1]) in (("(", ")"), ("[", "]")):
        raise GraphError(f"the name {name!r} is in brackets, which Tetrad takes for a hidden or selected variable")


def _section(lines: Sequence[str], title: str) -> list[tuple[int, str]]:
    """Return the lines under a title down to the next empty one, with their numbers."""
    if title not in lines:
        raise GraphError(f"this is not a graph of Tetrad: it has no line {title!r}")
    found = []
    for number in range(lines.index(title) + 1, len(lines)):
        if not lines[number]:
            break
        found.append((number + 1, lines[number]))
    return found


def _edge(line: str) -> Edge:
    match = EDGE.fullmatch(line)
    if not match:
        raise GraphError(f"{line!r} is not an edge of Tetrad; it should look like '1. a --> b'")
    one, arrow, other = match["one"], match["arrow"], match["other"]
    if arrow == "---":
        return Edge(one, other, "undirected")
    if arrow not in ("-->", "<--"):
        raise GraphError(f"{one} {arrow} {other} is not an edge of a CPDAG, which has only --> and ---")
    return Edge(one, other, "directed") if arrow == "-->" else Edge(other, one, "directed")
