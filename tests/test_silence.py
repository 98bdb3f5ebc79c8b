"""Edges about whose direction the data say nothing."""

import numpy as np
import pytest

import ml4c
from ml4c.errors import WorkError


def table(rows=3_000):
    """A collider a -> c <- b with d below it; e, f and g by themselves; h has one value."""
    rng = np.random.default_rng(0)
    a, b, e, f, g = rng.integers(0, 2, (5, rows))
    c = (a ^ b) ^ (rng.random(rows) < 0.1)
    d = c ^ (rng.random(rows) < 0.1)
    columns = {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": np.zeros(rows, int)}
    return ml4c.Dataset.from_array(np.column_stack(list(columns.values())), names=list(columns))


def undetermined(result):
    return {frozenset((edge.source, edge.target)): edge.undetermined for edge in result.edges}


def test_a_collider_that_interacts_is_heard_and_independent_columns_are_not():
    found = ml4c.orient(table(), ["a - c", "b - c", "c - d", "e - f", "f - g", "d - h"])
    said = undetermined(found)
    assert [said[frozenset(pair)] for pair in ("ac", "bc", "cd")] == [None, None, None]
    assert [said[frozenset(pair)] for pair in ("ef", "fg")] == ["no interaction", "no interaction"]
    assert said[frozenset("dh")] == "constant"
    assert "undetermined: the data say nothing about 3 directions" in found.headline
    assert "has a single value" in found.explain("d", "h")
    assert "no third column" in found.explain("e", "f")


def test_what_is_known_is_not_undetermined():
    knowledge = ml4c.Knowledge(required=[("d", "h")])
    found = ml4c.orient(table(), ["a - c", "b - c", "c - d", "d - h"], knowledge=knowledge)
    assert undetermined(found)[frozenset("dh")] is None


def test_the_published_model_tells_constants_alone():
    found = ml4c.orient(table(), ["a - c", "b - c", "c - d", "e - f", "f - g", "d - h"], model="paper")
    assert set(undetermined(found).values()) == {None, "constant"}


def test_files_carry_probabilities_and_silence(tmp_path):
    found = ml4c.orient(table(), ["a - c", "b - c", "c - d", "e - f", "f - g", "d - h"])
    found.save(tmp_path)
    header, *rows = (tmp_path / "edges.csv").read_text().splitlines()
    assert {"forward_probability", "backward_probability", "undetermined"} <= set(header.split(","))
    assert sum("no interaction" in row for row in rows) == 2
    read = ml4c.interop.read_document(tmp_path / "graph.json")
    assert read.edges == found.edges


def test_the_probability_is_that_of_the_edge_as_drawn():
    for edge in ml4c.orient(table(), ["a - c", "b - c", "c - d", "e - f", "f - g"]).edges:
        line = 1 - edge.forward_probability - edge.backward_probability
        assert edge.probability == pytest.approx(edge.forward_probability if edge.type == "directed" else line)


def test_decisions_reach_the_result_and_wrong_ones_are_refused():
    skeleton = ["a - c", "b - c", "c - d"]
    for options in ({"decision": "f1"}, {"decision": "shd"}, {"confidence": 0.9}):
        found = ml4c.orient(table(), skeleton, **options)
        assert found.certificate.valid
        assert {k: found.to_dict()["run"]["decision"][k] for k in options} == options
    for options in ({"decision": "any"}, {"confidence": 2.0}, {"model": "paper", "confidence": 0.9}):
        with pytest.raises(WorkError):
            ml4c.orient(table(), skeleton, **options)


def test_copies_are_undetermined_and_the_headline_tells_the_decision():
    whole = table()
    codes = np.column_stack([whole.codes, whole.codes[:, 0]])
    twice = ml4c.Dataset.from_array(codes, names=[*whole.names, "a2"])
    found = ml4c.discover(twice, confidence=0.9)
    assert undetermined(found)[frozenset(("a", "a2"))] == "copy"
    assert "decided for the best orientation, with no arrow that is less probable than 0.9" in found.headline
