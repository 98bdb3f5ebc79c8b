"""A table in words and in numbers: Markdown for readers, CSV for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class Section:
    """A titled part of the page; `numbers` are the rows of its CSV file, all with the same keys."""

    name: str
    title: str
    text: str
    numbers: Sequence[Mapping[str, Value]] = ()

    def markdown(self) -> str:
        """Return the section as Markdown."""
        return f"## {self.title}\n\n{self.text.strip()}\n"

    def csv(self) -> str:
        """Return the numbers as CSV, empty where there is none."""
        stream = io.StringIO()
        if self.numbers:
            writer = csv.DictWriter(stream, list(self.numbers[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.numbers)
        return stream.getvalue()


def grid(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"
