"""The JSON form of the nouns: validated on the way in, versioned, and hashed by content."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
import numpy as np

from peerjudge.errors import DataError

__all__ = ["SCHEMA_VERSION", "content_hash", "from_json", "from_plain", "to_json", "to_plain"]

SCHEMA_VERSION = 1

T = TypeVar("T")


class _Document(msgspec.Struct):
    schema: str
    data: msgspec.Raw


def _number(value: object) -> object:
    """What numpy computes is written as the numbers they are."""
    if isinstance(value, np.generic):
        return cast("object", value.item())
    msg = f"{type(value).__name__} has no JSON form"
    raise NotImplementedError(msg)


_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
"""A step of a path in an error: the name of a field, the number of an item, or any entry of a table."""

_document = msgspec.json.Decoder(_Document)
_encoded = msgspec.json.Encoder(enc_hook=_number).encode


@cache
def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(kind)


def to_plain(noun: object) -> object:
    """The noun as plain dicts, lists, strings and numbers, without the version envelope."""
    return msgspec.to_builtins(noun, str_keys=True, enc_hook=_number)


def from_plain(kind: type[T], plain: object) -> T:
    """The noun of this kind from plain values; a number may be given as text.

    Raises `DataError` naming the place that is wrong.
    """
    try:
        return msgspec.convert(plain, kind, strict=False)
    except msgspec.ValidationError as cause:
        raise _mistaken(cause, plain, where=kind.__name__) from cause


def to_json(noun: object) -> str:
    """One line of JSON: `{"schema": "Transcript/1", "data": {...}}`."""
    return f'{{"schema":"{type(noun).__name__}/{SCHEMA_VERSION}","data":{_encoded(noun).decode()}}}'


def from_json(kind: type[T], text: str) -> T:
    """The noun of this kind from `to_json`'s text; raises `DataError` for anything else."""
    wanted = f"{kind.__name__}/{SCHEMA_VERSION}"
    try:
        document = _document.decode(text)
    except msgspec.ValidationError as cause:
        msg = f"expected a {wanted} document, found {text!r:.80}: {cause}"
        raise DataError(msg) from cause
    except msgspec.DecodeError as cause:
        msg = f"not JSON: {cause}"
        raise DataError(msg) from cause
    if document.schema != wanted:
        msg = (
            f"expected a {wanted} document, found {document.schema!r}; "
            f"this is PeerJudge schema {SCHEMA_VERSION}"
        )
        raise DataError(msg)
    try:
        return _decoder(kind).decode(document.data)
    except msgspec.ValidationError as cause:
        raise _mistaken(cause, msgspec.json.decode(document.data), where=wanted) from cause


def content_hash(*parts: object) -> str:
    """The same 32 hex digits for the same plain content, on every machine and in every version."""
    text = json.dumps(
        parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _mistaken(cause: msgspec.ValidationError, plain: object, *, where: str) -> DataError:
    """What is wrong, where, and what is there instead."""
    wrong, _, path = str(cause).partition(" - at `$")
    found: Any = plain
    for name, index in _STEP.findall(path):
        if not (name or index):
            break  # Of the entries of a table it is not said which one is wrong.
        found = found[name] if name else found[int(index)]
    place = path.strip(".`") or "the whole"
    return DataError(f"{where}: {place}: {wrong} (found {found!r:.80})")
