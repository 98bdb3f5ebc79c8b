"""Knowledge files: what is read, what is refused, and that both formats say the same."""

import pytest

from ml4c.errors import KnowledgeError
from ml4c.interop.knowledge import read_knowledge, write_knowledge
from ml4c.knowledge import Knowledge

EXAMPLE = Knowledge(
    required=[("smoke", "lung")],
    forbidden=[("x -> y", "z")],
    adjacent=[("ü", "no")],
    tiers=[["age", "sex"], ["smoke"]],
    forbidden_within=[0],
    roots=["age"],
    leaves=["xray"],
)


@pytest.mark.parametrize("name", ["k.yaml", "k.YML", "k.json"])
def test_round_trip(tmp_path, name):
    write_knowledge(tmp_path / name, EXAMPLE)
    assert read_knowledge(tmp_path / name) == EXAMPLE
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_file_as_a_person_writes_it(tmp_path):
    file = tmp_path / "k.yaml"
    pairs = "# what we know\nrequired:\n  - smoke -> lung\n  - [a, b]\nadjacent: ['a - c']\n"
    file.write_text(pairs + "tiers:\n  - [age]\n  - smoke\nroots:\n")
    read = read_knowledge(file)
    assert read == Knowledge([("smoke", "lung"), ("a", "b")], adjacent=[("a", "c")], tiers=[["age"], ["smoke"]])
    file.write_text("")
    assert read_knowledge(file) == Knowledge()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "k.yaml",
            "required: [a -> b]\nroots: [c]\nrequired: [c -> d]\n",
            "line 3: the key 'required' is written twice",
        ),
        ("k.json", '{"roots": ["a"], "roots": []}', "the key 'roots' is written twice"),
        ("k.yaml", "required: [a -> b", "not YAML"),
        ("k.yaml", "required: !!python/object/apply:os.system [ls]", "not YAML"),
        ("k.yaml", "a: 2020-99-99", "not YAML"),
        ("k.json", "{", "not JSON"),
        ("k.json", "[" * 100_000, "lists within lists too deep"),
        ("k.yaml", "required: [no]", "required: False is not a pair"),
        ("k.yaml", "- a", "but this is a list"),
        ("k.yaml", "roots: [on]", "roots: True is yes or no, not a name; put names in quotes"),
        ("k.txt", "", "a knowledge file ends in .yaml, .yml or .json"),
    ],
)
def test_what_is_refused_names_the_file(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(KnowledgeError, match=message) as error:
        read_knowledge(tmp_path / name)
    assert name in str(error.value)


def test_files_that_cannot_be_used(tmp_path):
    with pytest.raises(KnowledgeError, match="cannot be read"):
        read_knowledge(tmp_path / "none.yaml")
    with pytest.raises(KnowledgeError, match="cannot be written"):
        write_knowledge(tmp_path / "none" / "k.yaml", EXAMPLE)
    (tmp_path / "k.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(KnowledgeError, match="not a text file"):
        read_knowledge(tmp_path / "k.yaml")
