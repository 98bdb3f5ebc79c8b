"""`discover` with the accurate skeleton: probabilities of edges reach the user."""

import csv

import numpy as np
import pytest

import ml4c
from ml4c.bif import load_network
from ml4c.orientation import orient_globally
from ml4c.pipeline import steps


@pytest.mark.jit
def test_probabilities_of_edges_reach_the_result_the_file_and_the_words(tmp_path):
    found = ml4c.discover(load_network("asia").sample(2000, seed=1), skeleton_method="accurate", n_jobs=1)
    assert found.learned.method == "accurate"
    assert found.edges
    assert all(0 < edge.edge_probability <= 1 for edge in found.edges)
    found.save(tmp_path)
    with open(tmp_path / "edges.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    written = {(row["source"], row["target"]): float(row["edge_probability"]) for row in rows}
    for edge in found.edges:
        assert written[edge.source, edge.target] == pytest.approx(edge.edge_probability, abs=1e-6)
    edge = found.edges[0]
    assert f"has the probability {edge.edge_probability:.2f}" in found.explain(edge.source, edge.target)


@pytest.mark.jit
def test_the_fast_skeleton_has_no_such_probabilities(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=500)
    found = ml4c.discover(
        ml4c.Dataset.from_array(np.column_stack([a, a ^ (rng.random(500) < 0.1)])), skeleton_method="fast"
    )
    assert [edge.edge_probability for edge in found.edges] == [None]
    found.save(tmp_path)
    assert "edge_probability" not in (tmp_path / "edges.csv").read_text()


@pytest.mark.jit
def test_triples_of_doubtful_edges_count_less(monkeypatch):
    counted = []

    def spied(*args, weights, **options):
        counted.append((args[1], weights))
        return orient_globally(*args, weights=weights, **options)

    monkeypatch.setattr(steps, "orient_globally", spied)
    table = load_network("asia").sample(2000, seed=1)
    found = ml4c.discover(table, skeleton_method="accurate", n_jobs=1)
    names, (triples, weights) = sorted(table.names), counted.pop()
    chance = {frozenset(pair): p for pair, p in chances(found.learned)}
    for triple, weight in zip(triples.tolist(), weights.tolist(), strict=True):
        x, t, y = (names[k] for k in triple)
        is_one = chance[frozenset((x, t))] * chance[frozenset((t, y))] * (1 - chance[frozenset((x, y))])
        assert weight == pytest.approx(is_one**0.5)
    assert len(set(weights.tolist())) > 1
    ml4c.discover(table, skeleton_method="fast", n_jobs=1)
    assert set(counted.pop()[1].tolist()) == {1.0}


@pytest.mark.jit
def test_what_knowledge_states_is_not_doubted(monkeypatch):
    asked = []
    monkeypatch.setattr(
        steps, "chances_of_triples", lambda edge, triples: (asked.append(edge), np.ones(len(triples)))[1]
    )
    table = load_network("asia").sample(2000, seed=1)
    names = sorted(table.names)
    i, j = names.index("asia"), names.index("smoke")
    for known in (None, ml4c.Knowledge(adjacent=[("asia", "smoke")]), ml4c.Knowledge(required=[("asia", "smoke")])):
        ml4c.discover(table, skeleton_method="accurate", knowledge=known, n_jobs=1)
    assert asked[0][i, j] < 0.5
    assert [edge[i, j] for edge in asked[1:]] == [edge[j, i] for edge in asked[1:]] == [1.0, 1.0]


def chances(learned):
    """Every pair of columns and how probable its edge is."""
    for evidence in (learned.skeleton.present, learned.skeleton.absent):
        for (i, j), probability in zip(evidence.pairs.tolist(), evidence.probability.tolist(), strict=True):
            yield (learned.names[i], learned.names[j]), probability
