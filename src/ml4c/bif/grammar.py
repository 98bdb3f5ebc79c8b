"""BIF text to its blocks, by recursive descent; names are not resolved here.

The grammar, with commas, bars and comments anywhere and `property ... ;` wherever a statement may stand:

    file        = { network | variable | probability }
    network     = "network" names "{" "}"
    variable    = "variable" name "{" type "}"
    type        = "type" "discrete" "[" count "]" "{" names "}" ";"
    probability = "probability" "(" child parents ")" "{" { entry } "}"
    entry       = ( "table" | "default" | "(" parent-states ")" ) numbers ";"

A semicolon may be missing where the next token must begin something new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ml4c.bif.scanner import Scanner, Token

_BEGINS_STATEMENT = frozenset({"table", "default", "property"})


@dataclass(frozen=True)
class Variable:
    """A declared variable and its states, as many as it announces and all different."""

    name: Token
    states: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """Numbers of a probability block: a table, a default, or the row for the `states` of the parents."""

    position: int
    values: list[float]
    states: Sequence[Token]


@dataclass
class Block:
    """A probability block; `named` has its `table` and its `default`, if any."""

    child: Token
    parents: list[Token]
    rows: list[Entry] = field(default_factory=list)
    named: dict[str, Entry] = field(default_factory=dict)


@dataclass
class Document:
    """All blocks of a file, in its order, by the name of the variable."""

    variables: dict[str, Variable] = field(default_factory=dict)
    blocks: dict[str, Block] = field(default_factory=dict)


def read_document(scanner: Scanner) -> Document:
    """Return the blocks of the whole text."""
    document = Document()
    while (token := scanner.take()).kind != "end":
        if token.text == "network":
            _read_network(scanner)
        elif token.text == "variable":
            variable = _read_variable(scanner, document)
            document.variables[variable.name.text] = variable
        elif token.text == "probability":
            block = _read_probability(scanner, document)
            document.blocks[block.child.text] = block
        elif not token.is_mark(";"):
            scanner.fail(token.position, f"expected 'network', 'variable' or 'probability', found {token}")
    return document


def _read_network(scanner: Scanner) -> None:
    scanner.names("{", "the name of the network")
    for token in _statements(scanner, "the network block"):
        scanner.fail(token.position, f"expected 'property' or '}}' in the network block, found {token}")


def _read_variable(scanner: Scanner, document: Document) -> Variable:
    name = scanner.name("the name of a variable")
    if first := document.variables.get(name.text):
        line = scanner.line(first.name.position)
        scanner.fail(name.position, f"variable {name} is declared twice, first in line {line}")
    scanner.expect("{", f"after variable {name}")
    states: tuple[str, ...] | None = None
    for token in _statements(scanner, f"the block of variable {name}"):
        if token.text != "type":
            scanner.fail(token.position, f"expected 'type', 'property' or '}}', found {token}")
        if states is not None:
            scanner.fail(token.position, f"variable {name} has two types")
        states = _read_type(scanner, name)
    if states is None:
        scanner.fail(name.position, f"variable {name} has no type: expected 'type discrete'")
    return Variable(name, states)


def _read_type(scanner: Scanner, variable: Token) -> tuple[str, ...]:
    kind = scanner.name("'discrete'")
    if kind.text != "discrete":
        scanner.fail(kind.position, f"variable {variable} has type {kind}: only 'discrete' can be read")
    scanner.expect("[", "before the number of states")
    count = scanner.name("the number of states")
    scanner.expect("]", "after the number of states")
    scanner.expect("{", "before the states")
    tokens = scanner.names("}", "a state")
    scanner.accept(";")
    states = tuple(token.text for token in tokens)
    if count.text != str(len(states)):
        reason = f"variable {variable} announces {count.text} states, lists {len(states)}"
        scanner.fail(count.position, reason)
    seen: set[str] = set()
    for token in tokens:
        if token.text in seen:
            scanner.fail(token.position, f"variable {variable} has the state {token} twice")
        seen.add(token.text)
    return states


def _read_probability(scanner: Scanner, document: Document) -> Block:
    scanner.expect("(", "after 'probability'")
    child = scanner.name("the name of a variable")
    block = Block(child, scanner.names(")", "the name of a parent"))
    if first := document.blocks.get(child.text):
        line = scanner.line(first.child.position)
        scanner.fail(child.position, f"a second probability block for {child}; the first is in line {line}")
    scanner.expect("{", f"after the variables of the block for {child}")
    for token in _statements(scanner, f"the probability block for {child}"):
        if token.is_mark("("):
            states = scanner.names(")", "the state of a parent")
            block.rows.append(_read_numbers(scanner, token, states))
        elif token.text in ("table", "default"):
            if token.text in block.named:
                scanner.fail(token.position, f"a second {token} in the probability block for {child}")
            block.named[token.text] = _read_numbers(scanner, token)
        else:
            scanner.fail(token.position, f"expected 'table', 'default', '(' or '}}', found {token}")
    return block


def _read_numbers(scanner: Scanner, start: Token, states: Sequence[Token] = ()) -> Entry:
    values = scanner.numbers()
    if not scanner.accept(";"):
        token = scanner.peek()
        if token.text not in _BEGINS_STATEMENT and not (token.is_mark("(") or token.is_mark("}")):
            scanner.fail(token.position, f"expected a number or ';', found {token}")
    return Entry(start.position, values, states)


def _statements(scanner: Scanner, where: str) -> Iterator[Token]:
    """Yield the first token of every statement of a block; whoever asks for the next has read the rest."""
    opening = scanner.position
    while not (token := scanner.take()).is_mark("}"):
        if token.kind == "end":
            line = scanner.line(opening)
            scanner.fail(token.position, f"the file ends inside {where}, which begins in line {line}")
        if token.text == "property":
            scanner.skip_property()
        elif not token.is_mark(";"):
            yield token
