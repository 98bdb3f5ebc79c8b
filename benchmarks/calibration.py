"""Whether the probabilities of a trained model mean what they say, on training networks that were held out in turn.

    ml4c train default -o DIR; python benchmarks/calibration.py default DIR [docs/calibration.png]
    ml4c train skeleton -o DIR; python benchmarks/calibration.py skeleton DIR
    python benchmarks/calibration.py larger
    python benchmarks/calibration.py smaller

Every network is judged by a learner that was fitted without it. Prints the expected calibration error (ten bins). Of
the default model: of triples on given and on learned skeletons, by the number of rows and by the largest cardinality of
a triple; and draws the reliability plot (needs matplotlib). Of the model of edges: of pairs that may be edges (a
probability of at least .02), by rows, columns and the larger cardinality. Errors of triples are also printed with
triples counted as in the training, where a network of a thousand counts less than a thousand times. `larger`: the
shipped model of edges on networks of the same kinds, with more columns than any that it was trained on (about five
minutes). `smaller`: the shipped default model on networks of the same kinds with as few columns as most tables of
users have, 1,000 new ones (a minute or two).
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from ml4c.learner import load_learner
from ml4c.skeleton import EDGE_FEATURE_NAMES, load_judge
from ml4c.synthesis import ColliderRecipe, SkeletonRecipe
from ml4c.training import compute_edges
from ml4c.training.colliders import compute_colliders, triple_weights
from ml4c.training.edges import DOUBTFUL
from ml4c.training.held_out import BINS, calibration_error, log_loss
from ml4c.triple_scores import SCORE_NAMES
from training_folder import judged

ROWS = (0, 1_000, 3_000, 10_000, 100_000)
COLUMNS = (0, 15, 50, 150, 501, 2_000)
CARDS = (0, 3, 7, 26, 101)
LARGER = {"networks": 40, "nodes": (501, 1_041), "seed": 5}
"""Networks that are larger than those of the training, which have 500 columns at most."""
SMALLER = {"networks": 1_000, "nodes": (4, 24), "again": 0.0, "seed": 6}
"""Networks that are smaller than most of the training, and none of them."""
SIZES = (4, 9, 15, 25)


def show(
    title: str,
    of: np.ndarray,
    edges: tuple[int, ...],
    labels: np.ndarray,
    probability: np.ndarray,
    weights: np.ndarray | None = None,
) -> None:
    """Print a row for each class of a property; with weights, the error with them too."""
    for low, high in pairwise(edges):
        mine = (of >= low) & (of < high)
        if not mine.any():
            continue
        errors = [calibration_error(probability[mine], labels[mine])]
        if weights is not None:
            errors.append(calibration_error(probability[mine], labels[mine], weights[mine]))
        figures = [*errors, log_loss(probability[mine], labels[mine])]
        row = [f"{title} {low:,} to {high - 1:,}", f"{int(mine.sum()):,}", *(f"{figure:.3f}" for figure in figures)]
        print(f"| {' | '.join(row)} |")


def draw(file: str, panels: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Draw observed against predicted frequencies."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(panels), figsize=(4 * len(panels), 4), sharey=True)
    for axis, (title, (probability, labels)) in zip(axes, panels.items(), strict=True):
        place = np.minimum((probability * BINS).astype(int), BINS - 1)
        count = np.bincount(place, minlength=BINS)
        predicted = np.bincount(place, probability, BINS) / np.maximum(count, 1)
        observed = np.bincount(place, labels, BINS) / np.maximum(count, 1)
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        axis.plot(predicted, observed, marker="o", color="#0b6670")
        axis.set(title=title, xlabel="probability that the model gives", aspect="equal")
    axes[0].set_ylabel("share that are v-structures")
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def show_triples(folder: Path, picture: str | None) -> None:
    """Print the tables of the default model; draw the plot if a file is named."""
    whole, probability = judged("default", folder)
    matrix, labels = whole.matrix, whole.labels
    learned = matrix[:, SCORE_NAMES.index("skeleton learned")] == 1
    rows = np.rint(np.exp(matrix[:, SCORE_NAMES.index("rows")]))
    cards = np.maximum(*(matrix[:, SCORE_NAMES.index(f"cardinality {of}")] for of in ("T", "max")))
    weights = triple_weights(whole)
    print("| triples | number | calibration error | triples counted as in training | log loss |\n|---|---|---|---|---|")
    panels = {}
    for title, mine in (("given skeletons", ~learned), ("learned skeletons", learned)):
        panels[title] = probability[mine], labels[mine]
        for words, of, edges in (("all rows", rows, (0, 100_000)), ("rows", rows, ROWS), ("categories", cards, CARDS)):
            show(f"{title}, {words}", of[mine], edges, labels[mine], probability[mine], weights[mine])
    if picture is not None:
        draw(picture, panels)


def show_pairs(matrix: np.ndarray, labels: np.ndarray, probability: np.ndarray) -> None:
    """Print the table of a model of edges, of pairs that may be edges."""
    doubtful = probability >= DOUBTFUL
    matrix, labels, probability = matrix[doubtful], labels[doubtful], probability[doubtful]
    rows, columns = (np.rint(np.exp(matrix[:, EDGE_FEATURE_NAMES.index(f"log {of}")])) for of in ("rows", "columns"))
    cards = matrix[:, EDGE_FEATURE_NAMES.index("cardinality hi")]
    print("| pairs that may be edges | number | calibration error | log loss |\n|---|---|---|---|")
    for title, of, edges in (("all rows", rows, (0, 100_000)), ("rows", rows, ROWS), ("columns", columns, COLUMNS)):
        show(title, of, edges, labels, probability)
    show("categories", cards, CARDS, labels, probability)


def show_larger() -> None:
    """Print the table of the model of edges beyond its training."""
    recipe = replace(SkeletonRecipe(), name="larger", **LARGER)
    units = [compute_edges(recipe, index) for index in range(recipe.networks)]
    show_pairs(
        np.concatenate([unit.matrix for unit in units]),
        np.concatenate([unit.labels for unit in units]),
        np.concatenate([load_judge().probability(unit.matrix) for unit in units]),
    )


def show_smaller() -> None:
    """Print the table of the default model on small networks."""
    recipe = replace(ColliderRecipe(), name="smaller", **SMALLER)
    units = [compute_colliders(recipe, index) for index in range(recipe.networks)]
    matrix, labels = np.concatenate([unit.matrix for unit in units]), np.concatenate([unit.labels for unit in units])
    probability = load_learner("default").probability(matrix)
    columns = np.rint(np.exp(matrix[:, SCORE_NAMES.index("columns")]))
    print("| triples | number | calibration error | log loss |\n|---|---|---|---|")
    for title, learned in (("given skeletons", 0), ("learned skeletons", 1)):
        mine = matrix[:, SCORE_NAMES.index("skeleton learned")] == learned
        show(f"{title}, columns", columns[mine], SIZES, labels[mine], probability[mine])


def main() -> None:
    """Read what to show, a recipe and its folder, `larger` or `smaller`; print the tables."""
    name, *rest = sys.argv[1:]
    if name == "larger":
        show_larger()
    elif name == "smaller":
        show_smaller()
    elif name == "skeleton":
        whole, probability = judged(name, Path(rest[0]))
        show_pairs(whole.matrix, whole.labels, probability)
    else:
        show_triples(Path(rest[0]), rest[1] if len(rest) > 1 else None)


if __name__ == "__main__":
    main()
