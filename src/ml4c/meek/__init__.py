"""From arrows to a CPDAG: Meek's rules, consistent extensions, and the certificate of a valid graph.

All DAGs with one skeleton and one set of v-structures form an equivalence class. Its CPDAG has an arrow where
all of them agree (a *compelled* edge) and an undirected edge where they do not; it is all that data can tell.
These relate the two sides:

- `cpdag_of`, DAG to CPDAG: the arrows of its v-structures, closed under Meek's rules (Meek, UAI 1995);
- `consistent_extension`, PDAG to DAG: a member of the class, if there is one (Dor and Tarsi 1992);
- `certify`: a graph is a CPDAG exactly when it has an extension whose CPDAG it is;
- `with_arrows`: what knowledge adds to a CPDAG;
- `closure_steps`, `chain_to`: which rule drew which arrow, from what.

Every function takes a matrix in the convention of `ml4c.graph`, validates it and returns a new one.
"""

from ml4c.meek.certificate import Certificate, certify, with_arrows
from ml4c.meek.chain import Step, chain_to, closure_steps
from ml4c.meek.closure import meek_closure
from ml4c.meek.cpdag import cpdag_from_v_structures, cpdag_of
from ml4c.meek.extension import consistent_extension
from ml4c.meek.rules import applicable_rule, rule_1, rule_2, rule_3, rule_4

__all__ = [
    "Certificate",
    "Step",
    "applicable_rule",
    "certify",
    "chain_to",
    "closure_steps",
    "consistent_extension",
    "cpdag_from_v_structures",
    "cpdag_of",
    "meek_closure",
    "rule_1",
    "rule_2",
    "rule_3",
    "rule_4",
    "with_arrows",
]
