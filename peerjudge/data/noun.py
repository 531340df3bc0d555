"""What every noun is: frozen, equal by value, made by keywords, and strict about its JSON form."""

from __future__ import annotations

from dataclasses import Field, fields, make_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

__all__ = ["Noun", "replace"]


@cache
def _fields(kind: type[Struct]) -> dict[str, Field[Any]]:
    return {one.name: one for one in fields(make_dataclass(kind.__name__, kind.__struct_fields__))}


class _AsDataclass:
    """Shows a noun's fields to whatever looks for those of a dataclass."""

    def __get__(self, noun: Struct | None, kind: type[Struct]) -> dict[str, Field[Any]]:
        return _fields(kind)


class Noun(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Frozen data. `replace(noun, field=value)` gives another one with some fields changed.

    Fields are not checked when a noun is made, and checked without exception when one is read. A noun is
    no dataclass, but tools for dataclasses take it for one: `dataclasses`, frames of pandas, rich.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]] = cast("Any", _AsDataclass())

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """How AutoGen's messages and configurations, which are pydantic's, hold a noun."""
        from pydantic_core import core_schema

        def read(given: object) -> Self:
            return given if isinstance(given, cls) else convert(given, cls)

        # To those who ask for its JSON schema a noun is an object, and no more is said.
        plain = core_schema.dict_schema()
        return core_schema.no_info_plain_validator_function(
            read,
            json_schema_input_schema=plain,
            serialization=core_schema.plain_serializer_function_ser_schema(
                to_builtins, return_schema=plain
            ),
        )
