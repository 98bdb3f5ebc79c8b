"""The sentences of the page: what was found, what the data were, what was assumed, and how to make it again."""

from __future__ import annotations

from typing import Any

from ml4c.interop import GraphDocument, printable
from ml4c.orientation import Confidence
from ml4c.pipeline.showing import confidence_text, verdicts_text

ASSUMPTIONS = (
    "No column of the table is missing that causes two others: hidden common causes show as edges that are not causal.",
    "No feedback: causes do not form circles.",
    "Independences in the data come from the causal structure, not from effects that happen to cancel.",
    "Rows are independent of each other and come from one population.",
    "An arrow says that data of this kind can tell the direction; an undirected edge, that no data of this kind can.",
)
MISSING = {
    "error": "",
    "available": "Missing values: every question used the rows where its columns are present, as if they were missing "
    "completely at random.",
    "category": "Missing values count as a category of their own.",
}
LIMITS = ("max_condition", "max_degree", "edge_threshold", "time_budget")


def headline(document: GraphDocument) -> dict[str, Any]:
    """Return the numbers at the top: columns, arrows, lines, and what the decision says about itself."""
    arrows = sum(edge.type == "directed" for edge in document.edges)
    verdicts = [triple.verdict for triple in document.triples]
    return {
        "columns": len(document.names),
        "rows": document.run.get("rows"),
        "arrows": arrows,
        "lines": len(document.edges) - arrows,
        "verdicts": verdicts_text(verdicts),
        "confidence": _confidence(document.run.get("confidence")),
        "repeats": document.run.get("bootstrap_repeats"),
    }


def _confidence(facts: Any) -> str:
    try:
        return confidence_text(Confidence(**facts)) if facts else ""
    except TypeError:  # of another version
        return ""


def data_facts(document: GraphDocument) -> list[tuple[str, str]]:
    """Return what was understood of the table, as pairs of a word and a text."""
    lines = [line.partition(": ") for line in str(document.run.get("data") or "").split("\n")]
    return [(key.capitalize(), printable(text)) for key, _, text in lines if text]


def assumptions(document: GraphDocument) -> list[str]:
    """Return what the graph rests on, in sentences."""
    found = [*ASSUMPTIONS, MISSING.get(str(document.run.get("missing")), "")]
    if document.run.get("knowledge"):
        found.append("What the user stated is true: it was obeyed, not tested.")
    skeleton = document.run.get("skeleton")
    if skeleton is None and document.run:
        found.append("The skeleton was given: which columns are adjacent was not learned from the data.")
    return [sentence for sentence in found if sentence]


def run_facts(document: GraphDocument) -> list[tuple[str, str]]:
    """Return versions, seed, model and limits, as pairs of a word and a text."""
    run = document.run
    skeleton = run.get("skeleton") if isinstance(run.get("skeleton"), dict) else {}
    versions = run.get("versions") if isinstance(run.get("versions"), dict) else {}
    facts = {
        "Model": run.get("model"),
        "Seed": run.get("seed"),
        "Skeleton": (skeleton or {}).get("method"),
        "Bootstrap repeats": run.get("bootstrap_repeats"),
        **{key.replace("_", " ").capitalize(): (skeleton or {}).get(key) for key in LIMITS},
        "ml4c": run.get("ml4c"),
        **{key: value for key, value in (versions or {}).items() if key != "ml4c"},
    }
    return [(key, printable(str(value))) for key, value in facts.items() if value is not None]


def command_of(document: GraphDocument) -> str:
    """Return the command that made the result, or the call in Python that would."""
    run = document.run
    if run.get("command"):
        return printable(str(run["command"]))
    if not run.get("model"):
        return ""
    skeleton = run.get("skeleton")
    learned = skeleton if isinstance(skeleton, dict) else {}
    options = {"model": run["model"], "skeleton_method": learned.get("method"), "seed": run.get("seed")}
    options |= {key: learned.get(key) for key in LIMITS} | {"knowledge": run.get("knowledge")}
    if run.get("missing") not in (None, "error"):
        options["missing"] = run["missing"]
    given = ", ".join(f"{key}={value!r}" for key, value in options.items() if value is not None)
    return printable(f"ml4c.{'discover(data' if learned else 'orient(data, skeleton'}, {given})")
