"""Verdicts in a requested form: a number, name, label, result or pair of marks on a line of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from peerjudge.verdicts.codes import (
    CODE,
    CONTRADICTION,
    NAME,
    NOUN,
    TIE_CODE,
    TIE_WORDS,
    Form,
    code_of,
)
from peerjudge.verdicts.own_words import own_words
from peerjudge.verdicts.plain import announces, plain, unannounced, unquoted
from peerjudge.verdicts.structured import JsonReply, Members, json_verdict

OPEN = r"(?:\\boxed\{|\\text\{|[\"'(\[<$])*"
"""Opening marks of a verdict or rating on a line of its own."""
_SHUT = r"[\"')\]}>$.,;!]*"
_BETTER = (
    r"(?: (?:is|was) (?:the )?(?:clearly |slightly |much )?(?:better|best|winner|stronger|superior)"
    r"(?: answer| response| output| one| choice| option)?"
    r"|(?: does)? (?:helps?|answers?|follows?|carr(?:ies|y) out) the (?:user|question|instruction)"
    r" (?:better|more))"
)
_GRADED = re.compile(r"\[\[ ?([AB]) ?(>{1,3}|<{1,3}|=) ?((?!\1)[AB]) ?\]\]")
_NUMBER = re.compile(rf"(?:- )?{OPEN}([0-9]{{1,2}}){_SHUT}")
_LONE = re.compile(
    rf"(?:(?:[-=]>|-) )?{OPEN}(\[\[?[A-E]\]\]?|\([A-Ea-e]\)|[A-E]|{NAME}|(?i:the (?:first|second))"
    rf"|(?i:{TIE_WORDS})){_SHUT}(?: \(.*\))?\.?"
)
_SMALL = re.compile(rf"(?:- )?{OPEN}(?i:(?:the )?{NOUN})(?: [(\[]?|\()([a-e]){_SHUT}")
_SMALL_ALONE = re.compile(rf"{OPEN}([a-e]){_SHUT}")
_STATEMENT = re.compile(
    rf"(?:(?i:therefore|thus|hence|so|overall),? )?({NAME}|\([a-e]\)){_BETTER}{_SHUT}"
)
_LEAD = r"(?:(?:my|the|our|and|so|therefore|thus|hence)[, ]+){0,2}"
_KIND = (
    r"(?:(?:final|revised|updated|new|overall|output|better|best|preferred|chosen|correct|winning"
    r"|superior) ){0,2}"
)
_SURE = (
    r"choice|verdict|winner|decision|judge?ment|preference|recommendation|selection|vote|pick|preferred"
    rf"|selected|(?:(?<=better )|(?<=best )|(?<=preferred )|(?<=winning )|(?<=superior )){NOUN}"
)
_AMBIGUOUS = (
    r"final|outcome|bottom line|answer|output|conclusion|result|better|best|overall|evaluation"
)
_END = r"(?:$|[.,;:!] ?$|[.,;:] [A-Za-z(].*| (?:\(|- |because|since|as|for|due).*)"


def _label(words: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<before>.*[.;:] )?(?i:{_LEAD}{_KIND}(?:{words})(?: {NOUN})?(?: is)?)(?: ?[:=]| -) ?"
        rf"[\"'(\[]*({NAME}|{CODE}|(?i:{TIE_WORDS}|(?:the )?(?:first|second|third|fourth)(?: one)?))"
        rf"[\"')\]]*{_END}"
    )


_LABELLED = _label(_SURE)
_LABELLED_LAST = _label(f"{_SURE}|{_AMBIGUOUS}")
_LABELLED_SMALL = re.compile(
    rf"(?i:{_LEAD}{_KIND}(?:{_SURE}|{_AMBIGUOUS})(?: is)?)(?: ?[:=]| -) ?"
    rf"{OPEN}(?:(?i:{NOUN}) \(?)?([a-e]){_SHUT}"
)
_LABEL_ALONE = re.compile(rf"(?i:{_LEAD}{_KIND}(?:{_SURE})(?: is)?) ?[:=](?!\W*(?i:{NOUN})?\W*$).+")
_HEADING = re.compile(
    r"(?i)(?:my |the )?(?:final |overall )?(?:verdict|choice|winner|decision|judge?ment) ?:?"
)
REVISES = re.compile(
    r"(?i)\b(?:edit|update|correction|actually|sorry|wait|oops|instead|i meant?|scratch|second thoughts?"
    r"|reflection|revised?|never ?mind|take (?:that|it) back|erratum|mixed (?:them|it|this) up|should read"
    r"|withdraw|retract|disregard|ignore (?:that|my)|not final"
    r"|cannot decide|can't decide|undecided|don't know|swapped|had (?:them|it) wrong)\b"
)
"""Words that take a verdict back or replace it."""
CHANGES = re.compile(
    rf"{REVISES.pattern}|(?i:\b(?:chang\w+ (?:my|the) (?:\w+ )?(?:mind|choice|verdict|opinion|preference|view"
    r"|stance|decision|answer|pick|vote)|reconsider\w*|convinc\w+|persuad\w+|switch\w*|no longer|at first"
    r"|initially|originally|was (?:wrong|mistaken)|i now|now i)\b)"
)
"""Words that say that a verdict given before was another one."""
_OTHER = re.compile(
    r"(?i)(?:no, |so )?(?:it (?:should|must) be )?the other (?:one|answer)(?: instead)?[.!]?"
)
_ENDS_NAMED = re.compile(rf"({NAME}|{CODE})\W*$")
_MEASURE = re.compile(
    r"(?i)\b(?:confiden\w*|certain\w*|errors?|mistakes?|difficult\w*|length|count|number of|total|issues?"
    r"|problems?|flaws?|points?|sure)\b[^.!?]*$"
)
_DECIDES = re.compile(
    r"(?i)\b(?:choice|choose|verdict|better|best|prefer|winner|decision|answer is)"
)
_NAMED = re.compile(NAME)
_ITEM = re.compile(r" {0,8}([0-9]{1,2})[.)] (.{0,40})")
_RESULT = re.compile(
    rf"(?i:\[result\]) ?:? ?[\"'(\[<]*({NAME}|{CODE}|(?i:{TIE_WORDS}))[\"')\]>.!]*(?P<end>$)?(?!\w)"
)
_BRACKETED = re.compile(r"\[\[(?:[A-E1-9]|(?i:tie|draw))\]\]")
_CHOICES = re.compile(
    r"(?i)\]\] (?:if|when|in case|for a (?:tie|draw))\b"
    r"|\b(?:not|n't|write|writes|format)\b"
)
_MARK = r"[0-9]{1,3}(?:\.[0-9]{1,3})?"
_PAIR = re.compile(rf"{_MARK}(?:(?: |, ?){_MARK}){{1,4}}")
_SCORES = re.compile(
    rf"(?i:(?:final )?(?:scores|ratings|marks)) ?: ?[(\[]?{_MARK}(?:(?:,| and)? {_MARK}){{1,4}}[)\]]?\.?"
)
_OUTSIDE = 99
"""Code of an answer that was not shown."""
LONGEST = 2000
"""The most characters of a line that are searched, from its end."""
_LONGEST_LABEL = 120


@dataclass(frozen=True, slots=True)
class Reply:
    """Parts of a reply: the reviewer's own lines, its JSON objects, and the requested form.

    `json` is the object that ends or starts the reply. `lines` are as written; `first` and `last` are
    without Markdown, empty if there is no line.
    """

    form: Form
    lines: Sequence[str]
    first: str
    last: str
    objects: Sequence[Members]
    json: JsonReply | None

    @property
    def before_last(self) -> str:
        """Line before the last without Markdown, empty if there is none."""
        return plain(self.lines[-2]) if len(self.lines) > 1 else ""


FormRule = Callable[[Reply], int | None]


def _write_letter(found: re.Match[str]) -> str:
    if found[2] == "=":
        return "[[C]]"
    return f"[[{found[1] if found[2][0] == '>' else found[3]}]]"


def take_apart(text: str, form: Form) -> Reply:
    """Split a reply into the parts that the rules read.

    Of two answers, a graded comparison in double brackets, such as `[[A>>B]]`, is read as the letter of the
    better one, and `[[A=B]]` as that of a tie.
    """
    graded = form.answers == 2 and "[[" in text
    own = own_words(_GRADED.sub(_write_letter, text) if graded else text)
    first, last = (plain(own.lines[0]), plain(own.lines[-1])) if own.lines else ("", "")
    return Reply(form, own.lines, first, last, own.objects, own.json)


def list_results(lines: Sequence[str], result: re.Pattern[str]) -> list[re.Match[str]]:
    """Return all "[RESULT]" matches of lines without Markdown, none if the last line does not end in one.

    A judge fine-tuned like Prometheus that continues after its result writes feedback on another answer.
    """
    if not lines or "[result]" not in lines[-1].lower():
        return []
    tails = [unannounced(unquoted(line)[-LONGEST:]) for line in lines if "[result]" in line.lower()]
    results = [found for tail in tails for found in result.finditer(tail)]
    return results if results and results[-1]["end"] is not None else []


def bare_code(line: str) -> int | None:
    """Return the code of a line that is only a number, the name or letter of an answer, or a tie word.

    A small letter needs a noun before it or brackets: alone it may be a word that was cut off.
    """
    if found := _NUMBER.fullmatch(line):
        return int(found[1])
    found = _LONE.fullmatch(line)
    return _small_letter(_SMALL, line) if found is None else code_of(found[1])


def label(line: str, *, last: bool) -> int | None:
    """Return the code of a labelled line: "Choice: 3", "Verdict: [[A]]", "Output: 2".

    "Answer" and "output" may belong to the task itself, so they count on the last line only. The line is
    a contradiction if it names another verdict, or takes its own back, after the label.
    """
    if ":" not in line and "=" not in line and " - " not in line:
        return None
    found = (_LABELLED_LAST if last else _LABELLED).fullmatch(line)
    if found is None:
        return _small_letter(_LABELLED_SMALL, line) if last else None
    before = found["before"] or ""
    if unannounced(before) != before or announces(before.rstrip()):
        return None
    return CONTRADICTION if REVISES.search(line, found.end(2)) else code_of(found[2])


def revises(line: str) -> bool:
    """Return `True` if a short line takes back a verdict given before, or replaces it."""
    return len(line) < _LONGEST_LABEL and REVISES.search(line) is not None


def begins_label(line: str) -> bool:
    """Return `True` if a line begins with the label of a verdict."""
    return ":" in line[:_LONGEST_LABEL] and _LABEL_ALONE.fullmatch(line) is not None


def _small_letter(form: re.Pattern[str], line: str) -> int | None:
    found = form.fullmatch(line)
    return None if found is None else ord(found[1]) - ord("a") + 1


def _taken_back(reply: Reply) -> int | None:
    """Return `CONTRADICTION` if the last line replaces or withdraws an earlier verdict in a form."""
    if len(reply.lines) < 2 or not (revises(reply.last) or _OTHER.fullmatch(reply.last)):
        return None
    said = {_formal(plain(line)) for line in reply.lines[:-1]} - {None}
    now = [code_of(found[1]) for found in _ENDS_NAMED.finditer(reply.last)]
    alone = _formal(reply.last) is None or len(reply.lines) == 2
    return CONTRADICTION if said and alone and said != {*now} else None


def _formal(line: str) -> int | None:
    code = bare_code(line)
    if code is None:
        code = label(line, last=False)
    if code is None and (found := _STATEMENT.fullmatch(line)):
        code = code_of(found[1])
    return code


def _closing_json(reply: Reply) -> int | None:
    if reply.json is None or not reply.json.closing:
        return None
    return json_verdict(reply.objects, reply.json)


def _bare_verdicts(reply: Reply) -> int | None:
    """Return `CONTRADICTION` if all lines are verdicts in a form and differ, or two lines name others."""
    if len(reply.lines) < 2 or any(len(line) > _LONGEST_LABEL for line in reply.lines):
        return None
    first, last = (_NAMED.sub("@", line) for line in (reply.first, reply.last))
    if len(reply.lines) == 2 and first == last and reply.first != reply.last:
        return CONTRADICTION
    codes = {_formal(plain(line)) for line in reply.lines}
    return CONTRADICTION if len(codes) > 1 and not codes & {None, CONTRADICTION} else None


def _last_number(reply: Reply) -> int | None:
    found = _NUMBER.fullmatch(reply.last)
    code = int(found[1]) if found else 0
    if not code or not reply.form.allows(code):
        return None
    before = reply.before_last
    if _MEASURE.search(before) and not _DECIDES.search(before):
        return None
    return None if _continues_list(code, before, reply.form) else code


def _continues_list(code: int, before: str, form: Form) -> bool:
    """Return `True` if a lone number may be the next item of a list, cut off after its number.

    A list that names all answers is complete: a number after it is a verdict.
    """
    item = _ITEM.match(before)
    if item is None or int(item[1]) != code - 1:
        return False
    return code <= form.answers or not _NAMED.match(item[2].lstrip("*"))


def _last_name(reply: Reply) -> int | None:
    code = None if _NUMBER.fullmatch(reply.last) else bare_code(reply.last)
    if code is None and len(reply.lines) == 1:
        code = _small_letter(_SMALL_ALONE, reply.last)
    return None if code is None else _shown(code, reply)


def _last_label(reply: Reply) -> int | None:
    last = reply.last
    code = label(last, last=True)
    if code is None and _HEADING.fullmatch(reply.before_last):
        code = label(f"Verdict: {last}", last=True)
    if code is None and last[:1] in "\"'(\u201c":
        code = label(last.strip("\"'()\u201c\u201d."), last=True)
    return None if code is None else _shown(code, reply)


def _shown(code: int, reply: Reply) -> int:
    """Return the code, `_OUTSIDE` for a name after the last answer's: only a bare code can mean a tie."""
    named = code == reply.form.answers + 1 and _NAMED.search(reply.last)
    return _OUTSIDE if named else code


