"""Arguments of public functions, checked against their annotations: numbers, texts, paths and lists.

A wrong type otherwise fails far from the call, in a comparison of a text with a number. A parameter with
any other type in its annotation is left to its function.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from numbers import Integral, Real
from typing import ParamSpec, TypeVar, cast

from peerjudge.errors import ArgumentError

P = ParamSpec("P")
R = TypeVar("R")

_LONGEST = 80
_PLACED = inspect.Parameter.POSITIONAL_ONLY
_NAMED_OR_PLACED = inspect.Parameter.POSITIONAL_OR_KEYWORD


@dataclass(frozen=True, slots=True)
class _Kind:
    """A type by its words, and its test."""

    words: str
    fits: Callable[[object], bool]


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


_KINDS: Mapping[str, _Kind] = {
    "int": _Kind("a whole number", lambda value: _is_number(value, Integral)),
    "float": _Kind("a number", lambda value: _is_number(value, Real)),
    "bool": _Kind("True or False", lambda value: type(value).__name__ in {"bool", "bool_"}),
    "str": _Kind("a text", lambda value: isinstance(value, str)),
    "Path": _Kind("a path", lambda value: hasattr(value, "__fspath__")),
    "Mapping": _Kind("a mapping such as {'a': 'b'}", lambda value: isinstance(value, Mapping)),
    "Sequence": _Kind("a list", _is_list),
    "Experiment": _Kind("an Experiment", lambda value: type(value).__name__ == "Experiment"),
    "RunSummary": _Kind("a RunSummary", lambda value: type(value).__name__ == "RunSummary"),
    "None": _Kind("None", lambda value: value is None),
}


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function with its arguments checked at each call.

    Raises:
        ArgumentError: At a call, for a value that the annotation of its parameter does not allow.
    """
    signature = inspect.signature(function)
    known = {
        name: kinds
        for name, one in signature.parameters.items()
        if (kinds := _read_kinds(one.annotation))
    }

    places = [
        name
        for name, one in signature.parameters.items()
        if one.kind in (_PLACED, _NAMED_OR_PLACED)
    ]

    def check(args: tuple[object, ...], given: Mapping[str, object]) -> None:
        # Sources given one by one take the places after those of the named parameters.
        for name, value in {**dict(zip(places, args, strict=False)), **given}.items():
            kinds = known.get(name, ())
            if kinds and not any(kind.fits(value) for kind in kinds):
                words = " or ".join(kind.words for kind in kinds if kind.words != "None")
                msg = f"{name} of {function.__name__} is {words}, not {value!r:.{_LONGEST}}"
                raise ArgumentError(msg)

    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def call_later(*args: P.args, **given: P.kwargs) -> object:
            check(args, given)
            return await cast("Awaitable[object]", function(*args, **given))

        return cast("Callable[P, R]", call_later)

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        check(args, given)
        return function(*args, **given)

    return call


def _read_kinds(annotation: object) -> tuple[_Kind, ...]:
    """Return the kinds that an annotation allows, or none if it has a type that is not known here."""
    if not isinstance(annotation, str):
        return ()
    parts = _split(annotation)
    if not {*parts} <= _KINDS.keys():
        return ()
    return tuple(_KINDS[part] for part in parts)


def _split(annotation: str) -> list[str]:
    """Return the heads of the types of a union, such as `Mapping` of `Mapping[str, str] | None`."""
    parts, depth = [""], 0
    for character in annotation:
        depth += (character == "[") - (character == "]")
        if character == "|" and not depth:
            parts.append("")
        elif not depth and character != "]":
            parts[-1] += character
    return [part.strip() for part in parts]
