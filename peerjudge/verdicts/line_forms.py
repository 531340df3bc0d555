"""Verdicts in the form asked for, alone on a line."""

from __future__ import annotations

import re

from peerjudge.verdicts.names import CODE, NAME, TIE_WORDS, code_of
from peerjudge.verdicts.readings import CONTRADICTION, TIE_CODE, Form

__all__ = [
    "continues_list",
    "highest",
    "label",
    "lone_name",
    "lone_number",
    "lone_statement",
    "mark_pair",
    "revision",
]

_OPEN = r"(?:\\boxed\{|\\text\{|[\"'(\[<$])*"
_SHUT = r"[\"')\]}>$.,;!]*"
_NUMBER = re.compile(rf"(?:- )?{_OPEN}([0-9]{{1,2}}){_SHUT}")
_LONE = re.compile(
    rf"(?:- )?{_OPEN}(\[\[?[A-E]\]\]?|\([A-Ea-e]\)|[A-E]|{NAME}|(?i:{TIE_WORDS})){_SHUT}(?: \(.*\))?\.?"
)
_STATEMENT = re.compile(
    rf"(?:(?i:therefore|thus|hence|so|overall),? )?({NAME}) (?:is|was) (?:the )?(?:better|best)"
    r"(?: answer| response| output| one| choice| option)?\.?"
)
_LEAD = r"(?:(?:my|the|our|and|so|therefore|thus|hence)[, ]+){0,2}"
_KIND = r"(?:(?:final|overall|output|better|best|preferred|chosen|correct|winning) ){0,2}"
_SURE = r"choice|verdict|winner|decision|judge?ment|preference|selection|vote|pick"
_AMBIGUOUS = r"answer|output|conclusion|result|better|best|evaluation"
_END = r"(?:$|[.,;:!] ?$|[.,;:] [A-Za-z(].*| (?:\(|- |because|since|as|for|due).*)"


def _label(words: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:.*[.;:] )?(?i:{_LEAD}{_KIND}(?:{words})(?: is)?)(?: ?[:=]| -) ?"
        rf"[\"'(\[]*({NAME}|{CODE}|(?i:{TIE_WORDS}))[\"')\]]*{_END}"
    )


_LABELLED = _label(_SURE)
_LABELLED_LAST = _label(f"{_SURE}|{_AMBIGUOUS}")
_MARK = r"([0-9]{1,3}(?:\.[0-9]{1,3})?)"
_MARKS = re.compile(rf"{_MARK}(?:(?:, ?| ){_MARK})+[.,]?")
_ANY_MARK = re.compile(_MARK)
_REVISED = re.compile(
    r"(?i:[a-z',: -]{0,40}\b(?:edit|update|correction|actually|sorry|wait|rather|instead|meant|mean|no"
    r"|make (?:it|that)|second thoughts?|reflection|revised?|changed?)\b[a-z',: -]{0,40}?)"
    rf"{_OPEN}({NAME}|{CODE}){_SHUT}"
)
_ITEM = re.compile(r" {0,8}([0-9]{1,2})[.)] (.{0,40})")
_NAMED = re.compile(rf"\**{NAME}")


def lone_number(line: str) -> int | None:
    """A line that is nothing but a number."""
    found = _NUMBER.fullmatch(line)
    return None if found is None else int(found[1])


def continues_list(code: int, before: str, form: Form) -> bool:
    """Whether a lone number may be the next item of a list that was cut off after its number.

    `before` is the line before it. A list of all the answers by name is complete, so that the
    number after it is a verdict again.
    """
    item = _ITEM.match(before)
    if item is None or int(item[1]) != code - 1:
        return False
    return code <= form.answers or not _NAMED.match(item[2])


def lone_name(line: str) -> int | None:
    """A line that is nothing but an answer's name or letter, or the word for a tie."""
    found = _LONE.fullmatch(line)
    return None if found is None else code_of(found[1])


def lone_statement(line: str) -> int | None:
    """A line that says that one answer is better and no more: "Output (a) is better."."""
    found = _STATEMENT.fullmatch(line)
    return None if found is None else code_of(found[1])


def label(line: str, *, last: bool) -> int | None:
    """A line that gives a labelled code: "Choice: 3", "Verdict: [[A]]", "Output: 2".

    "Answer" and "output" may be words about the matter itself and count on the last line only.
    """
    if ":" not in line and "=" not in line and " - " not in line:
        return None
    found = (_LABELLED_LAST if last else _LABELLED).fullmatch(line)
    return None if found is None else code_of(found[1])


def revision(line: str) -> int | None:
    """A line that takes an earlier verdict back and gives another: "Correction: 1"."""
    found = _REVISED.fullmatch(line)
    return None if found is None else code_of(found[1])


def mark_pair(line: str, form: Form) -> int | None:
    """A line of one mark per answer: the highest wins, equal marks tie.

    Marks that could all be verdicts themselves ("1, 2") may as well be a list of these.
    """
    if not _MARKS.fullmatch(line):
        return None
    marks = [float(mark) for mark in _ANY_MARK.findall(line)]
    if len(marks) != form.answers or set(marks) <= set(range(1, form.answers + 2)):
        return None
    return highest(marks)


def highest(marks: list[float]) -> int:
    """The code of the best marked answer; a tie if all are equal, a contradiction if some are."""
    if len(set(marks)) == 1:
        return TIE_CODE
    best = max(marks)
    return marks.index(best) + 1 if marks.count(best) == 1 else CONTRADICTION
