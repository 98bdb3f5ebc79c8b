"""The command `ml4c`: its commands (`commands`), and those with modules of their own."""

from ml4c.cli import bench, discovering, reporting  # noqa: F401  (their commands join the others)
from ml4c.cli.commands import app, main

__all__ = ["app", "main"]
