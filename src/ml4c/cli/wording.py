"""Messages of the library in the words of the command line.

The library names its own keywords, as in missing='available'. Whoever runs a command needs the option instead:
--missing available. A value is quoted where a shell needs it.
"""

from __future__ import annotations

import ast
import re
import shlex

NAMED = ("missing", "discretize", "separator", "threshold", "decision", "confidence")
"""The keywords that messages name; each is an option of that name."""
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_NAME = rf"\b(?P<name>{'|'.join(NAMED)})"
_OF_COLUMN = re.compile(
    rf"{_NAME}(?:=\{{(?P<column>{_QUOTED}): (?P<bins>\d+)\}}|\[(?P<key>{_QUOTED})\]=(?P<value>\d+))"
)
_OF_ALL = re.compile(rf"{_NAME}=(?P<value>{_QUOTED}|[^\s:,;){{]*)")


def in_options(message: str) -> str:
    """Write the keywords in a message as options."""
    return _OF_ALL.sub(_option, _OF_COLUMN.sub(_option_of_column, message))


def _option(found: re.Match[str]) -> str:
    value = found["value"]
    plain = value[1:-1] if value[:1] in ("'", '"') else value  # escapes stay: --separator '\t' is understood
    return f"--{found['name']} {shlex.quote(plain)}" if plain else f"--{found['name']}"


def _option_of_column(found: re.Match[str]) -> str:
    """Return the option for name={column: bins} or name[column]=bins."""
    column, bins = ast.literal_eval(found["column"] or found["key"]), found["bins"] or found["value"]
    return f"--{found['name']} {shlex.quote(f'{column}={bins}')}"
