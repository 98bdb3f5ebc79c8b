"""Networks of many kinds, for models that must do well on any table.

The paper's networks are alike: narrow columns, tables without structure, 10,000 rows. Here graph, cardinalities, kinds
of tables and number of rows are drawn anew for every network: a few columns or hundreds, hubs, trees, pedigrees,
processes in time, fault trees; two states or a hundred; functions, copies, noisy-or, ordered effects, faint ones;
columns that are constant in the sample; 300 to 50,000 rows. The recipe is data, kept in the card of a model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from ml4c.bayesnet import CPT, BayesNet
from ml4c.dataset import Dataset
from ml4c.errors import ModelError
from ml4c.graph import Graph, topological_order
from ml4c.synthesis import graphs, tables
from ml4c.synthesis.fields import Fields

GRAPHS = ("random", "hubs", "tree", "polytree", "layers", "pedigree")
FAULT_TREE = "fault tree"
"""The kind of graph of the share that is fault trees."""
CARDINALITIES = ("binary", "narrow", "medium", "wide")
SAMPLE, SMOOTHNESS, RISK, TREES = 1, 2, 3, 4
"""Last parts of the spawn keys of a network's sample, of whether it is smooth, of its rare effects, of whether it is a
fault tree: no random number is shared with the network itself."""
TAKEN_AGAIN = 0.2
"""Share of the numbers that come again with rare effects; each says by a draw of its own whether it does."""
MOST_CASES = 0.25
"""Share of the sample in which a rare effect is expected at most if its causes do little."""


@dataclass(frozen=True)
class WorldRecipe(Fields):
    """Ranges from which every network of a distribution is drawn; sizes, rows and wide columns log-uniformly.

    graphs and cardinalities are pairs (kind, weight). fault_trees: share of networks whose graph is one instead.
    max_cells: most cells of a sample, which bounds rows times columns. max_table: most cells of a conditional table; a
    node with a larger one loses parents. kinds: of tables; evenness: of their shares in a network, alpha of a Dirichlet
    distribution. rare_roots: share of networks all whose nodes without parents are in one state most of the time, so
    that few rows say anything; rarity: how probable all of their other states are, least and most, as powers of ten.
    quiet: share of those networks in which columns, how many is drawn, stay in one state as long as their parents do,
    so that whole regions never vary in the sample. smooth: share of networks in which all effects are gradual, as of
    measurements that were cut into states (SMOOTH_KINDS). again: share of networks, the last ones, that have rare
    effects: columns, how many is drawn, are in one state most of the time, and each parent multiplies the odds of the
    others, as risk factors do those of a disease. They are a fifth of the numbers from 0 on, so most are earlier
    networks once more. fewest_cases: as many rows of the sample are expected at least to have a rare effect if its
    causes do little; below a few, some effects are absent. redraws: a table in which a parent makes no difference is
    drawn again, so many times at most, and a parent that still makes none is no parent; 0 leaves both as they are, and
    so do rare effects and regions that never vary, whose tables are changed afterwards.
    """

    name: str = "world"
    seed: int = 0
    networks: int = 600
    nodes: tuple[int, int] = (5, 200)
    rows: tuple[int, int] = (300, 50_000)
    max_cells: int = 2_000_000
    edges_per_node: tuple[float, float] = (1.0, 2.2)
    max_parents: int = 6
    max_table: int = 100_000
    graphs: tuple[tuple[str, float], ...] = (
        ("random", 0.3),
        ("hubs", 0.25),
        ("layers", 0.15),
        ("pedigree", 0.1),
        ("polytree", 0.12),
        ("tree", 0.08),
    )
    cardinalities: tuple[tuple[str, float], ...] = (
        ("binary", 0.2),
        ("narrow", 0.4),
        ("medium", 0.25),
        ("wide", 0.15),
    )
    kinds: tuple[str, ...] = tuple(tables.KINDS)
    evenness: float = 0.4
    rare_roots: float = 0.0
    rarity: tuple[float, float] = (-2.5, -0.5)
    quiet: float = 0.0
    smooth: float = 0.0
    fault_trees: float = 0.0
    again: float = 0.0
    fewest_cases: float = 0.5
    redraws: int = 0

    def __post_init__(self) -> None:
        for wrong, reason in (*_faults(self), *_kind_faults("cardinalities", self.cardinalities, self._widths())):
            if wrong:
                raise ModelError(f"recipe {self.name!r}: {reason}")

    def _widths(self) -> tuple[str, ...]:
        """Return the kinds of cardinalities that can be drawn."""
        return CARDINALITIES

    def draw_cards(self, kind: str, nodes: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the cardinalities of so many nodes."""
        return _draw_cards(kind, nodes, rng)


