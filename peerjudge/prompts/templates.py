"""Jinja in a sandbox: templates compiled once, filled strictly, and checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from peerjudge.errors import PromptError

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["check_template", "fill"]


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
