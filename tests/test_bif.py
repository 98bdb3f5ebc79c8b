"""BIF files: the 24 networks, files as found in the wild, every way to be malformed, and the way back."""

import contextlib
import gzip
import random
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ml4c.bayesnet import CPT, BayesNet
from ml4c.bif import (
    NetworkSummary,
    load_network,
    network_names,
    network_summaries,
    parse_bif,
    read_bif,
    write_bif,
)
from ml4c.errors import NetworkError

# nodes and edges as published
NETWORKS = {
    "cancer": (5, 4),
    "earthquake": (5, 4),
    "survey": (6, 6),
    "asia": (8, 8),
    "sachs": (11, 17),
    "child": (20, 25),
    "insurance": (27, 52),
    "water": (32, 66),
    "mildew": (35, 46),
    "alarm": (37, 46),
    "barley": (48, 84),
    "hailfinder": (56, 66),
    "hepar2": (70, 123),
    "win95pts": (76, 112),
    "pathfinder": (109, 195),
    "munin1": (186, 273),
    "andes": (223, 338),
    "diabetes": (413, 602),
    "pigs": (441, 592),
    "link": (724, 1125),
    "munin2": (1003, 1244),
    "munin4": (1038, 1388),
    "munin3": (1041, 1306),
    "munin": (1041, 1397),
}


def row(net, child, **given_states):
    """Return the distribution of a node for the named states of its parents."""
    node = net.distributions[net.names.index(child)]
    index = 0
    for parent in node.parents:
        states = net.states[parent]
        index = index * len(states) + states.index(given_states[net.names[parent]])
    return node.table[index].tolist()


# --- the networks of the package --------------------------------------------------------------------------


def test_the_package_has_the_24_networks():
    assert network_names() == tuple(NETWORKS)


@pytest.mark.parametrize(("name", "size"), NETWORKS.items())
def test_a_network_of_the_package_is_what_the_index_says(name, size):
    net = load_network(name)
    assert (net.n_nodes, net.n_edges) == size
    assert NetworkSummary.of(name, net) in network_summaries()


def test_the_networks_of_the_benchmarks_are_what_their_page_says():
    folder = Path(__file__).parents[1] / "benchmarks" / "bnrep"
    listed = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \|$", (folder / "README.md").read_text(), re.MULTILINE)
    assert len(listed) == 34 == len(list(folder.glob("*.bif.gz")))
    for name, nodes, edges in listed:
        net = load_network(folder / f"{name}.bif.gz")
        assert (net.n_nodes, net.n_edges) == (int(nodes), int(edges))


def test_numbers_end_up_where_they_belong():
    cancer = load_network("cancer")
    assert cancer.names == ("Pollution", "Smoker", "Cancer", "Xray", "Dyspnoea")
    assert cancer.states[0] == ("low", "high")
    assert row(cancer, "Pollution") == [0.9, 0.1]
    assert row(cancer, "Cancer", Pollution="high", Smoker="True") == [0.05, 0.95]
    assert row(cancer, "Cancer", Pollution="low", Smoker="False") == [0.001, 0.999]
    assert cancer.dag.nonzero()[0].tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize("name", ["Alarm", "alrm"])
def test_an_unknown_name_gets_near_matches_and_the_list(name):
    with pytest.raises(NetworkError, match=rf"no network is called '{name}'. Did you mean alarm\?.*cancer, earth"):
        load_network(name)


def test_a_network_is_loaded_from_a_path(tmp_path):
    net = load_network("asia")
    for file in (tmp_path / "a.bif", tmp_path / "b.bif.gz"):
        write_bif(net, file)
        assert load_network(file) == load_network(str(file)) == net
    with pytest.raises(NetworkError, match=r"cannot read .*missing\.bif: No such file"):
        load_network(str(tmp_path / "missing.bif"))
    with pytest.raises(NetworkError, match=r"cannot read .*: Is a directory"):
        load_network(tmp_path)


# --- files as found in the wild ---------------------------------------------------------------------------

