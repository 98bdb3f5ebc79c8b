"""The two controls on columns in the order of the network's file: what a method gets for nothing that follows it.

They see no data and the benchmark's methods never see this order; their figures stand in Table 1 because the paper's
columns for NCC and for PC are theirs (METHOD section 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from ml4c.baselines import Problem
from ml4c.baselines.controls import every_triple, file_order
from ml4c.benchmark.cells import Cell, Record
from ml4c.benchmark.measuring import scores
from ml4c.bif import load_network
from ml4c.graph import skeleton

CONTROLS = {"file-order, unshuffled": file_order, "every-ut, unshuffled": every_triple}
TITLES = {"file-order, unshuffled": "file order, unshuffled", "every-ut, unshuffled": "every UT, unshuffled"}


def unshuffled_controls(networks: Iterable[str], rows: int) -> Iterator[Record]:
    """Yield a record of each control on each network, as of a table of so many rows."""
    for network in networks:
        for name, found in _scores(network).items():
            yield Record(Cell(network, rows, 0, name, "true"), "done", scores=found)


@cache
def _scores(network: str) -> dict[str, dict[str, float]]:
    net = load_network(network)
    problem = Problem(net.sample(1, 0), skeleton(net.dag))
    return {name: scores(net.dag, control(problem)) for name, control in CONTROLS.items()}
