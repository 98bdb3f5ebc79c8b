"""The tables and figures of a benchmark's folder as one page.

Whatever tables (.csv) and pictures (.png) lie in the folder, or in `tables` within it, where `ml4c bench` puts them,
are shown, so the page does not depend on what is measured. Columns of numbers are shaded, each by its own
range: a heat map of the table. Markdown is shown as it was written.
"""

from __future__ import annotations

import base64
import csv
import re
from pathlib import Path
from typing import Any

from ml4c.errors import WorkError
from ml4c.interop import printable
from ml4c.interop.storage import AnyPath, read_text, replace_files
from ml4c.report.page import render

MOST_ROWS = 1000
LARGEST_PICTURE = 4_000_000
"""Bytes of a picture that is put into the page."""
SHADES = 7
NUMBER = re.compile(r"\s*(-?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?)(?:\s*±.*)?\s*")


def benchmark_summary(folder: AnyPath) -> dict[str, Any]:
    """Return the tables (name, header, rows of {text, shade}) of a folder, and its pictures and notes by name."""
    place = Path(folder)
    if not place.is_dir():
        raise WorkError(f"{place}: no such folder; give one that 'ml4c bench -o' wrote")
    files = sorted([*place.glob("*.*"), *(place / "tables").glob("*.*")], key=lambda file: file.name)
    found = {
        "tables": [_table(file) for file in files if file.suffix == ".csv"],
        "pictures": [(file.name, file.read_bytes()) for file in files if file.suffix == ".png"],
        "notes": [(file.name, read_text(file)) for file in files if file.suffix == ".md"],
    }
    if not any(found.values()):
        raise WorkError(f"{place}: there is no .csv, .png or .md file; give a folder that 'ml4c bench -o' wrote")
    return found


def write_benchmark_report(folder: AnyPath, path: AnyPath | None = None) -> Path:
    """Write a page about a benchmark's folder; by default report.html in it."""
    summary = benchmark_summary(folder)
    place = Path(folder if path is None else path)
    file = place if place.suffix.lower() in (".html", ".htm") else place / "report.html"
    pictures = [
        (name, f"data:image/png;base64,{base64.b64encode(content).decode()}")
        for name, content in summary["pictures"]
        if len(content) <= LARGEST_PICTURE
    ]
    left_out = [name for name, content in summary["pictures"] if len(content) > LARGEST_PICTURE]
    page = render(
        "benchmark.html.j2",
        title=printable(Path(folder).resolve().name),
        tables=summary["tables"],
        notes=[(name, text) for name, text in summary["notes"]],
        pictures=pictures,
        left_out=left_out,
    )
    replace_files({file: page})
    return file


def _table(file: Path) -> dict[str, Any]:
    lines = list(csv.reader(read_text(file).splitlines()))
    header, rows = (lines[0], lines[1:]) if lines else ([], [])
    shown = [[cell for cell, _ in zip([*row, *[""] * len(header)], header, strict=False)] for row in rows[:MOST_ROWS]]
    shades = [_shades([row[k] for row in shown]) for k in range(len(header))]
    cells = [
        [{"text": _short(text), "shade": shades[k][i]} for k, text in enumerate(row)] for i, row in enumerate(shown)
    ]
    return {
        "name": file.stem,
        "header": [printable(name) for name in header],
        "rows": cells,
        "left_out": max(0, len(rows) - MOST_ROWS),
    }


def _short(text: str) -> str:
    """Return the text of a cell, a long fraction with four digits."""
    match = NUMBER.fullmatch(text)
    return f"{float(text):.4g}" if match and len(text) > 8 and match[1] == text and "." in text else printable(text)


def _shades(column: list[str]) -> list[int | None]:
    """Return a shade from 0 to SHADES - 1 for each number of a column; None where it is not one of numbers."""
    matches = [NUMBER.fullmatch(text) for text in column]
    values = [float(match[1].replace(",", "")) if match else None for match in matches]
    known = [value for value in values if value is not None]
    if len(known) < max(2, len(column) / 2) or min(known) == max(known):
        return [None] * len(column)
    low, high = min(known), max(known)
    return [None if value is None else round((value - low) / (high - low) * (SHADES - 1)) for value in values]
