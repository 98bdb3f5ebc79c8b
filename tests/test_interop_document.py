"""The document graph.json: what it says, what it keeps, and what a reader refuses."""

import datetime
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_graphs as naive
from ml4c.errors import GraphError
from ml4c.interop import FoundEdge, FoundTriple, GraphDocument, read_document
from ml4c.meek import certify

NAMES = ("rain", "sprinkler", "wet", "cold")
# rain -> wet <- sprinkler, cold alone
GRAPH = naive.graph(4, "0>2", "1>2")
DOCUMENT = GraphDocument(
    names=NAMES,
    edges=(FoundEdge("rain", "wet", "directed", 0.75, strength=3.5), FoundEdge("sprinkler", "wet", "directed")),
    triples=(FoundTriple("rain", "wet", "sprinkler", 0.75, "accepted"),),
    certificate=certify(GRAPH, NAMES),
    columns={"rain": {"categories": ["no", "yes"], "missing": 0}},
    run={"model": "paper", "options": {"seed": 0}},
)
PLAIN = {
    "format": "ml4c graph",
    "version": 1,
    "names": ["rain", "sprinkler", "wet", "cold"],
    "edges": [
        {"source": "rain", "target": "wet", "type": "directed", "probability": 0.75, "strength": 3.5},
        {"source": "sprinkler", "target": "wet", "type": "directed", "probability": None},
    ],
    "triples": [
        {
            "x": "rain",
            "t": "wet",
            "y": "sprinkler",
            "probability": 0.75,
            "verdict": "accepted",
            "lost_to": None,
            "reason": "",
        }
    ],
    "certificate": {
        "acyclic": True,
        "extendable": True,
        "closed": True,
        "is_cpdag": True,
        "reason": "",
        "valid": True,
    },
    "columns": [{"name": "rain", "categories": ["no", "yes"], "missing": 0}],
    "run": {"model": "paper", "options": {"seed": 0}},
}


def test_the_document_of_the_example():
    assert DOCUMENT.to_mapping() == PLAIN
    assert json.loads(DOCUMENT.to_json()) == PLAIN
    assert GraphDocument.from_mapping(PLAIN) == DOCUMENT
    assert np.array_equal(DOCUMENT.graph.matrix, GRAPH)
    assert DOCUMENT.graph.names == NAMES


def test_names_alone_are_a_document():
    document = GraphDocument.from_mapping({"format": "ml4c graph", "version": 1, "names": ["a"], "later": 1})
    assert document == GraphDocument(("a",))
    assert GraphDocument.from_json(document.to_json()) == document


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1))
def test_numbers_keep_all_their_digits(strength, probability):
    edge = FoundEdge("a", "b", "undirected", probability, strength=strength, adjacency=1.0, forward=0.0, backward=0.5)
    document = GraphDocument(("a", "b"), (edge,), (FoundTriple("a", "b", "a", probability, "rejected"),))
    assert GraphDocument.from_json(document.to_json()) == document


def test_facts_become_plain_values():
    facts = {
        "array": np.arange(2),
        "number": np.float32(0.5),
        "flag": np.True_,
        "day": datetime.date(2020, 1, 2),
        "bounds": (-np.inf, 0.0, np.nan),
        3: {"tuple": (1, None)},
    }
    run = json.loads(GraphDocument(("a",), run=facts).to_json())["run"]
    assert run == {
        "array": [0, 1],
        "number": 0.5,
        "flag": True,
        "day": "2020-01-02",
        "bounds": ["-inf", 0.0, "nan"],
        "3": {"tuple": [1, None]},
    }


def changed(**parts):
    return json.dumps({**PLAIN, **parts})


def edge(**parts):
    return changed(edges=[PLAIN["edges"][1], {**PLAIN["edges"][0], **parts}])


def triple(**parts):
    return changed(triples=[{**PLAIN["triples"][0], **parts}])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"format": NaN}', "not JSON .NaN is not a number of JSON"),
        ("[]", "not a graph of ml4c"),
        (changed(format="gml"), "not a graph of ml4c"),
        (changed(version=2), "written in version 2 of the format, this ml4c reads 1: pip install -U ml4c"),
        (changed(version="1"), "the version is '1'"),
        (changed(names=None), "names must be a list, but is None"),
        (changed(names=["a", 1]), "names: 1 is not a name"),
        (changed(names=["a", "a"]), "the name 'a' is given to two nodes"),
        (changed(names=["rain", "wet"]), "'sprinkler' is not a node; the nodes are 'rain', 'wet'"),
        (changed(edges={}), "edges must be a list"),
        (changed(edges=["a -> b"]), r"edges\[0\]: an edge must be an object, but is 'a -> b'"),
        (changed(edges=[{"source": "rain", "type": "directed"}]), r"edges\[0\]: 'target' is missing"),
        (edge(type="causes"), r"edges\[1\]: the type is 'causes'"),
        (edge(source=3), r"edges\[1\]: source: 3 is not a name"),
        (edge(source="wet"), "wet -> wet joins a node with itself"),
        (edge(source="wet", target="sprinkler"), "wet -> sprinkler contradicts an earlier edge"),
        (edge(probability="high"), r"edges\[1\]: probability: 'high' is not a number"),
        (edge(strength=True), r"edges\[1\]: strength: True is not a number"),
        (triple(probability=None), r"triples\[0\]: the probability is None"),
        (triple(verdict="maybe"), r"triples\[0\]: .* the verdict 'maybe'"),
        (triple(lost_to="abc"), r"triples\[0\]: lost_to is 'abc'"),
        (triple(x="snow"), r"triples\[0\]: 'snow' is not among the names"),
        (triple(lost_to=["rain", "wet", "snow"]), r"triples\[0\]: 'snow' is not among the names"),
        (changed(triples=[{}]), r"triples\[0\]: 'probability' is missing"),
        (changed(certificate=[]), "certificate: it must be an object"),
        (changed(certificate={"acyclic": True}), "certificate: 'extendable' is missing"),
        (changed(certificate={**PLAIN["certificate"], "closed": "yes"}), "certificate: closed cannot be 'yes'"),
        (changed(columns=[{"missing": 0}]), r"columns\[0\]: 'name' is missing"),
        (changed(columns=[{"name": "wet"}, {"name": "wet"}]), "columns: the name 'wet' is given to two"),
        (changed(columns=[{"name": "snow"}]), "columns: 'snow' is not among the names"),
        (changed(run=3), "run must be an object, but is 3"),
    ],
)
def test_documents_that_are_refused(tmp_path, text, message):
    file = tmp_path / "graph.json"
    file.write_text(text)
    with pytest.raises(GraphError, match=f"graph.json: {message}"):
        read_document(file)


def test_a_large_document_there_and_back():
    names = [f"x{i}" for i in range(400)]
    a = naive.sparse_dag(np.random.default_rng(0), 400, 800)
    edges = tuple(FoundEdge(names[i], names[j], "directed", 0.5) for i, j in np.argwhere(a).tolist())
    document = GraphDocument(tuple(names), edges)
    assert np.array_equal(GraphDocument.from_json(document.to_json()).graph.matrix, a)
