"""The page without a browser: the summary, its twin of the script, what is escaped, and the command."""

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import ml4c
from documents import HOSTILE, Page, document_of
from ml4c.cli import app
from ml4c.errors import GraphError, WorkError
from ml4c.graph import edges, skeleton, v_structures
from ml4c.interop import FoundEdge, GraphDocument, write_document
from ml4c.meek import certify, cpdag_from_v_structures, with_arrows
from ml4c.pipeline import weighing
from ml4c.report import (
    compare,
    preview,
    render_report,
    summary_of,
    write_benchmark_report,
    write_comparison,
    write_report,
)
from ml4c.report import summary as summary_module
from ml4c.report.distance import distance_rows
from ml4c.report.preview import ranked_v_structures
from naive_graphs import random_dag

NET = ml4c.load_network("asia")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def named(n):
    return [f"c{i:02}" for i in range(n)]


@pytest.fixture(scope="module")
def result():
    known = ml4c.Knowledge(required=[("smoke", "bronc")])
    return ml4c.discover(NET.sample(3000, seed=1), knowledge=known)


# what the page is made of


@pytest.mark.jit
def test_a_report_from_a_folder_is_the_same_to_the_byte_as_from_the_result(result, tmp_path):
    result.save(tmp_path / "out")
    here = write_report(tmp_path / "out").read_bytes()
    assert write_report(result, tmp_path).read_bytes() == here
    assert write_report(result, tmp_path / "again.html").read_bytes() == here
    assert len(here) < 150_000
    with pytest.raises(GraphError, match="say where"):
        write_report(result)


@pytest.mark.jit
def test_the_summary_is_plain_and_says_what_the_result_says(result):
    made = summary_of(result.document, "my table")
    assert json.loads(json.dumps(made))["graph"] == made["graph"]
    assert made["title"] == "my table"
    assert made["headline"]["rows"] == 3000
    assert made["headline"]["arrows"] + made["headline"]["lines"] == len(result.edges)
    graph = made["graph"]
    shown = [(graph["names"][i], graph["names"][j], bool(d)) for i, j, d, *_ in graph["edges"]]
    assert shown == [(e.source, e.target, e.type == "directed") for e in result.edges]
    assert [graph["names"][i] for i in graph["fixed"][0]] == ["smoke", "bronc"]
    assert graph["faithful"]
    assert graph["knowledge"] == {"required": ["smoke -> bronc"]}
    assert ("Seed", "0") in made["run_facts"]
    assert made["command"].startswith("ml4c.discover(data, model='default'")
    assert any("What the user stated" in sentence for sentence in made["assumptions"])


@pytest.mark.jit
def test_edges_and_triples_come_with_their_evidence(result):
    graph = summary_of(result.document)["graph"]
    for edge, (*_, why, _, _, _, _) in zip(result.edges, graph["edges"], strict=True):
        told = result.learned.evidence(edge.source, edge.target)
        assert why[0] == told["reason"]
        assert [graph["names"][i] for i in why[1]] == told["given"]
    assert set(graph["weighed"]) == {str(k) for k in range(len(result.triples))}
    for k, triple in enumerate(result.triples):
        with_t, without_t, sets, others, parts = graph["weighed"][str(k)]
        t = graph["names"].index(triple.t)
        assert with_t + without_t > 0
        assert all(t in s for s in sets)
        assert not any(t in s for s in others)
        assert all(about in graph["words"] for about, _, _ in parts)


@pytest.mark.jit
def test_contributions_add_up_to_the_log_odds(result):
    learner = ml4c.learner.load_learner("default")
    matrix = result.judged.features.matrix
    p = learner.probability(matrix)
    start = np.log(p / (1 - p)) - learner.contributions(matrix).sum(axis=1)
    assert np.allclose(start, start[0], atol=1e-4)
    assert learner.contributions(matrix[:0]).shape == (0, matrix.shape[1])


@pytest.mark.jit
def test_only_the_triples_that_matter_most_are_weighed(result, monkeypatch):
    monkeypatch.setattr(weighing, "MOST_TRIPLES", 3)
    whole = result.judged
    few = weighing.Judgement.of_most_important(result.triples, whole.features, whole.names, whole.witness)
    drawn = [t for t in result.triples if t.verdict != "rejected"]
    assert set(few.triples) >= set(drawn[:3])
    told = {(r["x"], r["t"], r["y"]): r for r in whole.records}
    assert few.records == [told[t.x, t.t, t.y] for t in few.triples]
    assert len(few.triples) == 3


