"""Numba kernels: arrays in, arrays out.

No class, no validation, no names. A kernel trusts its caller; `counting`, `citest`, `scores` and the
sampling of `bayesnet` are the callers. Every kernel has a slow, obvious twin in `tests/naive.py`.

Numba caches a compiled kernel until its own file changes, but a kernel also contains the code of those it calls, which
may live in another file. So, whenever a source file here is newer than what is cached, the whole cache is dropped.
"""

from contextlib import suppress
from pathlib import Path


def _drop_stale_cache(folder: Path) -> None:
    """Remove the index of every kernel that was cached before the newest source file was written."""
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for index in (folder / "__pycache__").glob("*.nbi"):
        with suppress(OSError):
            if index.stat().st_mtime < newest:
                index.unlink()


_drop_stale_cache(Path(__file__).parent)
