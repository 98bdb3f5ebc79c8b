"""Reading and writing BIF files, plain (`.bif`) or gzipped (`.bif.gz`).

A file is written beside its place and moved there when it is complete, so a reader never sees half of it.
Probabilities are written with as many digits as it takes to read them back exactly. The same network gives
the same bytes: the gzip header carries no time and no name.
"""

from __future__ import annotations

import gzip
import io
import itertools
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

from ml4c.bayesnet import CPT, BayesNet
from ml4c.bif.parser import parse_bif
from ml4c.bif.scanner import quoted
from ml4c.errors import NetworkError

_GZIP_MAGIC = b"\x1f\x8b"


def read_bif(path: str | os.PathLike[str]) -> BayesNet:
    """Return the network in a `.bif` or `.bif.gz` file."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NetworkError(f"cannot read {path}: {error.strerror}") from error
    return decode_bif(data, str(path))


def decode_bif(data: bytes, source: str) -> BayesNet:
    """Return the network in the bytes of the file `source`, whose name says whether they are gzipped."""
    if source.lower().endswith(".gz"):
        data = _unzipped(data, source)
    elif data.startswith(_GZIP_MAGIC):
        raise NetworkError(f"{source} is gzipped: rename it to end in .bif.gz")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise NetworkError(f"{source}, line {line}: byte 0x{byte:02x} is not UTF-8: save the file as UTF-8") from error
    return parse_bif(text, source)


def _unzipped(data: bytes, source: str) -> bytes:
    if not data.startswith(_GZIP_MAGIC):
        raise NetworkError(f"{source} is not a gzip file: rename it if it is plain BIF")
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise NetworkError(f"{source} is a truncated or damaged gzip file: {error}") from error


def write_bif(net: BayesNet, path: str | os.PathLike[str]) -> None:
    """Write the network to a `.bif` or `.bif.gz` file, which `read_bif` reads back as the same network."""
    path = Path(path)
    if not path.name.lower().endswith((".bif", ".bif.gz")):
        raise NetworkError(f"cannot write {path}: the name must end in .bif or .bif.gz")
    try:
        data = "".join(_lines(net)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise NetworkError(f"cannot write {path}: a name has a lone surrogate, {error.object!r}") from error
    try:
        _write_atomically(path, _zipped(data) if path.suffix.lower() == ".gz" else data)
    except OSError as error:
        raise NetworkError(f"cannot write {path}: {error.strerror}") from error


def _lines(net: BayesNet) -> Iterator[str]:
    names = [quoted(name) for name in net.names]
    states = [[quoted(state) for state in states] for states in net.states]
    yield "network unknown {\n}\n"
    for name, labels in zip(names, states, strict=True):
        yield f"variable {name} {{\n  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};\n}}\n"
    for name, node in zip(names, net.distributions, strict=True):
        if not isinstance(node, CPT):
            raise NetworkError(f"node {name} has no full table, which a BIF file needs")
        given = " | " + ", ".join(names[parent] for parent in node.parents) if node.parents else ""
        yield f"probability ( {name}{given} ) {{\n"
        configurations = itertools.product(*(states[parent] for parent in node.parents))
        for configuration, row in zip(configurations, node.table.tolist(), strict=True):
            start = f"({', '.join(configuration)})" if node.parents else "table"
            yield f"  {start} {', '.join(map(repr, row))};\n"
        yield "}\n"


def _zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def _write_atomically(path: Path, data: bytes) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