def test_long_lists_of_triples_are_cut_at_the_least_probable(monkeypatch):
    document = document_of(NET.dag, NET.names)
    monkeypatch.setattr(summary_module, "MOST_TRIPLES", 4)
    graph = summary_of(document)["graph"]
    assert (len(graph["triples"]), graph["n_triples"]) == (4, len(document.triples))
    drawn = {(t.x, t.t, t.y) for t in document.triples if t.verdict == "accepted"}
    assert drawn <= {tuple(graph["names"][i] for i in row[:3]) for row in graph["triples"]}


def test_a_graph_of_which_no_more_is_known_has_a_page_too():
    graph = GraphDocument(("a", "b", "c"), (FoundEdge("a", "b", "directed"), FoundEdge("c", "b", "directed")))
    made = summary_of(graph)
    assert made["graph"]["ranked"] == [[0, 1, 2, 0.5]]
    assert made["distance"] == []
    assert made["command"] == ""
    assert 'id="copy-command"' not in render_report(graph)
    assert "1</dd><dt>columns" in render_report(GraphDocument(("a",)))


@pytest.mark.parametrize(
    "evidence",
    [
        {"edges": 3},
        {"edges": [{"source": "asia", "target": "nobody"}]},
        {"edges": [{"source": "asia", "target": "tub", "p_value": "small"}]},
        {"triples": [{"x": "asia", "t": "tub"}]},
        {"triples": [{"x": "asia", "t": "tub", "y": "either", "parts": [1]}]},
        {"triples": [{"x": "asia", "t": "tub", "y": "either", "sets_with_t": [["nobody"]]}]},
    ],
)
def test_evidence_that_was_edited_is_refused(evidence):
    with pytest.raises(GraphError, match="evidence: "):
        summary_of(replace(document_of(NET.dag, NET.names), evidence=evidence))


# what if


@pytest.mark.parametrize("seed", range(40))
def test_with_nothing_changed_the_preview_is_the_result(seed):
    document = document_of(random_dag(np.random.default_rng(seed), 9, 0.3), named(9), seed=seed)
    found = preview(skeleton(document.graph.matrix), ranked_v_structures(document), names=document.names)
    assert np.array_equal(found.graph, document.graph.matrix)
    assert found.certificate == document.certificate
    assert found.left_out == ()


@pytest.mark.parametrize("seed", range(40))
def test_a_least_probability_keeps_the_v_structures_above_it(seed):
    document = document_of(random_dag(np.random.default_rng(seed), 9, 0.3), named(9), seed=seed)
    joined, ranked = skeleton(document.graph.matrix), ranked_v_structures(document)
    for least in (0.0, 0.6, 0.8, 1.0):
        kept = [row[:3] for row in ranked if row[3] >= least]
        expected = cpdag_from_v_structures(joined, np.array(kept).reshape(-1, 3))
        found = preview(joined, ranked, least=least, names=document.names)
        assert np.array_equal(found.graph, expected)
        assert found.certificate == certify(expected, document.names)


@pytest.mark.parametrize("seed", range(40))
def test_a_stated_direction_of_an_undirected_edge_is_what_knowledge_would_draw(seed):
    document = document_of(random_dag(np.random.default_rng(seed), 9, 0.3), named(9), seed=seed)
    graph = document.graph.matrix
    for i, j in edges(graph).undirected.tolist():
        found = preview(skeleton(graph), ranked_v_structures(document), arrows=[(i, j)])
        assert np.array_equal(found.graph, with_arrows(graph, np.array([[i, j]])))
        assert found.certificate.valid


def test_a_stated_arrow_takes_down_the_v_structures_against_it():
    # a -> b <- c; b -> a is stated, so nothing draws c - b any more but what follows.
    ranked = [(0, 1, 2, 0.9)]
    joined = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    found = preview(joined, ranked, arrows=[(1, 0)])
    assert found.left_out == (0,)
    assert found.graph.tolist() == [[0, 0, 0], [1, 0, 1], [0, 1, 0]]
    assert found.certificate.valid


