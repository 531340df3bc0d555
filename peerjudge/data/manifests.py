"""Manifests of runs as they are read: every entry that other rooms take has the type that they expect."""

from __future__ import annotations

from typing import cast

import msgspec

from peerjudge.data.nouns import from_plain, read_json
from peerjudge.errors import DataError


class _Condition(msgspec.Struct):
    name: str
    protocol: str | None = None


class _Experiment(msgspec.Struct):
    name: str | None = None
    question: str | None = None
    data: str | None = None
    primary: str | None = None
    prompts: str | None = None
    conditions: list[_Condition] | None = None
    seats: dict[str, str] | None = None
    seed: int | None = None
    reviewer_settings: dict[str, object] | None = None


class _Price(msgspec.Struct):
    input: float
    output: float


class _Merged(msgspec.Struct):
    manifest: dict[str, object] | None = None


class _Manifest(msgspec.Struct):
    run: str | None = None
    experiment: _Experiment | None = None
    dataset: str | None = None
    licence: str | None = None
    written: str | None = None
    python: str | None = None
    comparisons: int | None = None
    cards: dict[str, dict[str, object]] | None = None
    prices: dict[str, _Price | None] | None = None
    versions: dict[str, str | None] | None = None
    files: dict[str, str] | None = None
    notes: list[str] | None = None
    remarks: list[str] | None = None
    merged: list[_Merged] | None = None
    forked_from: dict[str, object] | None = None


def read_manifest_text(text: str | bytes) -> dict[str, object]:
    """Return the manifest in a text; entries that no room takes are kept as they are.

    Raises:
        DataError: The text is no JSON object, or an entry has another type than PeerJudge writes.
    """
    plain = read_json(text)
    if not isinstance(plain, dict):
        msg = f"the manifest is no JSON object (found {plain!r:.80})"
        raise DataError(msg)
    from_plain(_Manifest, cast("object", plain), strict=True, name="the manifest")
    return cast("dict[str, object]", plain)
