"""Which cells a table needs.

Table 1 shows every method at 10,000 rows, Table 2 the predicates, Table 3 our methods at other numbers of rows, Table 4
our methods on skeletons that were learned. Table 5 trains its own models (`transfer`). A plan is also what the tables
are about: cells of a folder that lie outside of it are not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from ml4c.baselines import methods
from ml4c.benchmark.cells import Cell, Record, SkeletonSource
from ml4c.benchmark.methods import find_method
from ml4c.benchmark.predicates import RULES
from ml4c.bif import network_names
from ml4c.errors import WorkError

TABLES = ("1", "2", "3", "4", "5")
ROWS = 10_000
ALL_ROWS = (1_000, 5_000, 10_000, 15_000, 20_000)
PUBLISHED_METHOD = "ml4c-paper"
OURS = ("ml4c", PUBLISHED_METHOD)
SCORE_ONLY = ("score-poe", "score-mix", "score-bdeu")
LEARNED: tuple[SkeletonSource, ...] = ("blip", "ours")
QUICK_TABLES = ("1", "2", "4")
QUICK_NETWORKS = ("asia", "child", "insurance", "alarm")
QUICK_ROWS = 1_000
"""What can be measured in some ten minutes on two cores, all methods among it."""


@dataclass(frozen=True)
class Plan:
    """Tables, and what they are about; of no methods, those that a table shows by itself."""

    tables: tuple[str, ...] = TABLES
    networks: tuple[str, ...] = network_names()
    rows: tuple[int, ...] = ALL_ROWS
    seeds: int = 3
    methods: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for table in self.tables:
            if table not in TABLES:
                raise WorkError(f"there is no table {table!r}: choose among {', '.join(TABLES)}")
        if not (self.tables and self.networks and self.rows and self.seeds >= 1):
            raise WorkError("a benchmark needs at least one table, network, number of rows and seed")
        for name in self.methods:
            find_method(name)

    @property
    def main_rows(self) -> int:
        """The number of rows of the tables that have one: the paper's, if it is among those asked for."""
        return ROWS if ROWS in self.rows else self.rows[0]

    def compared(self) -> tuple[str, ...]:
        """Return the methods of Table 1."""
        return self.methods or tuple(method.name for method in methods())

    def shown(self) -> tuple[str, ...]:
        """Return the methods of Table 3."""
        return self.methods or (*OURS, *SCORE_ONLY)

    def oriented(self) -> tuple[str, ...]:
        """Return the methods of Table 4: those that take a skeleton."""
        return tuple(name for name in self.methods or OURS if find_method(name).skeleton != "none")

    def cells(self) -> list[Cell]:
        """Return the cells of all tables, the first seed first, small networks before large ones."""
        chosen = list(dict.fromkeys(cell for table in self.tables for cell in self._of(table)))
        return sorted(chosen, key=lambda cell: (cell.seed, self.networks.index(cell.network)))

    def covers(self, record: Record) -> bool:
        """Tell whether a cell is of a network, number of rows and seed of this plan."""
        cell = record.cell
        return cell.network in self.networks and cell.rows in self.rows and cell.seed < self.seeds

    def _of(self, table: str) -> Iterator[Cell]:
        main = (self.main_rows,)
        if table == "1":
            yield from self._grid(self.compared(), main)
        elif table == "2":
            yield from self._grid((PUBLISHED_METHOD, *RULES), main)
        elif table == "3":
            yield from self._grid(self.shown(), self.rows)
        elif table == "4":
            for source in LEARNED:
                yield from self._grid(self.oriented(), main, source)

    def _grid(
        self, names: tuple[str, ...], sizes: tuple[int, ...], source: SkeletonSource | None = None
    ) -> Iterator[Cell]:
        for name, rows, network, seed in product(names, sizes, self.networks, range(self.seeds)):
            yield Cell(network, rows, seed, name, source or usual_skeleton(name))


def usual_skeleton(method: str) -> SkeletonSource:
    """Return the skeleton of a method in Tables 1 to 3: the true one, if it takes any."""
    return "none" if find_method(method).skeleton == "none" else "true"
