"""The study of the paper's Table 5: train on one kind of synthetic network, test on another, all else alike.

The paper does not say how many networks a model was trained on. Here every model sees about the same number of triples:
networks of its kind until there are TRIPLES of them. The common ground is 50 nodes, 1.5 edges for each, 10,000
records, Erdos-Renyi graphs. Models stay in the folder `models/transfer`, and the scores of each model are lines of
`transfer.jsonl`, so a run goes on from what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

from ml4c.benchmark.linefile import LineFile
from ml4c.citest import DataTest
from ml4c.embedding import draw_embedding
from ml4c.features import TripleFeatures, triple_features
from ml4c.graph import Graph, skeleton, unshielded_triples
from ml4c.learner import Learner, load_learner
from ml4c.meek import cpdag_of
from ml4c.metrics import edge_f1, shd
from ml4c.orientation import orient_as_published
from ml4c.synthesis import PaperRecipe, network
from ml4c.training import train

TRIPLES = 2000
TESTS = 5
FIRST_TEST = 4000
"""Networks from this number on are for tests only."""
GROUND = PaperRecipe(
    name="transfer",
    seed=5,
    sizes=((50, 50),),
    edges_per_node=(1.5, 1.5),
    graph_models=("erdos-renyi",),
    replicates=5000,
)
Recipes: TypeAlias = Mapping[str, PaperRecipe]
DOMAINS: Mapping[str, Recipes] = {
    "nodes": {
        label: replace(GROUND, sizes=((count, count),))
        for label, count in (("10", 10), ("50", 50), ("100", 100), ("1k", 1000))
    },
    "sparsity": {str(s): replace(GROUND, edges_per_node=(float(s), float(s))) for s in (1, 2, 3, 4)},
    "samples": {f"{k}k": replace(GROUND, rows=1000 * k) for k in (1, 5, 10, 20)},
    "graph": {"ER": GROUND, "SF": replace(GROUND, graph_models=("barabasi",))},
}
Progress: TypeAlias = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Transfer:
    """What a model trained on one kind of network scores on the test networks of another."""

    domain: str
    train: str
    test: str
    shd: tuple[int, ...]
    f1: tuple[float, ...]


def read_transfers(folder: Path) -> list[Transfer]:
    """Return what a folder has of the study."""
    lines = LineFile(folder / "transfer.jsonl").read()
    return [Transfer(**{**line, "shd": tuple(line["shd"]), "f1": tuple(line["f1"])}) for line in lines]


def run_transfers(
    folder: Path, *, executor: Executor | None = None, jobs: int | None = None, progress: Progress | None = None
) -> list[Transfer]:
    """Train and test what a folder lacks; returns all that it then has."""
    report = progress or (lambda _done, _all, _words: None)
    file = LineFile(folder / "transfer.jsonl")
    kinds = [(domain, kind) for domain, recipes in DOMAINS.items() for kind in recipes]
    with file.writing():
        for number, (domain, kind) in enumerate(kinds):
            report(number, len(kinds), f"Table 5: {domain} {kind}")
            known = {(t.domain, t.train, t.test) for t in read_transfers(folder)}
            missing = [test for test in DOMAINS[domain] if (domain, kind, test) not in known]
            if missing:
                learner = _trained(DOMAINS[domain][kind], folder / "models" / "transfer", executor, jobs)
                for test in missing:
                    found = _tested(learner, _cases(DOMAINS[domain][test]))
                    file.append({"domain": domain, "train": kind, "test": test, **found})
    report(len(kinds), len(kinds), "Table 5: done")
    return read_transfers(folder)


def _trained(recipe: PaperRecipe, folder: Path, executor: Executor | None, jobs: int | None) -> Learner:
    size, density = recipe.sizes[0][0], recipe.edges_per_node[0]
    home = folder / f"{size}-{density}-{recipe.rows}-{recipe.graph_models[0]}"
    train(recipe, home, limit=_networks_for(recipe), executor=executor, n_jobs=jobs)
    return load_learner(home)


def _networks_for(recipe: PaperRecipe) -> int:
    """Count the networks that have TRIPLES triples together."""
    count = total = 0
    while total < TRIPLES:
        total += len(unshielded_triples(skeleton(network(recipe, count).net.dag)))
        count += 1
    return count


@dataclass(frozen=True, eq=False)
class _Case:
    """A network that no model has seen, with the features of its triples."""

    dag: Graph
    features: TripleFeatures


@cache
def _cases(recipe: PaperRecipe) -> list[_Case]:
    """Make the test networks of a recipe; all models here share one embedding, so their features serve them all."""
    made = [network(recipe, index) for index in range(FIRST_TEST, FIRST_TEST + TESTS)]
    embedding = draw_embedding(GROUND.seed)
    return [
        _Case(m.net.dag, triple_features(DataTest(m.sample()), skeleton(m.net.dag), embedding=embedding)) for m in made
    ]


def _tested(learner: Learner, cases: list[_Case]) -> dict[str, list[float]]:
    """Return SHD and F1 of a model on test networks."""
    scores: dict[str, list[float]] = {"shd": [], "f1": []}
    for case in cases:
        probability = learner.probability(case.features.matrix)
        graph = orient_as_published(skeleton(case.dag), case.features.triples, probability).cpdag
        truth = cpdag_of(case.dag)
        scores["shd"].append(shd(truth, graph))
        scores["f1"].append(edge_f1(truth, graph))
    return scores