JAVABAYES = """\
// Bayesian Network in the Interchange Format
network "Dog-Problem" { //5 variables and 5 probability distributions
        property "credal-set constant-density-bounded 1.1" ;
}
variable  "light-on" { //2 values
        type discrete[2] {  "true"  "false" };
        property "position = (218, 195)" ;
}
variable  "family out" { //3 values
        property "a semicolon; in quotes, and a } bracket" ;
        type discrete[3] {  "yes"  "no" "not sure" };
}
probability (  "light-on"  "family out" ) { //2 variable(s) and 6 values
        table 0.6 0.05 0.3 0.4 0.95 0.7 ;
}
probability (  "family out" ) { table 0.15 0.55 .3 ; }
"""


def test_the_form_of_the_authors_of_the_format():
    net = parse_bif(JAVABAYES)
    assert net.names == ("light-on", "family out")
    assert net.states[1] == ("yes", "no", "not sure")
    assert row(net, "light-on", **{"family out": "yes"}) == [0.6, 0.4]
    assert row(net, "light-on", **{"family out": "not sure"}) == [0.3, 0.7]


def test_the_last_parent_of_a_table_varies_fastest():
    first = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    numbers = " ".join(map(str, first + [1 - p for p in first]))
    net = parse_bif(
        "variable a {type discrete[2]{x y};} probability(a){table .5 .5;}"
        "variable b {type discrete[3]{p q r};} probability(b){table .2 .3 .5;}"
        f"variable c {{type discrete[2]{{0 1}};}} probability(c|a,b){{table {numbers};}}"
    )
    assert row(net, "c", a="x", b="r")[0] == 0.3
    assert row(net, "c", a="y", b="p")[0] == 0.4


WILD = """\
\ufeff/* declared after use, percent signs, no commas,\r
   CRLF */ network {}\r
probability ( 50%-off | a/b, "x, (y) \\"z\\"" ) {\r
  property anything goes here, even brackets in "}; quotes" (1, 2);\r
  default 5e-1, 0.5;\r
  (<1.5, ünï) .25 // a comment; with a semicolon\r
     , /* and another */ 75.e-2;\r
  (>=1.5 "")   1E0   0\r
}\r
probability ( a/b ) { default 1, 0.0 }\r
probability ( "x, (y) \\"z\\"" ) { () 0.5 0.5;; };\r
variable 50%-off { type discrete [ 2 ] { 0, 1 } }\r
variable a/b { type discrete [2] { <1.5 >=1.5 }; property last }\r
variable "x, (y) \\"z\\"" { type discrete [ 2 ] { ünï, "" }; }\r
"""


def test_a_file_with_every_liberty():
    odd = 'x, (y) "z"'
    net = parse_bif(WILD)
    assert net.names == ("50%-off", "a/b", odd)
    assert net.states == (("0", "1"), ("<1.5", ">=1.5"), ("ünï", ""))
    assert row(net, "50%-off", **{"a/b": "<1.5", odd: "ünï"}) == [0.25, 0.75]
    assert row(net, "50%-off", **{"a/b": ">=1.5", odd: ""}) == [1, 0]
    assert row(net, "50%-off", **{"a/b": "<1.5", odd: ""}) == [0.5, 0.5]
    assert row(net, "a/b") == [1, 0]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_any_line_ends_give_the_same_network_and_the_same_lines(line_end):
    text = WILD.replace("\r\n", line_end)
    assert parse_bif(text) == parse_bif(WILD)
    with pytest.raises(NetworkError, match="line 13: variable 'a/b' has type 'real'"):
        parse_bif(text.replace("variable a/b { type discrete", "variable a/b { type real"))


# --- malformed files --------------------------------------------------------------------------------------

GOOD = """\
network n {
}
variable a {
  type discrete [ 2 ] { x, y };
}
variable b {
  type discrete [ 2 ] { x, z };
}
probability ( a ) {
  table 0.4, 0.6;
}
probability ( b | a ) {
  (x) 0.1, 0.9;
  (y) 0.2, 0.8;
}
"""
TABLE = "  (x) 0.1, 0.9;\n  (y) 0.2, 0.8;"


