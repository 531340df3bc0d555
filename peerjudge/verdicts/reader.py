"""Verdict reader: an ordered table of named rules, of which the first match decides.

A verdict in the requested form at the end of the reply has precedence, then the conclusion in English
words, then a form at the beginning. A reply that matches no rule is unreadable: the reader never guesses.
"""

from __future__ import annotations

from peerjudge.data import ARGUMENT, Outcome
from peerjudge.data.cleaning import is_blank
from peerjudge.verdicts.codes import CONTRADICTION, REFUSAL, Form, Reading, resolve
from peerjudge.verdicts.conclusion import conclude
from peerjudge.verdicts.forms import (
    CLOSING_JSON,
    CLOSING_RULES,
    LAST_LABEL,
    LAST_NAME,
    LAST_NUMBER,
    OPENING_RULES,
    FormRule,
    Reply,
    bare_code,
    take_apart,
)
from peerjudge.verdicts.own_words import refuses

_QUOTING = "{<[`~>"
_SENTENCE = 30
"""A verdict by name is shorter than this many characters, unless it ends in a bracketed remark."""
_PAIR = 2
_USUAL = {
    line: Reading(Outcome.CHOICE, place, rule)
    for place, letter in enumerate("abcde")
    for line, rule in (
        (str(place + 1), LAST_NUMBER),
        (f"Answer ({letter})", LAST_NAME),
        (f"Choice: Answer ({letter})", LAST_LABEL),
    )
}


def _conclusion(reply: Reply) -> int | None:
    """Return the code of the conclusion in words, a contradiction if a bare verdict before it differs."""
    code = conclude(reply.lines, reply.form)
    opening = bare_code(reply.first) if len(reply.lines) == _PAIR else None
    return CONTRADICTION if code is not None and opening not in (None, code) else code


def _refusal(reply: Reply) -> int | None:
    return REFUSAL if refuses(reply.lines) else None


RULES: tuple[tuple[str, FormRule], ...] = (
    *CLOSING_RULES,
    ("conclusion", _conclusion),
    *OPENING_RULES,
    ("refusal", _refusal),
)
"""Rules for verdicts, in order of precedence."""


def read_verdict(text: str, *, answers: int = 2, ties: bool = True) -> Reading:
    """Read the verdict of a reply; never raises.

    Args:
        text: The reply without the prompt.
        answers: Number of shown answers; k in 1..answers chooses the k-th shown.
        ties: `True` if a tie (in words, or as the number answers + 1) is a valid verdict.

    Returns:
        A choice, a tie, a refusal, or `UNREADABLE` if the reply states no verdict, several different
        ones, or one outside of the requested form. `rule` names the rule that decided.
    """
    if reading := _fast_path(text, answers):
        return reading
    form = Form(answers, ties)
    reply = take_apart(text, form)
    if not reply.lines and reply.json is None:
        return Reading(
            Outcome.UNREADABLE, None, "empty" if is_blank(text) else "nothing of its own"
        )
    for name, rule in RULES:
        code = rule(reply)
        if code is not None:
            return resolve(code, form, f"{name}{_against_argument(name, code, reply)}")
    return Reading(Outcome.UNREADABLE, None, "no verdict")


def _against_argument(rule: str, code: int, reply: Reply) -> str:
    """Return a note for the choice of a JSON reply whose argument concludes with another answer."""
    if rule != CLOSING_JSON or reply.json is None or code < 1:
        return ""
    argument = dict(reply.json.members).get(ARGUMENT)
    stated = conclude(argument.splitlines(), reply.form) if isinstance(argument, str) else None
    return ", against its argument" if stated not in (None, CONTRADICTION, code) else ""


def _fast_path(text: str, answers: int) -> Reading | None:
    """Return the number or label on the last line of a reply in the usual form, else `None`.

    Most replies have this form and need no parsing: they contain neither quotations nor JSON, the
    previous line neither announces the last one nor is a list item, and the first line is longer
    than a verdict.
    """
    before, _, last = text.rpartition("\n")
    reading = _USUAL.get(last)
    if reading is None or reading.position is None or reading.position >= answers:
        return None
    if any(mark in before for mark in _QUOTING):
        return None
    lines = before.strip().splitlines()
    if not lines:
        return reading
    first, line = lines[0].rstrip(), lines[-1].lstrip()
    if len(first) < _SENTENCE or first.endswith((")", ").")):
        return None
    if " is " in line[-40:] or not line.endswith("."):
        return None
    return None if line[0].isdigit() or ":" in line[-8:] else reading
