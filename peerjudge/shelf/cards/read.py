"""Reads reviewer cards: TOML text in, a checked `Card` out, with one clear sentence if it is wrong.

A card says who speaks (`[model]`, `[traits]`, or `source`), in which role, and how it is sampled:

    description = "A careful reviewer."
    role = "You weigh accuracy above style."

    [model]
    provider = "openai"
    name = "gpt-4o"

    [sampling]
    temperature = 0.2
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import cast

from peerjudge.data import Card, Limits, ModelSpec, ReviewerKind, Sampling, from_plain
from peerjudge.errors import DataError
from peerjudge.shelf.cards.fields import check_fields, plain_options, scalars
from peerjudge.shelf.cards.naming import check_name, refuse
from peerjudge.shelf.cards.providers import PROVIDERS
from peerjudge.shelf.cards.secrets import looks_secret

__all__ = ["read_card"]

_VARIABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")
_COMPONENT = re.compile(r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$")


def read_card(name: str, text: str) -> Card:
    """The card of this name (its file's stem) from TOML text.

    Its kind follows from what it holds: `[model]`, `[traits]` (simulated) or `source` (recorded).

    Raises:
        CardError: for anything that could not work later, with the sentence that fixes it.
    """
    check_name(name)
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as cause:
        refuse(name, f"is not valid TOML: {cause}", cause)
    check_fields(name, raw)
    kind = _kind(name, raw)
    model = _model(name, _table(raw, "model")) if kind is ReviewerKind.MODEL else None
    try:
        return Card(
            name=name,
            kind=kind,
            description=str(raw.get("description", "")),
            role=str(raw.get("role", "")).strip(),
            family=str(raw.get("family", "")),
            model=model,
            sampling=from_plain(Sampling, _table(raw, "sampling")),
            limits=from_plain(Limits, _table(raw, "limits")),
            traits=scalars(name, "traits", _table(raw, "traits")),
            source=str(raw.get("source", "")),
            reviewer=str(raw.get("reviewer", name if kind is ReviewerKind.RECORDED else "")),
        )
    except DataError as cause:
        refuse(name, f"cannot be read: {cause}", cause)


def _table(raw: Mapping[str, object], key: str) -> dict[str, object]:
    return cast("dict[str, object]", raw.get(key, {}))


def _kind(name: str, raw: Mapping[str, object]) -> ReviewerKind:
    found = {
        label: kind
        for key, label, kind in (
            ("model", "[model]", ReviewerKind.MODEL),
            ("traits", "[traits]", ReviewerKind.SIMULATED),
            ("source", "source", ReviewerKind.RECORDED),
        )
        if key in raw
    }
    if not found:
        refuse(
            name, "says nobody who speaks: add [model], [traits] (simulated) or source (recorded)"
        )
    if len(found) > 1:
        refuse(name, f"has {' and '.join(found)} together: keep one, they are different reviewers")
    (kind,) = found.values()
    if "reviewer" in raw and kind is not ReviewerKind.RECORDED:
        refuse(name, "has a reviewer but no source: add source = 'NAME:PATH' of the dataset")
    if kind is ReviewerKind.RECORDED and not str(raw["source"]).strip():
        refuse(name, "has an empty source: write source = 'NAME:PATH' of the dataset")
    return kind


def _model(name: str, raw: Mapping[str, object]) -> ModelSpec:
    provider = str(raw.get("provider", "")).strip()
    if not provider:
        refuse(name, f"needs [model] provider: one of {', '.join(PROVIDERS)}, or a component path")
    if provider not in PROVIDERS and not _COMPONENT.match(provider):
        close = get_close_matches(provider.lower(), list(PROVIDERS), n=1)
        guess = f"did you mean {close[0]}? " if close else ""
        known = ", ".join(PROVIDERS)
        refuse(
            name,
            f"has an unknown [model] provider {provider!r}: {guess}Known are {known}, and the "
            "dotted path of any AutoGen model client; another OpenAI-compatible service is "
            "provider = 'openai' with its base_url",
        )
    model = str(raw.get("name", "")).strip()
    if provider in PROVIDERS and not model:
        refuse(name, f"needs [model] name: the model to ask for at {provider}")
    return ModelSpec(
        provider=provider,
        name=model,
        base_url=_base_url(name, raw),
        key_env=_key_env(name, raw),
        options=plain_options(name, "model.options", _table(raw, "options")),
    )


def _base_url(name: str, raw: Mapping[str, object]) -> str | None:
    if "base_url" not in raw:
        return None
    url = str(raw["base_url"]).strip()
    if not re.match(r"^https?://[^/\s]+", url):
        refuse(name, f"has [model] base_url = {url!r}: it must start with http:// or https://")
    if "@" in url.split("//", 1)[1].split("/", 1)[0]:
        refuse(
            name, "has a password in [model] base_url: name the variable with the key in key_env"
        )
    return url


def _key_env(name: str, raw: Mapping[str, object]) -> str | None:
    if "key_env" not in raw:
        return None
    variable = str(raw["key_env"])
    if looks_secret(variable) or not _VARIABLE.match(variable):
        # The value is not repeated: it may be the key itself.
        refuse(
            name, "needs the *name* of an environment variable for [model] key_env, not its value"
        )
    return variable
