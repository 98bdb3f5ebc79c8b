"""What a person at a terminal sees beside the output: errors, and bars for what takes long, on stderr.

Text that came from a user or a file is never read as markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Return where to print; quiet prints nothing."""
    from rich.console import Console

    return Console(stderr=stderr, quiet=quiet, highlight=False)


def show_error(message: str) -> None:
    """Print one line on stderr."""
    from rich.text import Text

    from ml4c.interop.words import printable

    # soft_wrap: a long message stays one line for whoever reads it by program
    console(stderr=True).print(Text.assemble(("error:", "bold red"), " ", printable(message)), soft_wrap=True)


@contextmanager
def bars_of_phases(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar for every phase, if stderr is a terminal."""
    from rich.progress import Progress, TaskID

    screen = console(stderr=True)
    with Progress(console=screen, transient=True, disable=quiet or not screen.is_terminal) as bar:
        tasks: dict[str, TaskID] = {}

        def show(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase.capitalize(), total=total)
            bar.update(tasks[phase], completed=done, total=total)

        yield show


@contextmanager
def bar_of_networks(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show how many networks are done, and how long the others may take."""
    from rich import progress as rich

    columns = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn())
    times = (rich.TimeElapsedColumn(), rich.TextColumn("left"), rich.TimeRemainingColumn(elapsed_when_finished=True))
    with rich.Progress(*columns, *times, console=console(stderr=True, quiet=quiet)) as bar:
        task = bar.add_task("Networks", total=None)

        def show(done: int, total: int) -> None:
            said = "Networks" if done < total else "Fitting"
            bar.update(task, completed=done, total=total, description=said)

        yield show
