"""Writing pages: templates with autoescape, one style, one script, and a policy that lets nothing else run.

The policy names the script and the style by their hashes, so even a name that broke out of its place in the page could
run nothing; and it allows no request to anywhere. The same input gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ml4c.errors import GraphError
from ml4c.interop import GraphDocument, read_document
from ml4c.interop.storage import AnyPath, replace_files
from ml4c.report.summary import as_script_data, summary_of

if TYPE_CHECKING:
    import jinja2

SCRIPTS = ("algebra.js", "scene.js", "exports.js", "panel.js", "main.js", "stage.js", "tables.js", "start.js")
MOST_COLUMNS = 1500
"""Rows in the table of all columns."""


class HasDocument(Protocol):
    """A result: what can say everything about itself."""

    @property
    def document(self) -> GraphDocument:
        """Everything in plain records."""


def write_report(
    result: HasDocument | GraphDocument | AnyPath, path: AnyPath | None = None, *, title: str = ""
) -> Path:
    """Write the report of a result, of a document, or of a folder that a result was saved in; return its path.

    path: a .html file, or a folder for report.html; by default that folder.
    """
    document, folder = _opened(result)
    if path is None and folder is None:
        raise GraphError("say where to write the report: a folder, or a .html file")
    place = Path(folder if path is None else path)  # type: ignore[arg-type]
    file = place if place.suffix.lower() in (".html", ".htm") else place / "report.html"
    replace_files({file: render_report(document, title)})
    return file


def render_report(document: GraphDocument, title: str = "") -> str:
    """Return the text of the page."""
    summary = summary_of(document, title or _title(document))
    return render(
        "report.html.j2",
        script=_script(),
        graph_json=as_script_data(summary["graph"]),
        column_json=as_script_data(summary["columns"]),
        most_columns=MOST_COLUMNS,
        **summary,
    )


def render(template: str, *, script: str = "", **values: Any) -> str:
    """Fill in a template: our style and script, what is called *_json or *_svg, and the rest escaped."""
    from markupsafe import Markup

    style = (files("ml4c.report") / "static" / "report.css").read_text(encoding="utf-8")
    safe = {"style": Markup(style), "script": Markup(script), "policy": _policy(style, script)}  # noqa: S704
    for name in [name for name in values if name.endswith(("_json", "_svg"))]:  # escaped by who made them
        values[name] = Markup(values[name])  # noqa: S704
    return _environment().get_template(template).render(**values, **safe)


@lru_cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("ml4c.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache
def _script() -> str:
    """Join the parts of the script, which share one scope and leave one name behind."""
    folder = files("ml4c.report") / "static"
    parts = [(folder / name).read_text(encoding="utf-8") for name in SCRIPTS]
    return '(() => {\n"use strict";\n' + "".join(parts) + "})();\n"


def _policy(style: str, script: str) -> str:
    hashed = [f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in (style, script)]
    run = hashed[1] if script else "'none'"
    return (
        f"default-src 'none'; script-src {run}; style-src {hashed[0]}; style-src-attr 'none'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _opened(result: HasDocument | GraphDocument | AnyPath) -> tuple[GraphDocument, Path | None]:
    if isinstance(result, GraphDocument):
        return result, None
    if hasattr(result, "document"):
        return result.document, None
    folder = Path(result)
    return read_result(folder), folder


def read_result(folder: AnyPath) -> GraphDocument:
    """Read what a folder's graph.json says, or a .json file itself; GraphError says what is missing."""
    place = Path(folder)
    file = place if place.suffix.lower() == ".json" else place / "graph.json"
    if not file.is_file():
        raise GraphError(f"{place}: there is no {file.name}; give a folder that 'ml4c discover -o' wrote")
    return read_document(file)


def _title(document: GraphDocument) -> str:
    source = document.run.get("source")
    return Path(source).name if isinstance(source, str) and source else ""
