"""Random tables for tests: skewed, constant, wide, copied and missing columns."""

import numpy as np
from hypothesis import strategies as st

from conftest import JIT
from ml4c.dataset import Dataset

MOST_ROWS = 5000 if JIT else 150
WIDEST = 100


@st.composite
def code_tables(draw, most_rows=MOST_ROWS, most_columns=6, least_columns=2, missing=False):
    """A (rows, columns) array of codes, -1 for missing, with columns of very different kinds."""
    rows = draw(st.one_of(st.integers(1, 40), st.integers(1, most_rows)))
    n_columns = draw(st.integers(least_columns, most_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = []
    for _ in range(n_columns):
        card = draw(st.one_of(st.integers(1, 5), st.integers(1, WIDEST)))
        skew = draw(st.sampled_from([0.05, 0.5, 5.0]))
        column = rng.choice(card, rows, p=rng.dirichlet(np.full(card, skew)))
        if columns and draw(st.booleans()):
            follow = rng.random(rows) < draw(st.sampled_from([0.3, 0.9, 1.0]))
            column = np.where(follow, columns[rng.integers(len(columns))] % card, column)
        columns.append(column)
    codes = np.stack(columns, axis=1)
    if missing:
        codes[rng.random(codes.shape) < draw(st.sampled_from([0.05, 0.4]))] = -1
        codes[rng.integers(rows, size=n_columns), np.arange(n_columns)] = 0
    return codes


def dataset(codes):
    """A Dataset of such codes."""
    names = [f"c{j}" for j in range(codes.shape[1])]
    rows = [[None if v < 0 else f"{v:05d}" for v in row] for row in codes.tolist()]
    if (codes < 0).any():
        return Dataset.from_array(rows, names, missing="available")
    return trusted(codes, names)


def trusted(codes, names=None):
    """A Dataset without the checks that refuse identifiers and such."""
    names = names or [f"c{j}" for j in range(codes.shape[1])]
    categories = [tuple(range(int(column.max()) + 1)) for column in codes.T]
    return Dataset.from_codes(names, categories, codes)


@st.composite
def questions_about(draw, n_columns, most=30, deepest=4):
    """Some questions (x, y, S) about a table of so many columns."""
    triples = []
    for _ in range(draw(st.integers(1, most))):
        order = draw(st.permutations(range(n_columns)))
        depth = draw(st.integers(0, min(deepest, n_columns - 2)))
        triples.append((order[0], order[1], tuple(order[2 : 2 + depth])))
    return triples
