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

from ml4c.graph import skeleton
from ml4c.meek import cpdag_of
from ml4c.metrics import edge_f1, shd
from ml4c.orientation import ON_GIVEN, orient_as_published, orient_globally
from ml4c.training.colliders import LEARNED, collider_fit
from ml4c.training.gathering import Gathered
from ml4c.training.held_out import held_out_probability, log_loss
from ml4c.triple_scores import GAINS, MEAN, SCORE_NAMES, SCORES
from training_folder import gathered, on_true_skeletons

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
    whole = gathered("default", Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
    print("| what | log loss, true skeletons | learned | mean F1 | mean SHD | valid |\n|---|---|---|---|---|---|")
    for title, keeps in VARIANTS.items():
        kept = [k for k, name in enumerate(SCORE_NAMES) if keeps(name)]
        probability = judged(replace(whole, matrix=np.ascontiguousarray(whole.matrix[:, kept])))
        show(title, whole, probability)
        if title == "all 44":
            show("all 44, pairwise conflicts as published (threshold 1/3)", whole, probability, published=True)
    show("all 44, trained on true skeletons only", whole, on_true_ones(whole))


def judged(whole: Gathered) -> np.ndarray:
    """Return the probability of every triple by a learner that was fitted without its network."""
    return held_out_probability(whole, collider_fit(whole, n_jobs=2), 2)


def on_true_ones(whole: Gathered) -> np.ndarray:
    """Return the same by learners that saw no learned skeleton."""
    given = whole.matrix[:, LEARNED] == 0
    fit = collider_fit(whole, n_jobs=2)
    return held_out_probability(whole, lambda rows: fit(rows & given), 2)


def show(title: str, whole: Gathered, probability: np.ndarray, *, published: bool = False) -> None:
    """Print one row."""
    given = whole.matrix[:, LEARNED] == 0
    losses = [log_loss(probability[mine], whole.labels[mine]) for mine in (given, ~given)]
    rule, figures = orient_as_published if published else orient_globally, []
    for dag, triples, mine, _ in on_true_skeletons(whole, probability):
        truth, found = cpdag_of(dag), rule(skeleton(dag), triples, mine, threshold=ON_GIVEN)
        figures.append((edge_f1(truth, found.cpdag), shd(truth, found.cpdag), found.certificate.valid))
    f1, distance, valid = np.mean(figures, axis=0)
    print(f"| {title} | {losses[0]:.3f} | {losses[1]:.3f} | {f1:.3f} | {distance:.2f} | {valid:.0%} |", flush=True)


if __name__ == "__main__":
    main()
