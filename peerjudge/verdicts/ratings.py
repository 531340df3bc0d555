"""Rating reader: the rating that a reply gives to one answer.

A rating in a requested form at the end of the reply (JSON, a result, a number on a line of its own)
has precedence over ratings in lines and sentences, of which the last one holds. A rating that is
quoted, reported, negated, conditional or one of two alternatives is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from peerjudge.verdicts.codes import RatingReading
from peerjudge.verdicts.forms import LONGEST, OPEN, list_results, revises
from peerjudge.verdicts.own_words import OwnWords, own_words
from peerjudge.verdicts.plain import OBJECTS, announces, plain, unannounced, unquoted
from peerjudge.verdicts.structured import json_score

Figure = tuple[float, float | None]
"""Rating, and the stated maximum if there is one."""

_FIGURE = (
    r"(?P<score>-?[0-9]{1,4}(?:\.[0-9]{1,4}|,[0-9]{1,2})?(?![.,]?[0-9]))[\])]*"
    r"(?: ?/ ?(?P<of>[0-9]{1,4})| out of (?P<out>[0-9]{1,4}))?[\])]*"
)
"""Number written as a rating: `4`, `4.5`, `4/5`, `4 out of 5`, `[[4]]`."""

_ALTERNATIVE = (
    r",? ?(?:or|to|and|-|\u2013)"
    r"(?: (?:maybe|perhaps|possibly|even|rather|an?|at (?:most|best|least)))* ?[0-9]"
)
"""Suffix that makes a number one of two: "or 5", "to 5", ", or maybe a 3"."""

_SAID = re.compile(
    r"(?:\b(?i:score|rating|grade|mark) (?:of|is|would be) (?:an? )?"
    r"|\b(?i:rate|give|score|grade) (?:it|this|the (?:answer|response|output))(?: as)? (?:an? )?"
    r"(?:(?i:score|rating|grade|mark) of )?|(?=\[\[))"
    rf"[\"'(\[]*{_FIGURE}(?![\w/%])"
)
_SPLIT = re.compile(r"(?<=[.!?])[)\"']? (?=[A-Z\"'(\[])")
_CONDITION = re.compile(r"(?i)\b(?:if|unless|whether)\b|^(?:had|were) ")
_DENIED = re.compile(
    r"(?i)\b(?:not|never|no|nor|neither|cannot|without|almost|nearly|barely|hardly|instead of"
    r"|initially|at first|before|itself|range|scale)\b|n't\b"
)
_OTHERS = re.compile(
    r"(?i)\b(?:users?|authors?|others?|reviewers?|they|he|she|you|says?|said|claim(?:s|ed)?|asks?|demands?)\b"
)
_MINE = re.compile(r"\bI\b")
_TAKEN_BACK = re.compile(
    rf"(?i)^[\"')\]]*(?:{_ALTERNATIVE}| (?:that|which|would|needs?|requires?|cannot|seems"
    r"|is (?!appropriate|fair|warranted|justified|deserved|right|reasonable|fitting)))"
    r"|[, ](?:if|unless|had it|were it)\b"
)
_LONE = re.compile(rf"{OPEN}(?!-?[0-9]+,){_FIGURE}(?: stars?| points?)?[\"')\]}}>$.!]*")
_KIND = r"(?:(?:my|the|final|overall|total|numerical)[ ,]){0,3}(?:score|rating|grade|mark|verdict|overall)"
_LABELLED = re.compile(
    rf"(?P<before>.*[.;:] )?(?i:{_KIND}(?: is)?) ?[:=] ?[\"'(\[]*{_FIGURE}"
    r"(?=$|[.,;:!)\"'\] ])(?P<after>.*)"
)
_UNREAD = re.compile(rf"(?i:{_KIND}(?: is)?) ?[:=] ?-?[0-9]+,[0-9]")
_ANOTHER = re.compile(rf"^{_ALTERNATIVE}|[0-9] ?(?:/|out of) ?[0-9]")
_AGAIN = re.compile(rf"(?i:\b(?:score|rating|grade|mark)(?: is)? ?[:=] ?){_FIGURE}")
_UNDECIDED = re.compile(r"\]\]\W{0,5}(?:(?:or|and)\W{1,5})?\[\[")
_RESULT = re.compile(rf"(?i:\[result\]) ?:? ?[\"'(\[<]*{_FIGURE}[>)\"'\].!]*(?P<end>$)?(?![\w/%])")


@dataclass(frozen=True, slots=True)
class _Rated:
    """Rating found by a rule; without a figure, `rule` says why there is none."""

    rule: str
    figure: Figure | None = None


def read_rating(text: str, *, low: float = 1, high: float = 5) -> RatingReading:
    """Return the rating from `low` to `high` that a reply gives; never raises.

    A rating outside of the scale, or out of another maximum than `high`, has the `score` `None`; it
    is never clamped or rescaled. Of several ratings in words the last one holds; several in one
    requested form (JSON, "[RESULT] 4") must all be equal.
    """
    own = own_words(text)
    lines = [plain(line) for line in own.lines]
    rated = _in_json(own, lines) or _in_lines(text, lines)
    if rated.figure is None:
        return RatingReading(None, rated.rule)
    score, scale = rated.figure
    if scale is not None and scale != high:
        return RatingReading(None, f"{rated.rule}, on another scale")
    if not low <= score <= high:
        return RatingReading(None, f"{rated.rule}, out of range")
    return RatingReading(score, rated.rule)


def _in_json(own: OwnWords, lines: Sequence[str]) -> _Rated | None:
    """Return the rating of the JSON that ends a reply, or opens one without another rating."""
    found = own.json
    if found is None:
        return None
    score = json_score(found.members)
    if len({*map(json_score, own.objects)} - {None}) > 1:
        return _Rated("JSON, contradictory")
    if found.closing:
        return (
            _Rated("closing JSON, broken")
            if score is None
            else _Rated("closing JSON", (score, None))
        )
    if score is None:
        return None
    words = [line for line in lines if not any(mark in line for mark in OBJECTS)]
    others = _in_form(words) or next(_in_words(words), None)
    if others and others.figure and others.figure[0] != score:
        return _Rated("opening JSON, contradictory")
    return _Rated("opening JSON", (score, None))


def _in_lines(text: str, lines: Sequence[str]) -> _Rated:
    if not lines:
        return _Rated("nothing of its own" if text.strip() else "empty")
    return (
        _in_form(lines)
        or next(_in_words(lines), None)
        or _on_first_line(lines)
        or _Rated("no rating")
    )


def _in_form(lines: Sequence[str]) -> _Rated | None:
    """Return the rating that the last line gives in a requested form."""
    if results := list_results(lines, _RESULT):
        return _agreed("result", {_figure_of(found) for found in results})
    alone = [_LONE.fullmatch(line) for line in lines]
    if all(alone) and len(figures := {_figure_of(one) for one in alone if one}) > 1:
        return _agreed("bare ratings", figures)
    found = alone[-1] if lines else None
    return None if found is None else _Rated("last-line number", _figure_of(found))


def _agreed(rule: str, figures: set[Figure]) -> _Rated:
    return _Rated(rule, figures.pop()) if len(figures) == 1 else _Rated(f"{rule}, contradictory")


def _in_words(lines: Sequence[str]) -> Iterator[_Rated]:
    """Yield the ratings given by lines and sentences, last one first."""
    for at in range(len(lines) - 1, -1, -1):
        if not any(map(str.isdigit, lines[at])):
            continue
        tail = unannounced(unquoted(lines[at])[-LONGEST:])
        labelled = _LABELLED.fullmatch(tail)
        if labelled is None and _UNREAD.match(tail):
            yield _Rated("label, unreadable")
        elif labelled is None:
            yield from (_Rated("sentence", figure) for figure in _said_in(tail))
        elif _is_undecided(labelled):
            yield _Rated("label, undecided")
        elif not announces((labelled["before"] or "").rstrip()):
            yield _Rated("label", _figure_of(labelled))


def _is_undecided(labelled: re.Match[str]) -> bool:
    """Return `True` if the text after a labelled rating gives another rating."""
    again = {_figure_of(found)[0] for found in _AGAIN.finditer(labelled["after"])}
    another = again - {_figure_of(labelled)[0]}
    return bool(another or _ANOTHER.search(labelled["after"]))


def _said_in(line: str) -> Iterator[Figure]:
    """Yield the ratings given by the sentences of a line, last one first.

    Negated, conditional and reported ratings are skipped.
    """
    for sentence in reversed(_SPLIT.split(line)):
        if _UNDECIDED.search(sentence):
            continue
        for found in reversed([*_SAID.finditer(sentence)]):
            if _is_given(sentence[: found.start()], sentence[found.end() :]):
                yield _figure_of(found)


def _is_given(before: str, after: str) -> bool:
    """Return `True` if the words around a rating neither negate, condition nor attribute it."""
    if _CONDITION.search(before) or _TAKEN_BACK.search(after):
        return False
    clause = re.split(r"[,;:] ", before)[-1]
    if _DENIED.search(clause):
        return False
    return bool(_MINE.search(clause)) or not _OTHERS.search(clause)


def _on_first_line(lines: Sequence[str]) -> _Rated | None:
    found = _LONE.fullmatch(lines[0])
    if found is None:
        return None
    if any(revises(line) for line in lines[1:]):
        return _Rated("first-line number, revised")
    return _Rated("first-line number", _figure_of(found))


def _figure_of(match: re.Match[str]) -> Figure:
    scale = match["of"] or match["out"]
    return float(match["score"].replace(",", ".")), None if scale is None else float(scale)
