"""From raw tables to graphs, with the model of the package: always valid, whatever the table and the knowledge."""

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import ml4c
from ml4c.errors import DataError, KnowledgeError
from ml4c.graph import skeleton
from ml4c.pipeline.adjacencies import Adjacencies

NET = ml4c.load_network("asia")
DATA = NET.sample(5000, seed=1)
ALARM = ml4c.load_network("alarm").sample(2000, seed=1)
FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)


def facts(result):
    """What must not depend on the order of columns, rows or categories, nor on threads."""
    edges = {(e.source, e.target) if e.type == "directed" else frozenset((e.source, e.target)) for e in result.edges}
    numbers = {frozenset((e.source, e.target)): (e.probability, e.strength) for e in result.edges}
    return edges, numbers, result.triples, result.certificate, result.confidence


@pytest.fixture(scope="module")
def asia():
    return ml4c.discover(DATA)


def test_the_graph_of_asia(asia):
    assert asia.names == NET.names
    assert np.array_equal(skeleton(asia.cpdag), asia.skeleton)
    assert asia.certificate == ml4c.certify(asia.cpdag)
    assert asia.certificate.valid
    assert ml4c.skeleton_scores(ml4c.cpdag_of(NET.dag), asia.cpdag).f1 > 0.8
    assert all(edge.strength > 0 for edge in asia.edges)
    assert asia.learned.method == "accurate"


@pytest.mark.jit
@pytest.mark.parametrize("method", ["auto", "fast", "pc"])
@pytest.mark.parametrize("seed", [1, 2])
def test_order_of_columns_rows_categories_and_threads_change_nothing(method, seed):
    rng = np.random.default_rng(seed)
    columns, rows = rng.permutation(ALARM.n_columns), rng.permutation(ALARM.n_rows)
    moved = ALARM.select(columns.tolist()).take(rows)
    shuffles = [rng.permutation(card) for card in moved.cardinalities]
    labels = [tuple(f"{chr(97 + k)}" for k in range(len(shuffle))) for shuffle in shuffles]
    codes = np.column_stack([shuffle[column] for shuffle, column in zip(shuffles, moved.codes.T, strict=True)])
    renamed = ml4c.Dataset.from_codes(moved.names, labels, codes)
    expected = facts(ml4c.discover(ALARM, skeleton_method=method))
    assert facts(ml4c.discover(renamed, skeleton_method=method, n_jobs=seed)) == expected


# Any table


