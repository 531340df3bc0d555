"""Plain values of JSON documents."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any


def make_plain(value: object) -> Any:  # noqa: ANN401  the value of a JSON text
    """Return plain values as JSON has them: lists for tuples, `None` for NaN and infinity."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: make_plain(item) for key, item in value.items()}  # pyright: ignore
    if isinstance(value, list | tuple):
        return [make_plain(item) for item in value]  # pyright: ignore
    return value
