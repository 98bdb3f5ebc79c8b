r"""Graphs as GraphML, for networkx, igraph, Gephi, Cytoscape and yEd.

The nodes have the ids n0, n1, ... in the order of the columns and their names as the attribute `name`, so that a name
may be anything. As in `to_networkx`, i -> j is one arc and i - j is two opposite ones, because few readers take edges
of both kinds in one graph; the attribute `kind` says which an arc belongs to. Further attributes of an arc are
its `probability` and the other evidence of `FoundEdge`, where known; forward and backward are as seen along the arc.

XML has no way to write most control characters. A name that has one is written with backslash escapes (\x07) and
its node has the attribute `escaped`; `from_graphml` turns it back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from xml.etree.ElementTree import ParseError
from xml.sax.saxutils import escape

import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.interop.alignment import in_order
from ml4c.interop.edges import NamedGraph, index_of, to_edges, with_names
from ml4c.interop.exchange import from_networkx
from ml4c.interop.records import NUMBER_COLUMNS, FoundEdge, evidence_columns

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


def to_graphml(matrix: npt.ArrayLike, names: Sequence[str], edges: Sequence[FoundEdge] = ()) -> str:
    """Return the text of the graph; records of its edges, when given, add their evidence."""
    named = with_names(matrix, names)
    index = {name: f"n{i}" for i, name in enumerate(named.names)}
    evidence = ("probability", *evidence_columns(edges))
    keys = [("name", "node", "string"), ("escaped", "node", "boolean"), ("kind", "edge", "string")]
    keys += [(name, "edge", "double" if name in ("probability", *NUMBER_COLUMNS) else "string") for name in evidence]
    lines = [f'<key id="{key}" for="{owner}" attr.name="{key}" attr.type="{kind}"/>' for key, owner, kind in keys]
    lines += ['<graph edgedefault="directed">', *(_node(index[name], name) for name in named.names)]
    for arc in _arcs(named, edges):
        facts = {"kind": arc.type, **{name: getattr(arc, name) for name in evidence}}
        lines.append(f'<edge source="{index[arc.source]}" target="{index[arc.target]}">{_data(facts)}</edge>')
    return "\n".join([HEAD, *lines, "</graph>", "</graphml>"]) + "\n"


def from_graphml(text: str, names: Sequence[str] | None = None) -> NamedGraph:
    """Read GraphML; a node is called by its attribute `name`, or else by its id.

    Two opposite arcs are one undirected edge, as in `from_networkx`. Names, when given, are the order of the nodes.
    """
    import networkx as nx  # slow to import, and most callers never need it

    try:
        g = nx.parse_graphml(text)
    except (nx.NetworkXException, ParseError, LookupError, TypeError, ValueError) as error:
        raise GraphError(f"not GraphML that can be read ({error})") from error
    own = [_name(data.get("name", node), escaped=data.get("escaped", False)) for node, data in g.nodes(data=True)]
    index_of(own)
    return in_order(with_names(from_networkx(g).matrix, own), names)


def _arcs(named: NamedGraph, edges: Sequence[FoundEdge]) -> Iterator[FoundEdge]:
    """Yield every edge of the graph with its evidence, and an undirected one from both its ends."""
    found = {(edge.source, edge.target): edge for edge in edges}
    for edge in to_edges(named.matrix, named.names):
        arc = found.get((edge.source, edge.target), FoundEdge(edge.source, edge.target, edge.type))
        yield arc
        if arc.type == "undirected":
            yield arc.reversed


def _node(number: str, name: str) -> str:
    if NOT_IN_XML.search(name):
        facts = {"name": name.encode("unicode_escape").decode("ascii"), "escaped": "true"}
    else:
        facts = {"name": name}
    return f'<node id="{number}">{_data(facts)}</node>'


def _name(text: object, *, escaped: bool) -> str:
    return str(text).encode("ascii").decode("unicode_escape") if escaped else str(text)


def _data(facts: Mapping[str, object]) -> str:
    """Write attributes; a reader would turn a bare carriage return into a line feed."""
    known = {key: escape(str(value), {"\r": "&#13;"}) for key, value in facts.items() if value is not None}
    return "".join(f'<data key="{key}">{text}</data>' for key, text in known.items())
