"""Knowledge: what may be stated, what it excludes, and which statements contradict each other."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_graphs as naive
from ml4c.errors import KnowledgeError
from ml4c.graph import edges, is_dag, skeleton
from ml4c.knowledge import Constraints, ContradictionError, Knowledge

NAMES = ["a", "b", "c", "d"]


def all_statements(k):
    """Take knowledge apart; the tiers are one statement, and nothing-within-a-tier needs no order of tiers."""
    for key in ("required", "forbidden", "adjacent", "roots", "leaves"):
        yield from ((key, item) for item in getattr(k, key))
    yield from [("tiers", k.tiers)] * bool(k.tiers)
    yield from (("forbidden_within", k.tiers[number]) for number in k.forbidden_within)


def allows(statements, dag):
    """The obvious meaning of statements about a DAG over NAMES."""
    at = NAMES.index
    for key, item in statements:
        arrows = {(NAMES[i], NAMES[j]) for i, j in np.argwhere(dag).tolist()}
        tier = {name: n for n, group in enumerate(item) for name in group} if key == "tiers" else {}
        broken = {
            "required": lambda item=item, arrows=arrows: item not in arrows,
            "forbidden": lambda item=item, arrows=arrows: item in arrows,
            "adjacent": lambda item=item, arrows=arrows: item not in arrows and item[::-1] not in arrows,
            "roots": lambda item=item: dag[:, at(item)].any(),
            "leaves": lambda item=item: dag[at(item)].any(),
            "forbidden_within": lambda item=item, arrows=arrows: any(x in item and y in item for x, y in arrows),
            "tiers": lambda tier=tier, arrows=arrows: any(
                x in tier and y in tier and tier[x] > tier[y] for x, y in arrows
            ),
        }
        if broken[key]():
            return False
    return True


def fewest_contradicting(k, dags):
    """The size of the smallest set of statements that no DAG allows, or None."""
    statements = list(all_statements(k))
    masks = [sum(1 << n for n, dag in enumerate(dags) if allows([statement], dag)) for statement in statements]
    for size in range(len(statements) + 1):
        for chosen in combinations(masks, size):
            left = (1 << len(dags)) - 1
            for mask in chosen:
                left &= mask
            if not left:
                return size
    return None


def count(error):
    return len({statement.key for statement in error.value.statements})


PAIR = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] != pair[1])


@st.composite
def knowledge(draw, most=3):
    label = [draw(st.sampled_from([None, None, 0, 1, 2])) for _ in NAMES]
    tiers = [[name for name, tier in zip(NAMES, label, strict=True) if tier == n] for n in range(3)]
    few = st.lists(st.sampled_from(NAMES), max_size=1)
    return Knowledge(
        required=draw(st.lists(PAIR, max_size=most)),
        forbidden=draw(st.lists(PAIR, max_size=most)),
        adjacent=list({tuple(sorted(pair)) for pair in draw(st.lists(PAIR, max_size=most))}),
        tiers=tiers,
        forbidden_within=draw(st.lists(st.sampled_from([0, 1, 2]), max_size=1)),
        roots=draw(few),
        leaves=draw(few),
    )


@given(knowledge())
def test_statements_that_contradict_each_other_are_the_fewest(k):
    fewest = fewest_contradicting(k, naive.all_dags(4))
    if fewest is None:
        k.bind(NAMES)
    else:
        with pytest.raises(ContradictionError, match="contradict each other") as error:
            k.bind(NAMES)
        assert count(error) == fewest


@given(knowledge(most=2), naive.pdags(4, states=((0, 0), (1, 1))))
def test_statements_that_contradict_a_skeleton_are_the_fewest(k, a):
    a = np.pad(a, (0, 4 - len(a)))
    try:
        bound = k.bind(NAMES)
    except ContradictionError:
        return
    fewest = fewest_contradicting(k, [dag for dag in naive.all_dags(4) if np.array_equal(skeleton(dag), a)])
    if fewest is None:
        bound.check_skeleton(a)
    else:
        with pytest.raises(ContradictionError) as error:
            bound.check_skeleton(a)
        assert count(error) == fewest


@given(knowledge(), st.data())
def test_violations_are_empty_exactly_when_everything_is_satisfied(k, data):
    try:
        bound = k.bind(NAMES)
    except ContradictionError:
        return
    dags = naive.all_dags(4)
    for _ in range(20):
        dag = dags[data.draw(st.integers(0, len(dags) - 1))]
        assert (bound.violations(dag) == ()) == allows(all_statements(k), dag)


@given(knowledge())
def test_matrices_mean_what_was_stated(k):
    try:
        bound = k.bind(NAMES)
    except ContradictionError:
        return
    assert bound.n_columns == 4
    for i, j in ((i, j) for i in range(4) for j in range(4) if i != j):
        alone = np.zeros((4, 4), np.int8)
        alone[i, j] = 1
        negative = [s for s in all_statements(k) if s[0] not in ("required", "adjacent")]
        assert bound.forbidden[i, j] == (not allows(negative, alone)) == bool(bound.against(i, j))
        assert bound.required[i, j] == ((NAMES[i], NAMES[j]) in k.required)
        assert bound.absent[i, j] == (bound.forbidden[i, j] and bound.forbidden[j, i])
        wanted = {frozenset(pair) for pair in (*k.required, *k.adjacent)}
        assert bound.adjacent[i, j] == ({NAMES[i], NAMES[j]} in wanted)


@given(knowledge())
def test_a_mapping_round_trip(k):
    assert Knowledge.from_mapping(k.to_mapping()) == k


def test_arrows_are_what_knowledge_fixes_on_a_skeleton():
    bound = Knowledge(required=[("a", "b")], forbidden=[("c", "b")], tiers=[["a"], ["d"]]).bind(NAMES)
    complete = 1 - np.eye(4, dtype=np.int8)
    assert bound.arrows(complete).tolist() == [[0, 1], [0, 3], [1, 2]]
    assert bound.arrows(naive.graph(4, "0>1", "3>0")).tolist() == [[0, 1], [0, 3]]
    assert Constraints.none(3).arrows(1 - np.eye(3)).shape == (0, 2)


def test_messages_name_the_statements():
    with pytest.raises(KnowledgeError, match="required: a -> b; tiers: 'b' is in tier 0, 'a' in the later tier 1"):
        Knowledge(required=[("a", "b")], tiers=[["b"], ["a", "c"]]).bind(NAMES)
    with pytest.raises(KnowledgeError, match="adjacent: a - b; roots: b; roots: a"):
        Knowledge(adjacent=["a - b"], roots=["a", "b"]).bind(NAMES)
    bound = Knowledge(required=["a -> b", "b -> c"], forbidden=["a -> c", "d -> a"]).bind(NAMES)
    with pytest.raises(
        KnowledgeError, match="edges a - b, b - c, c - a: it states required: a -> b; required: b -> c; f"
    ):
        bound.check_skeleton(naive.graph(4, "0-1", "1-2", "0-2", "0-3"))
    with pytest.raises(KnowledgeError, match="no such edge, but knowledge states required: b -> c"):
        bound.check_skeleton(naive.graph(4, "0-1"))
    with pytest.raises(KnowledgeError, match="does not fit a graph of 3 nodes"):
        bound.check_skeleton(np.zeros((3, 3)))


def test_the_tiers_count_once_in_a_cycle():
    # a -> b and c -> d follow from the tiers; b -> c and d -> a are stated, between columns of one tier: no cycle
    # through columns without a tier needs fewer than these.
    names = [*NAMES, "u", "v"]
    k = Knowledge(
        tiers=[["a"], ["b"], ["c"], ["d"]],
        adjacent=["a - b", "c - d"],
        required=["b -> u", "u -> c", "d -> v", "v -> a"],
    )
    with pytest.raises(ContradictionError) as error:
        k.bind(names)
    assert {statement.key[0] for statement in error.value.statements} == {"tiers", "adjacent", "required"}
    assert count(error) == 7


def test_violations_in_partly_directed_graphs():
    bound = Knowledge(required=["a -> b"], forbidden=["c -> b"], adjacent=["c - d"]).bind(NAMES)
    said = bound.violations(naive.graph(4, "0-1", "1-2"))
    assert said == (
        "a -> b is required, but the graph has a - b, which allows both directions",
        "c - d must be joined, but the graph has no edge there",
        "the graph has c - b, which allows both directions, but knowledge states forbidden: c -> b",
    )
    assert bound.violations(naive.graph(4, "0>1", "1>2", "2-3")) == ()
    assert "the graph has b -> a" in bound.violations(naive.graph(4, "1>0", "2-3"))[0]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"require": []}, "'require' is not a key of knowledge; the keys are required"),
        ([], "knowledge has the keys required, .* but this is a list"),
        ({"required": "a -> b"}, "required: write a list, not a text"),
        ({"required": ["a b"]}, "required: 'a b' is not a pair; write 'a -> b'"),
        ({"required": ["a -> b -> c"]}, "is not a pair"),
        ({"required": ["a ->"]}, "is not a pair"),
        ({"required": [["a", "b", "c"]]}, "is not a pair"),
        ({"required": [["a", 1]]}, "required: 1 is a number, not a name; put names in quotes"),
        ({"adjacent": ["a-b"]}, "adjacent: 'a-b' is not a pair; write 'a - b'"),
        ({"forbidden": ["a -> a"]}, "joins a column with itself"),
        ({"roots": [True]}, "roots: True is yes or no, not a name"),
        ({"roots": {"a": 1}}, "roots: write a list, not a mapping"),
        ({"tiers": [["a"], ["a", "b"]]}, "tiers: 'a' is listed twice"),
        ({"tiers": [3]}, "tiers, tier 0: write a list, not a number"),
        ({"tiers": [["a"]], "forbidden_within": [1]}, "there is no tier 1; 1 are given"),
        ({"tiers": [["a"]], "forbidden_within": [True]}, "True is not the number of a tier"),
    ],
)
def test_what_cannot_be_understood(mapping, message):
    with pytest.raises(KnowledgeError, match=message):
        Knowledge.from_mapping(mapping)


def test_unknown_names_get_the_nearest():
    with pytest.raises(KnowledgeError, match="required: 'smokes' is not a column; did you mean 'smoke'"):
        Knowledge(required=["smokes -> lung"]).bind(["smoke", "lung"])
    with pytest.raises(KnowledgeError, match="roots: 'zz' is not a column; the columns are 'a', 'b'"):
        Knowledge(roots=["zz"]).bind(["a", "b"])
    with pytest.raises(KnowledgeError, match="same name"):
        Knowledge().bind(["a", "a"])


def test_odd_names_survive():
    k = Knowledge(required=[("a -> b", "c")], adjacent=[("x - y", " z"), ("p-q", "r")], tiers=["one", ["two"]])
    assert k.to_mapping() == {
        "required": [["a -> b", "c"]],
        "adjacent": [["x - y", " z"], "p-q - r"],
        "tiers": [["one"], ["two"]],
    }
    assert Knowledge.from_mapping(k.to_mapping()) == k
    assert k
    assert not Knowledge()


def test_a_thousand_columns():
    names = [f"v{i}" for i in range(1000)]
    k = Knowledge(tiers=[names[:300], names[300:]], forbidden_within=[0], roots=["v999"])
    bound = k.bind(names)
    a = skeleton(naive.sparse_dag(np.random.default_rng(0), 1000, 2000))
    with pytest.raises(KnowledgeError, match="forbidden_within: no edges inside tier 0"):
        bound.check_skeleton(a)
    a[:300, :300] = 0
    bound.check_skeleton(a)
    fixed = bound.arrows(a)
    assert len(fixed) > 500
    assert is_dag(np.where(np.isin(np.arange(1000 * 1000), fixed @ [1000, 1]).reshape(1000, 1000), a, 0))
    assert len(edges(a).undirected) > len(fixed)
