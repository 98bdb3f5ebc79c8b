"""From probabilities to a CPDAG, by the rule of the paper (Algorithm 1).

Every unshielded triple comes with the probability that it is a v-structure. Those at or above a threshold are
accepted. Two accepted ones conflict when they want opposite directions of one edge; of every conflicting pair
the less probable one is removed, and on a tie both are. All pairs are compared before any is removed, so the
order of triples and nodes cannot matter. The arrows of the survivors are closed under Meek's rules.

Comparing pairs would be quadratic around a hub. But a triple loses exactly when the most probable triple that
wants the reverse of one of its arrows is no less probable: one champion for each direction of each edge suffices.

The rule prevents neither directed cycles nor graphs that no DAG extends; the certificate says when that happened.
Rules without a model (PC, majority-PC) are the same function with probabilities 0 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ml4c.errors import GraphError
from ml4c.graph import Triples, as_graph, as_triples
from ml4c.graph import skeleton as skeleton_of
from ml4c.meek import certify, cpdag_from_v_structures
from ml4c.orientation.records import (
    NOBODY,
    Orientation,
    Probabilities,
    Rows,
    as_probabilities,
    champions,
    strength,
)

THRESHOLD = 0.1


def orient_as_published(
    skeleton: npt.ArrayLike,
    triples: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    *,
    threshold: float = THRESHOLD,
    names: Sequence[str] | None = None,
) -> Orientation:
    """Accept triples by probability, remove conflicts in pairs, draw the survivors, close under Meek's rules.

    triples: rows (x, t, y), unshielded in the skeleton. names: only for the words of the certificate. Of several
    triples to which one lost, `lost_to` names the most probable, and of equals the one with the smallest numbers.
    """
    a = skeleton_of(as_graph(skeleton))
    rows = as_triples(a, triples)
    p = as_probabilities(probabilities, len(rows))
    if not 0.0 <= threshold <= 1.0:
        raise GraphError(f"threshold={threshold!r}: give a probability from 0 to 1")
    accepted = np.flatnonzero(p >= threshold)
    lost_to = _losses(rows, p, accepted, len(a))
    verdicts = np.full(len(rows), "rejected", dtype=object)
    verdicts[accepted] = np.where(lost_to[accepted] == NOBODY, "accepted", "lost")
    cpdag = cpdag_from_v_structures(a, rows[verdicts == "accepted"])
    return Orientation(cpdag, certify(cpdag, names), rows, p, tuple(verdicts.tolist()), lost_to)


def _losses(triples: Triples, p: Probabilities, accepted: Rows, n_nodes: int) -> Rows:
    """Return for each triple the row that removes it, or NOBODY."""
    strongest = champions(triples, p, accepted, n_nodes)
    lost_to = np.full(len(triples), NOBODY, dtype=np.intp)
    rank = np.append(strength(triples, p), -1)  # NOBODY, the last place, is weaker than all
    for end in (0, 2):
        source, target = triples[accepted, end], triples[accepted, 1]
        rival = strongest.of(target * n_nodes + source)
        beaten = (rival != NOBODY) & (p[rival] >= p[accepted])
        stronger = beaten & (rank[rival] > rank[lost_to[accepted]])
        lost_to[accepted[stronger]] = rival[stronger]
    return lost_to
