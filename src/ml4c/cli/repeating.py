"""The command that makes a result again, from what was given and what was not."""

from __future__ import annotations

import shlex

import typer

ONLY_SHOWN = ("output", "jobs", "as_json", "quiet")
"""Options that change where and how a result is shown, never what it is."""


def repeatable(ctx: typer.Context) -> str:
    """Return the running command with all options that differ from their defaults, as a shell needs it."""
    words = ["ml4c", ctx.command.name or ""]
    options = list[str]()
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name or "")
        if value is None or value == parameter.default or parameter.name in ONLY_SHOWN:
            continue
        if parameter.param_type_name == "argument":
            words.append(str(value))
        else:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                options += [max(parameter.opts, key=len), *([] if one is True else [str(one)])]
    return shlex.join([*words, *options])
