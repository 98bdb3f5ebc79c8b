"""The page in a real browser: what it shows, what it recomputes, what it saves, and that nothing else happens.

Screenshots of 20, 200 and 1,000 columns are kept in the folder that ML4C_SCREENSHOTS names, if it names one.
"""

import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import ml4c
from browser import Visit, started
from documents import HOSTILE, document_of
from ml4c.graph import edges, skeleton
from ml4c.interop import from_graphml, read_graph, read_knowledge, write_document
from ml4c.meek import chain_to
from ml4c.report import preview, write_benchmark_report, write_comparison, write_report
from ml4c.report.preview import ranked_v_structures
from naive_graphs import random_dag

pytestmark = pytest.mark.xdist_group("browser")
NET = ml4c.load_network("asia")
DOCUMENT = document_of(NET.dag, NET.names, seed=3)
MATRIX = DOCUMENT.graph.matrix
RANKED = ranked_v_structures(DOCUMENT)
PLACE = {name: i for i, name in enumerate(NET.names)}


@pytest.fixture(scope="module")
def browser():
    with started() as found:
        yield found


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write_report(DOCUMENT, tmp_path_factory.mktemp("page"), title="asia")


@pytest.fixture
def visit(browser, file):
    with Visit(browser, file) as opened:
        yield opened


def drawn(page):
    """The graph that the page shows, as a matrix."""
    found = page.evaluate("ml4c.page.edges.map(e => [e.i, e.j, e.directed])")
    a = np.zeros((len(NET.names),) * 2, np.int8)
    for i, j, directed in found:
        a[i, j] = 1
        a[j, i] = not directed
    return a


def choose(page, a, b):
    """Click an edge of the drawing by its ends."""
    key = ",".join(str(i) for i in sorted((PLACE[a], PLACE[b])))
    page.locator(f'[data-edge="{key}"] .hit').dispatch_event("pointerdown", {"button": 0, "clientX": 5, "clientY": 5})
    page.evaluate("window.dispatchEvent(new PointerEvent('pointerup'))")


# what it shows


def test_it_opens_with_the_graph_of_the_result(visit):
    assert visit.page.title() == "asia · ml4c"
    assert np.array_equal(drawn(visit.page), MATRIX)
    assert visit.page.inner_text("#certificate") == "a valid CPDAG"
    assert visit.page.inner_text("#n-arrows") == str(len(edges(MATRIX).directed))
    assert visit.page.locator("#board .node").count() == len(NET.names)
    assert visit.page.locator("#edge-rows tr").count() == len(DOCUMENT.edges)
    assert visit.page.is_hidden("#preview-bar")


def test_an_arrow_has_a_head_and_an_undirected_edge_is_dashed(visit):
    page = visit.page
    assert page.locator(".edge.directed .head").count() == len(edges(MATRIX).directed)
    assert page.locator(".edge.undirected .head").count() == 0
    dashed = page.locator(".edge.undirected .line[stroke-dasharray]").count()
    assert dashed == len(edges(MATRIX).undirected) == page.locator("#board .line[stroke-dasharray]").count()


def test_line_weight_follows_probability(visit):
    widths = visit.page.evaluate(
        "ml4c.page.edges.filter(e => e.p !== null).map(e => [e.p, +document.querySelector("
        "`[data-edge='${Math.min(e.i, e.j)},${Math.max(e.i, e.j)}'] .line`).getAttribute('stroke-width')])"
    )
    assert [w for _, w in sorted(widths)] == sorted(w for _, w in widths)
    assert len(widths) > 2


def test_clicking_an_edge_says_why_it_is_there_and_points_there(visit):
    choose(visit.page, "either", "dysp")
    words = visit.page.inner_text("#panel")
    assert "either → dysp" in words
    assert "bronc → dysp ← either" in words
    choose(visit.page, "either", "xray")
    assert "by Meek's rule 1" in visit.page.inner_text("#panel")
    choose(visit.page, "smoke", "bronc")
    assert "no data of this kind can tell" in visit.page.inner_text("#panel")


def test_clicking_a_triple_says_how_it_was_judged(visit):
    choose(visit.page, "either", "dysp")
    visit.page.click("#panel .links .link")
    words = visit.page.inner_text("#panel")
    triple = next(t for t in DOCUMENT.triples if {t.x, t.y} == {"bronc", "either"})
    assert f"{triple.probability:.3f}" in words
    assert "as its probability says" in words


# what if


