"""Verdicts in a requested form: a number, name, label, mark or result on a line of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from peerjudge.verdicts.codes import (
    CODE,
    CONTRADICTION,
    NAME,
    NOUN,
    TIE_WORDS,
    Form,
    code_of,
)
from peerjudge.verdicts.phrases import DOES_BETTER
from peerjudge.verdicts.quoting import plain, unquoted

_OPEN = r"(?:\\boxed\{|\\text\{|[\"'(\[<$])*"
_SHUT = r"[\"')\]}>$.,;!]*"
_NUMBER = re.compile(rf"(?:- )?{_OPEN}([0-9]{{1,2}}){_SHUT}")
_LONE = re.compile(
    rf"(?:(?:[-=]>|→|-) )?{_OPEN}(\[\[?[A-E]\]\]?|\([A-Ea-e]\)|[A-E]|{NAME}|(?i:the (?:first|second))"
    rf"|(?i:{TIE_WORDS})){_SHUT}(?: \(.*\))?\.?"
)
_SMALL = re.compile(rf"(?:- )?{_OPEN}(?i:(?:the )?{NOUN})(?: \(?|\()([a-e]){_SHUT}")
_SMALL_ALONE = re.compile(rf"{_OPEN}([a-e]){_SHUT}")
_STATEMENT = re.compile(
    rf"(?:(?i:therefore|thus|hence|so|overall),? )?({NAME})(?: (?:is|was) (?:the )?(?:better|best)"
    rf"(?: answer| response| output| one| choice| option)?|{DOES_BETTER})\.?"
)
_LEAD = r"(?:(?:my|the|our|and|so|therefore|thus|hence)[, ]+){0,2}"
_KIND = (
    r"(?:(?:final|revised|updated|new|overall|output|better|best|preferred|chosen|correct|winning"
    r"|superior) ){0,2}"
)
_SURE = (
    r"choice|verdict|winner|decision|judge?ment|preference|recommendation|selection|vote|pick|preferred"
    r"|selected"
    r"|advantage"
    rf"|(?:(?<=better )|(?<=best )|(?<=preferred )|(?<=winning )|(?<=superior )){NOUN}"
)
_AMBIGUOUS = (
    r"final|action input|outcome|bottom line|answer|output|conclusion|result|better|best|evaluation"
)
_END = r"(?:$|[.,;:!] ?$|[.,;:] [A-Za-z(].*| (?:\(|- |\| |because|since|as|for|due).*)"


_ORDINAL = r"(?:the )?(?:first|second|third|fourth)(?: one)?"


def _label(words: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<before>.*[.;:] )?(?i:{_LEAD}{_KIND}(?:{words})(?: {NOUN})?(?: is)?)(?: ?[:=]| -| ?\u2192) ?"
        rf"[\"'(\[]*({NAME}|{CODE}|(?i:{TIE_WORDS}|{_ORDINAL}))[\"')\]]*{_END}"
    )


_ASKED = re.compile(
    r"(?i:(?:so,? )?(?:which|who)\b(?:(?!\b(?:you|they|he|she|reviewers?|others?)\b)[^?]){1,60}"
    r"\b(?:better|best|prefer\w*|wins?|winner|stronger|superior)\b(?:(?!\b(?:in|at|if)\b)[^?]){0,40})"
    rf"\? ({NAME}|{CODE}|(?i:{TIE_WORDS})){_END}"
)
"""Question of which answer is better, and its answer."""

_LABELLED_SMALL = re.compile(
    rf"(?i:{_LEAD}{_KIND}(?:{_SURE}|{_AMBIGUOUS})(?: is)?)(?: ?[:=]| -) ?"
    rf"{_OPEN}(?:(?i:{NOUN}) \(?)?([a-e]){_SHUT}"
)
_LABELLED = _label(_SURE)
_LABELLED_LAST = _label(f"{_SURE}|{_AMBIGUOUS}")
_INTRODUCES = re.compile(
    r"(?i)\b(?:with|said|says|wrote|writes|reads?|words were|line|format|form|example|template|like) ?: $"
)
"""Before a label: the words of another person, or the requested form."""
_REVISED = re.compile(
    r"(?i:[a-z',: -]{0,40}\b(?:edit|update|correction|actually|sorry|wait|rather|instead|meant|mean|no"
    r"|make (?:it|that)|second thoughts?|reflection|revised?|changed?)\b[a-z',: -]{0,40}?)"
    rf"{_OPEN}({NAME}|{CODE}){_SHUT}"
)
_REVISES = re.compile(
    rf"(?i:\b(?:correction|wait|actually|scratch|sorry|i meant?|should read|erratum|choice|verdict"
    rf"|winner)\b)[^.;]*?({NAME}|: {CODE}|(?<=read ){CODE})(?=[.!)]|$)"
)
"""After a verdict: another one replaces it."""
_UNSAYS = re.compile(
    r"(?i)\b(?:scratch that|never mind|(?:disregard|ignore|forget) (?:that|it)|i take (?:that|it) back"
    r"|(?:need|have) to think about (?:this|it))[^.;]{0,20}[.!]? ?(?:i need to think[^.]*\.?)?$"
)
"""After a verdict: it is withdrawn, and none replaces it."""
_ITEM = re.compile(r" {0,8}([0-9]{1,2})[.)] (.{0,40})")
_NAMED = re.compile(rf"\**{NAME}")


def lone_number(line: str) -> int | None:
    """Return the number that makes up the whole line."""
    found = _NUMBER.fullmatch(line)
    return None if found is None else int(found[1])


def continues_list(code: int, before: str, form: Form) -> bool:
    """Return `True` if a lone number may be the next item of a list, cut off after its number.

    `before` is the previous line. A list that names all answers is complete: a number after it is a
    verdict.
    """
    item = _ITEM.match(before)
    if item is None or int(item[1]) != code - 1:
        return False
    return code <= form.answers or not _NAMED.match(item[2])


def lone_name(line: str) -> int | None:
    """Return the code of a line that consists of an answer's name or letter, or of a tie word.

    A small letter needs a noun before it or brackets: alone it may be a word that was cut off.
    """
    found = _LONE.fullmatch(line)
    return _small_letter(_SMALL, line) if found is None else code_of(found[1])


def lone_letter(line: str) -> int | None:
    """Return the code of a line that is one small letter; a verdict only as the whole reply."""
    return _small_letter(_SMALL_ALONE, line)


def _small_letter(form: re.Pattern[str], line: str) -> int | None:
    found = form.fullmatch(line)
    return None if found is None else ord(found[1]) - ord("a") + 1


def lone_statement(line: str) -> int | None:
    """Return the code of a line that only calls one answer better: "Output (a) is better."."""
    found = _STATEMENT.fullmatch(line)
    return None if found is None else code_of(found[1])


def label(line: str, *, last: bool) -> int | None:
    """Return the code of a labelled line: "Choice: 3", "Verdict: [[A]]", "Output: 2".

    "Answer" and "output" may belong to the task itself, so they count on the last line only.
    """
    if "? " in line and (asked := _ASKED.fullmatch(line)):
        return code_of(asked[1])
    if ":" not in line and "=" not in line and " - " not in line and "\u2192" not in line:
        return None
    found = (_LABELLED_LAST if last else _LABELLED).fullmatch(line)
    if found is not None and found["before"] and _INTRODUCES.search(found["before"]):
        return None
    if found is not None and _UNSAYS.search(line, found.end(2)):
        return CONTRADICTION
    if found is not None:
        revised = [code_of(name[1]) for name in _REVISES.finditer(line, found.end(2))]
        return CONTRADICTION if len(revised) > 1 else revised[0] if revised else code_of(found[2])
    return _small_letter(_LABELLED_SMALL, line) if last else None


def revision(line: str) -> int | None:
    """Return the code of a line that replaces an earlier verdict: "Correction: 1"."""
    found = _REVISED.fullmatch(line)
    return None if found is None else code_of(found[1])


_RESULT = re.compile(
    rf"(?i:\[result\]) ?:? ?[\"'(\[<]*({NAME}|{CODE}|(?i:{TIE_WORDS}))[\"')\]>.!]*(?P<end>$)?(?!\w)"
)
_LONGEST = 2000


def closing_result(lines: Sequence[str]) -> int | None:
    """Return the code of a closing "[RESULT] A" in the reply's own lines, `None` if there is none.

    Several results must all be equal: a judge fine-tuned like Prometheus that continues after its
    result writes feedback on another pair.
    """
    if not lines or "[result]" not in lines[-1].lower():
        return None
    tails = [unquoted(plain(line))[-_LONGEST:] for line in lines if "[result]" in line.lower()]
    results = [found for tail in tails for found in _RESULT.finditer(tail)]
    if not results or results[-1]["end"] is None:
        return None
    codes = {code_of(found[1]) for found in results}
    return codes.pop() if len(codes) == 1 else CONTRADICTION
