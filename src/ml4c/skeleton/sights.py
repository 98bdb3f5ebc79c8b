"""What the preset `accurate` has seen of the columns before it judges pairs: every search once, for all features.

`fast` goes first (`hybrid.explore`), then PC. The candidates of `fast` are too few: some true edges look separated by a
set that a finite sample favours. So a second search goes on from its DAG and may also use the edges of PC and the
columns that depend most on each column, by themselves (deviates, and BIC) and given its parents. The pairs to be judged
are more still: a pair that no search could use may be an edge. On 80 networks of the training distribution with another
seed they hold .94 of all edges; nearly all of the others show nothing, by themselves and given parents.

A search ends in one DAG and says nothing about the second best. So walks over all DAGs among the likeliest neighbours
tell how probable each edge is under `mix` and under BDeu (`search.orders`). From the best DAG of each a climb ends
where the first two searches did not: better by some nats on most tables, by thousands on some.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from ml4c.citest import Association, DataTest
from ml4c.graph import Graph
from ml4c.scores import JointScores
from ml4c.search.dags import FoundDag
from ml4c.search.orders import MOST_CANDIDATES, walk_orders
from ml4c.skeleton import pc
from ml4c.skeleton.assembly import is_present
from ml4c.skeleton.hybrid import Exploration, search
from ml4c.skeleton.pairs import Columns, Floats, Ints, Mask, all_pairs, as_matrix
from ml4c.skeleton.result import Evidence
from ml4c.skeleton.rules import Rules
from ml4c.skeleton.separation import BATCH
from ml4c.skeleton.verdicts import bic_gain
from ml4c.skeleton.watch import Watch

BY_DEVIATE, BY_BIC, GIVEN_PARENTS = 4, 4, 2
"""How many columns a search may use for each column, strongest first by three measures."""
JUDGED_BY_DEVIATE, JUDGED_BY_BIC, JUDGED_BY_INFORMATION, JUDGED_GIVEN_PARENTS = 10, 6, 6, 8
"""How many columns are judged with each column, by four measures."""
PC_SETS = 2
"""Largest sets of the search by tests alone."""
PC_POOL = 12
"""Neighbours of a column, the strongest, of which that search makes sets of two: hubs would have thousands of sets."""
WALKED = {"mix": "mix walked", "bdeu": "bdeu walked"}
"""Scores under which walks over all DAGs tell how probable edges are, and the names of the DAGs that they lead to."""
CLIMB = 1
"""Steps without a better DAG after which a climb ends."""
LIKELY = 3
"""Votes, of six, from which on a pair counts as an edge for degrees and common neighbours."""


@dataclass(frozen=True, eq=False)
class Marginals:
    """What pairs have to do with each other by themselves, in symmetric matrices; -inf on the diagonal."""

    z: Floats
    information: Floats
    """Mutual information in nats."""
    gain: Floats
    """Nats of BIC."""
    dof: Floats


@dataclass(frozen=True, eq=False)
class ByTests:
    """What PC says about every pair, in the order of the pairs."""

    adjacent: Mask
    z: Floats
    """The deviate given the set that came closest to separating the pair."""
    size: Ints
    """Columns of that set."""


@dataclass(frozen=True, eq=False)
class Sights:
    """Everything that features are made of."""

    explored: Exploration
    fast: Mask
    """The skeleton of `fast`."""
    marginals: Marginals
    dags: Mapping[str, FoundDag]
    """Found by the searches: "mix" within the candidates of `fast`; "wide" and those from walks within more;
    "wide" knows the gains of all pairs to be judged."""
    by_pc: ByTests
    pairs: Columns
    """(pairs, 2): the pairs i < j to be judged."""
    votes: NDArray[np.int64]
    """How many want a pair: HITON-PC from one end, from both, PC, and the DAGs "mix", "wide" and "bdeu walked"."""
    shares: Mapping[str, NDArray[np.float32]]
    """(temperatures, pairs): how probable the edges are when DAGs are as probable as "mix" or "bdeu" says."""

    @property
    def preference(self) -> Floats:
        """A number for each pair that grows with its votes and, between equals, with its deviate."""
        return _preference(self.votes, self.marginals)


def look(
    test: DataTest,
    scores: JointScores,
    explored: Exploration,
    fast: Evidence,
    rules: Rules,
    watch: Watch,
    *,
    max_condition: int | None = None,
    max_degree: int | None = None,
) -> Sights:
    """Search further, and collect what was seen; scores: those of the exploration and of the walks, counted together.

    max_degree binds the searches, not the walks nor what starts there.
    """
    n_columns = len(test.names)
    marginals = _marginals(test, explored, n_columns)
    by_pc = _by_tests(test, rules, watch, PC_SETS if max_condition is None else max_condition)
    allowed = ~rules.absent & ~np.eye(n_columns, dtype=np.bool_)
    wanted = explored.candidates | (as_matrix(by_pc.adjacent, n_columns) == 1)
    usable = _either(_near(marginals, explored) | wanted) & allowed
    watch.say("wider search", 0, 3)
    wide = search(explored.scores, usable, explored.found.dag, rules, max_degree, watch)
    watch.say("wider search", 1, 3)
    judged = usable | (_either(_far(marginals, explored) | rules.adjacent) & allowed)
    valued = search(explored.scores, judged, wide.dag, rules, max_degree, watch, patience=0)
    dags = {"mix": explored.found, "wide": valued}
    votes = _votes(explored.wanted, as_matrix(by_pc.adjacent, n_columns), dags.values())
    possible = np.where((judged & ~rules.forbidden).T, _preference(votes, marginals), -np.inf)
    parents = likeliest(possible, MOST_CANDIDATES)
    pairs = np.argwhere(np.triu(judged, 1)).astype(np.int32)
    i, j = pairs.T
    shares = {}
    for done, (kind, name) in enumerate(WALKED.items(), 2):
        one = scores.only(kind)
        walked = walk_orders(one, parents, wide.dag)
        shares[kind] = walked.shares[:, i, j] + walked.shares[:, j, i]
        begin = _beside(rules.required, walked.dag)
        dags[name] = search(one, usable, begin, rules, None, watch, patience=CLIMB)
        watch.say("wider search", done, 3)
    return Sights(
        explored=explored,
        fast=as_matrix(is_present(fast.reason), n_columns) == 1,
        marginals=marginals,
        dags=dags,
        by_pc=by_pc,
        pairs=pairs,
        votes=votes + _edges(dags[WALKED["bdeu"]]),
        shares=shares,
    )


def _beside(required: Mask, dag: Graph) -> Graph:
    """Return a DAG without its arcs on cycles with required ones, of which walks know nothing."""
    if not required.any():
        return dag
    _, part = connected_components(dag | required, connection="strong")
    return np.asarray(np.where(part[:, None] == part, 0, dag))


def likeliest(preference: Floats, most: int) -> Columns:
    """List the columns that each column prefers, the first first, then -1; those of -inf never."""
    order = np.argsort(-preference, axis=1, kind="stable")[:, :most].astype(np.int32)
    listed = np.where(np.isfinite(np.take_along_axis(preference, order, axis=1)), order, -1)
    return np.pad(listed, ((0, 0), (0, most - listed.shape[1])), constant_values=-1)


def _preference(votes: NDArray[np.int64], marginals: Marginals) -> Floats:
    preference = votes + 1e-5 * np.clip(marginals.z, -1e4, 1e4)
    np.fill_diagonal(preference, -np.inf)
    return np.asarray(preference)


def _near(marginals: Marginals, explored: Exploration) -> Mask:
    """Mark in every row the columns that a search may use."""
    return (
        _strongest(marginals.z, BY_DEVIATE)
        | _strongest(marginals.gain, BY_BIC)
        | _strongest(explored.given_parents.z, GIVEN_PARENTS)
    )


def _far(marginals: Marginals, explored: Exploration) -> Mask:
    """Mark in every row the columns that are judged with it."""
    return (
        _strongest(marginals.z, JUDGED_BY_DEVIATE)
        | _strongest(marginals.gain, JUDGED_BY_BIC)
        | _strongest(marginals.information, JUDGED_BY_INFORMATION)
        | _strongest(explored.given_parents.z, JUDGED_GIVEN_PARENTS)
    )


def _marginals(test: DataTest, explored: Exploration, n_columns: int) -> Marginals:
    """Ask about all pairs; the test has the answers from before."""
    pairs = all_pairs(n_columns)
    z, information, gain, dof = (np.full((n_columns, n_columns), -np.inf) for _ in range(4))
    for begin in range(0, len(pairs), BATCH):
        asked = pairs[begin : begin + BATCH]
        cells = tuple(asked.T)
        found = test.association(asked)
        z[cells] = explored.referee.verdicts(asked, found)[1]
        information[cells], gain[cells], dof[cells] = information_of(found), bic_gain(found), found.dof
    return Marginals(*(np.maximum(matrix, matrix.T) for matrix in (z, information, gain, dof)))


def _by_tests(test: DataTest, rules: Rules, watch: Watch, largest: int) -> ByTests:
    found = pc.find_pc(test, rules, watch, pc.Limits(pc.ALPHA, largest, None, PC_POOL))
    return ByTests(is_present(found.reason), found.z, (found.given >= 0).sum(axis=1))


def information_of(found: Association) -> Floats:
    """Return the (conditional) mutual information of each question, in nats."""
    return np.asarray(found.g2 / (2.0 * np.maximum(found.n, 1.0)))


def _strongest(strength: NDArray[np.floating], most: int) -> Mask:
    """Mark in every row the largest numbers, `most` of them or more if some are equal; nan and -inf never."""
    known = np.where(np.isnan(strength), -np.inf, strength)
    place = max(0, known.shape[1] - most)
    least = np.partition(known, place, axis=1)[:, place]
    return np.asarray((known >= least[:, None]) & np.isfinite(known))


def _either(wanted: Mask) -> Mask:
    return np.asarray(wanted | wanted.T)


def _votes(wanted: Mask, by_pc: Graph, dags: Iterable[FoundDag]) -> NDArray[np.int64]:
    votes = _either(wanted).astype(np.int64) + (wanted & wanted.T) + by_pc
    for dag in dags:
        votes += _edges(dag)
    return votes


def _edges(found: FoundDag) -> Graph:
    return np.asarray(found.dag | found.dag.T)
