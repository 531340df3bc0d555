"""Verdict reader: an ordered table of named rules, of which the first match decides.

A verdict in the requested form at the end of the reply has precedence, then the conclusion in English
words, then a form at the beginning. A reply that matches no rule is unreadable: the reader never guesses.
"""

from __future__ import annotations

from peerjudge.data import ARGUMENT, Outcome
from peerjudge.data.cleaning import is_blank
from peerjudge.verdicts.codes import (
    BROKEN,
    CONTRADICTION,
    REFUSAL,
    TIE_CODE,
    Form,
    Reading,
    resolve,
)
from peerjudge.verdicts.conclusion import conclude, decided
from peerjudge.verdicts.forms import (
    CHANGES,
    CLOSING_JSON,
    CLOSING_RULES,
    LAST_STATEMENT,
    OPENING_RULES,
    FormRule,
    Reply,
    bare_code,
    begins_label,
    take_apart,
)
from peerjudge.verdicts.own_words import refuses

_PAIR = 2


def _conclusion(reply: Reply) -> int | None:
    """Return the code of the conclusion in words, a contradiction if a bare verdict before it differs."""
    if begins_label(reply.last) and conclude([reply.last], reply.form) is None:
        return BROKEN  # What stands before a verdict that cannot be read is none.
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
_CLOSING = frozenset(name for name, _ in CLOSING_RULES) - {LAST_STATEMENT}


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
    form = Form(answers, ties)
    reply = take_apart(text, form)
    if not reply.lines and reply.json is None:
        return Reading(
            Outcome.UNREADABLE, None, "empty" if is_blank(text) else "nothing of its own"
        )
    for name, rule in RULES:
        code = rule(reply)
        if code is not None:
            if name in _CLOSING and _differs(code, reply):
                code = CONTRADICTION
            return resolve(code, form, f"{name}{_against_argument(name, code, reply)}")
    return Reading(Outcome.UNREADABLE, None, "no verdict")


def _differs(code: int, reply: Reply) -> bool:
    """Return `True` if the words before a verdict in a form decide for another, and nothing revises them."""
    before = reply.json.before if reply.json and reply.json.closing else reply.lines[:-1]
    if not TIE_CODE <= code <= reply.form.answers or CHANGES.search(reply.last):
        return False
    return decided(before, reply.form) not in (None, code)


def _against_argument(rule: str, code: int, reply: Reply) -> str:
    """Return a note for the choice of a JSON reply whose argument concludes with another answer."""
    if rule != CLOSING_JSON or reply.json is None or code < 1:
        return ""
    argument = dict(reply.json.members).get(ARGUMENT)
    stated = conclude(argument.splitlines(), reply.form) if isinstance(argument, str) else None
    return ", against its argument" if stated not in (None, CONTRADICTION, code) else ""
