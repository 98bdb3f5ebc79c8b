"""The bootstrap: the same bits on any executor and after any interruption; its consensus is a valid graph."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

import ml4c
import naive_graphs as naive
from ml4c import bootstrapping as module
from ml4c.bootstrapping import _canonical_rows, _consensus, _frequencies
from ml4c.errors import WorkError
from ml4c.knowledge.contradiction import ContradictionError

pytestmark = pytest.mark.xdist_group("bootstrap")

DATA = ml4c.load_network("asia").sample(1000, seed=1)
REPEATS = 4


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def reference():
    with ThreadPoolExecutor(1) as pool:
        return ml4c.bootstrap(DATA, repeats=REPEATS, executor=pool, n_jobs=1)


def bits(many):
    return many.adjacent.tobytes(), many.directed.tobytes(), many.consensus.tobytes(), many.result.edges


def test_shares_are_those_of_the_repeats(reference, threads):
    graphs = []
    real = module.discover

    def spy(data, **options):
        found = real(data, **options)
        graphs.append(found.cpdag)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "discover", spy)
        many = ml4c.bootstrap(DATA, repeats=REPEATS, executor=threads, n_jobs=1)
    whole, *repeats = graphs
    assert np.array_equal(whole, many.result.cpdag)
    assert len(repeats) == REPEATS
    assert np.array_equal(many.adjacent, np.mean([g | g.T for g in repeats], axis=0))
    assert np.array_equal(many.directed, np.mean([(g == 1) & (g.T == 0) for g in repeats], axis=0))
    assert bits(many) == bits(reference)


def test_edges_carry_their_frequencies(reference):
    place = {name: i for i, name in enumerate(reference.names)}
    for edge in reference.result.edges:
        i, j = place[edge.source], place[edge.target]
        assert edge.adjacency == reference.adjacent[i, j]
        assert (edge.forward, edge.backward) == (reference.directed[i, j], reference.directed[j, i])


def test_the_consensus_is_certified_and_has_the_edges_of_the_majority(reference):
    assert reference.certificate.valid
    assert ml4c.certify(reference.consensus).valid
    joined = (reference.consensus | reference.consensus.T) == 1
    assert np.array_equal(joined, reference.adjacent > 0.5)


def test_what_few_repeats_know_weighs_little():
    """Two v-structures exclude each other: 18 of 20 repeats have the one, and both that have its triple the other."""
    without, shielded = naive.graph(4, "0>1", "2>1"), naive.graph(4, "0>1", "2>1", "2>3", "1>3")
    graphs = [without] * 9 + [shielded] * 9 + [naive.graph(4, "0-1", "1>2", "3>2")] * 2
    adjacent, _ = _frequencies(graphs, 4)
    found = _consensus(graphs, adjacent, tuple("abcd"), None, {})
    assert np.array_equal(found.cpdag, naive.graph(4, "0>1", "2>1", "2-3"))
    assert found.probabilities.tolist() == [18.5 / 21, 2.5 / 3]


def test_columns_rows_and_executors_change_nothing(reference, threads):
    rng = np.random.default_rng(3)
    columns, rows = rng.permutation(DATA.n_columns), rng.permutation(DATA.n_rows)
    moved = DATA.select(columns.tolist()).take(rows)
    many = ml4c.bootstrap(moved, repeats=REPEATS, executor=threads, n_jobs=2)
    back = np.argsort(columns)
    assert np.array_equal(many.adjacent[np.ix_(back, back)], reference.adjacent)
    assert np.array_equal(many.directed[np.ix_(back, back)], reference.directed)
    assert np.array_equal(many.consensus[np.ix_(back, back)], reference.consensus)
    assert sorted(map(named, many.result.edges)) == sorted(map(named, reference.result.edges))


def named(edge):
    """Write an edge; an undirected one has no first end."""
    return str(edge) if edge.type == "directed" else " - ".join(sorted((edge.source, edge.target)))


def test_two_processes(reference):
    assert bits(ml4c.bootstrap(DATA, repeats=REPEATS, n_jobs=2)) == bits(reference)


def test_rows_are_ordered_by_their_content():
    rng = np.random.default_rng(0)
    rows = rng.permutation(DATA.n_rows)
    shuffled = DATA.take(rows)
    assert np.array_equal(DATA.codes[_canonical_rows(DATA)], shuffled.codes[_canonical_rows(shuffled)])


def test_an_interrupted_run_goes_on(reference, threads, tmp_path, monkeypatch):
    stopped = ml4c.bootstrap(DATA, repeats=2, executor=threads, n_jobs=1, folder=tmp_path)
    assert stopped.repeats == 2
    drawn = []
    real = module._repeat
    monkeypatch.setattr(module, "_repeat", lambda *job: drawn.append(job[-1]) or real(*job))
    many = ml4c.bootstrap(DATA, repeats=REPEATS, executor=threads, n_jobs=1, folder=tmp_path)
    assert sorted(drawn) == [2, 3]
    assert bits(many) == bits(reference)
    drawn.clear()
    assert bits(ml4c.bootstrap(DATA, repeats=REPEATS, executor=threads, n_jobs=1, folder=tmp_path)) == bits(reference)
    assert drawn == []


def test_the_folder_of_another_run_is_refused(threads, tmp_path):
    options = {"executor": threads, "n_jobs": 1, "folder": tmp_path}
    ml4c.bootstrap(DATA, repeats=1, **options)
    known = ml4c.Knowledge(forbidden=[("asia", "tub")])
    others = [{"seed": 1}, {"skeleton_method": "pc"}, {"knowledge": known}]
    for other in others:
        with pytest.raises(WorkError, match="another run"):
            ml4c.bootstrap(DATA, repeats=1, **options, **other)
    with pytest.raises(WorkError, match="another run"):
        ml4c.bootstrap(DATA.take(np.arange(900)), repeats=1, **options)


def test_knowledge_holds_in_the_consensus(threads):
    known = ml4c.Knowledge(tiers=[["dysp", "xray"], ["either"]], forbidden=[("asia", "tub"), ("tub", "asia")])
    many = ml4c.bootstrap(DATA, repeats=2, executor=threads, n_jobs=1, knowledge=known)
    assert known.bind(DATA.names).violations(many.consensus) == ()
    assert many.certificate.valid


def test_files(reference, tmp_path):
    files = reference.save(tmp_path)
    assert {"edges.csv", "consensus.csv", "frequencies.csv"} <= {file.name for file in files}
    assert np.array_equal(ml4c.read_graph(tmp_path / "consensus.csv", DATA.names).matrix, reference.consensus)
    assert (
        (tmp_path / "edges.csv")
        .read_text()
        .startswith(
            "source,target,type,probability,forward_probability,backward_probability,strength,edge_probability,adjacency"
        )
    )
    assert len((tmp_path / "frequencies.csv").read_text().splitlines()) == 1 + np.count_nonzero(
        np.triu(reference.adjacent)
    )


def test_files_of_another_graph_do_not_stay(reference, tmp_path):
    reference.save(tmp_path)
    ml4c.discover(DATA, max_degree=1).save(tmp_path)
    assert not {"consensus.csv", "frequencies.csv"} & {file.name for file in tmp_path.iterdir()}


def test_no_repeats():
    with pytest.raises(WorkError, match="at least one"):
        ml4c.bootstrap(DATA, repeats=0)


def test_a_column_that_a_sample_has_no_value_of(threads):
    frame = pl.DataFrame({"a": ["x", "y"] * 25, "b": ["u", "v"] * 25, "rare": ["r", "s", *[None] * 48]})
    many = ml4c.bootstrap(frame, repeats=12, executor=threads, n_jobs=1, missing="available")
    assert many.certificate.valid
    assert many.result.repeats == 12
    assert many.result.to_dict()["run"]["bootstrap_repeats"] == 12


def test_a_contradiction_reaches_the_caller_of_a_process():
    error = pickle.loads(pickle.dumps(ContradictionError("a and b", ())))  # noqa: S301
    assert str(error) == "a and b"
    assert error.statements == ()


def test_options_may_be_spelt_out(threads, tmp_path):
    options = {"executor": threads, "n_jobs": 1, "folder": tmp_path}
    ml4c.bootstrap(DATA, repeats=1, **options)
    ml4c.bootstrap(DATA, repeats=1, model="default", skeleton_method="auto", max_degree=None, **options)
