"""The base of all nouns, and their JSON form: validated when read, versioned, hashed by content."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias, TypeVar, cast

import msgspec
import numpy as np
from msgspec.structs import replace as replace

from peerjudge.data.choices import suggest_name
from peerjudge.errors import DataError

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

SCHEMA_VERSION = 1

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A count or number that every reader can hold; JSON has no bound of its own."""

T = TypeVar("T")


class Noun(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, repr_omit_defaults=True, gc=False
):
    """Frozen record, equal by value and made by keywords.

    `replace(noun, field=value)` returns a changed copy, `to_plain(noun)` a dict. The types of all
    fields are checked when a noun is read, and not when Python code constructs it, except where the
    noun says so. `repr` leaves out the fields that have their default.
    """

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema with which pydantic models, such as AutoGen's messages, hold a noun."""
        from pydantic_core import core_schema

        def read(given: object) -> Self:
            return given if isinstance(given, cls) else msgspec.convert(given, cls)

        plain = core_schema.dict_schema()  # In a JSON schema, a noun is an object of any form.
        return core_schema.no_info_plain_validator_function(
            read,
            json_schema_input_schema=plain,
            serialization=core_schema.plain_serializer_function_ser_schema(
                msgspec.to_builtins, return_schema=plain
            ),
        )


class _DeclaredMeta(msgspec.StructMeta):
    """Type of the nouns that users write: a wrong keyword is answered with the fields that there are."""

    if not TYPE_CHECKING:  # Type checkers read the constructor from the fields.

        def __call__(cls, *args: object, **fields: object) -> object:  # noqa: N805
            try:
                return super().__call__(*args, **fields)
            except TypeError as cause:
                unknown = [name for name in fields if name not in cls.__struct_fields__]
                if not unknown:
                    raise
                raise TypeError(_explain_field(cls, unknown[0])) from cause


class Declared(Noun, frozen=True, metaclass=_DeclaredMeta):
    """A noun that users write in their own files and programs."""


def _explain_field(kind: type[Noun], name: str) -> str:
    known = kind.__struct_fields__
    hint = suggest_name(name, known) or "."
    return f"{kind.__name__} has no field {name!r}{hint} It has {', '.join(known)}"


class _Document(msgspec.Struct):
    schema: str
    data: msgspec.Raw


def to_plain(noun: object) -> object:
    """Return the noun as dicts, lists, strings and numbers, without the version envelope."""
    return msgspec.to_builtins(noun, str_keys=True, enc_hook=_encode_number)


def from_plain(kind: type[T], plain: object, *, strict: bool = False, name: str = "") -> T:
    """Return the noun of this kind from plain values.

    Args:
        kind: The noun.
        plain: Dicts, lists, texts and numbers.
        strict: Refuse a number that is given as text.
        name: Name of the whole in errors; by default that of the noun.

    Raises:
        DataError: The values do not fit; the error names the place that is wrong.
    """
    try:
        return msgspec.convert(plain, kind, strict=strict)
    except msgspec.ValidationError as cause:
        raise _name_place(cause, plain, where=name or kind.__name__) from cause
    except RecursionError as cause:
        msg = f"{name or kind.__name__} is nested too deeply to be read"
        raise DataError(msg) from cause


def read_json(text: str | bytes) -> object:
    """Return the plain values of a JSON text.

    Raises:
        DataError: The text is no JSON: also for NaN, a number beyond the range of floats, half a
            character (a lone surrogate), or nesting beyond what can be read.
    """
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError) as cause:
        msg = f"not JSON: {cause}"
        raise DataError(msg) from cause


def to_json(noun: object) -> str:
    """Return one line of JSON: `{"schema": "Transcript/1", "data": {...}}`."""
    return f'{{"schema":"{type(noun).__name__}/{SCHEMA_VERSION}","data":{_encode(noun).decode()}}}'


def from_json(kind: type[T], text: str) -> T:
    """Return the noun of this kind from the text of `to_json`; raises `DataError` for any other."""
    wanted = f"{kind.__name__}/{SCHEMA_VERSION}"
    try:
        document = _read_document(text)
    except msgspec.ValidationError as cause:
        msg = f"expected a {wanted} document, found {text!r:.80}: {cause}"
        raise DataError(msg) from cause
    except (ValueError, RecursionError) as cause:
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
        raise _name_place(cause, read_json(bytes(document.data)), where=wanted) from cause
    except (ValueError, RecursionError) as cause:
        msg = f"not JSON: {cause}"
        raise DataError(msg) from cause


def content_hash(*parts: object) -> str:
    """Return 32 hex digits that are the same for the same plain content on every machine."""
    text = json.dumps(
        parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _encode_number(value: object) -> object:
    if isinstance(value, np.generic):
        return cast("object", value.item())
    msg = f"{type(value).__name__} has no JSON form"
    raise NotImplementedError(msg)


_encode = msgspec.json.Encoder(enc_hook=_encode_number).encode
_read_document = msgspec.json.Decoder(_Document).decode


@cache
def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(kind)


_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[\.\.\.\]")
"""A step of a path in an error: a field name, an item number, or any entry of a table."""


def _name_place(cause: msgspec.ValidationError, plain: object, *, where: str) -> DataError:
    """The error with the place and the value that is wrong."""
    wrong, _, path = str(cause).partition(" - at `$")
    found: Any = plain
    for name, index in _STEP.findall(path):
        inner = _enter(found, name, index)
        if inner is None:
            break  # The error does not say which entry of a table is wrong, so show the table.
        found = inner
    place = path.strip(".`") or "the whole"
    return DataError(f"{where}: {place}: {wrong} (found {found!r:.80})")


def _enter(found: object, name: str, index: str) -> object:
    """Return a field or an item; `None` for any entry of a table, or where there is no such place."""
    if name and isinstance(found, dict):
        return cast("dict[str, object]", found).get(name)
    if index and isinstance(found, list) and int(index) < len(cast("list[object]", found)):
        return cast("list[object]", found)[int(index)]
    return None