def test_the_text_that_the_next_test_spoils_is_good():
    assert parse_bif(GOOD).n_edges == 1
    assert TABLE in GOOD


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        # names
        ("( b | a )", "( b | c )", 12, "variable 'c' is not declared"),
        ("( b | a )", "( c | a )", 12, "variable 'c' is not declared"),
        ("variable b", "variable a", 6, "variable 'a' is declared twice, first in line 3"),
        ("( b | a )", "( a | b )", 12, "a second probability block for 'a'; the first is in line 9"),
        ("probability ( a ) {\n  table 0.4, 0.6;\n}\n", "", 3, "variable 'a' has no probability block"),
        ("(y) 0.2", "(q) 0.2", 14, "'q' is not a state of 'a', which has x, y"),
        ("{ x, y }", "{ x, x }", 4, "variable 'a' has the state 'x' twice"),
        ("(x) 0.1", "(x, x) 0.1", 13, "a row for 'b' names 1 parent states, not 2"),
        ("(x) 0.1", "() 0.1", 13, "a row for 'b' names 1 parent states, not 0"),
        ("(y) 0.2", "(x) 0.2", 14, "a second row for the states of line 13"),
        ("  (x) 0.1, 0.9;\n", "", 12, r"1 of 2 rows for 'b' are missing, the first is \(x\)"),
        (TABLE, "", 12, r"2 of 2 rows for 'b' are missing"),
        # numbers
        ("[ 2 ] { x, y }", "[ 3 ] { x, y }", 4, "variable 'a' announces 3 states, lists 2"),
        ("[ 2 ] { x, y }", "[ ] { x, y }", 4, r"expected the number of states, found ']'"),
        ("0.4, 0.6", "0.4, 0.5, 0.1", 10, "3 probabilities for 'a', expected 2"),
        ("0.1, 0.9", "0.1", 13, "1 probabilities for 'b', expected 2"),
        ("0.2, 0.8", "0.2, 0.7", 14, "distribution of 'b': the probabilities sum to 0.9, off by -0.1"),
        ("0.2, 0.8", "1.2, -0.2", 14, "distribution of 'b': -0.2 is not a probability"),
        ("0.2, 0.8", "1e999, 0", 14, "the probabilities sum to inf"),
        ("0.2, 0.8", "0.2, 0.8.1", 14, "'0.8.1' is not a number"),
        ("0.2, 0.8", "0.2, nan", 14, "expected a number or ';', found 'nan'"),
        ("0.2, 0.8", "0.2, 0_8", 14, "expected a number or ';', found '_8'"),
        (TABLE, "  table 0.1 0.2\n 0.9;", 13, "3 probabilities for 'b', expected 4"),
        (TABLE, "  default 0.1 0.2 0.7;", 13, "3 probabilities for 'b', expected 2"),
        (TABLE, "  default 0.1 0.8;", 13, "sum to 0.9"),
        (TABLE, "  table 0.1, 0.9, 0.2, 0.8;", 13, "one distribution after the other"),
        (TABLE, "  table 0.1, 0.2, 0.8, 0.8;", 13, "sum to 0.9"),
        (
            TABLE,
            "  (x) 0.1 0.9;\n  table 0.1, 0.2, 0.9, 0.8;",
            14,
            "'b' has a 'table' and other rows besides",
        ),
        (
            TABLE,
            "  table 0.1, 0.2, 0.9, 0.8; default 0.1 0.9;",
            13,
            "'b' has a 'table' and other rows besides",
        ),
        (
            TABLE,
            "  default 0.1 0.9;\n  default 0.1 0.9;",
            14,
            "a second 'default' in the probability block for 'b'",
        ),
        # structure
        ("variable b", "Variable b", 6, "expected 'network', 'variable' or 'probability', found 'Variable'"),
        ("type discrete [ 2 ] { x, y }", "type continuous", 4, "has type 'continuous': only 'discrete'"),
        ("  type discrete [ 2 ] { x, y };\n", "", 3, "variable 'a' has no type"),
        ("{ x, y };", "{ x, y };\n type discrete [ 1 ] { x };", 5, "variable 'a' has two types"),
        ("{ x, y };", "{ x, y };\n typ", 5, "expected 'type', 'property' or '}', found 'typ'"),
        (
            "network n {",
            "network n { version 1;",
            1,
            "expected 'property' or '}' in the network block, found 'version'",
        ),
        ("network n", "network n ;", 1, "expected the name of the network or '{', found ';'"),
        ("variable a {", "variable a\n", 5, r"expected '\{' after variable 'a', found 'type'"),
        ("variable a {", "variable {", 3, r"expected the name of a variable, found '\{'"),
        ("probability ( a )", "probability ( )", 9, r"expected the name of a variable, found '\)'"),
        ("probability ( a )", "probability a", 9, r"expected '\(' after 'probability', found 'a'"),
        ("( b | a )", "( b | a", 12, r"expected the name of a parent or '\)', found '\{'"),
        ("(x) 0.1", "(x 0.1, 0.9;", 13, r"expected the state of a parent or '\)', found ';'"),
        ("table 0.4", "tabel 0.4", 10, r"expected 'table', 'default', '\(' or '}', found 'tabel'"),
        ("table 0.4, 0.6;", "table 0.4, 0.6 table", 10, "a second 'table'"),
        (
            "0.8;\n}\n",
            "0.8;\n",
            15,
            "file ends inside the probability block for 'b', which begins in line 12",
        ),
        ("0.8;\n}\n", "0.8", 14, "expected a number or ';', found the end of the file"),
        ("{ x, z };\n}", "{ x, z", 8, r"expected a state or '}', found '\('"),
        # lexis
        ("{ x, z }", '{ x, "z }', 7, "the quoted name is not closed on its line"),
        ("{ x, z };", '{ x, "z };\n property "p";', 7, "the quoted name is not closed on its line"),
        ("0.4, 0.6", "0.4, /* 0.6", 10, "the comment is never closed"),
        ("variable b", "/* variable b", 6, "the comment is never closed"),
    ],
)
def test_a_malformed_file_is_told_by_line_and_reason(old, new, line, reason):
    assert GOOD.count(old) == 1
    with pytest.raises(NetworkError, match=rf"^my\.bif, line {line}: .*{reason}"):
        parse_bif(GOOD.replace(old, new), "my.bif")


