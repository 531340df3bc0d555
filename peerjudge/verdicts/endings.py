"""Rules for verdicts in a requested form, at the end of a reply or on its first line."""

from __future__ import annotations

import re
from collections.abc import Callable

from peerjudge.verdicts.codes import CONTRADICTION, NAME, TIE_WORDS, code_of
from peerjudge.verdicts.forms import (
    closing_result,
    continues_list,
    label,
    lone_letter,
    lone_name,
    lone_number,
    lone_statement,
    revision,
)
from peerjudge.verdicts.marks import mark_pair
from peerjudge.verdicts.orders import closing_order, is_order, takes_back
from peerjudge.verdicts.phrases import NAMES
from peerjudge.verdicts.quoting import plain
from peerjudge.verdicts.replies import Reply, retold
from peerjudge.verdicts.structured import json_code, json_codes

FormRule = Callable[[Reply], int | None]

LAST_NUMBER = "last-line number"
LAST_NAME = "last-line name"
LAST_LABEL = "last-line label"
_QUOTES = "\"'\u201c\u201d"
_OPENING_MARKS = ('"', "'", "\u201c", "(")
_MEASURE = re.compile(
    r"(?i)\b(?:confiden|certain|error|mistake|difficult|length|count|number of|total|issues?\b"
    r"|problems?\b|flaws?\b"
    r"|points?\b|sure)"
)
_VERDICT_WORD = re.compile(
    r"(?i)\b(?:choice|choose|verdict|better|best|prefer|winner|decision|answer is)"
)
_ITEM = re.compile(r"(?:\d{1,2}[.)]|[-*\u2022]|(?i:step) \d{1,2}:) ")
_OVERALL = re.compile(
    rf"(?i:overall(?: winner| best)?) ?[:=→-] ?({NAME}|(?i:{TIE_WORDS}))(?:[.!]|[.,;] .*)?"
)
_HEADING = re.compile(
    r"(?i)(?:my |the )?(?:final |overall )?(?:verdict|choice|winner|decision|judge?ment) ?:?"
)
FINAL = re.compile(
    rf"\b(?i:(?:final|my) (?:choice|verdict|decision) is (?:therefore |thus |hence )?)({NAME}|\([a-e]\))\.?$"
)
"""Sentence that ends a line with the final verdict."""
_LONGEST_LABEL = 120
_SHORT = 40
_MOST_RANKS = 6
_OUTSIDE = 99
"""Code of an answer that was not shown."""


def _closing_json(reply: Reply) -> int | None:
    return json_verdict(reply) if reply.json is not None and reply.json[1] else None


def json_verdict(reply: Reply) -> int | None:
    """Return the verdict of the JSON in a reply, `CONTRADICTION` if objects differ."""
    if reply.json is None:
        return None
    if reply.text.count("{") > 1 and len(json_codes(reply.text)) > 1:
        return CONTRADICTION
    return json_code(reply.json[0])


def _taken_back(reply: Reply) -> int | None:
    """Return `CONTRADICTION` if the last line withdraws what was said before."""
    alone = len(reply.lines) == 1 and ". " not in reply.last
    return CONTRADICTION if not alone and takes_back(reply.last) else None


def _bare_verdicts(reply: Reply) -> int | None:
    """Return `CONTRADICTION` if all lines are bare verdicts, or verdicts after one label, and they differ."""
    codes: set[int] = set()
    labels: set[str] = set()
    for line in map(plain, reply.lines):
        code = _bare(line)
        before = ""
        if code is None:
            if ":" not in line or len(line) > _LONGEST_LABEL:
                return None
            code, before = label(line, last=True), line.partition(":")[0].lower()
        if code is None:
            return None
        codes.add(code)
        labels.add(before)
    alone = len(reply.lines) == 2 and "" in labels
    return CONTRADICTION if len(codes) > 1 and (len(labels) == 1 or alone) else None


def _bare(line: str) -> int | None:
    code = lone_number(line)
    return lone_name(line) if code is None else code


