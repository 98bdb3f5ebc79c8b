"""The heat map of the paper's Figure 1: F1 of every method on every network, measured and published side by side."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ml4c.benchmark.cells import Record
from ml4c.benchmark.plans import Plan
from ml4c.benchmark.publications import published_accuracy
from ml4c.benchmark.summary import Results
from ml4c.benchmark.table1 import series_of, title_of
from ml4c.benchmark.unshuffled import TITLES, unshuffled_controls
from ml4c.errors import WorkError

DARK_BELOW = 0.55
"""Colours of smaller values are dark: numbers on them are white."""


def heat_map(records: Iterable[Record], plan: Plan) -> bytes:
    """Return the picture as a PNG file; WorkError if matplotlib is not installed."""
    added = [*filter(plan.covers, records), *unshuffled_controls(plan.networks, plan.main_rows)]
    results = Results(added, plan.networks)
    names = [name for name in (*TITLES, *plan.compared()) if results.covered(series_of(name, plan.main_rows))]
    measured = np.full((len(names), len(plan.networks)), np.nan)
    published = measured.copy()
    for i, name in enumerate(names):
        for j, network in enumerate(plan.networks):
            found = results.on(network, series_of(name, plan.main_rows), "f1")
            measured[i, j] = np.nan if found is None else found.mean
            published[i, j] = published_accuracy().get((network, name), {}).get("f1", np.nan)
    return _drawn(measured, published, [title_of(name) for name in names], plan)


def _drawn(measured: NDArray[Any], published: NDArray[Any], titles: Sequence[str], plan: Plan) -> bytes:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise WorkError("the heat map needs matplotlib: pip install 'ml4c[bench]'") from None
    count, width = measured.shape
    figure = Figure(figsize=(4 + 0.9 * width, 2.2 + 0.3 * count), layout="constrained")
    FigureCanvasAgg(figure)
    seeds = f"mean of {plan.seeds} seeds" if plan.seeds > 1 else "one seed"
    words = (f"measured, {plan.main_rows:,} rows, {seeds}, columns shuffled", "published (10,000 rows)")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, values, title in zip(axes, (measured, published), words, strict=True):
        image = _panel(axis, values, plan.networks)
        axis.set_title(title, fontsize=10)
    axes[0].set_yticks(range(count), titles, fontsize=8)
    figure.colorbar(image, ax=axes, label="F1 over identifiable edges", shrink=0.7, pad=0.01)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=120, metadata={"Software": None})
    return stream.getvalue()


def _panel(axis: Any, values: NDArray[Any], networks: Sequence[str]) -> Any:
    """Draw one half; where there is no number the ground shows, grey."""
    axis.set_facecolor("0.88")
    image = axis.imshow(values, cmap="viridis", vmin=0.0, vmax=1.0, aspect="auto")
    axis.set_xticks(range(len(networks)), networks, rotation=60, ha="right", fontsize=8)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            colour = "white" if value < DARK_BELOW else "black"
            axis.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=6.5, color=colour)
    return image
