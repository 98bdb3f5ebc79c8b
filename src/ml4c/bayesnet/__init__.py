"""Discrete Bayesian networks: a DAG, the states of every node, and one distribution per node.

A network is validated when it is made, so whoever holds one may trust it; the errors name the node. It is
also the source of every table with a known answer: `sample` draws records forward, parents before children,
by inverting each node's cumulative distribution.

Every node has a stream of random numbers of its own, seeded by the caller's seed and the node's *name*.
The sample is therefore the same for any order of the nodes (`permuted`) and any order of work.
"""

from ml4c.bayesnet.distribution import CPT, Distribution, RowFault, first_fault
from ml4c.bayesnet.network import BayesNet, Seed

__all__ = ["CPT", "BayesNet", "Distribution", "RowFault", "Seed", "first_fault"]
