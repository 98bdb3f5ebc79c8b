"""Features from scores: what they say, and that no order changes them."""

from itertools import product

import numpy as np
import pytest

from conftest import JIT
from ml4c.bif import load_network
from ml4c.counting import pack_table
from ml4c.graph import skeleton, unshielded_triples
from ml4c.scores import LocalScores
from ml4c.triple_scores import SCORE_NAMES, best_by_score, score_triples
from tables import dataset

ROWS = 2_000 if JIT else 100


@pytest.fixture(scope="module")
def asia():
    net = load_network("asia")
    return net, net.sample(ROWS, seed=0)


def column(found, name):
    return found.matrix[:, SCORE_NAMES.index(name)]


def test_colliders_of_a_network_are_told_from_the_others():
    net = load_network("child" if JIT else "cancer")
    data = net.sample(5_000 if JIT else 500, seed=0)
    found = score_triples(pack_table(data), skeleton(net.dag))
    x, t, y = found.triples.T
    label = (net.dag[x, t] & net.dag[y, t]) == 1
    for name in ("poe: colliders at 1", "mix: colliders at 2", "poe: collider"):
        values = column(found, name)
        assert values[label].mean() > values[~label].mean() + 0.2


def test_gains_are_differences_of_scores(asia):
    net, data = asia
    packed = pack_table(data)
    found = score_triples(packed, skeleton(net.dag))
    scores = LocalScores(packed, "bdeu")
    for row, (x, t, y) in enumerate(found.triples.tolist()):
        collider = scores.of(x) + scores.of(y) + scores.of(t, [x, y])
        other = scores.of(t) + scores.of(x, [t]) + scores.of(y, [t])  # all others are equivalent under bdeu
        raw = collider - other
        assert column(found, "bdeu: collider")[row] == pytest.approx(np.sign(raw) * np.log1p(abs(raw)), abs=1e-6)
        gain = scores.of(x, [y, t]) - scores.of(x, [t])
        assert column(found, "bdeu: X~Y|T")[row] == pytest.approx(np.sign(gain) * np.log1p(abs(gain)), abs=1e-6)


def test_names_are_unique_and_every_feature_is_finite(asia):
    net, data = asia
    found = score_triples(pack_table(data), skeleton(net.dag))
    assert len(set(SCORE_NAMES)) == len(SCORE_NAMES) == found.matrix.shape[1]
    assert np.isfinite(found.matrix).all()
    assert found.triples.tolist() == unshielded_triples(net.dag).tolist()


def test_rows_categories_and_threads_change_no_bit(asia):
    net, data = asia
    rng = np.random.default_rng(0)
    codes = rng.permutation(data.codes.astype(int))
    for j in range(codes.shape[1]):
        codes[:, j] = rng.permutation(codes[:, j].max() + 1)[codes[:, j]]
    one = score_triples(pack_table(data), skeleton(net.dag), n_jobs=1)
    other = score_triples(pack_table(dataset(codes)), skeleton(net.dag), n_jobs=3)
    assert one.matrix.tobytes() == other.matrix.tobytes()


def test_exchanging_x_and_y_changes_nothing_but_chance(asia):
    """Columns in another order are other numbers for the walks; everything else is the same to the bit."""
    net, data = asia
    order = np.random.default_rng(1).permutation(net.n_nodes)
    one = score_triples(pack_table(data), skeleton(net.dag))
    other = score_triples(pack_table(data.select(order.tolist())), skeleton(net.dag)[np.ix_(order, order)])
    place = {(*sorted((x, y)), t): row for row, (x, t, y) in enumerate(one.triples.tolist())}
    still = [k for k, name in enumerate(SCORE_NAMES) if "colliders at" not in name and "best" not in name]
    for row, (x, t, y) in enumerate(order[other.triples].tolist()):
        twin = place[(*sorted((x, y)), t)]
        assert other.matrix[row, still].tobytes() == one.matrix[twin, still].tobytes()


def test_a_skeleton_without_triples_and_constant_columns_are_no_trouble():
    codes = np.column_stack([np.zeros(50, int), np.arange(50) % 2, np.arange(50) % 3, np.zeros(50, int)])
    packed = pack_table(dataset(codes))
    none = np.zeros((4, 4), np.int8)
    assert score_triples(packed, none).matrix.shape == (0, len(SCORE_NAMES))
    star = none.copy()
    star[0, 1:] = star[1:, 0] = 1
    assert np.isfinite(score_triples(packed, star).matrix).all()


@pytest.mark.parametrize("kind", ["poe", "mix", "bdeu"])
def test_the_best_by_a_score_is_better_than_all_other_orientations(kind):
    net = load_network("cancer")
    packed = pack_table(net.sample(2_000, seed=0))
    scores, a = LocalScores(packed, kind), skeleton(net.dag)

    def worth(dag):
        return sum(scores.of(v, np.flatnonzero(dag[:, v]).tolist()) for v in range(len(dag)))

    pairs = np.argwhere(np.triu(a))
    values = []
    for ways in product((False, True), repeat=len(pairs)):
        dag = np.zeros_like(a)
        for (i, j), way in zip(pairs, ways, strict=True):
            dag[(i, j) if way else (j, i)] = 1
        values.append(worth(dag))  # a tree: every orientation is acyclic
    found = best_by_score(packed, a, kind)
    assert (skeleton(found) == a).all()
    assert worth(found) == pytest.approx(max(values))
