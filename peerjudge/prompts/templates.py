"""Jinja in a sandbox: templates compiled once, filled strictly, and checked before they are used.

A template that does no more with some of its values than print them is filled but for these once
(`prefilled`), and from then on costs as much as putting strings together. Whether it does is seen by
giving it values that can do no more than be printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, NoReturn

from peerjudge.errors import PromptError

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["Fill", "check_template", "fill", "hole", "paragraphs", "prefilled"]

Fill = Callable[[Mapping[str, str]], str]
"""From what was left open, by name, to the filled template."""

_HOLE = re.compile("\0([^\0]*)\0")


class _InspectedError(Exception):
    """A template did more with a hole than print it."""


class _Hole:
    """Something that can be printed, and shows when anything else is done with it."""

    __slots__ = ("form",)

    def __init__(self, form: str) -> None:
        self.form = form

    def _inspected(self, *_: object) -> NoReturn:
        raise _InspectedError

    __str__ = __repr__ = __bool__ = __eq__ = __len__ = __iter__ = _inspected
    __int__ = __float__ = __getitem__ = __getattr__ = _inspected


def _printed(value: object) -> object:
    return value.form if isinstance(value, _Hole) else value


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_printed
    )
    # Packs are given values only: Jinja's global functions would be carried along and never used.
    environment.globals.clear()
    # These tell a hole from a text without a trace.
    del environment.tests["string"], environment.tests["sequence"]
    return environment


@cache
def _compiled(text: str) -> Template:
    return _environment().from_string(text)


def fill(text: str, values: Mapping[str, object], *, where: str) -> str:
    """The template filled with the values, without blank space around it.

    The values are data: what looks like a template in them stays as it is. Raises `PromptError`
    naming `where` when the template uses an unknown value or does what the sandbox forbids.
    """
    from jinja2 import TemplateError

    try:
        return _compiled(text).render(values).strip()
    except TemplateError as cause:
        msg = f"{where} cannot be filled: {cause}"
        raise PromptError(msg) from cause


def hole(name: str) -> str:
    """A place left open in a value that is given to `prefilled`."""
    return f"\0{name}\0"


def prefilled(
    text: str,
    known: Mapping[str, object],
    left_open: Mapping[str, str | tuple[str, ...]],
    *,
    where: str,
) -> Fill:
    """What `fill` does, with holes in some of the values that are filled later.

    Args:
        text: The template.
        known: Values without holes.
        left_open: Values with a `hole` or several in them, that neither begin nor end in blank
            space, however these are filled.
        where: As for `fill`.

    Raises:
        PromptError: As `fill` does, when the holes are filled.
    """
    from jinja2 import TemplateError

    late = partial(_filled_late, text, known, left_open, where)
    if "\0" in text or _prints_apart(text):
        return late
    holes = {
        name: _Hole(value) if isinstance(value, str) else tuple(map(_Hole, value))
        for name, value in left_open.items()
    }
    try:
        form = _compiled(text).render({**known, **holes}).strip()
    except (TemplateError, TypeError, _InspectedError):
        return late
    return _joined(form)


def paragraphs(parts: Iterable[str]) -> str:
    """The parts that say something, with a blank line between them."""
    return "\n\n".join(filter(None, parts))


def check_template(text: str, known: frozenset[str], *, where: str) -> None:
    """Raise `PromptError` naming `where` unless the template compiles and uses only known values."""
    from jinja2 import TemplateSyntaxError
    from jinja2.meta import find_undeclared_variables

    try:
        unknown = find_undeclared_variables(_environment().parse(text)) - known
        _compiled(text)
    except TemplateSyntaxError as cause:
        msg = f"{where}, line {cause.lineno}: {cause.message}"
        raise PromptError(msg) from cause
    if unknown:
        msg = f"{where} uses {sorted(unknown)}, which it is not given; it is given {sorted(known)}"
        raise PromptError(msg)


def _prints_apart(text: str) -> bool:
    """Whether a template prints into something that it then can look into."""
    from jinja2 import nodes

    apart = (nodes.FilterBlock, nodes.AssignBlock, nodes.CallBlock, nodes.Macro)
    return any(_environment().parse(text).find_all(apart))


def _joined(form: str) -> Fill:
    """Puts what was left open between the pieces of the form."""
    pieces = _HOLE.split(form)
    holes = list(enumerate(pieces))[1::2]

    def joined(given: Mapping[str, str]) -> str:
        whole = pieces.copy()
        for at, name in holes:
            whole[at] = given[name]
        return "".join(whole)

    return joined


def _filled_late(
    text: str,
    known: Mapping[str, object],
    left_open: Mapping[str, str | tuple[str, ...]],
    where: str,
    given: Mapping[str, str],
) -> str:
    def whole(value: str) -> str:
        return _HOLE.sub(lambda found: given[found[1]], value)

    values = {
        name: whole(value) if isinstance(value, str) else tuple(map(whole, value))
        for name, value in left_open.items()
    }
    return fill(text, {**known, **values}, where=where)