@dataclass(frozen=True)
class WorldNetwork:
    """A network of a recipe, the kinds it was drawn from, and the number of rows of its sample.

    number: that of its random numbers; one with rare effects has those of the network without.
    """

    net: BayesNet
    recipe: WorldRecipe
    number: int
    graph: str
    cardinality: str
    rows: int
    rare_effects: bool

    def sample(self, rows: int | None = None) -> Dataset:
        """Draw its number of records, or `rows`; the seed belongs to the network."""
        return self.net.sample(self.rows if rows is None else rows, _seed(self.recipe, self.number, SAMPLE))


def world_network(recipe: WorldRecipe, index: int) -> WorldNetwork:
    """Make network `index` of a recipe, from 0 on; ModelError if it has fewer networks."""
    if not 0 <= index < recipe.networks:
        raise ModelError(f"recipe {recipe.name!r} has the networks 0 to {recipe.networks - 1}, not {index}")
    first = recipe.networks - round(recipe.networks * recipe.again)
    rare = index >= first
    number = _taken_again(recipe, index - first) if rare else index
    rng = np.random.default_rng(np.random.SeedSequence(recipe.seed, spawn_key=(number,)))
    graph, cardinality = _one_of(recipe.graphs, rng), _one_of(recipe.cardinalities, rng)
    if np.random.default_rng(_seed(recipe, number, TREES)).random() < recipe.fault_trees:
        graph = FAULT_TREE
    dag = _draw_dag(recipe, graph, rng)
    cards = recipe.draw_cards(cardinality, len(dag), rng)
    _drop_parents(dag, cards, recipe.max_table, rng)
    rows = min(_log_uniform(recipe.rows, rng), recipe.max_cells // len(dag))
    cpts = _tables(dag, cards, _palette(recipe, number), recipe, rng)
    if rare:
        _make_rare(cpts, recipe.fewest_cases / rows, _risk(recipe, number)[1])
    names = tuple(f"V{node}" for node in range(len(dag)))
    states = tuple(tuple(str(state) for state in range(card)) for card in cards.tolist())
    return WorldNetwork(BayesNet(names, states, tuple(cpts)), recipe, number, graph, cardinality, rows, rare)


def _taken_again(recipe: WorldRecipe, place: int) -> int:
    """Return the number in a place among those that come again."""
    taken = (number for number in count() if _risk(recipe, number)[0])
    return next(islice(taken, place, None))


def _risk(recipe: WorldRecipe, number: int) -> tuple[bool, np.random.Generator]:
    """Say whether a number comes again, and return the generator of its rare effects."""
    rng = np.random.default_rng(_seed(recipe, number, RISK))
    return bool(rng.random() < TAKEN_AGAIN), rng


def _seed(recipe: WorldRecipe, number: int, part: int) -> np.random.SeedSequence:
    """Return a seed for one part of a network, so that the rest is the same with it and without."""
    return np.random.SeedSequence(recipe.seed, spawn_key=(number, part))


@dataclass(frozen=True)
class _Palette:
    """Kinds of tables, and those of nodes without parents."""

    kinds: tuple[str, ...]
    root_kinds: tuple[str, ...]


def _palette(recipe: WorldRecipe, number: int) -> _Palette:
    if np.random.default_rng(_seed(recipe, number, SMOOTHNESS)).random() < recipe.smooth:
        return _Palette(tables.SMOOTH_KINDS, tables.SMOOTH_ROOT_KINDS)
    return _Palette(recipe.kinds, tables.ROOT_KINDS)


def _one_of(weighted: tuple[tuple[str, float], ...], rng: np.random.Generator) -> str:
    weights = np.array([weight for _, weight in weighted])
    return weighted[int(rng.choice(len(weighted), p=weights / weights.sum()))][0]


def _log_uniform(span: tuple[int, int], rng: np.random.Generator) -> int:
    return round(math.exp(rng.uniform(math.log(span[0]), math.log(span[1]))))


def _draw_dag(recipe: WorldRecipe, kind: str, rng: np.random.Generator) -> Graph:
    nodes = _log_uniform(recipe.nodes, rng)
    edges = round(nodes * rng.uniform(*recipe.edges_per_node))
    most = recipe.max_parents
    if kind in ("random", "hubs"):
        weights = rng.pareto(1.5, nodes) + 0.3 if kind == "hubs" else np.ones(nodes)
        return graphs.random_dag(nodes, edges, most, weights, rng)
    if kind == "layers":
        return graphs.layered(nodes, edges, most, rng)
    if kind == "pedigree":
        return graphs.pedigree(nodes, rng)
    if kind == FAULT_TREE:
        return graphs.fault_tree(nodes, most, rng)
    return graphs.tree(nodes, 1 if kind == "tree" else most, rng)


def _draw_cards(kind: str, nodes: int, rng: np.random.Generator) -> NDArray[np.int64]:
    if kind == "binary":
        drawn = np.full(nodes, 2)
    elif kind == "narrow":
        drawn = np.minimum(1 + rng.geometric(0.5, nodes), 6)
    elif kind == "medium":
        drawn = rng.integers(2, 25, nodes, endpoint=True)
    else:
        drawn = np.rint(np.exp(rng.uniform(math.log(2), math.log(100), nodes)))
    return drawn.astype(np.int64)


def _drop_parents(dag: Graph, cards: NDArray[np.int64], most_cells: int, rng: np.random.Generator) -> None:
    """Take parents from nodes whose table would be too large, in a random order."""
    for node in range(len(dag)):
        parents = rng.permutation(np.flatnonzero(dag[:, node])).tolist()
        while cards[node] * math.prod(cards[parents].tolist()) > most_cells:
            dag[parents.pop(), node] = 0


def _tables(
    dag: Graph, cards: NDArray[np.int64], palette: _Palette, recipe: WorldRecipe, rng: np.random.Generator
) -> list[CPT]:
    """Draw the tables; how often each kind occurs is drawn for the network."""
    kinds, root_kinds = palette.kinds, palette.root_kinds
    share = rng.dirichlet(np.full(len(kinds), recipe.evenness))
    root_share = share[[kinds.index(kind) for kind in root_kinds]]
    rare = recipe.rare_roots > 0 and rng.random() < recipe.rare_roots
    cpts = []
    for node in range(len(dag)):
        parents = np.flatnonzero(dag[:, node]).tolist()
        if rare and not parents:
            cpts.append(CPT((), tables.usual(int(cards[node]), recipe.rarity, rng)))
            continue
        kind = kinds[rng.choice(len(kinds), p=share)]
        if not parents:
            kind = root_kinds[rng.choice(len(root_share), p=root_share / root_share.sum())]
        cpts.append(_table(kind, node, parents, cards, recipe.redraws, rng))
        dag[parents, node] = np.isin(parents, cpts[-1].parents)
    if rare and recipe.quiet > 0 and rng.random() < recipe.quiet:
        _quieten(dag, cpts, recipe.rarity, rng)
    return cpts


def _table(
    kind: str, node: int, parents: list[int], cards: NDArray[np.int64], redraws: int, rng: np.random.Generator
) -> CPT:
    """Draw the table of a node; with redraws no parent is left that makes no difference."""
    of_parents = [int(cards[p]) for p in parents]
    idle: list[int] = []
    for _ in range(1 + redraws):
        table = tables.KINDS[kind](int(cards[node]), of_parents, rng)
        idle = tables.idle_parents(table, of_parents) if redraws else []
        if not idle:
            break
    kept = tuple(p for place, p in enumerate(parents) if place not in idle)
    return CPT(kept, tables.without(table, of_parents, idle))


def _quieten(dag: Graph, cpts: list[CPT], rarity: tuple[float, float], rng: np.random.Generator) -> None:
    """Keep some columns in one state while all of their parents are in their usual ones; a leak is as rare as a cause.

    Not columns that nothing depends on: they are what is observed of all this.
    """
    cards = [cpt.table.shape[1] for cpt in cpts]
    usual = np.zeros(len(cpts), np.int64)
    share = rng.random()
    for node in topological_order(dag).tolist():
        parents = list(cpts[node].parents)
        quiet, leak = rng.random() < share, 10.0 ** rng.uniform(*rarity)
        at = np.ravel_multi_index(tuple(usual[parents]), tuple(cards[p] for p in parents)) if parents else 0
        row = cpts[node].table[at]
        usual[node] = row.argmax()
        if quiet and parents and dag[node].any():
            row *= leak
            row[usual[node]] += 1.0 - leak


def _make_rare(cpts: list[CPT], rarest: float, rng: np.random.Generator) -> None:
    """Make some columns rare effects of their parents, none of a smaller share of the rows if these do little."""
    cards = [cpt.table.shape[1] for cpt in cpts]
    fewest, most = math.log(min(rarest, MOST_CASES)), math.log(MOST_CASES)
    share = rng.random()
    for node, cpt in enumerate(cpts):
        base = math.exp(rng.uniform(fewest, most))
        if cpt.parents and rng.random() < share:
            cpts[node] = CPT(cpt.parents, tables.risky(cards[node], [cards[p] for p in cpt.parents], base, rng))


def _faults(recipe: WorldRecipe) -> list[tuple[bool, str]]:
    """Pair everything that can be wrong with its reason."""
    least, most = recipe.nodes
    few, many = recipe.rows
    low, high = recipe.edges_per_node
    return [
        (recipe.seed < 0, f"the seed is {recipe.seed}, it must not be negative"),
        (recipe.networks < 1, f"networks is {recipe.networks}, not 1 or more"),
        (not 3 <= least <= most, f"nodes {least} to {most} is not a range of 3 or more"),
        (not 1 <= few <= many, f"rows {few} to {many} is not a range of 1 or more"),
        (recipe.max_cells < few * most, f"max_cells is {recipe.max_cells}, too few for {few} rows of {most} columns"),
        (not 0.5 <= low <= high, f"edges_per_node {low} to {high} is not a range from 0.5 on"),
        (recipe.max_parents < 1, f"max_parents is {recipe.max_parents}, not 1 or more"),
        (recipe.max_table < 100, f"max_table is {recipe.max_table}, too few cells for a wide column"),
        *_kind_faults("graphs", recipe.graphs, GRAPHS),
        *_table_faults(recipe),
    ]


def _table_faults(recipe: WorldRecipe) -> list[tuple[bool, str]]:
    rarest, commonest = recipe.rarity
    unknown = [kind for kind in recipe.kinds if kind not in tables.KINDS]
    missing = [kind for kind in tables.ROOT_KINDS if kind not in recipe.kinds]
    return [
        (bool(unknown), f"unknown kinds of tables {unknown}; there are {', '.join(tables.KINDS)}"),
        (bool(missing), f"nodes without parents need tables of the kinds {missing}"),
        (not recipe.evenness > 0, f"evenness is {recipe.evenness}, not positive"),
        (not 0 <= recipe.rare_roots <= 1, f"rare_roots is {recipe.rare_roots}, not a share"),
        (not rarest <= commonest <= 0, f"rarity {rarest:g} to {commonest:g} is not a range of powers up to 0"),
        (not 0 <= recipe.quiet <= 1, f"quiet is {recipe.quiet}, not a share"),
        (not 0 <= recipe.smooth <= 1, f"smooth is {recipe.smooth}, not a share"),
        (not 0 <= recipe.fault_trees <= 1, f"fault_trees is {recipe.fault_trees}, not a share"),
        (not 0 <= recipe.again <= 1, f"again is {recipe.again}, not a share"),
        (recipe.redraws < 0, f"redraws is {recipe.redraws}, below 0"),
        (not recipe.fewest_cases > 0, f"fewest_cases is {recipe.fewest_cases}, not positive"),
    ]


def _kind_faults(field: str, weighted: tuple[tuple[str, float], ...], known: tuple[str, ...]) -> list[tuple[bool, str]]:
    unknown = [kind for kind, _ in weighted if kind not in known]
    return [
        (not weighted or any(weight <= 0 for _, weight in weighted), f"{field} needs kinds with positive weights"),
        (bool(unknown), f"{field} has unknown kinds {unknown}; there are {', '.join(known)}"),
    ]
