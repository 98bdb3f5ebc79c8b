"""How every command ends when it does not end well.

An error that the library raises on purpose, and a wrong option, are one line on stderr and exit code 2; only a defect
shows a traceback, with exit code 1. A reader who has seen enough (`ml4c networks | head`) ends the command silently,
with the exit code that a shell gives to such an end. Ctrl-C is exit code 130 and a line that says what is left.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import typer
from typer.core import TyperGroup

from ml4c.cli.screen import show_error
from ml4c.cli.wording import in_options
from ml4c.errors import Ml4cError

WRONG, INTERRUPTED, PIPE_CLOSED = 2, 130, 141
EXIT_CODES = "Exit codes: 0 done, 1 a defect of ml4c (please report it), 2 a wrong input or option, 130 interrupted."
FIRST = ("discover", "evaluate", "report", "sample", "networks")
"""The order of the commands in the help; others follow."""
_DEBUG = "ml4c.debug"
_UsageError: type[Any] = typer.BadParameter.__bases__[0]  # typer has the other wrong options under no public name


class Commands(TyperGroup):
    """All commands, with one way to fail; each takes the option `--debug` of `ml4c` itself."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for option in [copy(option) for option in self.params if "--debug" in option.opts]:
            option.expose_value = False
            for command in self.commands.values():
                command.params.append(option)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of the help: the main job first."""
        names = super().list_commands(ctx)
        return [*(name for name in FIRST if name in names), *(name for name in names if name not in FIRST)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what stands before the name of the command; nothing at all asks for help."""
        return super().parse_args(ctx, args or ["--help"])

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line, and end the process unless told not to."""
        alone = {**options, "standalone_mode": False}
        if not options.get("standalone_mode", True):
            return super().main(*args, **alone)
        try:
            code = super().main(*args, **alone)
        except _UsageError as error:
            _show_usage_error(error, "ml4c")
            code = WRONG
        except SystemExit as end:  # what typer and rich make of a closed pipe
            code = PIPE_CLOSED if end.code == 1 else end.code
        sys.exit(code)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except _UsageError as error:
            _show_usage_error(error, f"ml4c {ctx.invoked_subcommand or ''}".strip())
            raise typer.Exit(WRONG) from None
        except Ml4cError as error:
            if ctx.meta.get(_DEBUG):
                traceback.print_exc()
            show_error(in_options(str(error)))
            raise typer.Exit(WRONG) from None
        except KeyboardInterrupt as stop:
            show_error(str(stop) or "interrupted; what was written before is whole")
            raise typer.Exit(INTERRUPTED) from None


def note_debug(ctx: typer.Context, wanted: bool) -> bool:
    """Remember the option `--debug`, whether it stands before or after the name of the command."""
    ctx.meta[_DEBUG] = ctx.meta.get(_DEBUG, False) or wanted
    return wanted


@contextmanager
def long_work(*, resumable: bool) -> Iterator[None]:
    """Let Ctrl-C end the work in here at once, and say whether the same command goes on from what is done.

    Importing Polars makes a thread that waits go on waiting after Ctrl-C; so it is imported here, and that undone.
    """
    import polars  # noqa: F401

    if hasattr(signal, "siginterrupt"):  # not on Windows
        signal.siginterrupt(signal.SIGINT, True)
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; run the same command again to go on" if resumable else "") from None


def _show_usage_error(error: Any, command: str) -> None:
    """Say what is wrong with the words of a command, and where to read which it takes."""
    reason = str(error.format_message()).strip().removesuffix(".")
    end = "" if reason.endswith("?") else "."
    show_error(f"{reason[:1].lower()}{reason[1:]}{end} Try '{command} --help'")
