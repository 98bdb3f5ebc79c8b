"""Bayesian networks in files: the BIF format, plain or gzipped, and the 24 networks of the package.

BIF has a definition that hardly any file follows to the letter, so the reader takes files as they are found:
names with any character, quoted or not; commas or none; comments and properties; `table`, rows and
`default`; declarations in any order. What is wrong is told with the file, the line and the reason. The writer
gives a file that reads back as the same network to the last bit.

`scanner` finds names and numbers, `grammar` the blocks, `parser` resolves them into a network; `files` reads
and writes; `library` knows the networks of the package.
"""

from ml4c.bif.files import read_bif, write_bif
from ml4c.bif.library import NetworkSummary, load_network, network_names, network_summaries
from ml4c.bif.parser import parse_bif

__all__ = [
    "NetworkSummary",
    "load_network",
    "network_names",
    "network_summaries",
    "parse_bif",
    "read_bif",
    "write_bif",
]
