"""Any name through every converter and file: it comes back as it was, or it is refused, and nothing in between."""

import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_graphs as naive
from ml4c import interop
from ml4c.errors import GraphError
from ml4c.interop import GraphDocument

HOSTILE = [
    *("two words", " padded ", "  ", "", "\t", "\xa0", "a\nb", "a\rb", "a\r\nb", "\u2028", "\x85", "\ufeff"),
    *(
        "\x00",
        "\x07bell",
        "\x1b[31mred",
        "\x7f",
        "\u202eright to left",
        "\ufffe",
        "\ud800",
        "e\u0301",
        "\xe9",
        "😀",
        "名",
    ),
    *('say "x"', "it's", "`x`", "\\", "\\n", "\\x07", "a\\", "$(x)", "%s", "{x}", "&amp;", "&#13;", "<b>", "]]>"),
    *("<script>alert(1)</script>", "a --> b", "-->", "---", "1.", "a->b", "x <- y", ";", "a; b", "a,b", "a:b"),
    *("(hidden)", "[selected]", "(", "Graph Nodes:", "Graph Edges:", "None", "nan", "True", "1", "n0", "__proto__"),
]


def through_document(a, names):
    edges = [interop.FoundEdge(e.source, e.target, e.type) for e in interop.to_edges(a, names)]
    triple = interop.FoundTriple(names[0], names[-1], names[0], 0.5, "lost", (names[-1], names[0], names[-1]))
    document = GraphDocument(tuple(names), tuple(edges), (triple,), None, {names[0]: {"n": 1}}, {names[0]: names[-1]})
    assert GraphDocument.from_json(document.to_json()) == document
    return document.graph


def with_library(package, there, back):
    def through(a, names):
        pytest.importorskip(package)
        return back(there(a, names))

    return through


def by_matrix(there, back):
    def through(a, names):
        foreign = there(a, names)
        return back(foreign.matrix, foreign.names)

    return through


EVERY_NAME = {
    "networkx": lambda a, names: interop.from_networkx(interop.to_networkx(a, names)),
    "causal-learn": with_library("causallearn", interop.to_causallearn, interop.from_causallearn),
    "pgmpy": with_library("pgmpy", interop.to_pgmpy, interop.from_pgmpy),
    "pcalg": by_matrix(interop.to_pcalg, interop.from_pcalg),
    "Tetrad's matrix": by_matrix(interop.to_tetrad_matrix, interop.from_tetrad_matrix),
    "GraphML": lambda a, names: interop.from_graphml(interop.to_graphml(a, names)),
    "JSON": through_document,
}
SOME_NAMES = {"Tetrad's text": lambda a, names: interop.from_tetrad(interop.to_tetrad(a, names))}


def assert_same(named, a, names):
    assert np.array_equal(named.matrix, a)
    assert named.names == tuple(names)


@pytest.mark.parametrize("through", EVERY_NAME.values(), ids=EVERY_NAME)
def test_hostile_names_survive(through):
    a = naive.random_pdag(np.random.default_rng(1), len(HOSTILE), (0.9, 0.03, 0.03, 0.04))
    assert_same(through(a, HOSTILE), a, HOSTILE)


@pytest.mark.parametrize("through", EVERY_NAME.values(), ids=EVERY_NAME)
@given(data=st.data())
def test_any_name_survives(through, data):
    a = data.draw(naive.pdags(max_nodes=5))
    names = data.draw(st.lists(st.text(max_size=4), min_size=len(a), max_size=len(a), unique=True))
    assert_same(through(a, names), a, names)


@pytest.mark.parametrize("through", SOME_NAMES.values(), ids=SOME_NAMES)
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_hostile_names_survive_or_are_refused(through, name):
    a = naive.graph(3, "0>1", "1-2")
    try:
        named = through(a, ["x", name, "y"])
    except GraphError:
        with pytest.raises(GraphError, match=re.escape(repr(name)) if name else "empty name"):
            through(naive.graph(1), [name])
    else:
        assert_same(named, a, ["x", name, "y"])


@pytest.mark.parametrize("through", SOME_NAMES.values(), ids=SOME_NAMES)
@given(data=st.data())
def test_any_name_survives_or_is_refused(through, data):
    a = data.draw(naive.pdags(max_nodes=4))
    text = st.text(st.sampled_from("a1.-<>o()[];, \n\x1cé\u2003"), max_size=4)
    names = data.draw(st.lists(text, min_size=len(a), max_size=len(a), unique=True))
    try:
        named = through(a, names)
    except GraphError:
        return
    assert_same(named, a, names)


def test_dashes_and_signs_pass_through_the_text_of_tetrad():
    names = ["-->", "---", "1.", "a->b", "<script>", "(", "é", "名", "&amp", '"']
    a = naive.random_pdag(np.random.default_rng(2), len(names))
    assert_same(interop.from_tetrad(interop.to_tetrad(a, names)), a, names)


@pytest.mark.parametrize("through", [*EVERY_NAME.values(), *SOME_NAMES.values()], ids=[*EVERY_NAME, *SOME_NAMES])
def test_isolated_nodes_survive(through):
    names = ["zebra", "apple", "mole", "yak"]
    assert_same(through(naive.graph(4), names), naive.graph(4), names)
    assert_same(through(naive.graph(4, "3>1"), names), naive.graph(4, "3>1"), names)


def test_files_of_a_result_with_hostile_names(tmp_path):
    names = [name for name in HOSTILE if name not in ("", "\x00", "\ud800")]
    a = naive.random_pdag(np.random.default_rng(3), len(names), (0.9, 0.03, 0.03, 0.04))
    edges = [interop.FoundEdge(e.source, e.target, e.type, 0.5) for e in interop.to_edges(a, names)]
    columns = {name: {"rows": 1} for name in names}
    interop.write_document(tmp_path, GraphDocument(tuple(names), tuple(edges), columns=columns))
    assert_same(interop.read_graph(tmp_path / "edges.csv", names), a, names)
    for file in ("graph.json", "graph.graphml"):
        assert_same(interop.read_graph(tmp_path / file), a, names)
    assert (tmp_path / "graph.json").read_bytes().isascii()


@pytest.mark.parametrize(
    ("module", "call", "package"),
    [
        ("causallearn.graph.GraphNode", interop.to_causallearn, "causal-learn"),
        ("pgmpy.base", interop.to_pgmpy, "pgmpy"),
        ("pgmpy.base", interop.from_pgmpy, "pgmpy"),
    ],
)
def test_a_library_that_is_missing_is_named_with_the_way_to_install_it(monkeypatch, module, call, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(GraphError, match=f"this needs {package}, which cannot .*: pip install {package}$"):
        call([[0]], ["a"])
