"""Reasons why a text may not be a candidate, found before a call is paid for it."""

from __future__ import annotations

from peerjudge.data import SearchOptions, Target
from peerjudge.search.proposals import find_longest
from peerjudge.search.texts import (
    keeps_expressions,
    list_fences,
    list_kept,
    list_keys,
    opens_expression,
)

__all__ = ["find_edit_fault", "find_text_fault"]


def find_text_fault(text: str, *, target: Target, options: SearchOptions) -> str:
    """Return why a proposed text may not replace the base text of a target; empty if it may.

    Template expressions must be kept even without `protect`, as the text does not render otherwise.
    """
    base = target.text
    if not text.strip():
        return "the text is empty"
    longest = find_longest(base, options.longest)
    if len(text) > longest:
        return f"the text has {len(text)} characters; at most {longest} are allowed"
    if opens_expression(text, target.form):
        return "the text adds template syntax"
    if not keeps_expressions(text, base, target.form):
        return "the text does not keep every template expression of the base"
    if options.protect and list_keys(text) != list_keys(base):
        return f"the text does not keep the JSON keys {', '.join(list_keys(base)) or '(none)'}"
    if _adds_fence(text, base):
        return "the text adds marks that delimit quoted material"
    return ""


def find_edit_fault(text: str, *, target: Target, options: SearchOptions) -> str:
    """Return why an edited text may not be a candidate; empty if it may.

    With `protect` all kept parts must be those of the base: expressions, the whole form of JSON, fence
    marks. Without it any text but an empty or a too long one is tried, as the paper did.
    """
    if not text.strip():
        return "the text is empty"
    longest = find_longest(target.text, options.longest)
    if len(text) > longest:
        return f"the text has {len(text)} characters; at most {longest} are allowed"
    if not options.protect:
        return ""
    if opens_expression(text, target.form):
        return "the text adds template syntax"
    if _kept_parts(text, target) != _kept_parts(target.text, target):
        return "the text does not keep the expressions, headings, marks and JSON of the base"
    return ""


def _kept_parts(text: str, target: Target) -> list[str]:
    return [text[span.start : span.end] for span in list_kept(text, target.form)]


def _adds_fence(text: str, base: str) -> bool:
    marks = list_fences(base)
    return any(list_fences(text).count(mark) > marks.count(mark) for mark in set(list_fences(text)))
