"""The blocks of a BIF file to a network: every name is looked up, every number gets its place.

This comes after the whole text is read, so a variable may be declared after its use. A row is found by the
states of the parents that it names; `default` fills the rows that are not given. A `table` lists, as the
format's authors do, the first state of the child for every configuration of the parents, then the second, and
so on; the last parent varies fastest.
"""

from __future__ import annotations

import math

import numpy as np

from ml4c.bayesnet import CPT, BayesNet, first_fault
from ml4c.bayesnet.distribution import Floats, Ints
from ml4c.bif.grammar import Block, Document, Entry, read_document
from ml4c.bif.scanner import Scanner
from ml4c.errors import NetworkError

MAX_TABLE = 2**27  # probabilities of one node, a gigabyte: a few bytes of text can ask for any number


def parse_bif(text: str, source: str = "BIF text") -> BayesNet:
    """Return the network that `text` describes; NetworkError names `source`, the line and the reason."""
    scanner = Scanner(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), source)
    document = read_document(scanner)
    _check_declarations(scanner, document)
    tables = _Tables(scanner, document)
    names = tuple(document.variables)
    states = tuple(variable.states for variable in document.variables.values())
    cpts = tuple(tables.cpt(document.blocks[name]) for name in names)
    try:
        return BayesNet(names, states, cpts)
    except NetworkError as error:
        raise NetworkError(f"{source}: {error}") from error


def _check_declarations(scanner: Scanner, document: Document) -> None:
    if not document.variables:
        scanner.fail(len(scanner.text), "the file declares no variable")
    for block in document.blocks.values():
        for token in (block.child, *block.parents):
            if token.text not in document.variables:
                scanner.fail(token.position, f"variable {token} is not declared")
    for name, variable in document.variables.items():
        if name not in document.blocks:
            scanner.fail(variable.name.position, f"variable {variable.name} has no probability block")


class _Tables:
    """Makes the table of each probability block, and remembers from where each of its rows came."""

    def __init__(self, scanner: Scanner, document: Document) -> None:
        self.scanner = scanner
        self.index = {name: i for i, name in enumerate(document.variables)}
        self.codes = {
            name: {state: i for i, state in enumerate(variable.states)} for name, variable in document.variables.items()
        }

    def cpt(self, block: Block) -> CPT:
        """Return the distribution of the block's child."""
        rows = math.prod(len(self.codes[parent.text]) for parent in block.parents)
        card = len(self.codes[block.child.text])
        if rows * card > MAX_TABLE:
            reason = f"a table of {rows * card:,} probabilities is too large (the limit is {MAX_TABLE:,})"
            self.scanner.fail(block.child.position, reason)
        if "table" in block.named:
            table, positions = self._from_table(block, rows, card)
        else:
            table, positions = self._from_rows(block, rows, card)
        if fault := first_fault(table):
            self.scanner.fail(int(positions[fault.row]), f"distribution of {block.child}: {fault.reason}")
        return CPT(tuple(self.index[parent.text] for parent in block.parents), table)

    def _from_table(self, block: Block, rows: int, card: int) -> tuple[Floats, Ints]:
        entry = block.named["table"]
        if block.rows or len(block.named) > 1:
            self.scanner.fail(entry.position, f"{block.child} has a 'table' and other rows besides")
        self._check_count(block, entry, rows * card)
        values = np.array(entry.values)
        table = values.reshape(card, rows).T
        if first_fault(table) and not first_fault(values.reshape(rows, card)):
            reason = "the table holds one distribution after the other; the format wants the first state of"
            reason += f" {block.child} in all of them, then the second: reorder it or write rows"
            self.scanner.fail(entry.position, reason)
        return table, np.full(rows, entry.position)

    def _from_rows(self, block: Block, rows: int, card: int) -> tuple[Floats, Ints]:
        placed = self._placed_rows(block, card)
        table, positions = np.empty((rows, card)), np.empty(rows, dtype=np.int64)
        if default := block.named.get("default"):
            self._check_count(block, default, card)
            table[:], positions[:] = default.values, default.position
        elif len(placed) < rows:
            missing = next(row for row in range(rows) if row not in placed)
            reason = f"{rows - len(placed)} of {rows} rows for {block.child} are missing"
            reason += f", the first is ({self._configuration(block, missing)})"
            self.scanner.fail(block.child.position, reason)
        if placed:
            table[list(placed)] = [entry.values for entry in placed.values()]
            positions[list(placed)] = [entry.position for entry in placed.values()]
        return table, positions

    def _placed_rows(self, block: Block, card: int) -> dict[int, Entry]:
        placed: dict[int, Entry] = {}
        for entry in block.rows:
            self._check_count(block, entry, card)
            row = self._row(block, entry)
            if first := placed.get(row):
                reason = f"a second row for the states of line {self.scanner.line(first.position)}"
                self.scanner.fail(entry.position, reason)
            placed[row] = entry
        return placed

    def _row(self, block: Block, entry: Entry) -> int:
        if len(entry.states) != len(block.parents):
            reason = f"a row for {block.child} names {len(block.parents)} parent states"
            reason += f", not {len(entry.states)}"
            self.scanner.fail(entry.position, reason)
        row = 0
        for parent, state in zip(block.parents, entry.states, strict=True):
            codes = self.codes[parent.text]
            if state.text not in codes:
                known = ", ".join(codes)
                self.scanner.fail(state.position, f"{state} is not a state of {parent}, which has {known}")
            row = row * len(codes) + codes[state.text]
        return row

    def _configuration(self, block: Block, row: int) -> str:
        states = []
        for parent in reversed(block.parents):
            codes = self.codes[parent.text]
            row, code = divmod(row, len(codes))
            states.append(list(codes)[code])
        return ", ".join(reversed(states))

    def _check_count(self, block: Block, entry: Entry, expected: int) -> None:
        if len(entry.values) != expected:
            reason = f"{len(entry.values)} probabilities for {block.child}, expected {expected}"
            self.scanner.fail(entry.position, reason)
