"""Local scores: how well a parent set explains a node, as a log (marginal) likelihood in nats.

- `bic`: maximised log likelihood less (log n) / 2 for each free parameter, q (r - 1) of them, where q is the product
  of the parents' cardinalities and r the node's.
- `bdeu`: log marginal likelihood under Dirichlet(ess / (q r)) for every cell (Heckerman et al. 1995).
- `mix`: log of the average, over strengths s, of the marginal likelihood under Dirichlet(s * base) for every
  configuration of the parents; base is the node's smoothed marginal. It charges for what a configuration changes,
  not for the size of the table, so it accepts true parents of wide columns that the other two refuse. One s is shared
  by all configurations of a family.
- `poe`: half `mix`, half the same with a base of its own for every configuration: the product of what each parent by
  itself says about the node. It charges for the interaction of the parents alone, which is what tells a collider.

Cardinalities are those of the table, i.e. of values that occur. With missing values a family is scored on the rows
in which it is complete, scaled to the number of all rows so that families compare.
"""

from ml4c.scores.local import ESS, JointScores, LocalScores, families

__all__ = ["ESS", "JointScores", "LocalScores", "families"]
