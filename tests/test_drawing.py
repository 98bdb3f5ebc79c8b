"""Where nodes stand, and the static picture."""

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import ml4c
from ml4c.drawing import Look, layered_layout, svg_picture
from ml4c.drawing.layers import cut_long_edges, layers_of
from ml4c.drawing.rows import settle_rows
from ml4c.graph import edges
from ml4c.meek import cpdag_of
from naive_graphs import random_dag, random_pdag

SVG = "{http://www.w3.org/2000/svg}"


def names_of(n):
    return [f"n{i:03}" for i in range(n)]


@pytest.mark.parametrize("seed", range(20))
def test_causes_stand_to_the_left_and_nodes_of_a_layer_do_not_touch(seed):
    graph = cpdag_of(random_dag(np.random.default_rng(seed), 14, 0.2))
    places = np.array(layered_layout(graph, names_of(14)).places)
    for i, j in edges(graph).directed.tolist():
        assert places[i, 0] < places[j, 0]
    for layer in np.unique(places[:, 0]):
        rows = np.sort(places[places[:, 0] == layer, 1])
        assert (np.diff(rows) > 1 - 2e-3).all()
    assert places.min() >= 0


@pytest.mark.parametrize("seed", range(20))
def test_a_graph_that_is_no_cpdag_is_drawn_too(seed):
    layout = layered_layout(random_pdag(np.random.default_rng(seed), 8), names_of(8))
    assert len(set(layout.places)) == 8


def test_the_order_of_columns_moves_no_node():
    net = ml4c.load_network("alarm")
    graph, order = cpdag_of(net.dag), np.random.default_rng(0).permutation(net.n_nodes)
    one = layered_layout(graph, net.names)
    other = layered_layout(graph[np.ix_(order, order)], [net.names[i] for i in order])
    assert [one.places[i] for i in order] == list(other.places)
    back = {(min(order[i], order[j]), max(order[i], order[j])): points for (i, j), points in other.bends.items()}
    assert {pair: sorted(points) for pair, points in back.items()} == {p: sorted(q) for p, q in one.bends.items()}


def test_bends_lead_from_the_smaller_node_to_the_larger_and_pass_every_layer_between():
    net = ml4c.load_network("alarm")
    layout = layered_layout(net.dag, net.names)
    assert layout.bends
    for (i, j), points in layout.bends.items():
        way = [layout.places[i][0], *(x for x, _ in points), layout.places[j][0]]
        assert {b - a for a, b in pairwise(way)} in ({1.0}, {-1.0})


def test_a_thousand_columns_and_none_are_placed():
    net = ml4c.load_network("munin")
    assert len(set(layered_layout(net.dag, net.names).places)) == net.n_nodes
    assert layered_layout(np.zeros((0, 0)), []).size == (0.0, 0.0)
    assert len(set(layered_layout(np.zeros((7, 7)), names_of(7)).places)) == 7


def test_a_node_moves_to_the_side_where_most_of_its_edges_are():
    # 0 -> 1 -> 2 -> 3 and 4 -> 3: 4 stands next to its child, not at the left.
    dag = np.zeros((5, 5), np.int8)
    dag[[0, 1, 2, 4], [1, 2, 3, 3]] = 1
    assert layers_of(dag) == [0, 1, 2, 3, 2]


def test_long_edges_are_cut_at_every_layer():
    pieces = cut_long_edges([(0, 1), (0, 2)], [0, 1, 3])
    assert pieces.layers == [0, 1, 3, 1, 2]
    assert pieces.edges == [(0, 1), (0, 3), (3, 4), (4, 2)]
    assert pieces.dummies == {(0, 1): [], (0, 2): [3, 4]}


def test_rows_keep_order_and_distance_and_a_chain_is_level():
    height = settle_rows([[0, 1, 2], [3]], [[3], [3], [3], [0, 1, 2]], [1.0, 1.0, 1.0, 1.0])
    assert [height[1] - height[0], height[2] - height[1]] == pytest.approx([1.0, 1.0])
    assert height[3] == pytest.approx(height[1])
    level = settle_rows([[0], [1], [2]], [[1], [0, 2], [1]], [1.0] * 3)
    assert level == pytest.approx([level[0]] * 3)


HOSTILE = ["<script>alert(1)</script>", '"><img onerror=alert(1) src=x>', "a&b\n\x07", "x" * 200]


def test_a_picture_is_xml_in_which_names_are_text():
    graph = np.zeros((4, 4), np.int8)
    graph[0, 1] = graph[1, 2] = graph[2, 1] = graph[2, 3] = 1
    looks = {(0, 1): Look(2.0, title=HOSTILE[0])}
    root = ElementTree.fromstring(svg_picture(graph, HOSTILE, looks=looks, label=HOSTILE[1]))  # noqa: S314 - our own
    assert {element.tag for element in root.iter()} == {SVG + t for t in ("svg", "g", "title", "rect", "text", "path")}
    texts = [element.text for element in root.iter(SVG + "text")]
    assert texts[2] == "a&b\\n\\x07"
    assert texts[3].endswith("…")
    assert len(texts[3]) < 30
    titles = [element.text for element in root.iter(SVG + "title")]
    assert titles[0] == HOSTILE[0]
    assert HOSTILE[3] in titles
    assert root.attrib["aria-label"] == HOSTILE[1]


def test_arrows_have_heads_and_undirected_edges_are_dashed():
    graph = np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]])
    root = ElementTree.fromstring(svg_picture(graph, ["a", "b", "c"]))  # noqa: S314 - our own
    lines = [element for element in root.iter(SVG + "path") if "stroke" in element.attrib]
    heads = [element for element in root.iter(SVG + "path") if "stroke" not in element.attrib]
    assert ["stroke-dasharray" in line.attrib for line in lines] == [False, True]
    assert len(heads) == 1