@st.composite
def tables(draw):
    """Tables with copies, functions, constants, few rows, many categories and odd names."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.sampled_from([2, 3, 10, 60, 400]))
    columns = [rng.integers(draw(st.sampled_from([2, 3, 8])), size=rows) for _ in range(draw(st.integers(2, 5)))]
    for kind in draw(st.lists(st.sampled_from(["copy", "function", "constant", "wide", "child"]), max_size=4)):
        source = columns[int(rng.integers(len(columns)))]
        columns.append(
            {
                "copy": source,
                "function": source // 2,
                "constant": np.zeros(rows, int),
                "wide": rng.integers(min(300, rows - 1), size=rows),
                "child": np.where(rng.random(rows) < 0.8, source, rng.integers(2, size=rows)),
            }[kind]
        )
    odd = ["<script>", "a -> b", "ünï", "x,y", '"', "b ", "-", "\N{PILE OF POO}", "0", "[red]"]
    names = rng.permutation(odd)[: len(columns)].tolist()
    labels = [tuple(range(int(column.max()) + 1)) for column in columns]
    return ml4c.Dataset.from_codes(names, labels, np.column_stack(columns))


@given(tables(), st.sampled_from(["auto", "fast", "pc"]))
@FEW
def test_any_table_gives_a_certified_graph(data, method):
    r = ml4c.discover(data, skeleton_method=method)
    assert r.certificate.valid
    assert ml4c.certify(r.cpdag).valid
    touched = set(np.flatnonzero(r.cpdag.any(axis=0) | r.cpdag.any(axis=1)).tolist())
    assert not touched & {data.names.index(name) for name in data.constant}


@given(tables(), st.data())
@FEW
def test_any_knowledge_is_obeyed_or_refused(data, draws):
    pairs = st.lists(st.sampled_from([(a, b) for a in data.names for b in data.names if a != b]), max_size=3)
    tiers = draws.draw(st.permutations(data.names))
    known = ml4c.Knowledge(
        required=draws.draw(pairs),
        forbidden=draws.draw(pairs),
        adjacent=draws.draw(pairs),
        tiers=[tiers[:2], tiers[2:]] if len(tiers) > 2 and draws.draw(st.booleans()) else [],
    )
    try:
        r = ml4c.discover(data, knowledge=known)
    except KnowledgeError as error:
        assert "cannot" in str(error) or "contradict" in str(error)  # noqa: PT017
        return
    assert r.certificate.valid
    assert known.bind(data.names).violations(r.cpdag) == ()


def test_missing_values_and_a_column_without_any():
    frame = pl.DataFrame({"a": ["x", "y", None] * 40, "b": ["u", "v", "w"] * 40, "c": [None] * 120})
    with pytest.raises(DataError, match="missing"):
        ml4c.discover(frame)
    for missing in ("available", "category"):
        try:
            assert ml4c.discover(frame, missing=missing).certificate.valid
        except DataError as error:
            assert "c" in str(error)  # noqa: PT017


def test_forbidding_an_edge_makes_no_false_collider():
    """b -> a and b -> c explain everything; without a - b, c must not become a collider of what is left."""
    rng = np.random.default_rng(0)
    b = rng.integers(3, size=4000)
    a, c = (np.where(rng.random(4000) < 0.8, b, rng.integers(3, size=4000)) for _ in range(2))
    data = ml4c.Dataset.from_array(np.column_stack([a, b, c]), names=["a", "b", "c"])
    assert {str(e) for e in ml4c.discover(data).edges} == {"a - b", "b - c"}
    known = ml4c.Knowledge(forbidden=[("a", "b"), ("b", "a")])
    r = ml4c.discover(data, knowledge=known)
    assert not any(t.verdict in ("accepted", "implied") for t in r.triples)
    assert all(e.type == "undirected" for e in r.edges)


# What is told


def test_copies_functions_and_constants_are_told():
    rng = np.random.default_rng(1)
    a, b = rng.integers(4, size=(2, 500))
    columns = {"a": a, "b": b, "twin": a, "half": a // 2, "one": np.zeros(500, int)}
    r = ml4c.discover(ml4c.Dataset.from_frame(pl.DataFrame(columns)))
    assert r.learned.copies == (("a", "twin"),)
    assert r.learned.functions == (("half", "a"),)
    assert r.constant == ("one",)
    text = str(r)
    assert "copies of one another, so that no data tell whose an edge is: a = twin" in text
    assert "determined by another column: half by a" in text
    assert "one" in r.explain("one", "b")
    assert "single value" in r.explain("one", "b")
    assert "copies of one another" in r.explain("twin", "a")
    assert "no data tell whether a copy has it instead" in r.explain("twin", "half")


def test_explanations(asia):
    for one in asia.names:
        for other in asia.names:
            if one != other:
                assert asia.explain(one, other).endswith(".")
    arrow = next(e for e in asia.edges if e.probability is not None)
    assert "because of the v-structures" in asia.explain(arrow.source, arrow.target)
    plain = next(e for e in asia.edges if e.type == "undirected")
    assert "leaves the direction open" in asia.explain(plain.source, plain.target)
    with pytest.raises(DataError, match="did you mean"):
        asia.explain("asia", "tubb")
    given_ = ml4c.orient(DATA, [("asia", "tub")])
    assert given_.explain("asia", "tub").startswith("asia and tub are adjacent in the skeleton that was given.")
    assert given_.explain("asia", "lung") == "asia and lung are not adjacent in the skeleton that was given."
    assert isinstance(asia.learned, Adjacencies)
    with pytest.raises(DataError, match="name two"):
        asia.learned.explain("asia", "asia")
    with pytest.raises(DataError, match="name two"):
        asia.explain("asia", "asia")


def test_what_is_known_is_told():
    known = ml4c.Knowledge(tiers=[["smoke"], ["lung", "bronc"]])
    r = ml4c.discover(DATA, knowledge=known)
    assert r.known == (("smoke", "bronc"), ("smoke", "lung"))
    assert r.explain("lung", "smoke").endswith("smoke -> lung follows from what the user knows.")
    assert "a valid CPDAG, with what is known drawn in" in str(r)
    assert r.to_dict()["run"]["knowledge"] == known.to_mapping()


def test_a_time_budget_is_told():
    r = ml4c.discover(ALARM, time_budget=0)
    assert r.certificate.valid
    assert not r.learned.skeleton.complete
    assert "time budget" in str(r)


def test_limits_are_obeyed():
    r = ml4c.discover(ALARM, max_degree=1)
    assert (r.skeleton.sum(axis=0) <= 1).all()
    with pytest.raises(DataError, match="max_condition"):
        ml4c.discover(ALARM, max_condition=-1)


# The estimator


def test_the_estimator_is_the_functions(asia):
    learner = ml4c.ML4C(seed=0).fit(DATA)
    assert facts(learner.result_) == facts(asia)
    assert np.array_equal(learner.cpdag_, asia.cpdag)
    assert (learner.feature_names_in_, learner.n_features_in_) == (NET.names, 8)
    given_ = ml4c.ML4C(model="paper", skeleton_method="pc").fit(DATA, skeleton=skeleton(NET.dag))
    assert np.array_equal(given_.skeleton_, skeleton(NET.dag))
    assert facts(given_.result_) == facts(ml4c.orient(DATA, skeleton(NET.dag), model="paper"))
    assert given_.triples_ == given_.result_.triples


def test_the_estimator_can_be_cloned_and_changed():
    known = ml4c.Knowledge(required=[("asia", "tub")])
    learner = ml4c.ML4C(knowledge=known, max_degree=4)
    twin = clone(learner)
    assert twin is not learner
    assert twin.get_params() == learner.get_params()
    assert repr(twin) == f"ML4C(knowledge={known!r}, max_degree=4)"
    assert twin.set_params(max_degree=None, seed=2).get_params()["seed"] == 2
    with pytest.raises(ValueError, match="depth"):
        twin.set_params(depth=3)
    assert repr(ml4c.ML4C()) == "ML4C()"


# Copies


def test_a_copy_changes_no_direction_of_others():
    net = ml4c.load_network("sachs")
    data = net.sample(5000, seed=0)
    alone = ml4c.discover(data)
    for original in ("Erk", "PKA", "Raf"):
        columns = [data.names.index(original), *range(data.n_columns)]
        codes = data.codes[:, columns]
        doubled = ml4c.Dataset.from_codes(["zz copy", *data.names], [data.categories[j] for j in columns], codes)
        r = ml4c.discover(doubled)
        assert np.array_equal(r.cpdag[1:, 1:], alone.cpdag)
        assert r.learned.copies == ((original, "zz copy"),)
        own, copied = ({c: r.cpdag[k, c] * 2 + r.cpdag[c, k] for c in range(1, 12)} for k in (columns[0] + 1, 0))
        assert {c: kind for c, kind in own.items() if c != columns[0] + 1} == {
            c: kind for c, kind in copied.items() if c != columns[0] + 1
        }
        assert r.cpdag[0, columns[0] + 1] == r.cpdag[columns[0] + 1, 0] == 1


def test_links_between_copies_give_way_to_knowledge():
    rng = np.random.default_rng(2)
    a = rng.integers(3, size=3000)
    b = np.where(rng.random(3000) < 0.8, a, rng.integers(3, size=3000))
    data = ml4c.Dataset.from_array(np.column_stack([a, a, b]), names=["a", "a2", "b"])
    known = ml4c.Knowledge(forbidden=[("a2", "a"), ("a", "b")], required=[("a2", "b")])
    r = ml4c.discover(data, knowledge=known)
    assert r.certificate.valid
    assert known.bind(data.names).violations(r.cpdag) == ()


def test_a_higher_edge_threshold_keeps_the_surer_edges():
    few, many = (ml4c.discover(ALARM, edge_threshold=least) for least in (0.95, 0.2))
    assert 0 < few.skeleton.sum() < many.skeleton.sum()
    assert ((few.skeleton == 0) | (many.skeleton == 1)).all()
    assert all(edge.edge_probability >= 0.95 for edge in few.edges)
    assert few.to_dict()["run"]["skeleton"]["edge_threshold"] == 0.95


@pytest.mark.parametrize(
    "options",
    [
        {"n_jobs": 0},
        {"n_jobs": 1.5},
        {"seed": -1},
        {"seed": "x"},
        {"max_degree": "a"},
        {"max_condition": 1.5},
        {"time_budget": "x"},
        {"edge_threshold": 1.5},
        {"edge_threshold": "x"},
        {"edge_threshold": 0.5, "skeleton_method": "fast"},
        {"skeleton_method": "slow"},
        {"knowledge": 7},
        {"knowledge": {"requires": []}},
    ],
)
def test_senseless_options_are_errors_of_ours(options):
    with pytest.raises(ml4c.Ml4cError):
        ml4c.discover(DATA, **options)


def test_arrays_and_mappings_will_do():
    r = ml4c.discover(DATA.codes, knowledge={"required": ["x0 -> x1"]})
    assert r.names[:2] == ("x0", "x1")
    assert r.cpdag[0, 1] == 1
    assert r.cpdag[1, 0] == 0
    assert ml4c.discover(DATA, knowledge={}).to_dict()["run"]["knowledge"] == {}
