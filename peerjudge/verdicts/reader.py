"""Verdict reader: an ordered table of named rules, of which the first match decides.

A verdict in the requested form at the end of the reply has precedence; then marks on the first
line, the conclusion in words, codes on the first line, and unanimous statements. A reply that
matches no rule is unreadable: the reader never guesses.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from peerjudge.data import Outcome
from peerjudge.data.cleaning import is_blank
from peerjudge.verdicts.clauses import elliptical
from peerjudge.verdicts.codes import (
    CONTRADICTION,
    NAME,
    REFUSAL,
    TIE_CODE,
    Form,
    Reading,
    code_of,
    resolve,
)
from peerjudge.verdicts.contexts import reports
from peerjudge.verdicts.endings import (
    FINAL,
    FORM_RULES,
    LAST_LABEL,
    LAST_NAME,
    LAST_NUMBER,
    json_verdict,
)
from peerjudge.verdicts.foreign import find_foreign, find_speeches, foreign_name
from peerjudge.verdicts.forms import label, lone_name, lone_number, revision
from peerjudge.verdicts.last_words import closing_code, order_of, shares
from peerjudge.verdicts.marks import count_stars, named_marks, totals
from peerjudge.verdicts.orders import name_letters
from peerjudge.verdicts.phrases import NAMES
from peerjudge.verdicts.quoting import plain, unquoted
from peerjudge.verdicts.refusals import refuses
from peerjudge.verdicts.replies import Reply, is_countered, retold, stated_from_the_end, take_apart
from peerjudge.verdicts.statements import CALLED, DECIDED, PRAISED, Statement, unanimous
from peerjudge.verdicts.tables import table_verdict

_QUOTING = "{<[`~>"
_OPENS = re.compile(
    rf"(?i:(?:my |the )?(?:final )?(?:answer|output)) ?[:=] ?({NAME}|\([a-e]\)|[A-E])\.?"
)
"""First line that gives a verdict as an answer; a number there may be the answer to the task itself."""
_TASK = re.compile(r"(?i)(?:the )?(?:output|option|choice)\b")
"""Names that the task itself may give: "Output 1." may be what a program prints."""
_REASON = re.compile(r"(?<=[.!]) (?=[A-Z])|,? (?=because |since )|, (?=as |for )")
_DECIDES = re.compile(
    r"(?i)\b(?:decision|decide[sd]?|cho(?:ice|ose)|verdict|pick|vote|settles?|odd one out|conclu\w+)\b"
)
_LABELS = re.compile(
    r"(?i)(?:^|\b(?:be|format|form|line|template) ?:? )[\w ]{0,12}(?:choice|verdict|pick|vote|decision)$"
)
_STOPS = re.compile(r"(?<=[.!?]) (?=[A-Z(\d\"'])")
_MARKED = 3
"""A judgement after marks of both answers stands in a reply of at least this many lines."""
_SENTENCE = 30
"""A verdict by name is shorter than this many characters, unless it ends in a bracketed remark."""
_USUAL = {
    line: Reading(Outcome.CHOICE, place, rule)
    for place, letter in enumerate("abcde")
    for line, rule in (
        (str(place + 1), LAST_NUMBER),
        (f"Answer ({letter})", LAST_NAME),
        (f"Choice: Answer ({letter})", LAST_LABEL),
    )
}


Stated = list[Statement]
ProseRule = Callable[[Reply, Stated], int | None]


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
    for name, form_rule in FORM_RULES:
        code = form_rule(reply)
        if code is not None:
            return resolve(code, form, name)
    if not reply.lines:
        return Reading(
            Outcome.UNREADABLE, None, "empty" if is_blank(text) else "nothing of its own"
        )
    stated = _up_to_decision(reply)
    for name, prose_rule in PROSE_RULES:
        code = prose_rule(reply, stated)
        if code is not None:
            return resolve(code, form, name)
    return Reading(Outcome.UNREADABLE, None, "no verdict")


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
    for mark in _QUOTING:
        if mark in before:
            return None
    lines = before.strip().splitlines()
    if not lines:
        return reading
    first, line = lines[0].rstrip(), lines[-1].lstrip()
    if len(first) < _SENTENCE or first.endswith((")", ").")):
        return None
    if " is " in line[-40:] and FINAL.search(line):
        return None
    return None if ":" in line[-8:] or line[0].isdigit() or line.endswith(" is") else reading


def _up_to_decision(reply: Reply) -> Stated:
    """Return the statements from the last one back to the last decision, inclusive."""
    stated: Stated = []
    for statement in stated_from_the_end(reply):
        stated.append(statement)
        if statement[0] == DECIDED:
            break
    return stated


def _conclusion(reply: Reply, stated: Stated) -> int | None:
    if not stated or stated[-1][0] != DECIDED:
        return None
    decided = stated[-1][1]
    *_, before, last = ["", *reply.lines]
    if (
        len(reply.lines) == 2
        and lone_name(reply.first) not in (None, decided)
        and not revision(reply.last)
    ):
        return CONTRADICTION
    if before != last and len(before) == len(last) and NAMES.sub("", before) == NAMES.sub("", last):
        return CONTRADICTION
    if reply.lines and label(reply.first, last=False) == decided:
        # A verdict that opens the reply is contradicted by a later judgement.
        later = {code for strength, code in stated if strength == CALLED} - {decided}
        return CONTRADICTION if later else decided
    return decided


def _opening_json(reply: Reply, stated: Stated) -> int | None:
    return json_verdict(reply)


def _first_number(reply: Reply, stated: Stated) -> int | None:
    code = lone_number(reply.first)
    return _unrevised(code, reply, stated) if code and reply.form.allows(code) else None


def _first_name(reply: Reply, stated: Stated) -> int | None:
    code = lone_name(reply.first)
    if code is None and (opens := _OPENS.fullmatch(reply.first)) and len(reply.lines) > 1:
        code = code_of(opens[1])
    if code is None or {lone_name(plain(line)) for line in reply.lines[1:]} - {None, code}:
        return None  # Names on several lines are headings.
    return _unrevised(code, reply, stated)


def _unrevised(code: int, reply: Reply, stated: Stated) -> int:
    """Return the verdict, or `CONTRADICTION` if a later line revises it."""
    revised = {revision(plain(line)) for line in reply.lines[1:]} - {None, code}
    if len(reply.lines) > 1 and stated and stated[0][0] >= CALLED:
        revised |= {stated[0][1]} - {code}
    return CONTRADICTION if revised else code


def _judgement(reply: Reply, stated: Stated) -> int | None:
    called = unanimous(code for strength, code in stated if strength == CALLED)
    if called is None or called == CONTRADICTION or len(reply.lines) < _MARKED:
        return called
    marked = named_marks([name_letters(plain(line)) for line in reply.lines], reply.form)
    return CONTRADICTION if marked not in (None, CONTRADICTION, TIE_CODE, called) else called


def _first_sentence(reply: Reply, stated: Stated) -> int | None:
    """Return the code of a one-line reply that opens with a name: "Answer 1. It is exact."."""
    if len(reply.lines) != 1 or stated:
        return None
    opening, *rest = _REASON.split(reply.first, maxsplit=1)
    code = lone_name(opening)
    return (
        code if code and rest and not NAMES.search(rest[0]) and not rest[0].endswith("?") else None
    )


def _last_sentence(reply: Reply, stated: Stated) -> int | None:
    """Return the code of a reply whose last sentence is a name: "... and that decides. Answer 1."."""
    before, _, name = reply.last.rpartition(". ")
    if (code := elliptical(name)) is not None:
        return code
    lead, arrow, pointed = name.rpartition("\u2192 ")
    lead, colon, pointed = (lead, arrow, pointed) if arrow else name.rpartition(": ")
    if (
        colon
        and (arrow or (_DECIDES.search(lead) and not _LABELS.search(lead)))
        and not reports(lead)
    ):
        others = {*map(code_of, NAMES.findall(lead))} - {lone_name(pointed)}
        return (
            lone_name(pointed)
            if '"' not in lead and not others and pointed.endswith((".", "!", ")"))
            else None
        )
    if (
        not before
        or not NAMES.match(name)
        or _TASK.match(name)
        or reports(before.rpartition(". ")[2])
    ):
        return None
    # Without its full stop, the name may begin a sentence that was cut off.
    return lone_name(name) if name.endswith((".", "!", "*")) else None


def _other_language(reply: Reply, stated: Stated) -> int | None:
    spoken = find_speeches(reply.text)
    if not spoken:
        return None
    if (code := foreign_name(reply.last, spoken)) is not None and not retold(reply):
        return code
    found = [*find_foreign([unquoted(plain(line)) for line in reply.lines], spoken)]
    decided = [code for decides, code in found if decides]
    return decided[-1] if decided else unanimous(code for _, code in found)


def _marks(reply: Reply, stated: Stated) -> int | None:
    """Return the code of the highest mark over all criteria, unless the words praise another answer."""
    lines = [name_letters(plain(count_stars(line))) for line in reply.lines]
    marked = table_verdict(lines, reply.form)
    if marked is None:
        marked = totals(lines, reply.form)
    if marked is None:
        marked = named_marks(lines, reply.form)
    praised = unanimous(code for strength, code in stated if strength == PRAISED)
    if marked is None or praised is None or praised in (marked, CONTRADICTION):
        return marked
    return CONTRADICTION


def _closing_words(reply: Reply, stated: Stated) -> int | None:
    """Return the code in a closing sentence of few words, unless the reply praises another answer."""
    if stated or retold(reply) or not reply.last:
        return None
    last = name_letters(unquoted(reply.last))
    sentences = _STOPS.split(last)
    code = closing_code(sentences[-1])
    if code is None and len(reply.lines) == 1:
        code = closing_code(sentences[0])
    return closing_code(last) if code is None else code


def _signs(reply: Reply, stated: Stated) -> int | None:
    return order_of([plain(line) for line in reply.lines])


def _shares(reply: Reply, stated: Stated) -> int | None:
    text = "\n".join(plain(line) for line in reply.lines)
    return shares(unquoted(text), reply.form)


def _refusal(reply: Reply, stated: Stated) -> int | None:
    return REFUSAL if refuses(reply.lines) else None


def _comparison(reply: Reply, stated: Stated) -> int | None:
    if not reply.finished:
        return None
    praised = unanimous(code for strength, code in stated if strength == PRAISED)
    if praised in (None, CONTRADICTION, TIE_CODE) or not is_countered(reply, praised):
        return praised
    return CONTRADICTION


PROSE_RULES: tuple[tuple[str, ProseRule], ...] = (
    ("conclusion", _conclusion),
    ("opening JSON", _opening_json),
    ("first-line number", _first_number),
    ("first-line name", _first_name),
    ("judgement", _judgement),
    ("last sentence", _last_sentence),
    ("other language", _other_language),
    ("first sentence", _first_sentence),
    ("marks by name", _marks),
    ("closing words", _closing_words),
    ("signs", _signs),
    ("shares", _shares),
    ("refusal", _refusal),
    ("comparison", _comparison),
)
"""Rules for verdicts in words, in order of precedence; statements are given last one first."""
