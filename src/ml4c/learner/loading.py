"""Reading a model: checked before use.

Checks go from what is cheap and tells most to what needs XGBoost: both files there, a card that this version reads, no
pickle, the checksum, and only then the trees. Every error names the file and says what to do. What a thread has read
it keeps, until the files change: reading takes longer than judging the triples of a small table.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Collection, Hashable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ml4c.errors import ModelError
from ml4c.learner.card import TRIPLE_FEATURES, ModelCard
from ml4c.learner.files import CARD, TREES
from ml4c.learner.library import xgboost_library
from ml4c.learner.model import Learner

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import xgboost

HEAD, TAIL = b"{L\x00\x00\x00\x00\x00\x00\x00\x07learner{", b"}"
"""How every model of XGBoost begins and ends; its reader may crash on anything else."""
MOST_KEPT = 4
"""Models that a thread keeps."""
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


class _Kept(threading.local):
    """The models that this thread has read: a booster serves one thread at a time."""

    def __init__(self) -> None:
        self.learners: dict[Hashable, Learner] = {}


_kept = _Kept()


def _load(folder: Traversable, where: str, feature_sets: Collection[Sequence[str]]) -> Learner:
    """Return the model in a folder, as it was read before if its files are still the same."""
    state = _state(folder)
    key = None if state is None else (*state, *map(tuple, feature_sets))
    found = _kept.learners.get(key)
    if found is None:
        found = _read_model(folder, where, feature_sets)
        if key is not None and _state(folder) == state:
            for oldest in list(_kept.learners)[: 1 - MOST_KEPT]:
                del _kept.learners[oldest]
            _kept.learners[key] = found
    return found


def _state(folder: Traversable) -> tuple[Hashable, ...] | None:
    """Return what changes when the files of a model do; None if that cannot be told."""
    if not isinstance(folder, Path):
        return None
    try:
        stats = [(folder / name).stat() for name in (CARD, TREES)]
    except OSError:
        return None
    return (folder.resolve(), *((stat.st_mtime_ns, stat.st_size, stat.st_ino) for stat in stats))


def _read_model(folder: Traversable, where: str, feature_sets: Collection[Sequence[str]]) -> Learner:
    card_text, trees = _read(folder, CARD, where), _read(folder, TREES, where)
    try:
        card = ModelCard.from_json(card_text.decode("utf-8", "replace"), feature_sets)
    except ModelError as error:
        raise ModelError(f"{where}, {CARD}: {error}") from None
    where = f"{where}, {TREES}"
    _check_format(trees, where)
    _check_sum(trees, card, where)
    learner, named = Learner(_booster(trees, where), card), len(card.feature_names)
    if learner.n_features != named:
        raise ModelError(f"{where}: the trees take {learner.n_features} features, the card names {named}: {AGAIN}")
    return learner


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
    library = xgboost_library()
    try:
        booster: xgboost.Booster = library.Booster({"verbosity": 0})
        booster.load_model(bytearray(trees))
        booster.num_features()
    except (library.core.XGBoostError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else "no reason given"
        raise ModelError(f"{where}: not a model of XGBoost ({reason}): {AGAIN}") from error
    return booster
