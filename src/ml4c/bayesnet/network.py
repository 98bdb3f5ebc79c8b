"""A network as a whole: what makes it valid, its size, the order of its nodes, and samples of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ml4c._kernels.sampling import Codes
from ml4c.bayesnet.distribution import Distribution
from ml4c.dataset import Dataset
from ml4c.errors import NetworkError
from ml4c.graph import find_cycle, topological_order

Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator

MAX_STATES = 65_534  # what the codes of a table can hold


@dataclass(frozen=True, repr=False)
class BayesNet:
    """A discrete Bayesian network; `distributions[i]` belongs to the node `names[i]`.

    The constructor checks everything and raises NetworkError naming the node.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    distributions: tuple[Distribution, ...]

    def __post_init__(self) -> None:
        _check_names(self.names)
        _check_lengths(self.names, self.states, self.distributions)
        cards = [_checked_card(*node) for node in zip(self.names, self.states, strict=True)]
        checked = []
        for name, card, node in zip(self.names, cards, self.distributions, strict=True):
            _check_parents(name, node.parents, len(cards))
            checked.append(node.checked(name, card, [cards[parent] for parent in node.parents]))
        object.__setattr__(self, "distributions", tuple(checked))
        _check_acyclic(self.names, self.dag)

    def __repr__(self) -> str:
        return f"BayesNet({self.n_nodes} nodes, {self.n_edges} edges, {self.n_parameters} parameters)"

    @cached_property
    def dag(self) -> NDArray[np.int8]:
        """The graph: `dag[i, j] = 1` for every edge i -> j."""
        matrix = np.zeros((self.n_nodes, self.n_nodes), dtype=np.int8)
        for child, node in enumerate(self.distributions):
            matrix[list(node.parents), child] = 1
        matrix.flags.writeable = False
        return matrix

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return sum(len(node.parents) for node in self.distributions)

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""
        return sum(node.n_parameters for node in self.distributions)

    @property
    def cardinalities(self) -> tuple[int, ...]:
        """Number of states of every node."""
        return tuple(len(states) for states in self.states)

    def permuted(self, order: Sequence[int] | Seed) -> BayesNet:
        """Return the network with its nodes in another order: given, or shuffled by a seed.

        A seed gives an order of the names, whatever order they have now.
        """
        if isinstance(order, (int, np.integer, np.random.SeedSequence, np.random.Generator)):
            order = self._shuffled(order)
        if sorted(order) != list(range(self.n_nodes)):
            raise NetworkError(f"{list(order)} does not list each of the {self.n_nodes} nodes once")
        position = np.argsort(np.asarray(order)).tolist()
        return BayesNet(
            tuple(self.names[i] for i in order),
            tuple(self.states[i] for i in order),
            tuple(self.distributions[i].renumbered(position) for i in order),
        )

    def _shuffled(self, seed: Seed) -> list[int]:
        # No node is called "": the shuffle shares no random numbers with a sample of the same seed.
        shuffle = _stream(_root(seed), "").permutation(self.n_nodes)
        by_name = sorted(range(self.n_nodes), key=self.names.__getitem__)
        return [by_name[i] for i in shuffle]

    def sample(self, n: int, seed: Seed) -> Dataset:
        """Draw `n` records.

        The same seed gives the same records for any order of the nodes. A Generator is advanced, so two
        calls with it differ; a SeedSequence is only read.
        """
        root, codes, uniforms = _root(seed), self._empty_codes(n), np.empty(n)
        cards = np.array(self.cardinalities, dtype=np.int64)
        for node in topological_order(self.dag):
            _stream(root, self.names[node]).random(out=uniforms)
            self.distributions[node].draw(codes, cards, uniforms, codes[:, node])
        return Dataset.from_codes(self.names, self.states, codes)

    def _empty_codes(self, n: int) -> Codes:
        if n < 1:
            raise NetworkError(f"cannot sample {n} records: ask for at least one")
        shape = (n, self.n_nodes)
        try:
            if max(self.cardinalities) < 2**8:
                return np.empty(shape, dtype=np.uint8, order="F")
            return np.empty(shape, dtype=np.uint16, order="F")
        except (MemoryError, ValueError) as error:
            raise NetworkError(f"{n:,} records of {self.n_nodes} columns do not fit in memory") from error


def _check_names(names: Sequence[str]) -> None:
    if not names:
        raise NetworkError("a network needs at least one node")
    if blank := [name for name in names if not name.strip()]:
        raise NetworkError(f"node {names.index(blank[0])} has an empty name: {blank[0]!r}")
    if len(set(names)) < len(names):
        raise NetworkError(f"two nodes are called {_first_repeated(names)!r}")


def _check_lengths(names: Sequence[str], states: Sequence[object], distributions: Sequence[object]) -> None:
    if not len(names) == len(states) == len(distributions):
        raise NetworkError(
            f"{len(names)} names, {len(states)} lists of states and {len(distributions)} distributions: "
            "each node needs one of each"
        )


def _checked_card(name: str, states: Sequence[str]) -> int:
    if not 1 <= len(states) <= MAX_STATES:
        raise NetworkError(f"node {name!r} has {len(states)} states, not 1 to {MAX_STATES}")
    if len(set(states)) < len(states):
        raise NetworkError(f"node {name!r} has the state {_first_repeated(states)!r} twice")
    return len(states)


def _check_parents(name: str, parents: Sequence[int], n_nodes: int) -> None:
    for parent in parents:
        if not 0 <= parent < n_nodes:
            raise NetworkError(f"node {name!r} has the unknown parent {parent}: nodes are 0 to {n_nodes - 1}")
    if len(set(parents)) < len(parents):
        raise NetworkError(f"node {name!r} has a parent twice: {tuple(parents)}")


def _check_acyclic(names: Sequence[str], dag: NDArray[np.int8]) -> None:
    # To a matrix two opposite arrows are one undirected edge, so `find_cycle` looks for longer cycles only.
    both = np.argwhere(dag & dag.T)
    cycle = list(dict.fromkeys(both[0].tolist())) if len(both) else find_cycle(dag)
    if cycle:
        path = " -> ".join(repr(names[i]) for i in (*cycle, cycle[0]))
        raise NetworkError(f"the network has a cycle: {path}")


def _first_repeated(values: Sequence[str]) -> str:
    return next(value for value, count in Counter(values).items() if count > 1)


def _root(seed: Seed) -> np.random.SeedSequence:
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence(seed.integers(2**32, size=4).tolist())
    if seed < 0:
        raise NetworkError(f"the seed is {seed}: it must not be negative")
    return np.random.SeedSequence(seed)


def _stream(root: np.random.SeedSequence, name: str) -> np.random.Generator:
    """Random numbers that depend on the seed and on the name alone."""
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    key = (*root.spawn_key, *np.frombuffer(digest, dtype="<u4").tolist())
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(root.entropy, spawn_key=key)))
