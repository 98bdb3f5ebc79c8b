"""Writing a model: each file whole or not at all, the card last, so that a card never speaks of trees not yet there."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

from ml4c.errors import ModelError
from ml4c.learner.card import ModelCard
from ml4c.units import write_whole

TREES = "model.ubj"
CARD = "card.json"


def save_model(folder: str | os.PathLike[str], trees: bytes, card: ModelCard) -> ModelCard:
    """Write both files, the card last; returns the card with its checksum."""
    target = Path(folder)
    complete = replace(card, checksum=hashlib.sha256(trees).hexdigest())
    try:
        target.mkdir(parents=True, exist_ok=True)
        write_whole(target / TREES, trees)
        write_whole(target / CARD, complete.to_json().encode())
    except OSError as error:
        raise ModelError(f"{target}: cannot be written ({error.strerror}): check the path and your rights") from error
    return complete
