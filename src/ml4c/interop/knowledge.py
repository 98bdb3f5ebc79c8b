"""Background knowledge in files: .yaml, .yml or .json, with the keys of `ml4c.knowledge.Knowledge`.

    required: ["smoke -> lung"]
    tiers: [[age, sex], [smoke], [lung, xray]]
    forbidden_within: [0]

A key that is written twice is an error: most readers of YAML and JSON would silently drop the first.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from ml4c.errors import GraphError, KnowledgeError
from ml4c.interop.storage import AnyPath, read_text, replace_files
from ml4c.knowledge import Knowledge


def read_knowledge(path: AnyPath) -> Knowledge:
    """Read statements from a .yaml, .yml or .json file; KnowledgeError names the file, the key and what to do."""
    file = Path(path)
    parse = _from_json if _suffix(file) == ".json" else _from_yaml
    try:
        text = read_text(file)
    except GraphError as error:
        raise KnowledgeError(str(error)) from error
    try:
        content = parse(text)
        return Knowledge.from_mapping({} if content is None else content)
    except KnowledgeError as error:
        raise KnowledgeError(f"{file}: {error}") from error
    except RecursionError as error:
        raise KnowledgeError(f"{file}: lists within lists too deep to be knowledge") from error


def write_knowledge(path: AnyPath, knowledge: Knowledge) -> None:
    """Write statements to a .yaml, .yml or .json file, all of it or nothing."""
    file = Path(path)
    plain = knowledge.to_mapping()
    if _suffix(file) == ".json":
        text = json.dumps(plain, indent=2, ensure_ascii=False) + "\n"
    else:
        text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110)
    try:
        replace_files({file: text})
    except GraphError as error:
        raise KnowledgeError(str(error)) from error


def _suffix(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in (".yaml", ".yml", ".json"):
        raise KnowledgeError(f"{file}: a knowledge file ends in .yaml, .yml or .json")
    return suffix


def _from_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except ValueError as error:
        raise KnowledgeError(f"not JSON: {error}") from error


def _without_repeats(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in items:
        if key in found:
            raise KnowledgeError(f"the key {key!r} is written twice; put its items into one list")
        found[key] = value
    return found


def _from_yaml(text: str) -> Any:
    try:
        loader = _StrictLoader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise KnowledgeError(f"{line}not YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: dates such as 2020-99-99
        raise KnowledgeError(f"not YAML: {' '.join(str(error).split())}") from error


class _StrictLoader(yaml.SafeLoader):
    """The safe loader, which builds plain values only, without its tolerance of repeated keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set[str]()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                line = key.start_mark.line + 1
                raise KnowledgeError(f"line {line}: the key {name!r} is written twice; put its items into one list")
            seen.add(name)
        return super().construct_mapping(node, deep)
