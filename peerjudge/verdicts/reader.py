"""Verdict reader: an ordered table of named rules, of which the first match decides.

A verdict in the requested form at the end of the reply has precedence; then marks on the first
line, the conclusion in words, codes on the first line, and unanimous statements. A reply that
matches no rule is unreadable: the reader never guesses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from peerjudge.data import Outcome
from peerjudge.verdicts.codes import CONTRADICTION, NAME, REFUSAL, Form, Reading, code_of, resolve
from peerjudge.verdicts.forms import (
    closing_result,
    continues_list,
    label,
    lone_letter,
    lone_name,
    lone_number,
    lone_statement,
    mark_pair,
    named_marks,
    revision,
)
from peerjudge.verdicts.languages import find_foreign, find_languages
from peerjudge.verdicts.orders import closing_order, is_order, resolve_references, takes_back
from peerjudge.verdicts.phrases import NAMES
from peerjudge.verdicts.quoting import own_lines, plain, unquoted
from peerjudge.verdicts.statements import (
    CALLED,
    DECIDED,
    PRAISED,
    Statement,
    find_statements,
    reports,
    unanimous,
)
from peerjudge.verdicts.structured import Found, find_json, json_code, json_codes

_SPLIT = re.compile(r"(?<=[.!?])[)\"']? (?=[A-Z\"'(\[])")
_LONGEST = 2000
"""Maximum length of a sentence in characters; of a longer one, only the end is read."""
_SHORT = 40


@dataclass(frozen=True, slots=True)
class Reply:
    """Parts of a reply: the reviewer's own lines, its JSON, and the requested form.

    `lines` are as written; `last` is the last line without Markdown, empty if there is none.
    """

    form: Form
    text: str
    lines: list[str]
    last: str
    json: Found | None

    @property
    def first(self) -> str:
        """First line without Markdown, empty if there is none."""
        return plain(self.lines[0]) if self.lines else ""

    @property
    def finished(self) -> bool:
        """`True` if the last line ends with final punctuation."""
        return self.last.endswith((".", "!", "?", ":", ")", '"', "'", "]"))


def take_apart(text: str, form: Form) -> Reply:
    """Split a reply into the parts that the rules read."""
    lines = own_lines(text)
    return Reply(form, text, lines, plain(lines[-1]) if lines else "", find_json(text))


def stated_from_the_end(reply: Reply) -> Iterator[Statement]:
    """Yield the statements of a reply, last one first."""
    final = True
    for at in range(len(reply.lines) - 1, -1, -1):
        line = plain(reply.lines[at])
        if (
            len(line) < _SHORT
            and at
            and (code := _introduced(plain(reply.lines[at - 1]), line)) is not None
        ):
            yield DECIDED, code
        if (code := label(line, last=False)) is not None:
            yield DECIDED, code
        for sentence in reversed(_SPLIT.split(resolve_references(unquoted(line)))):
            for strength, code in reversed(find_statements(sentence[-_LONGEST:], final=final)):
                if reply.form.allows(code):
                    yield strength, code
            final = False


def _introduced(before: str, line: str) -> int | None:
    """Return the code of a line announced by the previous line: "I would choose:"."""
    if not before.endswith(":") or (lone_number(line) is None and lone_name(line) is None):
        return None
    together = f"{before} {line}"
    if (code := label(together, last=False)) is not None:
        return code
    decided = [
        code for strength, code in find_statements(together[-_LONGEST:]) if strength == DECIDED
    ]
    return decided[-1] if decided else None


_OPENING = 300

_REFUSES = re.compile(
    r"\b(?i:(?:i|we)(?:'m| am| are)?(?: (?:sorry|afraid)[,;:.]?(?: but)?(?: that)? (?:i|we)(?:'m"
    r"| am| are)?)?"
    r" (?:can ?not|can't|won't|will not|unable to|(?:won't be|not) able to|(?:must )?decline to"
    r"|refuse to|must refuse to"
    r"|not comfortable)(?: \w+){0,2}? (?:assist|help|comply|evaluat(?:e|ing)|judg(?:e|ing)|rat(?:e|ing)"
    r"|compar(?:e|ing)|answer(?:ing)?(?! \(?[1-9a-e]\b)|respond|fulfill?|engage|participate"
    r"|continue|do (?:this|that)|discuss"
    r"|promote|satisfy|complete|(?:provid|giv)(?:e|ing) (?:an?|any|my) (?:response|evaluation|judge?ment"
    r"|answer|verdict|comparison|decision|assessment)))\b"
)


def refuses(opening: str) -> bool:
    """Return `True` if the opening of a reply, without Markdown, declines the task.

    A reply that cannot tell which answer is better is unreadable, not a refusal.
    """
    return bool(_REFUSES.search(opening[:_OPENING]))


_LAST_NUMBER = "last-line number"
_LAST_NAME = "last-line name"
_LAST_LABEL = "last-line label"
_QUOTING = "{<[`~>"
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
_OVERALL = re.compile(rf"(?i:overall(?: winner| best)?) ?[:=-] ?({NAME})[.!]?")
_HEADING = re.compile(
    r"(?i)(?:my |the )?(?:final |overall )?(?:verdict|choice|winner|decision|judge?ment) ?:?"
)
_REASON = re.compile(r"(?<=[.!]) (?=[A-Z])|,? (?=because |since )")
_LONGEST_LABEL = 120
_MOST_RANKS = 6
_OUTSIDE = 99
"""Code of an answer that was not shown."""
_SENTENCE = 30
"""A verdict by name is shorter than this many characters, unless it ends in a bracketed remark."""
_USUAL = {
    line: Reading(Outcome.CHOICE, place, rule)
    for place, letter in enumerate("abcde")
    for line, rule in (
        (str(place + 1), _LAST_NUMBER),
        (f"Answer ({letter})", _LAST_NAME),
        (f"Choice: Answer ({letter})", _LAST_LABEL),
    )
}

Stated = list[Statement]
FormRule = Callable[[Reply], int | None]
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
        return Reading(Outcome.UNREADABLE, None, "nothing of its own" if text.strip() else "empty")
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
    return None if ":" in line[-8:] or line[0].isdigit() or line.endswith(" is") else reading


def _up_to_decision(reply: Reply) -> Stated:
    """Return the statements from the last one back to the last decision, inclusive."""
    stated: Stated = []
    for statement in stated_from_the_end(reply):
        stated.append(statement)
        if statement[0] == DECIDED:
            break
    return stated


def _closing_json(reply: Reply) -> int | None:
    return _json_verdict(reply) if reply.json is not None and reply.json[1] else None


def _json_verdict(reply: Reply) -> int | None:
    """Return the verdict of the JSON in a reply, `CONTRADICTION` if objects differ."""
    if reply.json is None:
        return None
    if reply.text.count("{") > 1 and len(json_codes(reply.text)) > 1:
        return CONTRADICTION
    return json_code(reply.json[0])


def _taken_back(reply: Reply) -> int | None:
    """Return `CONTRADICTION` if the last line withdraws what was said before."""
    return CONTRADICTION if len(reply.lines) > 1 and takes_back(reply.last) else None


def _bare_verdicts(reply: Reply) -> int | None:
    """Return `CONTRADICTION` if all lines are bare verdicts and they differ."""
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
    return None if code is None or _retold(reply) else _shown(code, reply)


def _last_label(reply: Reply) -> int | None:
    code = label(reply.last, last=True)
    if code is None and len(reply.lines) > 1 and _HEADING.fullmatch(plain(reply.lines[-2])):
        code = label(f"Verdict: {reply.last}", last=True)
    if code is None and len(reply.last) < _LONGEST_LABEL:
        item = _ITEM.match(reply.last)
        line = reply.last[item.end() :] if item else reply.last
        marked = item is not None or line.startswith(_OPENING_MARKS)
        if marked and not _retold(reply):
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
    return None if _retold(reply) else lone_statement(reply.last)


def _first_marks(reply: Reply) -> int | None:
    return mark_pair(reply.first, reply.form)


def _conclusion(reply: Reply, stated: Stated) -> int | None:
    if not stated or stated[-1][0] != DECIDED:
        return None
    decided = stated[-1][1]
    if reply.lines and label(reply.first, last=False) == decided:
        # A verdict that opens the reply is contradicted by a later judgement.
        later = {code for strength, code in stated if strength == CALLED} - {decided}
        return CONTRADICTION if later else decided
    return decided


def _opening_json(reply: Reply, stated: Stated) -> int | None:
    return _json_verdict(reply)


def _first_number(reply: Reply, stated: Stated) -> int | None:
    code = lone_number(reply.first)
    return _unrevised(code, reply) if code and reply.form.allows(code) else None


def _first_name(reply: Reply, stated: Stated) -> int | None:
    code = lone_name(reply.first)
    if code is None or {lone_name(plain(line)) for line in reply.lines[1:]} - {None, code}:
        return None  # Names on several lines are headings.
    return _unrevised(code, reply)


def _unrevised(code: int, reply: Reply) -> int:
    """Return the verdict, or `CONTRADICTION` if a later line revises it."""
    revised = {revision(plain(line)) for line in reply.lines[1:]} - {None, code}
    return CONTRADICTION if revised else code


def _judgement(reply: Reply, stated: Stated) -> int | None:
    return unanimous(code for strength, code in stated if strength == CALLED)


def _first_sentence(reply: Reply, stated: Stated) -> int | None:
    """Return the code of a one-line reply that opens with a name: "Answer 1. It is exact."."""
    if len(reply.lines) != 1 or stated:
        return None
    opening, *rest = _REASON.split(reply.first, maxsplit=1)
    code = lone_name(opening)
    return (
        code if code and rest and not NAMES.search(rest[0]) and not rest[0].endswith("?") else None
    )


def _other_language(reply: Reply, stated: Stated) -> int | None:
    spoken = find_languages(reply.text)
    if not spoken:
        return None
    found = [*find_foreign([unquoted(plain(line)) for line in reply.lines], spoken)]
    decided = [code for decides, code in found if decides]
    return decided[-1] if decided else unanimous(code for _, code in found)


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
    """Return `True` if the line before the last announces the words of another person."""
    if len(reply.lines) < 2 or ":" not in reply.lines[-2][-8:]:
        return False
    before = plain(reply.lines[-2])
    return before.endswith(":") and reports(before)


FORM_RULES: tuple[tuple[str, FormRule], ...] = (
    ("taken back", _taken_back),
    ("closing JSON", _closing_json),
    ("bare verdicts", _bare_verdicts),
    (_LAST_NUMBER, _last_number),
    (_LAST_NAME, _last_name),
    (_LAST_LABEL, _last_label),
    ("last-line result", _last_result),
    ("last-line statement", _last_statement),
    ("last-line order", _closing_order),
    ("first-line marks", _first_marks),
)
"""Rules for verdicts in a requested form, in order of precedence."""

PROSE_RULES: tuple[tuple[str, ProseRule], ...] = (
    ("conclusion", _conclusion),
    ("opening JSON", _opening_json),
    ("first-line number", _first_number),
    ("first-line name", _first_name),
    ("judgement", _judgement),
    ("other language", _other_language),
    ("first sentence", _first_sentence),
    ("marks by name", _marks_by_name),
    ("refusal", _refusal),
    ("comparison", _comparison),
)
"""Rules for verdicts in words, in order of precedence; statements are given last one first."""
