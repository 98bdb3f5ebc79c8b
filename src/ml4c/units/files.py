"""Writing a file whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(file: Path, content: bytes | memoryview) -> None:
    """Write a file that others see complete or not at all, even if the machine stops."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, file)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
