"""Conditional dependence: one protocol, and three things that answer it.

A question is (x, y | S). `DataTest` answers from a table, on the counting engine; `OracleTest` answers from a DAG,
by d-separation, so that whole algorithms can be tested without data; `FrozenTest` repeats recorded answers.
Algorithms take any of them.
"""

from ml4c.citest.answers import Association, Dependence, Finding
from ml4c.citest.data import DataTest
from ml4c.citest.frozen import FrozenTest
from ml4c.citest.oracle import OracleTest
from ml4c.citest.protocol import CITest, questions

__all__ = [
    "Association",
    "CITest",
    "DataTest",
    "Dependence",
    "Finding",
    "FrozenTest",
    "OracleTest",
    "questions",
]
