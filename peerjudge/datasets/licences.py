"""Licences of datasets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

__all__ = ["find_licence"]

_LICENCES = {
    "sample": "MIT",
    "dialogues": "MIT",
    "llmbar": "MIT",
    "vicuna80": "MIT",
    "summeval": "MIT",
    "mtbench": "CC-BY-4.0",
    "mtbench200": "CC-BY-4.0",
    "mtbench1131": "CC-BY-4.0",
}
"""Licences that the publishers of datasets state."""


def find_licence(data: str) -> str:
    """Return the licence of a dataset: that which its publisher or its records state; empty if unknown."""
    name, _, place = data.partition(":")
    described = Path(place or data) / "dataset.json"
    if described.is_file():
        found = cast("dict[str, object]", json.loads(described.read_text("utf-8")))
        return str(found.get("licence") or "")
    return _LICENCES.get(name.partition("+")[0], "")
