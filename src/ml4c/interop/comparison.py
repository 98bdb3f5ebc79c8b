"""Two graphs from two sources, over the same nodes, ready to be compared.

The true graph may be a Bayesian network, of the package or in a file, or like the found one a file with a graph. A
network, a .json, a .graphml and a graph of Tetrad name all of their nodes; a matrix names none, and a list of edges
those that have one. Names align whatever has them. A matrix is compared by position, with a matrix or with what names
all nodes; with a list of edges there is no way to tell which row is which node, and that is refused.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from ml4c.errors import GraphError
from ml4c.graph import Graph
from ml4c.interop.alignment import aligned
from ml4c.interop.edges import NamedGraph, listed
from ml4c.interop.files import ENDINGS, read_graph
from ml4c.interop.storage import AnyPath, read_text
from ml4c.interop.tetrad import is_of_tetrad

Kind: TypeAlias = Literal["matrix", "edges", "named"]

BY_POSITION = "compared by position: a matrix has no names"


@dataclass(frozen=True, eq=False)
class GraphPair:
    """A true and a found graph over the same nodes; `note` says what the files left open, or is empty."""

    truth: Graph
    found: Graph
    note: str


def read_pair(truth: AnyPath, found: AnyPath) -> GraphPair:
    """Read the true graph (a file of `read_graph`, a .bif or .bif.gz, or the name of a network) and the found one."""
    kinds = {_kind(truth), _kind(found)}
    if kinds == {"matrix", "edges"}:
        raise GraphError(
            f"{truth} and {found}: a matrix has no names to match with a list of edges; give two of a kind"
        )
    true_graph, found_graph = _read_truth(truth), read_graph(found)
    if "matrix" in kinds:
        return _by_position(true_graph, found_graph)
    return _by_name(true_graph, found_graph, complete=_kind(truth) != "edges")


def _kind(source: AnyPath) -> Kind:
    suffix = Path(source).suffix.lower()
    if suffix == ".txt":
        return "named" if is_of_tetrad(read_text(Path(source))) else "matrix"
    return "edges" if suffix == ".csv" else "named"


def _read_truth(source: AnyPath) -> NamedGraph:
    if Path(source).suffix.lower() in ENDINGS:
        return read_graph(source)
    from ml4c.bif import load_network  # brings Numba, which reading a plain graph does not need

    net = load_network(source)
    return NamedGraph(net.dag, net.names)


def _by_position(truth: NamedGraph, found: NamedGraph) -> GraphPair:
    if len(truth.names) != len(found.names):
        raise GraphError(
            f"the true graph has {len(truth.names)} nodes and the found one {len(found.names)}: they cannot be compared"
        )
    return GraphPair(truth.matrix, found.matrix, BY_POSITION)


def _by_name(truth: NamedGraph, found: NamedGraph, *, complete: bool) -> GraphPair:
    """Align by name; `complete` when the true graph names all nodes that there are."""
    extra = [name for name in found.names if name not in set(truth.names)]
    if extra and complete:
        raise GraphError(f"the found graph names {listed(extra)}, which the true graph does not have; check the names")
    absent = [name for name in truth.names if name not in set(found.names)]
    names = (*truth.names, *extra)
    notes = [_isolated("true", extra)] * bool(extra) + [_isolated("found", absent)] * bool(absent)
    return GraphPair(aligned(truth, names), aligned(found, names), "; ".join(notes))


def _isolated(which: str, names: list[str]) -> str:
    return f"without an edge in the {which} graph: {listed(names)}"
