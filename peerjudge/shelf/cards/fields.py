"""The fields a card may have, and what each of them holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import cast

from peerjudge.data import Scalar
from peerjudge.shelf.cards.naming import refuse
from peerjudge.shelf.cards.secrets import looks_secret, refuse_secret

__all__ = ["check_fields", "plain_options", "scalars"]

_TEXT = "text in quotes"
_NUMBER = "a number"
_COUNT = "a whole number"
_FLAG = "true or false"
_TABLE = "a table"

_TOP = {
    "description": _TEXT,
    "role": _TEXT,
    "family": _TEXT,
    "source": _TEXT,
    "reviewer": _TEXT,
    "model": _TABLE,
    "sampling": _TABLE,
    "limits": _TABLE,
    "traits": _TABLE,
}
_TABLES: Mapping[str, Mapping[str, str]] = {
    "model": {
        "provider": _TEXT,
        "name": _TEXT,
        "base_url": _TEXT,
        "key_env": _TEXT,
        "options": _TABLE,
    },
    "sampling": {
        "temperature": _NUMBER,
        "top_p": _NUMBER,
        "seed": _COUNT,
        "max_tokens": _COUNT,
        "logprobs": _FLAG,
    },
    "limits": {
        "max_connections": _COUNT,
        "requests_per_minute": _COUNT,
        "tokens_per_minute": _COUNT,
        "timeout": _NUMBER,
        "attempts": _COUNT,
    },
}
_LEAST = {
    "temperature": 0,
    "top_p": 0,
    "max_tokens": 1,
    "max_connections": 1,
    "requests_per_minute": 1,
    "tokens_per_minute": 1,
    "timeout": 0.001,
    "attempts": 1,
}


def check_fields(name: str, raw: Mapping[str, object]) -> None:
    """Raises `CardError` for a field a card does not have, or one that holds something else."""
    _check_table(name, "", raw, _TOP)
    for table, fields in _TABLES.items():
        _check_table(name, table, cast("Mapping[str, object]", raw.get(table, {})), fields)


def _check_table(
    name: str, table: str, values: Mapping[str, object], fields: Mapping[str, str]
) -> None:
    where = f"[{table}] " if table else ""
    for key, value in values.items():
        if key not in fields:
            refuse_secret(name, f"{where}{key}", key, value)
            refuse(name, f"has an unknown field {where}{key}{_hint(key, fields)}")
        if not _fits(value, fields[key]):
            shown = "" if looks_secret(value) else f", not {value!r:.60}"
            refuse(name, f"needs {fields[key]} for {where}{key}{shown}")
        if key in _LEAST and cast("float", value) < _LEAST[key]:
            refuse(name, f"has {where}{key} = {value}; it must be at least {_LEAST[key]:g}")


def _fits(value: object, wanted: str) -> bool:
    if wanted is _TEXT:
        return isinstance(value, str)
    if wanted is _FLAG:
        return isinstance(value, bool)
    if wanted is _TABLE:
        return isinstance(value, dict)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) if wanted is _COUNT else math.isfinite(value)


def _hint(key: str, fields: Iterable[str]) -> str:
    for table, others in _TABLES.items():
        if key in others:
            return f"; {key} belongs in [{table}]"
    close = get_close_matches(key, list(fields), n=1)
    return f"; did you mean {close[0]}?" if close else f"; known are {', '.join(fields)}"


def scalars(name: str, table: str, values: Mapping[str, object]) -> dict[str, Scalar]:
    """The values of a table that holds nothing nested, such as `[traits]`; finite, no secret."""
    for key, value in values.items():
        refuse_secret(name, f"[{table}] {key}", key, value)
        fine = isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
        if not fine:
            refuse(
                name, f"needs text, a number or true/false for [{table}] {key}, not {value!r:.60}"
            )
    return cast("dict[str, Scalar]", dict(values))


def plain_options(name: str, table: str, values: Mapping[str, object]) -> dict[str, object]:
    """The options of a client: they may be nested, but hold no secret and nothing JSON lacks."""
    for key, value in values.items():
        where = f"[{table}] {key}"
        refuse_secret(name, where, key, value)
        if isinstance(value, dict):
            plain_options(name, f"{table}.{key}", cast("dict[str, object]", value))
        elif isinstance(value, list):
            items = cast("list[object]", value)
            plain_options(
                name, table, {f"{key}[{place}]": item for place, item in enumerate(items)}
            )
        else:
            scalars(name, table, {key: value})
    return dict(values)