@pytest.mark.parametrize("text", ["", "  \n", "network n { }", "// nothing"])
def test_an_empty_file_declares_nothing(text):
    with pytest.raises(NetworkError, match=r"line [12]: the file declares no variable"):
        parse_bif(text)


def test_a_cycle_is_told_by_its_nodes():
    text = GOOD.replace("( a ) {\n  table 0.4, 0.6;", "( a | b ) {\n default 0.4, 0.6;")
    with pytest.raises(NetworkError, match=r"my\.bif: the network has a cycle: 'a' -> 'b' -> 'a'"):
        parse_bif(text, "my.bif")


def test_a_huge_table_is_refused_before_it_is_made():
    names = [f"v{i}" for i in range(60)]
    variables = "".join(f"variable {name} {{ type discrete [2] {{ 0 1 }}; }}\n" for name in names)
    blocks = "".join(f"probability ( {name} ) {{ table 0.5 0.5; }}\n" for name in names[1:])
    text = f"{variables}{blocks}probability ( {' '.join(names)} ) {{ default 0.5 0.5; }}\n"
    with pytest.raises(NetworkError, match="line 120: a table of 1,152,921,504,606,846,976 probabilities is too large"):
        parse_bif(text)


@given(st.randoms(use_true_random=False), st.sampled_from([GOOD, WILD, JAVABAYES]))
@settings(max_examples=400, deadline=None)
def test_a_spoiled_text_never_fails_in_another_way(rng: random.Random, text: str):
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(text))
        stop = start + rng.choice([0, 1, 1, 5, 50])
        junk = "".join(rng.choices('{}()[];,|"/*\\\n ae1.-%', k=rng.randint(0, 3)))
        text = text[:start] + junk + text[stop:]
    with contextlib.suppress(NetworkError):
        assert isinstance(parse_bif(text), BayesNet)


# --- bytes ------------------------------------------------------------------------------------------------


