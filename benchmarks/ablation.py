"""What each part of the default model bought, on training networks that were held out in turn.

    ml4c train default -o DIR
    python benchmarks/ablation.py DIR [NETWORKS]

A row leaves out some features, the skeletons that were learned, or the decision over all triples at once; the learner
is fitted anew without each network in turn. Printed are the log loss over the triples of true and of learned skeletons,
and, on the true skeletons of every fifth network, the mean F1 of arrows, the mean SHD and the share of results that are
valid CPDAGs. NETWORKS: so many of the training networks, all unless given.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ml4c.graph import skeleton, unshielded_triples
from ml4c.meek import cpdag_of
from ml4c.metrics import edge_f1, shd
from ml4c.orientation import ON_GIVEN, orient_as_published, orient_globally
from ml4c.synthesis import load_recipe, world_network
from ml4c.training import FeatureStore
from ml4c.training.colliders import collider_fit
from ml4c.training.gathering import Gathered
from ml4c.training.held_out import held_out_probability, log_loss
from ml4c.training.lessons import lesson_of
from ml4c.triple_scores import GAINS, MEAN, SCORE_NAMES, SCORES

LEARNED = SCORE_NAMES.index("skeleton learned")
EVERY = 5
"""One network of so many is oriented."""
Keeps = Callable[[str], bool]


def of_walks(name: str) -> bool:
    """Tell features of walks over all orientations."""
    return ": colliders at" in name or name.endswith(": best") or name == "best orientations that agree"


def of_gains(name: str) -> bool:
    """Tell features of three columns by themselves."""
    return any(name == f"{score}: {gain}" for score in SCORES for gain in GAINS)


VARIANTS: dict[str, Keeps] = {
    "all 44": lambda _: True,
    "without walks": lambda name: not of_walks(name),
    "without gains of three columns": lambda name: not of_gains(name),
    "without context": lambda name: of_walks(name) or of_gains(name),
    "without `poe`": lambda name: not name.startswith(("poe: ", f"{MEAN}: ")) and "agree" not in name,
    "`poe` alone": lambda name: not name.startswith(("mix: ", "bdeu: ", f"{MEAN}: ")) and "agree" not in name,
    "`bdeu` alone": lambda name: not name.startswith(("poe: ", "mix: ", f"{MEAN}: ")) and "agree" not in name,
}


def main() -> None:
    """Fit, judge and decide, variant by variant."""
    recipe = load_recipe("default")
    lesson = lesson_of(recipe)
    networks = int(sys.argv[2]) if len(sys.argv) > 2 else lesson.networks
    whole = FeatureStore(Path(sys.argv[1]), recipe, lesson.embedding).gathered(networks)
    dags = [world_network(recipe, index).net.dag for index in range(networks)]
    print("| what | log loss, true skeletons | learned | mean F1 | mean SHD | valid |\n|---|---|---|---|---|---|")
    for title, keeps in VARIANTS.items():
        kept = [k for k, name in enumerate(SCORE_NAMES) if keeps(name)]
        probability = judged(replace(whole, matrix=np.ascontiguousarray(whole.matrix[:, kept])))
        show(title, whole, probability, dags)
        if title == "all 44":
            show("all 44, pairwise conflicts as published (threshold 1/3)", whole, probability, dags, published=True)
    show("all 44, trained on true skeletons only", whole, on_true_ones(whole), dags)


def judged(whole: Gathered) -> np.ndarray:
    """Return the probability of every triple by a learner that was fitted without its network."""
    return held_out_probability(whole, collider_fit(whole, n_jobs=2), 2)


def on_true_ones(whole: Gathered) -> np.ndarray:
    """Return the same by learners that saw no learned skeleton."""
    given = whole.matrix[:, LEARNED] == 0
    fit = collider_fit(whole, n_jobs=2)
    return held_out_probability(whole, lambda rows: fit(rows & given), 2)


def show(
    title: str, whole: Gathered, probability: np.ndarray, dags: list[np.ndarray], *, published: bool = False
) -> None:
    """Print one row."""
    given = whole.matrix[:, LEARNED] == 0
    losses = [log_loss(probability[mine], whole.labels[mine]) for mine in (given, ~given)]
    figures, at, waiting = [], 0, probability[given]
    for index, dag in enumerate(dags):
        a, truth = skeleton(dag), cpdag_of(dag)
        triples = unshielded_triples(a)
        mine = waiting[at : at + len(triples)]
        at += len(triples)
        if index % EVERY:
            continue
        rule = orient_as_published if published else orient_globally
        found = rule(a, triples, mine, threshold=ON_GIVEN)
        figures.append((edge_f1(truth, found.cpdag), shd(truth, found.cpdag), found.certificate.valid))
    f1, distance, valid = np.mean(figures, axis=0)
    print(f"| {title} | {losses[0]:.3f} | {losses[1]:.3f} | {f1:.3f} | {distance:.2f} | {valid:.0%} |", flush=True)


if __name__ == "__main__":
    main()
