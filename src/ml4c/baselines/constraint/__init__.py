"""Constraint-based methods, on our own counting engine: PC, conservative and majority PC, GLL-MB, Grow-Shrink.

`collider_rules` and `growshrink` say which unshielded triples are v-structures, each by its published definition, for
any conditional independence test; `arrows` draws them. The numbers that the definitions leave open are set here. PC and
its variants, when they are given no skeleton, take that of our PC search at the same level, with sets of the same size.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ml4c.baselines.constraint.arrows import draw
from ml4c.baselines.constraint.collider_rules import Verdicts, cpc, gmb, mpc, pc
from ml4c.baselines.constraint.growshrink import enough_rows, gs
from ml4c.baselines.constraint.subsets import Effort
from ml4c.baselines.protocol import Method, Problem, Skeletons
from ml4c.citest import DataTest
from ml4c.graph import Graph
from ml4c.skeleton import pc_skeleton

ALPHA = 0.05
"""Level of the G2 test: the default of causal-learn, pybnesian and bnlearn."""
LARGEST_SET = 4
"""Columns conditioned on at most: a hub has 2^degree sets, and rows are few given many columns."""
MOST_SETS = 500
"""Sets of one size from one pool: all of them for up to twelve neighbours."""
EFFORT = Effort(ALPHA, LARGEST_SET, MOST_SETS)

Rule: TypeAlias = Callable[[DataTest, Graph, Effort], Verdicts]


def orient_by(rule: Rule, problem: Problem) -> Graph:
    """Decide the triples of the skeleton by a rule, and draw what follows."""
    test = DataTest(problem.data, n_jobs=1)
    skeleton = problem.skeleton
    if skeleton is None:
        skeleton = pc_skeleton(test, alpha=ALPHA, max_condition=LARGEST_SET).matrix
    return draw(skeleton, rule(test, skeleton, EFFORT))


def cautious_gs(test: DataTest, skeleton: Graph, effort: Effort) -> Verdicts:
    """Grow-Shrink with blankets that are learned only as far as there are rows for it."""
    return gs(test, skeleton, effort, enough_rows(test))


def _method(name: str, title: str, source: str, skeleton: Skeletons, rule: Rule) -> Method:
    return Method(name, title, "constraint-based", source, "ml4c", skeleton, partial(orient_by, rule))


METHODS = (
    _method("pc", "PC", "Spirtes, Glymour 1991, Social Science Computer Review 9", "either", pc),
    _method("cpc", "CPC", "Ramsey, Zhang, Spirtes 2006, UAI", "either", cpc),
    _method("mpc", "MPC", "Colombo, Maathuis 2014, JMLR 15", "either", mpc),
    _method("gmb", "GMB", "Aliferis, Statnikov, Tsamardinos, Mani, Koutsoukos 2010, JMLR 11", "given", gmb),
    _method("gs", "GS", "Margaritis 2003, thesis; v-structures as in bnlearn", "given", cautious_gs),
)