def test_wrong_bytes_are_told_apart(tmp_path):
    zipped = gzip.compress(GOOD.encode())
    cases = {
        "plain.bif.gz": (GOOD.encode(), "plain.bif.gz is not a gzip file"),
        "empty.bif.gz": (b"", "empty.bif.gz is not a gzip file"),
        "cut.bif.gz": (zipped[:-20], "cut.bif.gz is a truncated or damaged gzip file"),
        "damaged.bif.gz": (zipped[:20] + b"\0\0\0\0" + zipped[24:], "is a truncated or damaged gzip file"),
        "zipped.bif": (zipped, "zipped.bif is gzipped: rename it to end in .bif.gz"),
        "latin.bif": (
            GOOD.replace("z }", "ü }").encode("latin-1"),
            "latin.bif, line 7: byte 0xfc is not UTF-8",
        ),
    }
    for name, (data, message) in cases.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(NetworkError, match=message):
            read_bif(tmp_path / name)


# --- the way back -----------------------------------------------------------------------------------------

NAMES = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), min_size=1, max_size=6)
ODD_NAMES = st.sampled_from(
    ["table", "}", '"', "\\", '\\"', "//", "/*", "a/b", "a//b", "50%", "1.5", "a b", "x,y", "\ufeff"]
)


@st.composite
def networks(draw):
    names = draw(st.lists((NAMES | ODD_NAMES).filter(str.strip), min_size=1, max_size=5, unique=True))
    states = [draw(st.lists(NAMES | ODD_NAMES | st.just(""), min_size=1, max_size=4, unique=True)) for _ in names]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    cpts = []
    for i, labels in enumerate(states):
        parents = rng.permutation(i)[: rng.integers(0, 3)].tolist()
        rows = int(np.prod([len(states[p]) for p in parents], dtype=int))
        cpts.append(CPT(tuple(parents), rng.dirichlet(np.full(len(labels), 0.3), size=rows)))
    net = BayesNet(tuple(names), tuple(map(tuple, states)), tuple(cpts))
    return net.permuted(rng.permutation(len(names)).tolist())


@given(net=networks(), ending=st.sampled_from([".bif", ".bif.gz"]))
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_read_back_to_the_last_bit(tmp_path_factory, net, ending):
    path = tmp_path_factory.getbasetemp() / f"net{ending}"
    write_bif(net, path)
    assert read_bif(path) == net


@pytest.mark.parametrize("name", ["child", "munin1"])
def test_a_real_network_survives_the_way_there_and_back(tmp_path, name):
    net = load_network(name)
    write_bif(net, tmp_path / "net.bif.gz")
    assert read_bif(tmp_path / "net.bif.gz") == net


def test_the_same_network_gives_the_same_bytes(tmp_path):
    for name in ("one.bif.gz", "another.bif.gz"):
        write_bif(parse_bif(GOOD), tmp_path / name)
    one = (tmp_path / "one.bif.gz").read_bytes()
    assert one == (tmp_path / "another.bif.gz").read_bytes()
    assert one[4:8] == b"\0\0\0\0"  # no time
    assert b"one" not in one


def test_a_name_that_a_file_cannot_hold_is_refused(tmp_path):
    path = tmp_path / "net.bif"
    path.write_text("old")
    for name, message in [("a\nb", "line break in the name 'a.nb'"), ("a\ud800", "lone surrogate")]:
        with pytest.raises(NetworkError, match=message):
            write_bif(BayesNet((name,), (("x",),), (CPT((), np.ones((1, 1))),)), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_is_cut_short_leaves_the_old_file(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "net.bif"
    path.write_text("old")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(NetworkError, match=r"cannot write .*: No space left on device"):
        write_bif(parse_bif(GOOD), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "message"),
    [("net.txt", "must end in .bif or .bif.gz"), ("no/net.bif", "No such file"), ("dir.bif", "cannot write")],
)
def test_a_place_that_cannot_be_written(tmp_path, name, message):
    (tmp_path / "dir.bif").mkdir()
    with pytest.raises(NetworkError, match=message):
        write_bif(parse_bif(GOOD), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["dir.bif"]


def test_a_distribution_without_a_table_cannot_be_written(tmp_path):
    net = parse_bif(GOOD)
    object.__setattr__(net, "distributions", (object(), *net.distributions[1:]))
    with pytest.raises(NetworkError, match="node a has no full table"):
        write_bif(net, tmp_path / "net.bif")
