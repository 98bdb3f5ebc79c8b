"""From a table and a skeleton to a result: every kind of input, the oracle, and what the user sees."""

import csv
import json

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ml4c
import naive_graphs as naive
from judges import EMBEDDING, Loader, dependent
from ml4c.citest import DataTest, OracleTest
from ml4c.errors import DataError, GraphError, KnowledgeError, ModelError
from ml4c.features import triple_features
from ml4c.graph import directed, skeleton
from ml4c.interop import Edge, FoundEdge, from_edges, read_graph, to_edges, write_graph
from ml4c.learner import Learner, ModelCard, load_learner
from ml4c.meek import certify, cpdag_of
from ml4c.orientation import orient_globally
from ml4c.pipeline import decide, steps
from ml4c.pipeline.inputs import as_skeleton
from ml4c.pipeline.showing import MOST_SHOWN

NET = ml4c.load_network("asia")
DATA = NET.sample(5000, seed=1)
SKELETON = skeleton(NET.dag)
PAIRS = [(e.source, e.target) for e in to_edges(SKELETON, NET.names)]
NAMES = ("rain", "sprinkler", "wet", "cold")
# rain -> wet <- sprinkler, cold alone, as a skeleton
WET = np.array([[0, 0, 1, 0], [0, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]], dtype=np.int8)
HOSTILE = ("<b>a</b>&", '"; x [label="y', "[red]c[/red]", "back\\N", "new\nline,\x1b[31m")


@pytest.fixture(autouse=True)
def loader(monkeypatch):
    stub = Loader()
    monkeypatch.setattr(steps, "load_learner", stub)
    return stub


def orient(data=DATA, edges=SKELETON, **options):
    return ml4c.orient(data, edges, **{"model": "paper", **options})


def facts(result):
    """What must not depend on the order of the columns."""
    edges = {(e.source, e.target) if e.type == "directed" else frozenset((e.source, e.target)) for e in result.edges}
    return edges, result.triples, result.certificate


