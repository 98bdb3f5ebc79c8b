"""What tests and scores share: a packed table, a memo of questions, and threads.

A question names one or two columns and a set of columns. The registry gives every question a number and keeps its
answer, so asking again costs a look-up; what is new is grouped by its set, sets in lexicographic order, and the
groups are shared out to threads. Each answer depends on its question and the table alone, so neither the number
of threads nor the order of questions can change a bit of it.
"""

from ml4c._kernels.grouping import Group
from ml4c.counting.desks import Desks
from ml4c.counting.fixedpoint import log_terms, unit_for
from ml4c.counting.packed import Packed, pack_table
from ml4c.counting.registry import Registry
from ml4c.counting.schedule import announce_compiling, available_cores, for_each, group_new, is_compiled, run

__all__ = [
    "Desks",
    "Group",
    "Packed",
    "Registry",
    "announce_compiling",
    "available_cores",
    "for_each",
    "group_new",
    "is_compiled",
    "log_terms",
    "pack_table",
    "run",
    "unit_for",
]
