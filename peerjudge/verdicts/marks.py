"""Marks given to every answer: as a pair on one line, by name, or as totals of criteria."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from peerjudge.verdicts.codes import (
    CONTRADICTION,
    LABEL,
    NAME,
    TIE_CODE,
    Form,
    code_of,
)

MARK = r"[0-9]{1,3}(?:[.,][0-9]{1,3})?"
"""Number written as a mark: `8`, `7.5`, `7,5`."""

SCALE = r"(?: ?/ ?[0-9]{1,3}| out of [0-9]{1,3})?"
"""What may follow a mark: the highest one."""

OVERALL = (
    r"(?i:(?:(?:grand|overall|final|weighted|combined|total) ){0,2}"
    r"(?:total|overall|sum|tally|average|mean|scores?|ratings?|marks?|points|assessment|gesamt\w*|summe"
    r"|média)"
    r"(?: (?:score|rating|mark|points|quality|average|punktzahl))?)"
)
"""What a mark over all criteria is called."""

_MARK = rf"({MARK})"
_PAIR = re.compile(rf"\[?{_MARK}(?:(?:, ?| ){_MARK})+\]?[.,]?")
_SCALED = re.compile(rf"{_MARK}/([0-9]{{1,3}})(?:, ?|; ?| vs\.? | and | - | ){_MARK}/\2\.?")
_LISTED = re.compile(
    r"(?i:(?:(?:the|final|overall|my) )*(?:scores|ratings|marks|points)(?: are)?) ?[:=]? ?[\[({]{0,2}"
    rf"{_MARK}(?:(?:, ?| |; ?| vs\.? | and | - | \| ){_MARK})+[\])}}]{{0,2}}\.?"
)
_ANSWER = (
    rf"(?:{NAME}|(?i:(?:die |la |le |el |a |o )?(?:Antwort|Lösung|Assistente?|Asistente|Réponse|Respuesta"
    rf"|Resposta|Modell|Modèle|Modelo|回答|答案|回复|助手|アシスタント)) ?{LABEL})"
)
_GIVEN_TO = (
    r"(?: submission| score| rating| mark| overall)*(?: (?:(?:only|just|still) )?(?:as|at|is"
    r"|gets|receives|earns|deserves|scores|-)| ?[:=])?"
    r"(?: an?)?(?: (?:score|rating|mark) of)? ([0-9]{1,3}(?:\.[0-9])?)(?:/([0-9]{1,3})"
    r"| out of ([0-9]{1,3}))?(?: ?(?:points?|stars?|marks?|Punkte|puntos|pontos|分|点))?"
    r"(?=$|[.;)、]|: | and\b| from me\b| for its\b|, (?:and\b|for\b|because\b|since\b|as\b|for\b|while\b"
    r"|whereas\b"
    r"|but\b|[A-Z])|,$| -)"
)
_GIVEN = re.compile(rf"({NAME}){_GIVEN_TO}")
_OTHERWISE_GIVEN = re.compile(rf"({_ANSWER}|(?<![\w(])[A-E](?= ?[:=] ?[0-9])){_GIVEN_TO}")
"""Marks of answers named in other languages or by a letter: "A: 6/10, B: 9/10"."""
_OTHERWISE_NAMED = re.compile(
    r"\b[A-E] ?[:=] ?[0-9]|ntwort|ösung|ssistent|sistente|éponse|espuesta|esposta|odell|odèle|odelo"
    r"|回|答|助手|アシ"
)
_WORTH = r"(?i:(?:(?:final|overall|total|its) )?(?:score|rating|mark|grade|total|note|punkte?)s?)"
_ASPECT_OF = re.compile(
    r"(?i)\b(?!(?:scores?|ratings?|marks?|grades?|total|points|verdict)\b)\w+ (?:of|for) (?:the )?$"
)
"""Before a name: the mark is for one aspect of the answer."""
_ROW = re.compile(
    rf"(?:- |\u2022 |[0-9][.)] )?(?:{_WORTH} (?:(?:of|for) )?(?=\(?[A-Ea-e1-9]\)? ?[:=]))?"
    rf"({_ANSWER}|\([a-e]\)|[A-E](?= ?[:=])|(?<=[a-z] )[1-9](?= ?[:=]))(?: {_WORTH})?"
    rf"(?: ?[:=\uff1a-])? ?(?:{_WORTH} ?[:=]? ?)?\(?({MARK})(?: ?/ ?([0-9]{{1,3}})| (?:out of|von|sur|de"
    rf"|sobre) ([0-9]{{1,3}}))?"
    r"(?i: ?(?:points?|pts|punkten?|puntos|pontos|stars?|分|点))?\)?"
    r"(?=$|[(\uff08]|[.;:)](?: |$)|,(?:$| [A-Za-z])| -| \()"
)
_COUNTS = re.compile(
    r"(?i)\b(?:penalt|error|mistake|miss|fault|length|words?\b|rank|counts?\b|sentences?\b"
    r"|typos?\b|flaws?\b|issues?\b"
    r"|problems?\b(?!-)|bugs?\b|deduct|demerit|violation|paragraph|character|tokens?\b|lines?\b"
    r"|number of|toxic|harmful|hallucinat|bias|redundan|verbos|weakness|latency|cost\b|risk)"
)
_STARS = re.compile(r"[\u2605\u2b50]\ufe0f?(?:[\u2605\u2b50\u2606]\ufe0f?)*")
_HEADER = 60
"""A line that says what the numbers below it count is shorter than this. [characters]"""


def number(mark: str) -> float:
    """Return the value of a mark; its decimal sign is a point or a comma."""
    return float(mark.replace(",", "."))


def mark_pair(line: str, form: Form) -> int | None:
    """Return the code of a line with one mark per answer: the highest wins, equal marks tie.

    Marks that are all valid verdict codes ("1, 2") are ambiguous and not read, unless the line calls
    them scores.
    """
    if scaled := _SCALED.fullmatch(line):
        line = f"Scores: {scaled[1]}, {scaled[3]}"
    listed = _LISTED.fullmatch(line) is not None
    if not listed and not _PAIR.fullmatch(line):
        return None
    marks = [*map(number, re.findall(r"[0-9]{1,3}(?:\.[0-9]{1,3})?", line))]
    codes = set(range(1, form.answers + 2))
    if len(marks) != form.answers or (not listed and set(marks) <= codes):
        return None
    return highest(marks)


def highest(marks: Sequence[float]) -> int:
    """Return the code of the highest mark; a tie if all are equal, a contradiction if some are."""
    if len(set(marks)) == 1:
        return TIE_CODE
    best = max(marks)
    return marks.index(best) + 1 if marks.count(best) == 1 else CONTRADICTION


def highest_named(marks: Mapping[int, float], form: Form) -> int | None:
    """Return the code of the highest mark if every answer has one, by code, else `None`."""
    wanted = range(1, form.answers + 1)
    return highest([marks[code] for code in wanted]) if {*marks} == {*wanted} else None


def counts(text: str) -> bool:
    """Return `True` if a text names something of which less is better, or which is no quality."""
    return _COUNTS.search(text) is not None


def _counted(header: str, before: str) -> bool:
    """Return `True` if the words before a mark, or the line above the marks, name something counted."""
    said = f"{'' if header.endswith('.') or len(header) > _HEADER else header} {before}"
    return len(before) < _HEADER and counts(said)


def count_stars(line: str) -> str:
    """Return the line with the number of full stars in place of a row of stars."""
    if "\u2605" not in line and "\u2b50" not in line:
        return line
    return _STARS.sub(lambda row: str(sum(sign in "\u2605\u2b50" for sign in row[0])), line)


def _marks_on(line: str) -> list[re.Match[str]]:
    """Return the marks of named answers on a line."""
    found = [*_GIVEN.finditer(line)]
    named = len(found) < 2 and _OTHERWISE_NAMED.search(line)
    if named and line.count(":") + line.count("=") > 1:
        found = [*_OTHERWISE_GIVEN.finditer(line)]
    if not found and (row := _ROW.match(line)):
        return [row]
    return found or ([*_OTHERWISE_GIVEN.finditer(line)] if named else [])


_CHANGED = re.compile(
    r"(?i)\b(?:lower|raise|reduce|increase|change|revise|adjust|drop|bump|correct)\w*\b.{1,40}? to"
    r" (?:an? )?[0-9]"
)
"""A mark that replaces one given before."""


def named_marks(lines: list[str], form: Form) -> int | None:
    """Return the code of the highest mark if every answer gets one mark on one scale, else `None`.

    Numbers under a line that says what they count are no marks.
    """
    given: dict[int, set[tuple[float, str]]] = {}
    header = ""
    if any(map(_CHANGED.search, lines)):
        return None
    for line in lines:
        if not any(map(str.isdigit, line)):
            header = line
            continue
        found = _marks_on(line)
        if not found:
            header = line
            continue
        before = line[: found[0].start()]
        scaled = found[0][3] or found[0][4]
        if (not scaled and _counted(header, before)) or _ASPECT_OF.search(before):
            continue
        for name, mark, of, out_of in map(re.Match[str].groups, found):
            if (code := code_of(name)) is not None:
                given.setdefault(code, set()).add((number(mark), of or out_of or ""))
    if any(len(marks) > 1 for marks in given.values()):
        return None
    marks = {code: next(iter(each)) for code, each in given.items()}
    if len({scale for _, scale in marks.values()}) != 1:
        return None
    return highest_named({code: mark for code, (mark, _) in marks.items()}, form)


_HEADING = re.compile(rf"(?:[0-9][.)] |- )?(?:[\w ]{{0,20}}(?:of|for) )?({_ANSWER}) ?[:.-]?")
_LONGEST_TOTAL = 90
_TOTAL = re.compile(rf"(?:- |\u2022 )?{OVERALL} ?(?:[:=]|-(?= )) ?{_MARK}{SCALE}\.?")
_TOTALS = re.compile(rf"(?:- |\u2022 )?{OVERALL} ?(?:[:=]|-(?= )) ?(?=\D*[0-9])(.{{3,80}})")
_TOTAL_OF = re.compile(
    rf"({_ANSWER}|\([a-e]\)|\b[A-E]\b)(?: total| score)?(?: ?[:=]| -)? ?{_MARK}{SCALE}(?=$|[.,;)]|\b)"
)


_ROW_TOTAL = re.compile(
    rf"({_ANSWER}|\([a-e]\)|[A-E](?= ?[:-]))[^\n]*[^\w]{OVERALL} ?[:=]? ?{_MARK}{SCALE}\.?"
)


def totals(lines: Sequence[str], form: Form) -> int | None:
    """Return the code of the highest total over criteria if every answer has one, else `None`.

    A total stands in the section of its answer ("Total: 35/40"), or the totals share a line
    ("Total: A 14, B 11").
    """
    given: dict[int, float] = {}
    section: int | None = None
    for line in lines:
        if len(line) > _LONGEST_TOTAL:
            continue
        if heading := _HEADING.fullmatch(line):
            section = code_of(heading[1])
        elif (total := _TOTAL.fullmatch(line)) and section is not None:
            if given.setdefault(section, number(total[1])) != number(total[1]):
                return None
        elif (row := _ROW_TOTAL.fullmatch(line)) and (code := code_of(row[1])) is not None:
            given[code] = number(row[2])
        elif shared := _TOTALS.fullmatch(line):
            pairs = [(code_of(name), number(mark)) for name, mark in _TOTAL_OF.findall(shared[1])]
            given.update({code: mark for code, mark in pairs if code is not None})
    if not given or any(len(line) < _HEADER and counts(line) for line in lines):
        return None
    return highest_named(given, form)
