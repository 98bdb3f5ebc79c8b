"""Reading a model: checked before use.

Checks go from what is cheap and tells most to what needs XGBoost: both files there, a card that this version reads, no
pickle, the checksum, and only then the trees. Every error names the file and says what to do.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ml4c.errors import ModelError
from ml4c.learner.card import TRIPLE_FEATURES, ModelCard
from ml4c.learner.files import CARD, TREES
from ml4c.learner.model import Learner

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import xgboost

HEAD, TAIL = b"{L\x00\x00\x00\x00\x00\x00\x00\x07learner{", b"}"
"""How every model of XGBoost begins and ends; its reader may crash on anything else."""
AGAIN = "copy both files of the model again, or train it again"


def model_names(shelf: str = "") -> tuple[str, ...]:
    """Return the names of the models that come with the package, or of those on one of its shelves."""
    folder = _on_shelf(shelf)
    if not folder.is_dir():
        return ()
    return tuple(sorted(item.name for item in folder.iterdir() if (item / CARD).is_file()))


def load_learner(
    folder_or_name: str | os.PathLike[str],
    *,
    shelf: str = "",
    feature_sets: Collection[Sequence[str]] = TRIPLE_FEATURES,
) -> Learner:
    """Return a model of the package by its name, or the one in a folder; ModelError if it cannot be trusted.

    shelf: where the package keeps models of another kind than those of triples; feature_sets: what they may be about.
    """
    if folder_or_name in model_names(shelf):
        where = f"model {folder_or_name!r} of the package"
        return _load(_on_shelf(shelf) / str(folder_or_name), where, feature_sets)
    folder = Path(folder_or_name)
    if folder.is_dir():
        return _load(folder, str(folder), feature_sets)
    if folder.is_file():
        raise ModelError(f"{folder} is a file: give the folder that holds {TREES} and {CARD}")
    there = ", ".join(model_names(shelf)) or "none"
    raise ModelError(
        f"no model is called {str(folder_or_name)!r} and there is no such folder; models of the package: {there}"
    )


def learner_from_trees(trees: bytes, where: str) -> Learner:
    """Return the learner of trees that were kept without a card; ModelError, naming `where`, if they are foreign."""
    _check_format(trees, where)
    return Learner(_booster(trees, where))


def _shipped() -> Traversable:
    return files("ml4c") / "models"


def _on_shelf(shelf: str) -> Traversable:
    return _shipped() / shelf if shelf else _shipped()


def _load(folder: Traversable, where: str, feature_sets: Collection[Sequence[str]]) -> Learner:
    card_text, trees = _read(folder, CARD, where), _read(folder, TREES, where)
    try:
        card = ModelCard.from_json(card_text.decode("utf-8", "replace"), feature_sets)
    except ModelError as error:
        raise ModelError(f"{where}, {CARD}: {error}") from None
    where = f"{where}, {TREES}"
    _check_format(trees, where)
    _check_sum(trees, card, where)
    booster, named = _booster(trees, where), len(card.feature_names)
    if booster.num_features() != named:
        raise ModelError(f"{where}: the trees take {booster.num_features()} features, the card names {named}: {AGAIN}")
    return Learner(booster, card)


def _read(folder: Traversable, name: str, where: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise ModelError(f"{where}: there is no {name}; a model is a folder with {TREES} and {CARD}: {AGAIN}") from None
    except OSError as error:
        raise ModelError(f"{where}, {name}: cannot be read ({error.strerror}): check your rights") from error


def _check_format(trees: bytes, where: str) -> None:
    if trees[:1] == b"\x80":
        raise ModelError(f"{where}: this is a pickle, which ml4c never reads, since it could run any code: {AGAIN}")
    if not (trees.startswith(HEAD) and trees.endswith(TAIL)):
        raise ModelError(f"{where}: not a model of XGBoost, or truncated: {AGAIN}")


def _check_sum(trees: bytes, card: ModelCard, where: str) -> None:
    found = hashlib.sha256(trees).hexdigest()
    if found != card.checksum:
        raise ModelError(
            f"{where}: the checksum {found[:12]}... is not the card's {str(card.checksum)[:12]}...: "
            f"the file is truncated or belongs to another model; {AGAIN}"
        )


def _booster(trees: bytes, where: str) -> xgboost.Booster:
    import xgboost

    try:
        booster = xgboost.Booster({"verbosity": 0})
        booster.load_model(bytearray(trees))
        booster.num_features()
    except (xgboost.core.XGBoostError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else "no reason given"
        raise ModelError(f"{where}: not a model of XGBoost ({reason}): {AGAIN}") from error
    return booster
