"""Reads a verdict out of any reply: an ordered table of named rules, of which the first one decides.

A verdict in the form that was asked for, at the end of the reply, beats whatever was said on the
way; then come marks on the first line, what the reply concludes in words, codes on the first line,
and what it says throughout. What no rule reads is unreadable: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable

from peerjudge.data import Outcome
from peerjudge.verdicts.contexts import reports
from peerjudge.verdicts.line_forms import (
    continues_list,
    label,
    lone_name,
    lone_number,
    lone_statement,
    mark_pair,
    revision,
)
from peerjudge.verdicts.named_marks import named_marks
from peerjudge.verdicts.quoting import plain, unquoted
from peerjudge.verdicts.readings import CONTRADICTION, REFUSAL, Form, Reading, resolve
from peerjudge.verdicts.refusals import refuses
from peerjudge.verdicts.replies import Reply, stated_from_the_end, take_apart
from peerjudge.verdicts.results import closing_result
from peerjudge.verdicts.statements import CALLED, DECIDED, PRAISED, Statement, unanimous
from peerjudge.verdicts.structured import json_code

__all__ = ["FORM_RULES", "PROSE_RULES", "read_verdict"]

_LAST_NUMBER = "last-line number"
_QUOTING = "{<[`~>"
_SENTENCE = 30
"""A verdict by name is shorter than this many characters, unless it ends in a remark in brackets."""
_NUMBERS = {str(n): Reading(Outcome.CHOICE, n - 1, _LAST_NUMBER) for n in range(1, 10)}

Stated = list[Statement]
FormRule = Callable[[Reply], int | None]
ProseRule = Callable[[Reply, Stated], int | None]


def read_verdict(text: str, *, answers: int = 2, ties: bool = True) -> Reading:
    """What a reply says about which of the shown answers is better; never raises.

    Args:
        text: The reply alone, without the prompt.
        answers: How many answers were shown; number k in 1..answers chooses the k-th shown.
        ties: Whether a tie (said in words, or as the number answers + 1) is a verdict.

    Returns:
        A choice, a tie, a refusal, or `UNREADABLE` where the reply states no verdict, more than
        one, or one that was not among those asked for. `rule` says what was read by which rule.
    """
    if reading := _at_a_glance(text, answers):
        return reading
    form = Form(answers, ties)
    reply = take_apart(text, form)
    for name, form_rule in FORM_RULES:
        code = form_rule(reply)
        if code is not None:
            return resolve(code, form, name)
    if not reply.lines:
        return Reading(Outcome.UNREADABLE, None, "nothing of its own" if text.strip() else "empty")
    stated = _up_to_decision(reply)
    for name, prose_rule in PROSE_RULES:
        code = prose_rule(reply, stated)
        if code is not None:
            return resolve(code, form, name)
    return Reading(Outcome.UNREADABLE, None, "no verdict")


def _at_a_glance(text: str, answers: int) -> Reading | None:
    """The number on the last line of a reply that keeps to its form, if it takes no closer look.

    Most replies of most runs do, and need not be taken apart: nothing in them can be a quotation
    or JSON, the line before neither announces the number nor may be an item of a list, and the first
    line is more than a verdict.
    """
    before, _, last = text.rpartition("\n")
    reading = _NUMBERS.get(last)
    if reading is None or int(last) > answers:
        return None
    for mark in _QUOTING:
        if mark in before:
            return None
    lines = before.strip().splitlines()
    if not lines:
        return reading
    first, line = lines[0].rstrip(), lines[-1].lstrip()
    if len(first) < _SENTENCE or first.endswith((")", ").")):
        return None
    return None if ":" in line[-8:] or line[0].isdigit() else reading


def _up_to_decision(reply: Reply) -> Stated:
    """What is stated, last statement first, up to and with the last decision."""
    stated: Stated = []
    for statement in stated_from_the_end(reply):
        stated.append(statement)
        if statement[0] == DECIDED:
            break
    return stated


def _closing_json(reply: Reply) -> int | None:
    return json_code(reply.json[0]) if reply.json is not None and reply.json[1] else None


def _bare_verdicts(reply: Reply) -> int | None:
    """Bare verdicts on all lines, of which one is not the others: none of them is the last word."""
    codes: set[int] = set()
    for line in map(plain, reply.lines):
        code = _bare(line)
        if code is None:
            return None
        codes.add(code)
    return CONTRADICTION if len(codes) > 1 else None


def _bare(line: str) -> int | None:
    code = lone_number(line)
    return lone_name(line) if code is None else code


def _last_number(reply: Reply) -> int | None:
    code = lone_number(reply.last)
    if code is None or not reply.form.allows(code) or not code or _retold(reply):
        return None
    before = reply.lines[-2] if len(reply.lines) > 1 else ""
    return None if continues_list(code, before, reply.form) else code


def _last_name(reply: Reply) -> int | None:
    code = lone_name(reply.last)
    return None if code is None or _retold(reply) else code


def _last_label(reply: Reply) -> int | None:
    return label(reply.last, last=True)


def _last_result(reply: Reply) -> int | None:
    return closing_result(reply.lines)


def _last_statement(reply: Reply) -> int | None:
    return None if _retold(reply) else lone_statement(reply.last)


def _first_marks(reply: Reply) -> int | None:
    return mark_pair(reply.first, reply.form)


def _conclusion(reply: Reply, stated: Stated) -> int | None:
    return stated[-1][1] if stated and stated[-1][0] == DECIDED else None


def _opening_json(reply: Reply, stated: Stated) -> int | None:
    return None if reply.json is None else json_code(reply.json[0])


def _first_number(reply: Reply, stated: Stated) -> int | None:
    code = lone_number(reply.first)
    return _unrevised(code, reply) if code and reply.form.allows(code) else None


def _first_name(reply: Reply, stated: Stated) -> int | None:
    code = lone_name(reply.first)
    return None if code is None else _unrevised(code, reply)


def _unrevised(code: int, reply: Reply) -> int:
    """The verdict, unless a later line takes it back."""
    revised = {revision(plain(line)) for line in reply.lines[1:]} - {None, code}
    return CONTRADICTION if revised else code


def _judgement(reply: Reply, stated: Stated) -> int | None:
    return unanimous(code for strength, code in stated if strength == CALLED)


def _marks_by_name(reply: Reply, stated: Stated) -> int | None:
    marked = named_marks([plain(line) for line in reply.lines], reply.form)
    praised = unanimous(code for strength, code in stated if strength == PRAISED)
    if marked is None or praised is None or praised in (marked, CONTRADICTION):
        return marked
    return CONTRADICTION


def _refusal(reply: Reply, stated: Stated) -> int | None:
    return REFUSAL if refuses(unquoted(" ".join(map(plain, reply.lines[:3])))) else None


def _comparison(reply: Reply, stated: Stated) -> int | None:
    if not reply.finished:
        return None
    return unanimous(code for strength, code in stated if strength == PRAISED)


def _retold(reply: Reply) -> bool:
    """Whether the line before the last announces somebody else's words."""
    if len(reply.lines) < 2 or ":" not in reply.lines[-2][-8:]:
        return False
    before = plain(reply.lines[-2])
    return before.endswith(":") and reports(before)


FORM_RULES: tuple[tuple[str, FormRule], ...] = (
    ("closing JSON", _closing_json),
    ("bare verdicts", _bare_verdicts),
    (_LAST_NUMBER, _last_number),
    ("last-line name", _last_name),
    ("last-line label", _last_label),
    ("last-line result", _last_result),
    ("last-line statement", _last_statement),
    ("first-line marks", _first_marks),
)
"""Verdicts in the form asked for."""

PROSE_RULES: tuple[tuple[str, ProseRule], ...] = (
    ("conclusion", _conclusion),
    ("opening JSON", _opening_json),
    ("first-line number", _first_number),
    ("first-line name", _first_name),
    ("judgement", _judgement),
    ("marks by name", _marks_by_name),
    ("refusal", _refusal),
    ("comparison", _comparison),
)
"""Verdicts in words; the statements come last one first."""
