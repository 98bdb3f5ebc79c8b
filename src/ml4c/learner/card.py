"""The card of a model: what made it, and what a reader must know to use it.

It is JSON with sorted keys and no dates, so that the same training gives the same card to the byte.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ml4c.embedding import Embedding
from ml4c.errors import ModelError
from ml4c.features import FEATURE_NAMES
from ml4c.triple_scores import SCORE_NAMES

FORMAT_VERSION = 1
KIND = "xgboost"
LIBRARIES = ("ml4c", "numpy", "scipy", "numba")
XGBOOST_NAMES = ("xgboost-cpu", "xgboost")
TRIPLE_FEATURES = (FEATURE_NAMES, SCORE_NAMES)
"""What models of triples may be about."""
NO_EMBEDDING = Embedding((), ())
"""Of a model whose features need none."""


@dataclass(frozen=True)
class ModelCard:
    """Everything about a model but its trees.

    `counts` are those of the training data (networks, triples, v_structures); `figures` whatever was measured;
    `checksum` the SHA-256 of the file of trees, filled in when the model is saved.
    """

    embedding: Embedding
    recipe: Mapping[str, Any] = field(default_factory=dict)
    seeds: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    feature_names: tuple[str, ...] = FEATURE_NAMES
    checksum: str = ""
    kind: str = KIND
    format_version: int = FORMAT_VERSION

    def to_json(self) -> str:
        """Return the card as text."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        plain["embedding"] = self.embedding.to_dict()
        return json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False, default=dict) + "\n"

    @classmethod
    def from_json(cls, text: str, feature_sets: Collection[Sequence[str]] = TRIPLE_FEATURES) -> ModelCard:
        """Read a card; ModelError says what is wrong with it, without naming a file.

        feature_sets: what the reader can compute; a model of other features is refused.
        """
        plain = _parsed(text)
        known = {item.name for item in fields(cls)}
        if missing := sorted(known - set(plain)):
            raise ModelError(f"the card has no {missing[0]!r}: it is not a card of ml4c, or was edited")
        if plain["feature_names"] not in [list(names) for names in feature_sets]:
            raise ModelError(_feature_difference(plain["feature_names"], next(iter(feature_sets))))
        try:
            embedding = Embedding.from_dict(plain["embedding"])
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"the card's embedding cannot be read ({error!r}): use an unedited copy") from error
        chosen = {name: plain[name] for name in known}
        return cls(**{**chosen, "embedding": embedding, "feature_names": tuple(plain["feature_names"])})


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that a model depends on."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for name in LIBRARIES:
        found[name] = version(name)
    for name in XGBOOST_NAMES:
        try:
            found["xgboost"] = version(name)
            break
        except PackageNotFoundError:
            continue
    return found


def _parsed(text: str) -> dict[str, Any]:
    try:
        plain = json.loads(text)
    except ValueError as error:
        raise ModelError(f"the card is not JSON ({error}): it is truncated or foreign, use an unedited copy") from error
    if not isinstance(plain, dict) or "format_version" not in plain:
        raise ModelError("the card has no 'format_version': it is not a card of ml4c")
    if plain["format_version"] != FORMAT_VERSION:
        raise ModelError(
            f"the card has format version {plain['format_version']!r}, this ml4c reads {FORMAT_VERSION}: "
            "install the version of ml4c that wrote it, or train the model again"
        )
    if plain.get("kind") != KIND:
        raise ModelError(f"the card is of a model of kind {plain.get('kind')!r}, this ml4c reads {KIND!r}")
    return plain


def _feature_difference(names: object, ours: Sequence[str]) -> str:
    found = [str(name) for name in names] if isinstance(names, list) else []
    pairs = zip(found, ours, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(found), len(ours)))
    there = repr(found[at]) if at < len(found) else "nothing"
    here = repr(ours[at]) if at < len(ours) else "nothing"
    return (
        f"the model was trained on other features ({len(found)}, here {len(ours)}; the first that differs, "
        f"number {at}, is {there} there and {here} here): install the ml4c that trained it, or train it again"
    )