def test_the_slider_recomputes_the_graph_and_its_certificate_as_python_does(visit):
    for least in (0.5, 0.7, 0.9, 0.99, 0.0):
        visit.page.evaluate(
            "v => { const s = document.getElementById('least'); s.value = v; s.dispatchEvent(new Event('input')); }",
            least,
        )
        expected = preview(skeleton(MATRIX), RANKED, least=least, names=NET.names)
        assert np.array_equal(drawn(visit.page), expected.graph)
        assert visit.page.inner_text("#certificate") == str(expected.certificate)
        assert visit.page.is_visible("#preview-bar") == (least > 0)


def as_asked(document, least, arrows, absent):
    """The question that the page's script takes."""
    names = list(document.names)
    pairs = np.argwhere(np.triu(skeleton(document.graph.matrix))).tolist()
    ranked = [list(row) for row in ranked_v_structures(document)]
    return {
        "n": len(names),
        "names": names,
        "pairs": pairs,
        "ranked": ranked,
        "least": least,
        "arrows": arrows,
        "absent": absent,
    }


def random_case(seed):
    """A graph with things stated about some of its edges, at times against each other."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 13))
    document = document_of(random_dag(rng, n, rng.uniform(0.15, 0.6)), [f"v{i}" for i in range(n)], seed=seed)
    pairs = np.argwhere(np.triu(skeleton(document.graph.matrix))).tolist()
    stated = [pairs[k] for k in rng.permutation(len(pairs))[: rng.integers(0, 5)]]
    kinds = rng.integers(3, size=len(stated))
    arrows = [pair if kind else pair[::-1] for pair, kind in zip(stated, kinds, strict=True) if kind < 2]
    absent = [pair for pair, kind in zip(stated, kinds, strict=True) if kind == 2]
    return document, float(rng.choice([0.0, rng.uniform(0.3, 1.0)])), arrows, absent


def test_the_script_agrees_with_python_on_many_graphs(visit):
    cases = [random_case(seed) for seed in range(300)]
    code = """asked => asked.map(one => {
        const found = ml4c.preview(one);
        const chains = found.steps.map(s => ml4c.chainTo(s.source, s.target, found.steps, one.n).length);
        return {...found, graph: [...found.graph], chains};
    })"""
    answers = visit.page.evaluate(code, [as_asked(*case) for case in cases])
    invalid = 0
    for (document, least, arrows, absent), found in zip(cases, answers, strict=True):
        ranked = ranked_v_structures(document)
        expected = preview(
            skeleton(document.graph.matrix), ranked, least=least, arrows=arrows, absent=absent, names=document.names
        )
        n = len(document.names)
        assert np.array_equal(np.array(found["graph"]).reshape(n, n), expected.graph)
        certificate = found["certificate"]
        assert certificate.pop("valid") == expected.certificate.valid
        assert certificate == vars(expected.certificate)
        assert found["leftOut"] == list(expected.left_out)
        steps = [(s["source"], s["target"], s["rule"], tuple(s["by"])) for s in found["steps"]]
        assert steps == [(s.source, s.target, s.rule, s.by) for s in expected.steps]
        assert found["chains"] == [len(chain_to((s.source, s.target), expected.steps)) for s in expected.steps]
        invalid += not expected.certificate.valid
    assert 20 < invalid < 250
    assert {s["rule"] for found in answers for s in found["steps"]} == {1, 2, 3, 4}


def test_overruling_an_edge_shows_the_consequences_and_makes_a_knowledge_file(visit, tmp_path):
    page = visit.page
    choose(page, "smoke", "lung")
    page.check('#panel input[value="backward"]')  # lung -> smoke: smoke stands before lung in the table
    i, j = PLACE["lung"], PLACE["smoke"]
    expected = preview(skeleton(MATRIX), RANKED, arrows=[(i, j)], names=NET.names)
    assert np.array_equal(drawn(page), expected.graph)
    assert len(edges(expected.graph).directed) > len(edges(MATRIX).directed) + 1  # it forced others
    assert page.inner_text("#certificate") == "a valid CPDAG, with what is known drawn in"
    choose(page, "either", "xray")
    page.check('#panel input[value="absent"]')
    assert "no edge between" in page.inner_text("#statements")
    name, content = visit.downloaded("#save-knowledge")
    (tmp_path / name).write_bytes(content)
    known = read_knowledge(tmp_path / name)
    assert known.required == ((NET.names[i], NET.names[j]),)
    assert set(known.forbidden) == {("either", "xray"), ("xray", "either")}
    page.click("#statements .take-back >> nth=0")
    page.click("#reset")
    assert np.array_equal(drawn(page), MATRIX)
    assert page.is_hidden("#statements-box")


@pytest.mark.jit
def test_what_a_reader_states_is_obeyed_by_the_next_run(browser, tmp_path):
    data = NET.sample(2000, seed=1)
    first = ml4c.discover(data, knowledge=ml4c.Knowledge(tiers=[["asia", "smoke"], ["xray", "dysp"]]))
    with Visit(browser, write_report(first, tmp_path)) as opened:
        page = opened.page
        free = [e for e in first.edges if (e.source, e.target) not in first.known]
        edge = free[0]
        forward = PLACE[edge.source] < PLACE[edge.target]
        choose(page, edge.source, edge.target)
        page.check(f'#panel input[value="{"backward" if forward else "forward"}"]')
        name, content = opened.downloaded("#save-knowledge")
    (tmp_path / name).write_bytes(content)
    known = read_knowledge(tmp_path / name)
    assert known.tiers == (("asia", "smoke"), ("xray", "dysp"))
    again = ml4c.discover(data, knowledge=tmp_path / name)
    assert f"{edge.target} -> {edge.source}" in [str(found) for found in again.edges]


def test_arrows_that_the_run_knows_cannot_be_overruled_in_the_page(browser, tmp_path):
    source, target = edges(MATRIX).directed[0].tolist()
    known = document_of(NET.dag, NET.names, seed=3, known=[(NET.names[source], NET.names[target])])
    with Visit(browser, write_report(known, tmp_path)) as opened:
        choose(opened.page, NET.names[source], NET.names[target])
        assert "change it there" in opened.page.inner_text("#panel")
        assert opened.page.locator("#panel input[type=radio]").count() == 0


# what it saves


def test_exports_hold_the_graph_as_it_is_shown(visit, tmp_path):
    page = visit.page
    choose(page, "smoke", "bronc")
    page.check('#panel input[value="forward"]')
    shown = drawn(page)
    for button in ("#save-csv", "#save-graphml"):
        name, content = visit.downloaded(button)
        (tmp_path / name).write_bytes(content)
        found = read_graph(tmp_path / name, NET.names) if name.endswith("ml") else read_graph(tmp_path / name)
        order = [found.names.index(n) for n in NET.names if n in found.names]
        here = [PLACE[n] for n in NET.names if n in found.names]
        assert np.array_equal(found.matrix[np.ix_(order, order)], shown[np.ix_(here, here)])
    dot = visit.downloaded("#save-dot")[1].decode()
    assert len(re.findall(" -> ", dot)) == len(page.evaluate("ml4c.page.edges"))
    assert dot.count("dir=none") == len(edges(shown).undirected)
    name, content = visit.downloaded("#save-svg")
    root = ElementTree.fromstring(content)  # noqa: S314 - our own
    assert [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")] == list(NET.names)
    name, content = visit.downloaded("#save-png")
    assert content.startswith(b"\x89PNG")
    assert len(content) > 8000  # a blank picture of this size has some hundred bytes


# names are text


def test_hostile_names_stay_text_wherever_they_appear(browser, tmp_path):
    dag = np.zeros((6, 6), np.int8)
    dag[0, 2] = dag[1, 2] = dag[2, 3] = dag[4, 5] = 1
    document = document_of(dag, list(HOSTILE), command=f"ml4c discover '{HOSTILE[0]}'", data=HOSTILE[1])
    with Visit(browser, write_report(document, tmp_path, title=HOSTILE[0])) as opened:
        page = opened.page
        assert page.inner_text("h1") == HOSTILE[0]
        assert page.evaluate("[...document.querySelectorAll('img, b:not(#panel b), iframe')].length") == 0
        assert page.evaluate("ml4c.page.shown.slice(0, 5)") == list(HOSTILE[:5])
        for i in range(6):
            page.evaluate("i => ml4c.page.select({kind: 'column', i})", i)
            assert page.inner_text("#panel h2") == page.evaluate("i => ml4c.page.shown[i]", i)
        page.evaluate("ml4c.page.select({kind: 'triple', k: 0})")
        page.evaluate("ml4c.page.select({kind: 'edge', key: '0,2'})")
        page.check('#panel input[value="absent"]')
        page.fill("#search", HOSTILE[1])
        page.press("#search", "Enter")
        assert page.inner_text("#panel h2") == HOSTILE[1]
        known = json.loads(opened.downloaded("#save-knowledge")[1])
        assert [HOSTILE[0], HOSTILE[2]] in known["forbidden"]
        assert page.evaluate("document.querySelectorAll('script').length") == 3
        graph = from_graphml(opened.downloaded("#save-graphml")[1].decode())
        assert graph.names == HOSTILE
        ElementTree.fromstring(opened.downloaded("#save-svg")[1])  # noqa: S314 - our own
        opened.downloaded("#save-png")


# hands, eyes and ears


def test_the_keyboard_reaches_everything(visit):
    page = visit.page
    page.focus("#least")
    page.keyboard.press("Tab")
    for _ in range(3):
        if page.evaluate("document.activeElement.dataset.node") is not None:
            break
        page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.dataset.node")
    assert first is not None
    assert page.locator('#board [tabindex="0"]').count() == 1
    seen = {first}
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
        seen.add(page.evaluate("document.activeElement.dataset.node"))
    assert len(seen) > 2
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "H2"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.node") is not None
    scale = page.evaluate("document.getElementById('board').getAttribute('transform')")
    page.keyboard.press("+")
    assert page.evaluate("document.getElementById('board').getAttribute('transform')") != scale


def test_every_control_and_every_column_has_a_name(visit):
    code = """() => [...document.querySelectorAll('button, input, select, [role=button]')].filter(e => {
        const labels = [...(e.labels || [])].map(label => label.textContent);
        return !['aria-label'].map(a => e.getAttribute(a) || '').concat(e.textContent, labels).join('').trim();
    }).map(e => e.outerHTML)"""
    nameless = visit.page.evaluate(code)
    assert nameless == []
    label = visit.page.get_attribute(f'[data-node="{PLACE["either"]}"]', "aria-label")
    assert label.startswith("column either; causes: ")
    assert visit.page.locator("h1").count() == 1
    assert visit.page.get_attribute("html", "lang") == "en"


def test_a_column_can_be_dragged_and_the_rest_stays(visit):
    page = visit.page
    before = page.evaluate("[...document.querySelectorAll('.node')].map(n => n.getAttribute('transform'))")
    box = page.locator(f'[data-node="{PLACE["either"]}"] rect').bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 120, steps=4)
    page.mouse.up()
    after = page.evaluate("[...document.querySelectorAll('.node')].map(n => n.getAttribute('transform'))")
    assert [a != b for a, b in zip(before, after, strict=True)] == [name == "either" for name in NET.names]


def test_light_and_dark_follow_the_system_and_the_button(browser, file):
    def ground(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    with Visit(browser, file, color_scheme="light") as light, Visit(browser, file, color_scheme="dark") as dark:
        assert ground(light.page) != ground(dark.page)
        there = ground(dark.page)
        light.page.click("#theme")
        assert ground(light.page) == there
        light.page.click("#theme")
        assert ground(light.page) != there


# sizes


@pytest.mark.parametrize(("network", "name"), [("child", "20"), ("andes", "200"), ("munin", "1000")])
def test_large_graphs_open_and_are_kept_as_pictures(browser, tmp_path, network, name):
    net = ml4c.load_network(network)
    file = write_report(document_of(net.dag, net.names), tmp_path, title=network)
    kept = Path(os.environ.get("ML4C_SCREENSHOTS") or tmp_path)
    kept.mkdir(exist_ok=True)
    for scheme in ("light", "dark"):
        with Visit(browser, file, color_scheme=scheme) as opened:
            page = opened.page
            nodes = page.locator("#board .node").count()
            assert (nodes == net.n_nodes) == (network != "munin")
            assert page.input_value("#view") == ("near" if network == "munin" else "whole")
            assert network == "munin" or page.is_visible("#map") == (network == "andes")
            page.screenshot(path=kept / f"{name}-{scheme}.png")
            if network == "munin" and scheme == "light":
                page.fill("#centre", net.names[5])
                page.press("#centre", "Enter")
                page.select_option("#steps", "2")
                assert page.locator(f'[data-node="{5}"]').count() == 1
                page.select_option("#view", "whole")
                joined = (net.dag | net.dag.T).any(axis=1).sum()
                assert page.locator("#board .node").count() == joined


def test_other_pages_are_quiet_too(browser, tmp_path):
    other = document_of(random_dag(np.random.default_rng(0), 8, 0.3), NET.names)
    write_document(tmp_path / "one", DOCUMENT)
    write_document(tmp_path / "two", other)
    with Visit(browser, write_comparison(tmp_path / "one", tmp_path / "two")) as opened:
        assert opened.page.locator(".picture svg").is_visible()
    with Visit(browser, write_benchmark_report(tmp_path / "one")) as opened:
        assert opened.page.locator("table").count() == 2
