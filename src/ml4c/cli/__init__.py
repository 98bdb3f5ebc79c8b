"""The command `ml4c`: its commands (`commands`), and those of the benchmark (`bench`) and the report (`reporting`)."""

from ml4c.cli import bench, reporting  # noqa: F401  (their commands join the others)
from ml4c.cli.commands import app, main

__all__ = ["app", "main"]
