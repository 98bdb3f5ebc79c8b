"""The names, marks and numbers of a BIF text, with their lines.

Commas and bars only separate, as the format's definition says, so they are skipped like white space and
comments. A name is bare (anything without white space, brackets, separators or quotes) or quoted; in quotes a
backslash escapes a quote or a backslash. Nearly all of a large file is probabilities: `numbers` takes a
whole run of them with one match, and only characters of plain decimal numbers can get into a run.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, NoReturn

from ml4c.errors import NetworkError

_BARE_NAME = re.compile(r'(?:[^\s{}()\[\]|,;"/]+|/(?![/*]))+')

_TOKEN = re.compile(
    rf'(?P<mark>[{{}}()\[\];])|"(?P<quoted>(?:[^"\\\n]|\\.)*)"|(?P<bare>{_BARE_NAME.pattern})',
)
_ESCAPED = re.compile(r'\\(["\\])')
_GAP = re.compile(r"(?:[\s,|]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NUMBERS = re.compile(r"[0-9eE+\-.,\s]*")
_PROPERTY = re.compile(r'(?:"[^"\n]*"|[^;}])*;?')


class Token(NamedTuple):
    """A name, a mark (one bracket or semicolon) or the end of the text, and where it starts."""

    text: str
    position: int
    kind: Literal["name", "mark", "end"] = "name"

    def is_mark(self, mark: str) -> bool:
        """Say whether this is `mark`, and not a name in quotes that looks like it."""
        return self.kind == "mark" and self.text == mark

    def __str__(self) -> str:
        return "the end of the file" if self.kind == "end" else repr(self.text)


class Scanner:
    """Reads a text from left to right; every error names the source and the line."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.position = 0

    def line(self, position: int) -> int:
        """Return the line, from 1, that holds `position`."""
        return self.text.count("\n", 0, position) + 1

    def fail(self, position: int, reason: str) -> NoReturn:
        """Raise NetworkError about the line that holds `position`."""
        raise NetworkError(f"{self.source}, line {self.line(position)}: {reason}")

    def take(self) -> Token:
        """Return the next token and move past it."""
        self._skip_gap()
        start = self.position
        match = _TOKEN.match(self.text, start)
        if match is None:
            if start < len(self.text):
                self.fail(start, "the quoted name is not closed on its line")
            return Token("", start, "end")
        self.position = match.end()
        if match.lastgroup == "quoted":
            return Token(_ESCAPED.sub(r"\1", match["quoted"]), start)
        return Token(match[0], start, "mark" if match.lastgroup == "mark" else "name")

    def peek(self) -> Token:
        """Return the next token without moving past it."""
        token = self.take()
        self.position = token.position
        return token

    def accept(self, mark: str) -> bool:
        """Move past `mark` if it is next, and say whether it was."""
        self._skip_gap()
        found = self.text.startswith(mark, self.position)
        if found:
            self.position += len(mark)
        return found

    def expect(self, mark: str, where: str) -> None:
        """Move past `mark`, which must be next."""
        if not self.accept(mark):
            token = self.peek()
            self.fail(token.position, f"expected {mark!r} {where}, found {token}")

    def name(self, what: str) -> Token:
        """Return the name that must be next."""
        token = self.take()
        if token.kind != "name":
            self.fail(token.position, f"expected {what}, found {token}")
        return token

    def names(self, closing: str, what: str) -> list[Token]:
        """Return the names up to the mark `closing` and move past it."""
        found = []
        while not self.accept(closing):
            found.append(self.name(f"{what} or {closing!r}"))
        return found

    def numbers(self) -> list[float]:
        """Return the run of numbers that is next; comments may be among them."""
        values = self._run_of_numbers()
        while self.text.startswith(("//", "/*"), self.position):
            self._skip_gap()
            values += self._run_of_numbers()
        return values

    def skip_property(self) -> None:
        """Move past the text of a property, which says nothing of the distribution."""
        self.position = _end(_PROPERTY, self.text, self.position)

    def _run_of_numbers(self) -> list[float]:
        start, self.position = self.position, _end(_NUMBERS, self.text, self.position)
        words = self.text[start : self.position].replace(",", " ").split()
        try:
            return list(map(float, words))
        except ValueError:
            wrong = next(word for word in words if not _is_number(word))
            self.fail(self.text.index(wrong, start), f"{wrong!r} is not a number")

    def _skip_gap(self) -> None:
        self.position = _end(_GAP, self.text, self.position)
        if self.text.startswith("/*", self.position):
            self.fail(self.position, "the comment is never closed")


def quoted(name: str) -> str:
    """Return the name as a file must have it, in quotes if need be."""
    if _BARE_NAME.fullmatch(name):
        return name
    if "\n" in name or "\r" in name:
        raise NetworkError(f"a BIF file cannot hold the line break in the name {name!r}")
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
