"""A result for the eye: plain text for a terminal, HTML for a notebook. Names are shown, never obeyed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ml4c.interop import FoundEdge, evidence_columns, printable
from ml4c.orientation import Confidence, Verdict

MOST_SHOWN = 60
HIDDEN = ("forward_probability", "backward_probability")
"""Evidence that a terminal is too narrow for: `probability` is one of the two, or what they leave."""
HEADER = ("source", "", "target", "probability")
AGAINST: dict[Verdict, str] = {
    "lost": "lost a conflict",
    "overruled": "probable but at odds with the others",
    "implied": "improbable but implied by the others",
}
"""What to say about verdicts that went against the probability."""


def as_text(headline: Iterable[str], edges: Sequence[FoundEdge]) -> str:
    """Return the headline and a table of the first edges in aligned columns."""
    rows = [HEADER, *map(edge_cells, edges[:MOST_SHOWN])]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEADER))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*map(printable, headline), "", *(lines if edges else []), *_more(edges)]).rstrip()


def as_html(headline: Iterable[str], edges: Sequence[FoundEdge], picture: str = "") -> str:
    """Return the same as HTML, with a picture (the text of an SVG element) above the table."""
    head = "".join(f"<p>{escape(printable(line))}</p>" for line in headline)
    cells = ["".join(f"<td>{escape(cell)}</td>" for cell in edge_cells(edge)) for edge in edges[:MOST_SHOWN]]
    titles = "".join(f"<th>{title}</th>" for title in HEADER)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    rest = "".join(f"<p>{line}</p>" for line in _more(edges))
    drawn = f'<div style="overflow:auto">{picture}</div>' if picture else ""
    return f"<div>{head}{drawn}<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>{rest}</div>"


def edge_cells(edge: FoundEdge) -> tuple[str, str, str, str]:
    """Return source, arrow, target and probability as words that can be shown."""
    probability = "" if edge.probability is None else f"{edge.probability:.2f}"
    return printable(edge.source), "->" if edge.type == "directed" else "-", printable(edge.target), probability


def shown_evidence(edges: Sequence[FoundEdge]) -> tuple[str, ...]:
    """Return the columns of further evidence that a terminal shows."""
    return tuple(column for column in evidence_columns(edges) if column not in HIDDEN)


def evidence_cells(edge: FoundEdge, columns: Sequence[str]) -> tuple[str, ...]:
    """Return further evidence of an edge as words."""
    values = [getattr(edge, column) for column in columns]
    return tuple("" if value is None else value if isinstance(value, str) else f"{value:.2f}" for value in values)


def verdicts_text(verdicts: Sequence[Verdict]) -> str:
    """Say how many triples are v-structures, and how many went against their probability."""
    drawn = verdicts.count("accepted") + verdicts.count("implied")
    against = [f"{verdicts.count(kind):,} {words}" for kind, words in AGAINST.items() if kind in verdicts]
    return ", ".join([f"of {len(verdicts):,} triples {drawn:,} are v-structures", *against])


def confidence_text(confidence: Confidence) -> str:
    """Say how sure the decision over all triples is."""
    if confidence.exact:
        found = "the best of all orientations"
    else:
        found = f"the best orientation found, by {confidence.agreement:.0%} of the restarts"
    if confidence.gap is None:
        return found
    return f"{found}; {'the' if confidence.exact else 'a'} runner-up is {confidence.gap:.2f} nats behind"


def _more(edges: Sequence[FoundEdge]) -> list[str]:
    left = len(edges) - MOST_SHOWN
    return [f"... and {left:,} more edges"] if left > 0 else []
