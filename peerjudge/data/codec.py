"""The JSON form of the nouns: validated on the way in, versioned, and hashed by content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from peerjudge.errors import DataError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["SCHEMA_VERSION", "content_hash", "from_json", "from_plain", "to_json", "to_plain"]

SCHEMA_VERSION = 1

T = TypeVar("T")


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    # Imported here because pydantic takes a third of a second that `--help` need not wait for.
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


@cache
def _written(kind: type[object]) -> Callable[[object], bytes]:
    # Every turn is written: `TypeAdapter.dump_json` only passes its many options on to this.
    return _adapter(kind).serializer.to_json


def to_plain(noun: object) -> object:
    """The noun as plain dicts, lists, strings and numbers, without the version envelope."""
    return _adapter(type(noun)).dump_python(noun, mode="json")


def from_plain(kind: type[T], plain: object) -> T:
    """The noun of this kind from plain values; raises `DataError` naming the place that is wrong."""
    return _validated(kind, json.dumps(plain), where=kind.__name__)


def to_json(noun: object) -> str:
    """One line of JSON: `{"schema": "Transcript/1", "data": {...}}`."""
    kind = type(noun)
    body = _written(kind)(noun).decode()
    return f'{{"schema":"{kind.__name__}/{SCHEMA_VERSION}","data":{body}}}'


def from_json(kind: type[T], text: str) -> T:
    """The noun of this kind from `to_json`'s text; raises `DataError` for anything else."""
    wanted = f"{kind.__name__}/{SCHEMA_VERSION}"
    try:
        envelope = json.loads(text)
    except ValueError as cause:
        msg = f"not JSON: {cause}"
        raise DataError(msg) from cause
    found = envelope.get("schema") if isinstance(envelope, dict) else None  # pyright: ignore
    if found != wanted:
        msg = f"expected a {wanted} document, found {found!r}; this is PeerJudge schema {SCHEMA_VERSION}"
        raise DataError(msg)
    return _validated(kind, json.dumps(envelope["data"]), where=wanted)


def content_hash(*parts: object) -> str:
    """The same 32 hex digits for the same plain content, on every machine and in every version."""
    text = json.dumps(
        parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _validated(kind: type[T], text: str, *, where: str) -> T:
    from pydantic import ValidationError

    try:
        return _adapter(kind).validate_json(text)
    except ValidationError as cause:
        first = cause.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        msg = f"{where}: {place}: {first['msg']} (found {first['input']!r:.80})"
        raise DataError(msg) from cause