def _last_result(reply: Reply) -> int | None:
    """Return the code of a closing "[RESULT] A"; several results must all be equal."""
    if "[result]" not in reply.last.lower():
        return None
    codes = {code_of(found[1]) for found in list_results([*map(plain, reply.lines)], _RESULT)}
    if not codes:
        return None
    return codes.pop() if len(codes) == 1 else CONTRADICTION


def _last_brackets(reply: Reply) -> int | None:
    """Return the code in double brackets on the last line, if it has one such code only."""
    if "[[" not in reply.last or _CHOICES.search(reply.last):
        return None
    codes = {code_of(found[0]) for found in _BRACKETED.finditer(unannounced(unquoted(reply.last)))}
    return codes.pop() if len(codes) == 1 else None


def _last_statement(reply: Reply) -> int | None:
    found = _STATEMENT.fullmatch(reply.last)
    return None if found is None else code_of(found[1])


def _first_marks(reply: Reply) -> int | None:
    return _mark_pair(reply.first, reply.form)


def _last_marks(reply: Reply) -> int | None:
    return _mark_pair(reply.last, reply.form) if ":" in reply.last else None


def _mark_pair(line: str, form: Form) -> int | None:
    """Return the code of a line with one mark per answer: the highest wins, equal marks tie.

    Marks that are all valid verdict codes ("1, 2") are ambiguous and not read, unless the line calls
    them scores.
    """
    listed = _SCORES.fullmatch(line) is not None
    if not listed and not _PAIR.fullmatch(line):
        return None
    marks = [*map(float, re.findall(_MARK, line))]
    if len(marks) != form.answers or (not listed and {*marks} <= {*range(1, form.answers + 2)}):
        return None
    if len({*marks}) == 1:
        return TIE_CODE
    return marks.index(max(marks)) + 1 if marks.count(max(marks)) == 1 else CONTRADICTION


