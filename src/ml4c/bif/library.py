"""The 24 networks of the package, by name.

Their sizes are kept in a small table beside the files, because to read all of them takes seconds. A test
holds the table to the files.
"""

from __future__ import annotations

import csv
import difflib
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ml4c.bayesnet import BayesNet
from ml4c.bif.files import decode_bif, read_bif
from ml4c.errors import NetworkError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@dataclass(frozen=True)
class NetworkSummary:
    """The size of a network."""

    name: str
    nodes: int
    edges: int
    parameters: int
    max_in_degree: int
    min_states: int
    max_states: int

    @classmethod
    def of(cls, name: str, net: BayesNet) -> NetworkSummary:
        """Measure a network."""
        cards = net.cardinalities
        in_degree = max(len(node.parents) for node in net.distributions)
        return cls(name, net.n_nodes, net.n_edges, net.n_parameters, in_degree, min(cards), max(cards))


@cache
def network_summaries() -> tuple[NetworkSummary, ...]:
    """Return name and size of every network of the package, smallest first."""
    rows = csv.DictReader((_directory() / "index.csv").read_text(encoding="utf-8").splitlines())
    return tuple(NetworkSummary(row.pop("name"), **{k: int(v) for k, v in row.items()}) for row in rows)


def network_names() -> tuple[str, ...]:
    """Return the names of the networks of the package, smallest first."""
    return tuple(summary.name for summary in network_summaries())


def load_network(name: str | os.PathLike[str]) -> BayesNet:
    """Return a network of the package by its name, or the one in a `.bif` or `.bif.gz` file."""
    if name in network_names():
        file = f"{name}.bif.gz"
        return decode_bif((_directory() / file).read_bytes(), file)
    if not isinstance(name, str) or os.path.exists(name) or name.lower().endswith((".bif", ".bif.gz")):
        return read_bif(name)
    near = difflib.get_close_matches(name.lower(), network_names())
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise NetworkError(
        f"no network is called {name!r}.{hint} There are {', '.join(network_names())}; "
        "a file must end in .bif or .bif.gz"
    )


def _directory() -> Traversable:
    return files("ml4c") / "networks"
