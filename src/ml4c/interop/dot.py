"""Graphs in the language of Graphviz.

Nodes are numbers and their names are labels, so that no name can end a string, start an attribute or clash with a
keyword of the language. An undirected edge is drawn without heads.
"""

from collections.abc import Mapping, Sequence

import numpy.typing as npt

from ml4c import graph
from ml4c.interop.edges import with_names
from ml4c.interop.words import printable


def to_dot(matrix: npt.ArrayLike, names: Sequence[str], labels: Mapping[tuple[int, int], str] | None = None) -> str:
    """Return the text of a digraph; `labels` are written beside the edges (i, j) that have one."""
    named = with_names(matrix, names)
    found = graph.edges(named.matrix)
    drawn: list[tuple[int, int, list[str]]] = [(i, j, []) for i, j in found.directed.tolist()]
    drawn += [(i, j, ["dir=none"]) for i, j in found.undirected.tolist()]
    lines = [f"  {i} [label={_quoted(name)}];" for i, name in enumerate(named.names)]
    for i, j, attributes in sorted(drawn):
        if labels and (i, j) in labels:
            attributes.append(f"label={_quoted(labels[i, j])}")
        lines.append(f"  {i} -> {j}{' [' + ', '.join(attributes) + ']' if attributes else ''};")
    return "\n".join(["digraph {", *lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    """Quote a label; a backslash would otherwise start an escape of Graphviz's own."""
    backslash, quote = "\\", '"'
    escaped = printable(text).replace(backslash, backslash * 2).replace(quote, backslash + quote)
    return quote + escaped + quote