CLOSING_JSON, LAST_STATEMENT = "closing JSON", "last-line statement"

CLOSING_RULES: tuple[tuple[str, FormRule], ...] = (
    ("taken back", _taken_back),
    (CLOSING_JSON, _closing_json),
    ("bare verdicts", _bare_verdicts),
    ("last-line number", _last_number),
    ("last-line name", _last_name),
    ("last-line label", _last_label),
    ("last-line result", _last_result),
    ("last-line brackets", _last_brackets),
    (LAST_STATEMENT, _last_statement),
    ("first-line marks", _first_marks),
    ("last-line marks", _last_marks),
)
"""Rules for verdicts in a requested form at the end of a reply, in order of precedence."""


def _opening_json(reply: Reply) -> int | None:
    return None if reply.json is None else json_verdict(reply.objects, reply.json)


def _first_line(reply: Reply) -> int | None:
    """Return the code of a first line that is only a verdict and that no later line replaces.

    Names on several lines are headings.
    """
    code = bare_code(reply.first)
    if code is None:
        code = label(reply.first, last=False)
    if not code or not reply.form.allows(code):
        return None
    later = [plain(line) for line in reply.lines[1:]]
    if {bare_code(line) for line in later} - {None, code}:
        return None
    return CONTRADICTION if any(map(revises, later)) else code


OPENING_RULES: tuple[tuple[str, FormRule], ...] = (
    ("opening JSON", _opening_json),
    ("first-line verdict", _first_line),
)
"""Rules for verdicts in a requested form at the beginning of a reply."""
