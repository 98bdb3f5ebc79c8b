"""The paper's Table 5: train on one kind of synthetic network, test on another, with everything else alike.

    python benchmarks/transfer.py run -o DIR [--triples 2000] [--tests 5] [--jobs 2]
    python benchmarks/transfer.py write >> docs/results.md

The paper does not say how many networks a model was trained on. Here every model sees about the same number of triples:
networks of its kind until there are `--triples` of them. The common ground is 50 nodes, 1.5 edges for each, 10,000
records, Erdos-Renyi graphs. Models are kept in DIR and results in benchmarks/transfer.json, so a run goes on from what
is there.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from ml4c import DataTest, cpdag_of, edge_f1, shd
from ml4c.embedding import draw_embedding
from ml4c.features import TripleFeatures, triple_features
from ml4c.graph import skeleton, unshielded_triples
from ml4c.learner import TripleLearner, load_learner
from ml4c.orientation import orient_as_published
from ml4c.synthesis import PaperRecipe, network
from ml4c.training import train

GROUND = PaperRecipe(
    name="transfer",
    seed=5,
    sizes=((50, 50),),
    edges_per_node=(1.5, 1.5),
    graph_models=("erdos-renyi",),
    replicates=5000,
)
RESULTS = Path(__file__).parent / "transfer.json"
FIRST_TEST = 4000
"""Networks from this number on are for tests only."""
DOMAINS: dict[str, dict[str, PaperRecipe]] = {
    "nodes": {
        label: replace(GROUND, sizes=((count, count),))
        for label, count in (("10", 10), ("50", 50), ("100", 100), ("1k", 1000))
    },
    "sparsity": {str(s): replace(GROUND, edges_per_node=(float(s), float(s))) for s in (1, 2, 3, 4)},
    "samples": {f"{k}k": replace(GROUND, rows=1000 * k) for k in (1, 5, 10, 20)},
    "graph": {
        "ER": GROUND,
        "SF": replace(GROUND, graph_models=("barabasi",)),
    },
}


def key_of(recipe: PaperRecipe) -> str:
    """Name a recipe by what distinguishes it here."""
    return f"{recipe.sizes[0][0]}-{recipe.edges_per_node[0]}-{recipe.rows}-{recipe.graph_models[0]}"


def networks_for(recipe: PaperRecipe, triples: int) -> int:
    """Count the networks that have so many triples together."""
    count = total = 0
    while total < triples:
        total += len(unshielded_triples(skeleton(network(recipe, count).net.dag)))
        count += 1
    return count


@dataclass(frozen=True, eq=False)
class Case:
    """A network that no model has seen, with the features of its triples."""

    dag: np.ndarray
    features: TripleFeatures


@cache
def cases(recipe: PaperRecipe, tests: int) -> list[Case]:
    """Make the test networks of a recipe; all models here share one embedding, so their features serve them all."""
    made = [network(recipe, index) for index in range(FIRST_TEST, FIRST_TEST + tests)]
    embedding = draw_embedding(GROUND.seed)
    return [
        Case(m.net.dag, triple_features(DataTest(m.sample()), skeleton(m.net.dag), embedding=embedding)) for m in made
    ]


def tested(learner: TripleLearner, some: list[Case]) -> list[tuple[int, float]]:
    """Return SHD and F1 of a model on test networks."""
    scores = []
    for case in some:
        probability = learner.probability(case.features.matrix)
        graph = orient_as_published(skeleton(case.dag), case.features.triples, probability).cpdag
        truth = cpdag_of(case.dag)
        scores.append((shd(truth, graph), edge_f1(truth, graph)))
    return scores


def _known() -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Read the results that are there."""
    found: dict[str, dict[str, list[tuple[int, float]]]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return found


def run(folder: Path, triples: int, tests: int, jobs: int) -> None:
    """Train and test what is missing."""
    known = _known()
    for domain, recipes in DOMAINS.items():
        for trained_on, recipe in recipes.items():
            if f"{domain} {trained_on}" in known:
                continue
            home = folder / key_of(recipe)
            train(recipe, home, limit=networks_for(recipe, triples), n_jobs=jobs)
            learner = load_learner(home)
            results = {tested_on: tested(learner, cases(other, tests)) for tested_on, other in recipes.items()}
            known[f"{domain} {trained_on}"] = results
            RESULTS.with_suffix(".part").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
            os.replace(RESULTS.with_suffix(".part"), RESULTS)
            print(domain, trained_on, {k: round(float(np.mean(v, axis=0)[1]), 3) for k, v in results.items()})


def write() -> None:
    """Print the table."""
    with (Path(__file__).parent / "published" / "table5_transferability.csv").open(
        newline="", encoding="utf-8"
    ) as file:
        published = {(r["domain"], r["train"], r["test"]): r for r in csv.DictReader(file)}
    known = _known()
    print("\n## Table 5: trained on one kind of network, tested on another\n")
    print("Every model saw about 2,000 triples; five test networks; mean ± standard deviation over them. Made by")
    print("`python benchmarks/transfer.py run -o DIR`, then `python benchmarks/transfer.py write`.\n")
    print("| domain | train | test | SHD | F1 | published SHD | published F1 |\n|---|---|---|---|---|---|---|")
    for domain, recipes in DOMAINS.items():
        for trained_on in recipes:
            results = known[f"{domain} {trained_on}"]
            for tested_on, scores in results.items():
                mean, deviation = np.mean(scores, axis=0), np.std(scores, axis=0)
                said = published[domain, trained_on, tested_on]
                print(
                    f"| {domain} | {trained_on} | {tested_on} | {mean[0]:.1f} ± {deviation[0]:.1f} "
                    f"| {mean[1]:.2f} ± {deviation[1]:.2f} | {said['shd_mean']} ± {said['shd_std']} "
                    f"| {said['f1_mean']} ± {said['f1_std']} |"
                )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "write"])
    parser.add_argument("-o", "--output", type=Path, help="features and models")
    parser.add_argument("--triples", type=int, default=2000)
    parser.add_argument("--tests", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.command == "run" and options.output is None:
        parser.error("run needs -o DIR for features and models")
    if options.command == "run":
        run(options.output, options.triples, options.tests, options.jobs)
    else:
        write()


if __name__ == "__main__":
    main()
