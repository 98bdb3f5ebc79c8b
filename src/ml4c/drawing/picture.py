"""A graph as one static SVG: no script, no style sheet, no outside world.

Lines and labels have the colour of the text around them, so the picture fits a light and a dark page. An arrow has a
head; an undirected edge has none and is dashed. Names are text, cut when long, in full in the title of their node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TypeAlias

import numpy.typing as npt

from ml4c.drawing.layout import Layout, Point, layered_layout
from ml4c.graph import as_graph, edges
from ml4c.interop.words import printable

Arrow: TypeAlias = tuple[int, int]

CAPITAL, LETTER, PADDING = 9.2, 7.2, 20.0
NARROWEST, WIDEST = 44.0, 176.0
LETTERS = 22
BETWEEN_LAYERS, ROW, NODE = 52.0, 40.0, 26.0
MARGIN = 14.0
HEAD = 9.0


@dataclass(frozen=True)
class Look:
    """How an edge is drawn, and what is said when the pointer rests on it."""

    width: float = 1.5
    colour: str = "currentColor"
    dash: str = ""
    title: str = ""


def svg_picture(
    graph: npt.ArrayLike,
    names: Sequence[str],
    *,
    looks: Mapping[Arrow, Look] | None = None,
    layout: Layout | None = None,
    label: str = "causal graph",
) -> str:
    """Return the text of an SVG element; looks: of the edges (i, j) that differ from the others."""
    a = as_graph(graph)
    board = _Board(names, layout or layered_layout(a, names))
    found, given = edges(a), looks or {}
    lines = [board.edge(i, j, given.get((i, j), Look()), head=True) for i, j in found.directed.tolist()]
    plain = Look(dash="5 4")
    lines += [board.edge(i, j, given.get((i, j), plain), head=False) for i, j in found.undirected.tolist()]
    nodes = [board.node(i) for i in range(len(names))]
    width, height = board.size
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        'font-family="system-ui,sans-serif" font-size="13" fill="none">'
        f"{''.join(lines)}{''.join(nodes)}</svg>"
    )


class _Board:
    """Turns places into pixels."""

    def __init__(self, names: Sequence[str], layout: Layout) -> None:
        self._shown = [printable(name) for name in names]
        self._widths = [min(WIDEST, max(NARROWEST, _text_width(name) + PADDING)) for name in self._shown]
        self._pitch = max(self._widths, default=NARROWEST) + BETWEEN_LAYERS
        self._layout = layout

    @property
    def size(self) -> Point:
        layers, rows = self._layout.size
        return layers * self._pitch - BETWEEN_LAYERS + 2 * MARGIN, rows * ROW + 2 * MARGIN

    def node(self, i: int) -> str:
        x, y = self._pixels(self._layout.places[i])
        width, name = self._widths[i], self._shown[i]
        short = name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"
        box = (
            f'<rect x="{x - width / 2:.1f}" y="{y - NODE / 2:.1f}" width="{width:.1f}" height="{NODE:.0f}" rx="7" '
            'fill="currentColor" fill-opacity="0.06" stroke="currentColor" stroke-opacity="0.45"/>'
        )
        text = f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" fill="currentColor">{escape(short)}</text>'
        return f"<g><title>{escape(name)}</title>{box}{text}</g>"

    def edge(self, i: int, j: int, look: Look, *, head: bool) -> str:
        """Draw a curve from i to j, level at both ends, through the bends of the edge."""
        start, end = (self._pixels(self._layout.places[node]) for node in (i, j))
        bends = [self._pixels(point) for point in self._layout.bends.get((min(i, j), max(i, j)), ())]
        way = 1.0 if start[0] <= end[0] else -1.0
        tip = (end[0] - way * self._widths[j] / 2, end[1])
        stop = (tip[0] - way * HEAD, tip[1]) if head else tip
        points = [(start[0] + way * self._widths[i] / 2, start[1]), *(bends if i < j else bends[::-1]), stop]
        style = f'stroke="{escape(look.colour)}" stroke-width="{look.width:.2f}"'
        style += f' stroke-dasharray="{escape(look.dash)}"' if look.dash else ""
        triangle = f'<path d="{_triangle(tip, way)}" fill="{escape(look.colour)}"/>' if head else ""
        title = f"<title>{escape(look.title)}</title>" if look.title else ""
        return f'<g>{title}<path d="{_curve(points)}" {style}/>{triangle}</g>'

    def _pixels(self, place: Point) -> Point:
        middle = max(self._widths, default=NARROWEST) / 2
        return MARGIN + middle + place[0] * self._pitch, MARGIN + ROW / 2 + place[1] * ROW


def _text_width(text: str) -> float:
    return sum(CAPITAL if letter.isupper() else LETTER for letter in text)


def _curve(points: Sequence[Point]) -> str:
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x, y), (u, v) in pairwise(points):
        middle = (x + u) / 2
        parts.append(f"C{middle:.1f} {y:.1f} {middle:.1f} {v:.1f} {u:.1f} {v:.1f}")
    return "".join(parts)


def _triangle(tip: Point, way: float) -> str:
    x, y = tip
    back = x - way * HEAD
    return f"M{x:.1f} {y:.1f}L{back:.1f} {y - HEAD / 2:.1f}L{back:.1f} {y + HEAD / 2:.1f}Z"
