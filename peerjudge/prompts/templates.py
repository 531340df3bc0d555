"""Jinja in a sandbox: templates compiled once, filled strictly, and checked before they are used.

A template that does no more with some of its values than print them is filled but for these once
(`prefilled`), and from then on costs as much as putting strings together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

from peerjudge.errors import PromptError

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.nodes import Node
    from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["Fill", "check_template", "fill", "hole", "paragraphs", "prefilled"]

Fill = Callable[[Mapping[str, str]], str]
"""From what was left open, by name, to the filled template."""

_HOLE = re.compile("\0([^\0]*)\0")
_NEIGHBOURS = frozenset({"previtem", "nextitem", "changed"})


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    # Packs are given values only: Jinja's global functions would be carried along and never used.
    environment.globals.clear()
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
        PromptError: As `fill` does, now or when the holes are filled.
    """
    lengths = {
        name: None if isinstance(value, str) else len(value) for name, value in left_open.items()
    }
    if "\0" in text or not _only_prints(_environment().parse(text), lengths):
        return partial(_filled_late, text, known, left_open, where)
    form = fill(text, {**known, **left_open}, where=where)
    return _HOLE.sub(r"{\1}", form.replace("{", "{{").replace("}", "}}")).format_map


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


def _only_prints(node: Node, given: Mapping[str, int | None]) -> bool:
    """Whether a template prints these values, one by one or in a loop, and does nothing else.

    Only then is the text around them the same whatever they are. The length of a tuple is known
    beforehand, so a template may ask for it.
    """
    from jinja2 import nodes

    def prints(*children: Node) -> bool:
        return all(_only_prints(child, given) for child in children)

    match node:
        case nodes.Name(name=name):
            return name not in given
        case nodes.Output(nodes=parts):
            return prints(*[part for part in parts if not _is_string(part, given)])
        case nodes.For(target=nodes.Name(name=each), iter=nodes.Name(name=name)) if name in given:
            looped = {**given, each: None}
            inside = node.iter_child_nodes(exclude=("target", "iter"))
            return given[name] is not None and all(_only_prints(c, looped) for c in inside)
        case nodes.Filter(name="length" | "count", node=nodes.Name(name=name)):
            return given.get(name, 0) is not None
        case nodes.Getattr(attr=attr) if attr in _NEIGHBOURS:
            return False
        case nodes.Getitem(arg=arg) if not (
            isinstance(arg, nodes.Const) and isinstance(arg.value, int)
        ):
            return False
        case nodes.Template() | nodes.If() | nodes.For() | nodes.Expr() | nodes.Helper():
            return prints(*node.iter_child_nodes())
        case _:
            return False


def _is_string(node: Node, given: Mapping[str, int | None]) -> bool:
    from jinja2 import nodes

    return isinstance(node, nodes.Name) and given.get(node.name, 0) is None