def _contradicted(reply: Reply) -> int | None:
    """Return `CONTRADICTION` if a final verdict in words, just before the last line, differs from it."""
    if len(reply.lines) < 2 or " is " not in reply.lines[-2][-40:]:
        return None
    final = FINAL.search(plain(reply.lines[-2])[-80:])
    code = label(reply.last, last=True) if final and ":" in reply.last else _bare(reply.last)
    return CONTRADICTION if final and code not in (None, code_of(final[1])) else None


def _last_number(reply: Reply) -> int | None:
    code = lone_number(reply.last)
    if code is None or not reply.form.allows(code) or not code or retold(reply):
        return None
    before = reply.lines[-2] if len(reply.lines) > 1 else ""
    if _measures(before):
        return None
    return None if continues_list(code, before, reply.form) else code


def _measures(before: str) -> bool:
    """Return `True` if a line announces a number that is no verdict: "Confidence (1-5):"."""
    if not before or before.rstrip().endswith((".", "!", "?")):
        return False
    return bool(_MEASURE.search(before)) and not _VERDICT_WORD.search(before)


def _last_name(reply: Reply) -> int | None:
    code = lone_name(reply.last)
    if code is None and len(reply.lines) == 1:
        code = lone_letter(reply.last)
    return None if code is None or retold(reply) else _shown(code, reply)


def _last_label(reply: Reply) -> int | None:
    code = label(reply.last, last=True)
    if code is None and len(reply.lines) > 1 and _HEADING.fullmatch(plain(reply.lines[-2])):
        code = label(f"Verdict: {reply.last}", last=True)
    if code is None and len(reply.lines) > 1 and len(reply.last) < _SHORT:
        revised = revision(reply.last)
        code = None if label(reply.lines[-2], last=False) is None else revised
    if code is None and len(reply.last) < _LONGEST_LABEL:
        item = _ITEM.match(reply.last)
        line = reply.last[item.end() :] if item else reply.last
        marked = item is not None or line.startswith(_OPENING_MARKS)
        if marked and not retold(reply):
            code = label(line.strip(_QUOTES + "()"), last=True)
        if code is None and (overall := _OVERALL.fullmatch(line)):
            code = code_of(overall[1])
    return None if code is None else _shown(code, reply)


def _shown(code: int, reply: Reply) -> int:
    """Return the code, `_OUTSIDE` for a name after the last answer's: only a bare code can mean a tie."""
    named = code == reply.form.answers + 1 and NAMES.search(reply.last)
    return _OUTSIDE if named else code


def _closing_order(reply: Reply) -> int | None:
    if not is_order(reply.last):
        return None
    return closing_order([*map(plain, reply.lines[-_MOST_RANKS:-1]), reply.last])


def _last_result(reply: Reply) -> int | None:
    return closing_result(reply.lines)


def _last_statement(reply: Reply) -> int | None:
    return None if retold(reply) else lone_statement(reply.last)


def _last_marks(reply: Reply) -> int | None:
    listed = reply.last.rstrip("])}.")[-1:].isdigit() and (":" in reply.last or "/" in reply.last)
    return mark_pair(reply.last, reply.form) if listed else None


def _first_marks(reply: Reply) -> int | None:
    return mark_pair(reply.first, reply.form)


FORM_RULES: tuple[tuple[str, FormRule], ...] = (
    ("taken back", _taken_back),
    ("two verdicts", _contradicted),
    ("closing JSON", _closing_json),
    ("bare verdicts", _bare_verdicts),
    (LAST_NUMBER, _last_number),
    (LAST_NAME, _last_name),
    (LAST_LABEL, _last_label),
    ("last-line result", _last_result),
    ("last-line statement", _last_statement),
    ("last-line order", _closing_order),
    ("first-line marks", _first_marks),
    ("last-line marks", _last_marks),
)
"""Rules for verdicts in a requested form, in order of precedence."""