def test_a_stated_absence_takes_the_edge_and_its_v_structures_out():
    ranked = [(0, 1, 2, 0.9)]
    joined = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    found = preview(joined, ranked, absent=[(2, 1)], arrows=[(1, 2)])
    assert found.graph.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_equal_probabilities_are_ordered_by_name_whatever_the_columns():
    document = document_of(NET.dag, NET.names)
    even = replace(document, triples=tuple(replace(t, probability=0.7) for t in document.triples))
    order = np.random.default_rng(0).permutation(8)
    other = replace(even, names=tuple(even.names[i] for i in order), triples=even.triples[::-1])
    by_name = [
        [(d.names[t], *sorted((d.names[x], d.names[y]))) for x, t, y, _ in ranked_v_structures(d)]
        for d in (even, other)
    ]
    assert by_name[0] == by_name[1]
    assert len(by_name[0]) > 1


def test_v_structures_that_nobody_judged_are_there_with_even_odds():
    document = document_of(NET.dag, NET.names)
    bare = replace(document, triples=())
    ranked = ranked_v_structures(bare)
    assert {(x, t, y) for x, t, y, _ in ranked} == {tuple(row) for row in v_structures(document.graph.matrix).tolist()}
    assert {p for *_, p in ranked} == {0.5}


# names are text


def hostile_document():
    dag = np.zeros((6, 6), np.int8)
    dag[0, 2] = dag[1, 2] = dag[2, 3] = dag[4, 5] = 1
    return document_of(dag, list(HOSTILE), command=f"ml4c discover '{HOSTILE[0]}'", source=HOSTILE[1], data=HOSTILE[0])


def test_no_name_becomes_markup():
    text = render_report(hostile_document(), HOSTILE[1])
    page = Page(text)
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert [attributes.get("type") for attributes in scripts] == ["application/json", "application/json", None]
    assert not [
        tag for tag, attributes in page.tags if tag in ("img", "b", "iframe", "link") or "onerror" in attributes
    ]
    assert "alert(1)</script>" not in text
    data = json.loads(page.text["script"][0])
    assert data["names"] == list(HOSTILE)
    assert HOSTILE[1] in page.text["h1"][0]
    assert "49" not in page.text["td"]