def hostile_table(rows=400):
    """Five columns with names that must be shown and never obeyed: 0 -> 2 <- 1, 2 -> 3, and a constant."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(2, size=(2, rows))
    c = (a + b + (rng.random(rows) < 0.1)) % 3
    d = (c > 1) ^ (rng.random(rows) < 0.1)
    columns = [a, b, c, d.astype(int), np.zeros(rows, int)]
    return ml4c.Dataset.from_frame(pl.DataFrame(dict(zip(HOSTILE, columns, strict=True))))


HOSTILE_EDGES = [Edge(HOSTILE[i], HOSTILE[j], "undirected") for i, j in [(0, 2), (1, 2), (2, 3), (3, 4)]]


# The oracle in place of data


@given(naive.dags(max_nodes=4), st.permutations("dcba"))
def test_with_an_oracle_the_pipeline_returns_the_true_cpdag(dag, letters):
    test = OracleTest(dag, letters[: len(dag)])
    found = decide(test, skeleton(dag), dependent, embedding=EMBEDDING)
    assert np.array_equal(found.cpdag, cpdag_of(dag))
    assert found.certificate.valid


@pytest.mark.parametrize("name", ["cancer", "earthquake", "asia", "survey"])
def test_with_an_oracle_on_networks_with_two_parents(name):
    net = ml4c.load_network(name)
    found = decide(OracleTest(net.dag, net.names), skeleton(net.dag), dependent, embedding=EMBEDDING)
    assert np.array_equal(found.cpdag, cpdag_of(net.dag))


def test_nonsense_gives_an_invalid_graph_and_the_reason_in_names():
    net = ml4c.load_network("insurance")
    rng = np.random.default_rng(0)
    found = decide(
        OracleTest(net.dag, net.names),
        skeleton(net.dag),
        lambda matrix: rng.uniform(0.2, 1.0, len(matrix)),
        embedding=EMBEDDING,
    )
    assert not found.certificate.valid
    order = sorted(range(net.n_nodes), key=net.names.__getitem__)
    by_name = certify(found.cpdag[np.ix_(order, order)], [net.names[i] for i in order])
    assert found.certificate == by_name


# The result


def test_result_of_asia():
    r = orient()
    assert r.names == NET.names
    assert np.array_equal(r.skeleton, SKELETON)
    assert np.array_equal(skeleton(r.cpdag), SKELETON)
    assert r.certificate == certify(r.cpdag)
    assert r.model == "paper"
    assert r.data == DATA.summary()
    assert r.constant == ()
    assert r.to_edges() == to_edges(r.cpdag, r.names) == [Edge(e.source, e.target, e.type) for e in r.edges]


def test_edge_probabilities_are_those_of_the_surviving_triples():
    r = orient()
    largest = {}
    for triple in r.triples:
        for end in (triple.x, triple.y) if triple.verdict == "accepted" else ():
            largest[end, triple.t] = max(triple.probability, largest.get((end, triple.t), 0.0))
    assert {(e.source, e.target): e.probability for e in r.edges if e.probability is not None} == largest
    assert any(e.type == "directed" and e.probability is None for e in r.edges)  # by Meek's rules
    assert any(e.type == "undirected" for e in r.edges)
    assert all(e.type == "directed" for e in r.edges if e.probability is not None)


def test_a_lost_triple_names_the_winner():
    r = orient()
    lost = [triple for triple in r.triples if triple.verdict == "lost"]
    assert lost
    for triple in lost:
        winner = next(t for t in r.triples if (t.x, t.t, t.y) == triple.lost_to)
        assert winner.probability >= triple.probability
        assert triple.t in (winner.x, winner.y)
        assert winner.t in (triple.x, triple.y)
    assert all(triple.lost_to is None for triple in r.triples if triple.verdict != "lost")
    assert str(lost[0]) == f"{lost[0].x} -> {lost[0].t} <- {lost[0].y}"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_of_columns_and_rows_and_threads_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    columns, rows = rng.permutation(DATA.n_columns), rng.permutation(DATA.n_rows)
    moved = DATA.select(columns.tolist()).take(rows)
    assert facts(orient(moved, PAIRS[::-1], n_jobs=seed)) == facts(orient())


def test_progress_and_threads_are_passed_on():
    seen = []
    orient(progress=lambda *said: seen.append(said), n_jobs=1)
    assert seen[-2:] == [("features", *(len(orient().triples),) * 2), ("orientation", 0, 1)]


def test_a_skeleton_without_triples_needs_no_judgement(monkeypatch):
    monkeypatch.setattr(steps, "load_learner", Loader(rule=lambda _: pytest.fail("nothing to judge")))
    r = orient(edges=[("asia", "tub")])
    assert [str(edge) for edge in r.edges] == ["asia - tub"]
    assert r.triples == ()
    assert r.certificate.valid


# The model


def test_the_model_is_asked_for_by_name_or_path(loader, tmp_path):
    assert orient(model="paper").model == "paper"
    assert orient(model=tmp_path).model == str(tmp_path)
    assert loader.asked == ["paper", tmp_path]


def test_the_default_decides_globally_with_the_learner_of_the_package(loader):
    r = ml4c.orient(DATA, SKELETON)
    assert loader.asked == ["default"]
    assert r.model == "default"
    assert r.certificate.valid
    assert r.confidence is not None
    assert orient().confidence is None
    assert {t.verdict for t in r.triples} <= {"accepted", "rejected", "overruled", "implied"}


def test_the_published_rule_takes_no_knowledge(loader):
    with pytest.raises(KnowledgeError, match="use the model default"):
        orient(knowledge=ml4c.Knowledge(required=[("asia", "tub")]))
    assert loader.asked == []


def test_a_model_without_a_card_is_refused(monkeypatch):
    monkeypatch.setattr(steps, "load_learner", lambda _: Learner(None, None))
    with pytest.raises(ModelError, match="has no card"):
        orient()


def test_a_trained_model_from_its_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(steps, "load_learner", load_learner)
    features = triple_features(DataTest(DATA), SKELETON, embedding=EMBEDDING)
    arrow = (
        NET.dag[features.triples[:, 0], features.triples[:, 1]]
        & NET.dag[features.triples[:, 2], features.triples[:, 1]]
    )
    # Eleven triples are too few for a split unless each counts for many.
    trained = Learner.fit(features.matrix, arrow, weights=np.full(len(arrow), 50.0))
    trained.save(tmp_path, ModelCard(EMBEDDING))
    r = orient(model=tmp_path, n_jobs=1)
    assert np.array_equal(r.cpdag, cpdag_of(NET.dag))
    assert [t.probability for t in r.triples] == trained.probability(features.matrix).tolist()
    with pytest.raises(ModelError, match="nobody"):
        orient(model="nobody")


def test_a_wrong_skeleton_is_told_before_the_model_is_loaded(loader):
    with pytest.raises(GraphError):
        orient(edges=[("asia", "tube")])
    assert loader.asked == []


# Data


def test_frames_and_files_are_tables_too(tmp_path):
    DATA.write(tmp_path / "asia.csv")
    expected = facts(orient(edges=PAIRS))
    assert facts(orient(DATA.to_polars(), PAIRS)) == expected
    assert facts(orient(pd.DataFrame({n: DATA.column(n) for n in DATA.names}), PAIRS)) == expected
    assert facts(orient(tmp_path / "asia.csv", PAIRS)) == expected
    assert facts(orient(str(tmp_path / "asia.csv"), PAIRS)) == expected


def test_missing_is_for_tables_that_are_yet_to_be_made(tmp_path):
    frame = pl.DataFrame({"a": ["x", None, "y", "x"], "b": ["u", "v", "v", "u"]})
    with pytest.raises(DataError, match="missing"):
        orient(frame, [("a", "b")])
    assert "missing: a 1" in orient(frame, [("a", "b")], missing="available").data
    assert "missing as a category: a" in orient(frame, [("a", "b")], missing="category").data
    frame.write_csv(tmp_path / "t.csv")
    assert "missing: a 1" in orient(tmp_path / "t.csv", [("a", "b")], missing="available").data
    made = ml4c.Dataset.from_frame(frame, missing="available")
    assert orient(made, [("a", "b")]).data == orient(made, [("a", "b")], missing="available").data
    with pytest.raises(DataError, match="made with missing='available'"):
        orient(made, [("a", "b")], missing="category")


def test_data_that_is_no_table():
    with pytest.raises(DataError, match="from_array"):
        orient(7)


def test_constant_columns_stay_in_the_graph_and_are_listed():
    r = orient(hostile_table(), HOSTILE_EDGES)
    assert r.constant == (HOSTILE[4],)
    assert [e for e in r.edges if HOSTILE[4] in (e.source, e.target)]
    assert "nothing can be learnt" in str(r)


# Skeletons


def labelled(matrix, names):
    return pd.DataFrame(matrix, index=list(names), columns=list(names))


def wet_forms():
    order = [2, 0, 3, 1]
    moved, moved_names = WET[np.ix_(order, order)], [NAMES[i] for i in order]
    graph = nx.Graph([("wet", "sprinkler"), ("rain", "wet")])
    dag = nx.DiGraph([("sprinkler", "wet"), ("rain", "wet")])
    return {
        "matrix": WET,
        "floats": WET.astype(float),
        "bools": WET.astype(bool),
        "rows": WET.tolist(),
        "dag": np.triu(WET),
        "pairs": [("wet", "rain"), ["sprinkler", "wet"]],
        "arrows": ["rain -> wet", "wet <- sprinkler"],
        "records": [Edge("rain", "wet", "directed"), FoundEdge("sprinkler", "wet", "undirected", 0.5)],
        "set": {("rain", "wet"), ("sprinkler", "wet")},
        "generator": (pair for pair in [("rain", "wet"), ("sprinkler", "wet")]),
        "array of names": np.array([("rain", "wet"), ("sprinkler", "wet")]),
        "graph": graph,
        "digraph": dag,
        "named": from_edges(["wet - rain", "wet - sprinkler"], moved_names),
        "frame": labelled(moved, moved_names),
        "polars": pl.DataFrame(moved, schema=moved_names),
        "numbered frame": pd.DataFrame(WET),
    }


@pytest.mark.parametrize("form", wet_forms())
def test_every_form_of_a_skeleton_is_the_same_skeleton(form):
    found = as_skeleton(wet_forms()[form], NAMES)
    assert found.dtype == np.int8
    assert np.array_equal(found, WET)


@pytest.mark.parametrize("ending", ["txt", "csv"])
def test_a_file_is_aligned_by_name_when_it_has_names(tmp_path, ending):
    file = tmp_path / f"skeleton.{ending}"
    order = [2, 0, 3, 1] if ending == "csv" else [0, 1, 2, 3]
    write_graph(file, WET[np.ix_(order, order)], [NAMES[i] for i in order])
    assert np.array_equal(as_skeleton(file, NAMES), WET)
    assert np.array_equal(as_skeleton(str(file), NAMES), WET)


def test_an_empty_list_is_a_graph_without_edges():
    assert not as_skeleton([], NAMES).any()


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ([("rain", "wett")], "'wett' is not a node"),
        (nx.Graph([("rain", "wett"), ("snow", "rain")]), r"names 'wett', 'snow'.*did you mean 'wet'\?"),
        (nx.Graph([(1, 2)]), "names '1', '2'.*the names are 'rain'"),
        (labelled(WET, ("rain", "sprinkler", "wet", "warm")), "names 'warm'"),
        (pd.DataFrame(WET, columns=NAMES, index=NAMES[::-1]), "rows of the skeleton are not named as its columns"),
        (WET[:3, :3], "3 nodes needs as many names, but 4"),
        (WET[:3], "square"),
        (WET * 2, "0 and 1"),
        ([[0, 1], [1, 2]], "0 and 1"),
        ([("rain", "rain")], "joins a node with itself"),
        ([("rain", "wet", "cold")], "is not an edge"),
        (["rain"], "is not an edge"),
        ("skeleton.doc", "graph file ends in"),
        ("nowhere.csv", "cannot be read"),
        (7, "cannot be a int"),
        (None, "cannot be a NoneType"),
    ],
)
def test_what_is_no_skeleton(given_, message):
    with pytest.raises(GraphError, match=message):
        as_skeleton(given_, NAMES)


def test_a_file_with_unknown_names_lists_them(tmp_path):
    file = tmp_path / "edges.csv"
    file.write_text("source,target\nrain,wet\nsnow,[red]ice\n")
    with pytest.raises(GraphError, match=r"'snow', '\[red\]ice'"):
        as_skeleton(file, NAMES)


def test_plain_values_survive_json():
    r = orient(hostile_table(), HOSTILE_EDGES)
    plain = json.loads(json.dumps(r.to_dict()))
    assert plain["names"] == list(HOSTILE)
    assert [FoundEdge(**edge) for edge in plain["edges"]] == list(r.edges)
    assert [(t["x"], t["t"], t["y"], t["verdict"]) for t in plain["triples"]] == [
        (t.x, t.t, t.y, t.verdict) for t in r.triples
    ]
    assert plain["certificate"]["valid"] is r.certificate.valid
    assert (plain["run"]["data"], plain["run"]["constant"]) == (r.data, [HOSTILE[4]])


# What the user sees


def test_text_is_a_table():
    r = orient()
    lines = str(r).splitlines()
    assert lines[0].startswith("8 columns, ")
    assert str(r.certificate) in lines
    head = lines.index("source      target  probability")
    assert len(lines) - head - 1 == len(r.edges)
    first = r.edges[1]
    assert lines[head + 2].split() == [first.source, "->", first.target, f"{first.probability:.2f}"]
    assert repr(r) == f"<Result: {lines[0]}>"


def test_hostile_names_are_shown_and_not_obeyed():
    r = orient(hostile_table(), HOSTILE_EDGES)
    assert "\x1b" not in str(r)
    assert "new\\nline,\\x1b[31m" in str(r)
    assert len(str(r).splitlines()) == len(r.headline) + 2 + len(r.edges)
    html = r._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;a&lt;/b&gt;&amp;" in html
    assert html.count("<tr>") == len(r.edges) + 1


def test_the_name_of_a_model_is_not_obeyed_either():
    html = orient(model="<script>")._repr_html_()
    assert "<script>" not in html
    assert "model &lt;script&gt;" in html


def test_long_results_are_cut():
    chain = [(f"x{i}", f"x{i + 1}") for i in range(MOST_SHOWN + 5)]
    data = ml4c.Dataset.from_array(np.random.default_rng(0).integers(2, size=(50, MOST_SHOWN + 6)))
    r = orient(data, chain)
    assert str(r).splitlines()[-1] == "... and 5 more edges"
    assert "... and 5 more edges" in r._repr_html_()


def test_networkx_keeps_isolated_columns():
    g = orient(edges=[("asia", "tub")]).to_networkx()
    assert set(g.nodes) == set(NET.names)
    assert sorted(g.edges(data="kind")) == [("asia", "tub", "undirected"), ("tub", "asia", "undirected")]


def test_saved_files_say_the_same(tmp_path):
    r = orient(hostile_table(), HOSTILE_EDGES)
    files = r.save(tmp_path / "new" / "folder")
    assert [f.name for f in files] == [
        "cpdag.txt",
        "edges.csv",
        "triples.csv",
        "graph.dot",
        "graph.graphml",
        "graph.json",
    ]
    assert np.array_equal(read_graph(files[0], r.names).matrix, r.cpdag)
    assert np.array_equal(read_graph(files[1], r.names).matrix, r.cpdag)
    with files[2].open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["x"], row["t"], row["y"], float(row["probability"]), row["verdict"]) for row in rows] == [
        (t.x, t.t, t.y, t.probability, t.verdict) for t in r.triples
    ]
    assert files[3].read_text(encoding="utf-8") == r.to_dot()
    assert sorted(f.name for f in files[0].parent.iterdir()) == sorted(f.name for f in files)


def test_v_structures_are_drawn_from_a_third_on_given_skeletons_and_from_a_half_on_learned_ones(monkeypatch):
    used = []

    def spy(*problem, threshold, **options):
        used.append(threshold)
        return orient_globally(*problem, threshold=threshold, **options)

    monkeypatch.setattr(steps, "orient_globally", spy)
    data = ml4c.load_network("asia").sample(500, 1)
    ml4c.orient(data, [("asia", "tub"), ("tub", "either"), ("lung", "either")])
    ml4c.discover(data, skeleton_method="fast")
    ml4c.discover(data, skeleton_method="fast", threshold=0.7)
    assert used == [1 / 3, 1 / 2, 0.7]


def test_a_threshold_is_a_probability_and_a_higher_one_claims_less():
    net = ml4c.load_network("asia")
    data = net.sample(1_000, seed=0)
    edges = skeleton(net.dag)
    with pytest.raises(ml4c.WorkError, match="between 0 and 1"):
        ml4c.orient(data, edges, threshold=1.5)
    arrows = [np.count_nonzero(directed(ml4c.orient(data, edges, threshold=t).cpdag)) for t in (0.3, 0.5, 0.999)]
    assert arrows == sorted(arrows, reverse=True)
    assert arrows[2] < arrows[1]  # not none: a cycle without chords has a collider in any DAG
