"""Reads the rating of one answer out of any reply.

A rating in an asked form at the end of the reply (JSON, a result, a number on a line of its own)
comes before what a line or a sentence says on the way, the last of which holds. A rating that is
quoted, retold, denied, conditional or one of two is nobody's rating: nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from peerjudge.verdicts.contexts import reports
from peerjudge.verdicts.quoting import own_lines, plain, unquoted
from peerjudge.verdicts.rated_sentences import ALTERNATIVE, FIGURE, Figure, figure_of, said_in
from peerjudge.verdicts.readings import RatingReading
from peerjudge.verdicts.structured import find_json, json_score

__all__ = ["read_rating"]

_LONE = re.compile(rf"(?:\\boxed\{{|[\"'(\[<$])*{FIGURE}(?: stars?| points?)?[\"')\]}}>$.!]*")
_KIND = r"(?:(?:my|the|final|overall|total|numerical)[ ,]){0,3}(?:score|rating|grade|mark|verdict|overall)"
_LABELLED = re.compile(
    rf"(?P<before>.*[.;:] )?(?i:{_KIND}(?: is)?) ?[:=] ?[\"'(\[]*{FIGURE}"
    r"(?=$|[.,;:!)\"'\] ])(?!\.[0-9])(?P<after>.*)"
)
_ANOTHER = re.compile(rf"^{ALTERNATIVE}|[0-9] ?(?:/|out of) ?[0-9]")
_AGAIN = re.compile(rf"(?i:\b(?:score|rating|grade|mark)(?: is)? ?[:=] ?){FIGURE}")
_RESULT = re.compile(
    rf"(?i:\[result\]) ?:? ?[\"'(\[<]*{FIGURE}[>)\"'\].!]*(?P<end>$)?(?![\w/%]|\.[0-9])"
)
_RETELLS = re.compile(
    r"(?i)\b(?:ends? (?:in|with|on)|itself|quotes?|cites?|imitates?|demands?|asks? for|suggests?)\b"
)
_REVISES = re.compile(
    r"(?i)\b(?:actually|wait|correction|on (?:second thought|reflection)|instead|revised?)\b"
)
_LONGEST = 2000
_MOST_OBJECTS = 16


def read_rating(text: str, *, low: float = 1, high: float = 5) -> RatingReading:
    """What rating from `low` to `high` a reply gives; never raises.

    A rating outside of the scale, or "out of" another maximum than `high`, is no rating: `score` is
    `None`, and never clamped or rescaled. Of several ratings in words the last one holds; of
    several in one asked form (JSON, "[RESULT] 4"), all must be the same.
    """
    rated = _in_json(text) or _in_lines(text)
    if rated.figure is None:
        return RatingReading(None, rated.rule)
    score, scale = rated.figure
    if scale is not None and scale != high:
        return RatingReading(None, f"{rated.rule}, on another scale")
    if not low <= score <= high:
        return RatingReading(None, f"{rated.rule}, out of range")
    return RatingReading(score, rated.rule)


@dataclass(frozen=True, slots=True)
class _Rated:
    """The rating that a rule found; without a figure, `rule` says why there is none."""

    rule: str
    figure: Figure | None = None


def _in_json(text: str) -> _Rated | None:
    if ">" in text:
        text = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(">"))
    found = find_json(text)
    if found is None or _retold(text[: text.find("{")].rstrip(" \n`").rpartition("\n")[2]):
        return None
    members, closing = found
    score = json_score(members)
    if closing:
        return _figured("closing JSON", score)
    if score is None:
        return None
    return _figured("opening JSON", score) if _repeats(text.strip(), score) else _CONTRADICTORY


_CONTRADICTORY = _Rated("opening JSON, contradictory")
_DECODER = json.JSONDecoder()


def _figured(rule: str, score: float | None) -> _Rated:
    return _Rated(f"{rule}, broken") if score is None else _Rated(rule, (score, None))


def _repeats(text: str, score: float) -> bool:
    """Whether a reply that opens with this rating as JSON gives no other one in an asked form."""
    end = 0
    for _ in range(_MOST_OBJECTS):
        start = end + len(text[end:]) - len(text[end:].lstrip())
        if not text.startswith("{", start):
            break
        try:
            _, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        again = find_json(text[start:end])
        if again is not None and json_score(again[0]) not in (None, score):
            return False
    else:
        return False
    lines = _plain_lines(text[end:])
    labels = (rated for rated in _in_words(lines) if rated.rule == "label")
    last = _closing(text[end:]) or _in_form(lines) or next(labels, None)
    return last is None or last.figure is None or last.figure[0] == score


def _closing(text: str) -> _Rated | None:
    found = find_json(text)
    return None if found is None else _figured("closing JSON", json_score(found[0]))


def _in_lines(text: str) -> _Rated:
    lines = _plain_lines(text)
    if not lines:
        return _Rated("nothing of its own" if text.strip() else "empty")
    return (
        _in_form(lines)
        or next(_in_words(lines), None)
        or _on_first_line(lines)
        or _Rated("no rating")
    )


def _plain_lines(text: str) -> list[str]:
    return [plain(line) for line in own_lines(text)]


def _in_form(lines: Sequence[str]) -> _Rated | None:
    """The rating that the last line gives in an asked form."""
    if not lines:
        return None
    if results := _results(lines):
        figures = {figure_of(found) for found in results}
        return (
            _Rated("result", figures.pop())
            if len(figures) == 1
            else _Rated("result, contradictory")
        )
    if _bare_and_different(lines):
        return _Rated("bare ratings, contradictory")
    announced = len(lines) > 1 and lines[-2].endswith(":") and _retold(lines[-2])
    if not announced and (found := _LONE.fullmatch(lines[-1])):
        return _Rated("last-line number", figure_of(found))
    return None


def _bare_and_different(lines: Sequence[str]) -> bool:
    found = [_LONE.fullmatch(line) for line in lines]
    return len({figure_of(one) if one else None for one in found}) > 1 and all(found)


def _results(lines: Sequence[str]) -> list[re.Match[str]]:
    """The results that a reply states, if it ends in one; in order."""
    if "[result]" not in lines[-1].lower():
        return []
    tails = [unquoted(line)[-_LONGEST:] for line in lines if "[result]" in line.lower()]
    results = [found for tail in tails for found in _RESULT.finditer(tail)]
    return results if results and results[-1]["end"] is not None else []


def _in_words(lines: Sequence[str]) -> Iterator[_Rated]:
    """Yield the ratings that lines and sentences give, last one first."""
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if not any(map(str.isdigit, line)):
            continue
        if at and lines[at - 1].endswith(":") and _retold(lines[at - 1]):
            continue
        tail = unquoted(line)[-_LONGEST:]
        labelled = _LABELLED.fullmatch(tail)
        if labelled is None:
            yield from (_Rated("sentence", figure) for figure in said_in(tail))
        elif _undecided(labelled):
            yield _Rated("label, undecided")
        elif not _retold(labelled["before"] or ""):
            yield _Rated("label", figure_of(labelled))


def _undecided(labelled: re.Match[str]) -> bool:
    """Whether what follows a labelled rating gives another one."""
    again = {figure_of(found)[0] for found in _AGAIN.finditer(labelled["after"])}
    another = again - {figure_of(labelled)[0]}
    return bool(another or _ANOTHER.search(labelled["after"]))


def _on_first_line(lines: Sequence[str]) -> _Rated | None:
    found = _LONE.fullmatch(lines[0])
    if found is None:
        return None
    if any(_REVISES.search(line) and any(map(str.isdigit, line)) for line in lines[1:]):
        return _Rated("first-line number, revised")
    return _Rated("first-line number", figure_of(found))


def _retold(line: str) -> bool:
    """Whether a line announces what somebody else, or the answer itself, says."""
    line = plain(line[-_LONGEST:])
    return reports(line) or bool(_RETELLS.search(line) and not re.search(r"\b(?:I|[Mm]y)\b", line))
