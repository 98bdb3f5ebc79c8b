"""Evidence put together from what tests and scores have noted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ml4c.skeleton.pairs import Floats, Ints, Ledger, Mask, all_pairs, of_pairs
from ml4c.skeleton.result import Evidence, Reason, Skeleton
from ml4c.skeleton.rules import Rules
from ml4c.skeleton.watch import Watch

LAST_PRESENT = Reason.REQUIRED


def evidence_of(
    ledger: Ledger, reason: NDArray[np.uint8], gain: Floats | None = None, probability: Floats | None = None
) -> Evidence:
    """Return the evidence about all pairs of columns."""
    asked = ledger.p_value >= 0
    nothing = np.full(len(reason), np.nan)
    return Evidence(
        pairs=all_pairs(ledger.n_columns),
        reason=reason,
        given=ledger.given,
        p_value=np.where(asked, ledger.p_value, np.nan),
        z=np.where(asked, ledger.z, np.nan),
        gain=nothing if gain is None else gain,
        probability=nothing if probability is None else probability,
    )


def obey(reason: NDArray[np.uint8], rules: Rules) -> None:
    """Overrule decisions about pairs by what is known."""
    reason[of_pairs(rules.absent)] = Reason.FORBIDDEN
    reason[of_pairs(rules.adjacent) & ~is_present(reason)] = Reason.REQUIRED


def is_present(reason: NDArray[np.uint8]) -> Mask:
    """Mark the pairs that are adjacent."""
    return np.asarray(reason <= LAST_PRESENT)


def keep_strongest(reason: NDArray[np.uint8], strength: Floats, rank: Ints, max_degree: int, required: Mask) -> None:
    """Keep the strongest edges as long as both ends have room; those that knowledge requires stay.

    rank: of every column among all names, which decides between edges of the same strength.
    """
    found = np.flatnonzero((reason == Reason.DEPENDENT) & ~required)
    pairs = all_pairs(len(rank))[found]
    degree = np.zeros(len(rank), np.int64)
    last, first = rank[pairs].max(axis=1), rank[pairs].min(axis=1)
    for edge in np.lexsort((last, first, -strength[found])).tolist():
        if (degree[pairs[edge]] < max_degree).all():
            degree[pairs[edge]] += 1
        else:
            reason[found[edge]] = Reason.DEGREE


def skeleton_of(evidence: Evidence, n_columns: int, method: str, watch: Watch) -> Skeleton:
    """Return the skeleton that evidence about all pairs makes."""
    present = is_present(evidence.reason)
    matrix = np.zeros((n_columns, n_columns), np.int8)
    matrix[tuple(evidence.pairs[present].T)] = 1
    return Skeleton(
        matrix=matrix | matrix.T,
        method=method,
        present=evidence.take(present),
        absent=evidence.take(~present),
        complete=not watch.ran_out,
        note=watch.note,
    )