def test_nothing_but_our_own_script_may_run_and_nothing_is_fetched():
    import base64
    import hashlib
    import re

    text = render_report(hostile_document())
    policy = next(a["content"] for tag, a in Page(text).tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    for kind, content in (("script-src", script), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert not [a for tag, a in Page(text).tags if a.get("src") or (tag == "link" and a.get("href"))]


def test_the_same_document_gives_the_same_bytes_and_big_ones_stay_small():
    net = ml4c.load_network("munin")
    document = document_of(net.dag, net.names)
    text = render_report(document)
    assert text == render_report(document)
    assert len(text) < 2_500_000


# how far from training


def test_a_table_outside_of_the_recipe_is_told_and_one_inside_is_not():
    recipe = {"rows": 10000, "sizes": [[10, 20], [21, 50]], "max_cardinality": 6, "edges_per_node": [1.2, 1.7]}
    net = ml4c.load_network("alarm")
    near = document_of(net.dag, net.names, rows=8000, trained_on=recipe, constant=[])
    assert [row["far"] for row in distance_rows(near)] == [False] * 5
    wide = {name: {"categories": 30, "missing": 0} for name in net.names}
    far = replace(near, columns=wide, run={**near.run, "rows": 100, "constant": list(net.names[:9])})
    assert {row["fact"] for row in distance_rows(far) if row["far"]} == {
        "Rows",
        "Categories in a column",
        "Columns with one value",
    }
    assert "Far from the training networks" in render_report(far)
    small = document_of(NET.dag, NET.names, trained_on=recipe)
    assert "fewer columns" in next(row["note"] for row in distance_rows(small) if row["fact"] == "Columns")
    assert distance_rows(replace(near, run={"trained_on": {"rows": "many"}})) == []


# two results, and a benchmark


def test_a_comparison_counts_what_was_added_lost_and_turned(tmp_path):
    def made(*edges):
        return GraphDocument(("a", "b", "c", "<b>d"), tuple(FoundEdge(*edge) for edge in edges))

    one = made(("a", "b", "directed"), ("b", "c", "directed"), ("c", "<b>d", "undirected"))
    two = made(("b", "a", "directed"), ("c", "<b>d", "undirected"), ("a", "<b>d", "directed"))
    found = compare(one, two)
    assert found["counts"] == {"added": 1, "lost": 1, "turned": 1, "same": 1}
    turned = next(row for row in found["rows"] if row["change"] == "turned")
    assert (turned["a"], turned["b"], turned["before"], turned["after"]) == ("a", "b", "a -> b", "b -> a")
    write_document(tmp_path / "one", one)
    write_document(tmp_path / "two", replace(two, names=(*two.names, "extra")))
    file = write_comparison(tmp_path / "one", tmp_path / "two")
    assert file == tmp_path / "two" / "comparison.html"
    page = Page(file.read_text())
    assert not [tag for tag, _ in page.tags if tag == "b"]
    assert "extra" in "".join(page.text["p"])
    assert compare(one, one)["counts"]["same"] == 3
    assert "The two graphs are the same" in write_comparison(tmp_path / "one", tmp_path / "one").read_text()


def test_a_benchmark_page_shows_tables_pictures_and_notes_of_any_folder(tmp_path):
    (tmp_path / "t.csv").write_text("network,F1,note\n<b>asia</b>,0.5 ± 0.1,x\nalarm,1.0,y\nchild,0.75\n")
    (tmp_path / "h.png").write_bytes(b"\x89PNG")
    (tmp_path / "r.md").write_text("# <script>\n")
    text = write_benchmark_report(tmp_path).read_text()
    page = Page(text)
    shades = [a.get("class") for tag, a in page.tags if tag == "td"]
    assert shades == [None, "shade-0", None, None, "shade-6", None, None, "shade-3", None]
    assert ("img", {"src": "data:image/png;base64,iVBORw==", "alt": "h.png"}) in page.tags
    assert not [tag for tag, _ in page.tags if tag in ("b", "script")]
    with pytest.raises(WorkError, match="no such folder"):
        write_benchmark_report(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(WorkError, match=r"there is no \.csv"):
        write_benchmark_report(tmp_path / "empty")


def test_a_benchmark_page_finds_what_bench_has_written(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "table1.csv").write_text("network,f1_mean\nasia,0.08333333333333333\nalarm,1.0\n")
    text = write_benchmark_report(tmp_path).read_text()
    assert "0.08333</td>" in text
    assert "table1" in text


# the command


@pytest.mark.jit
def test_discover_writes_the_report_and_the_command_that_makes_it_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    NET.sample(1000, seed=1).write("a table.csv")
    done = run("discover", "a table.csv", "-o", "out", "--seed", 3, "--max-degree", 4, "-j", 1)
    assert done.exit_code == 0
    assert "out/report.html" in done.stdout
    facts = json.loads((tmp_path / "out" / "graph.json").read_text())["run"]
    assert facts["command"] == "ml4c discover 'a table.csv' --max-degree 4 --seed 3"
    text = (tmp_path / "out" / "report.html").read_text()
    assert "<h1>a table.csv</h1>" in text
    before = (tmp_path / "out" / "report.html").read_bytes()
    assert run("report", "out").stdout == "out/report.html\n"
    assert (tmp_path / "out" / "report.html").read_bytes() == before
    assert run("report", "out", "out", "-o", "both.html").stdout == "both.html\n"
    assert run("report", "--benchmark", "out").exit_code == 0


def test_the_report_command_says_what_it_needs(tmp_path):
    for arguments, words in (
        ([], "give the folder of one result"),
        ([tmp_path], "there is no graph.json"),
        ([tmp_path] * 3, "give the folder"),
        (["--benchmark", tmp_path / "x"], "no such folder"),
    ):
        done = run("report", *arguments)
        assert done.exit_code == 2
        assert words in done.stderr


@pytest.mark.jit
def test_saving_again_removes_the_report_of_another_graph(result, tmp_path):
    result.save(tmp_path)
    write_report(tmp_path)
    result.save(tmp_path)
    assert not (tmp_path / "report.html").exists()


@pytest.mark.jit
def test_a_notebook_shows_the_graph(result):
    html = result._repr_html_()
    assert html.count("<svg") == 1
    assert html.count("<rect") == len({name for edge in result.edges for name in (edge.source, edge.target)})
