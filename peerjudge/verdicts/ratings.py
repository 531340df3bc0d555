"""Reads the rating of one answer out of any reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from peerjudge.verdicts.quoting import own_lines, plain, unquoted
from peerjudge.verdicts.readings import RatingReading
from peerjudge.verdicts.structured import find_json, json_score

__all__ = ["read_rating"]

_NUMBER = r"(?P<score>-?[0-9]{1,4}(?:\.[0-9]{1,4})?)"
_OF = r"(?: ?/ ?(?P<of>[0-9]{1,4})| out of (?P<out>[0-9]{1,4}))?"
_LONE = re.compile(
    rf"(?:\\boxed\{{|[\"'(\[<$])*{_NUMBER}[\])]*{_OF}(?: stars?| points?)?[\"')\]}}>$.!]*"
)
_KIND = r"(?:(?:my|the|final|overall|total|numerical)[ ,]){0,3}(?:score|rating|grade|mark|verdict|overall)"
_LABELLED = re.compile(
    rf"(?:.*[.;:] )?(?i:{_KIND}(?: is)?) ?[:=] ?[\"'(\[]*{_NUMBER}[\])]*{_OF}"
    r"(?=$|[.,;:!)\"'\] ])(?!\.[0-9]).*"
)
_SAID = re.compile(
    rf"\b(?:(?i:score|rating|grade|mark) (?:of|is|would be) (?:an? )?"
    r"|(?i:rate|give|score|grade) (?:it|this|the (?:answer|response|output))(?: as)? (?:an? )?"
    rf"(?:(?:score|rating|grade|mark) of )?){_NUMBER}{_OF}(?![\w/%]|\.[0-9])"
)
_RESULT = re.compile(
    rf"(?i:\[result\]) ?:? ?[\"'(\[<]*{_NUMBER}[\])>]*{_OF}[\"')\]>.!]*(?P<end>$)?(?![\w/%]|\.[0-9])"
)
"""How judges in the manner of Prometheus end: "Feedback: ... [RESULT] 4"."""
_BRACKETED = re.compile(rf"\[\[{_NUMBER}\]\]{_OF}")
_LONGEST = 2000


def read_rating(text: str, *, low: float = 1, high: float = 5) -> RatingReading:
    """What rating from `low` to `high` a reply gives; never raises.

    A rating outside of the scale, or "out of" another maximum than `high`, is no rating: `score` is
    `None`, and never clamped or rescaled. Of several ratings in words the last one holds; of
    several in one asked form (JSON, "[RESULT] 4"), all must be the same.
    """
    found = find_json(text)
    if found is not None:
        members, closing = found
        score = json_score(members)
        if score is not None and not closing and _second_score(text) not in (None, score):
            return RatingReading(None, "opening JSON, contradictory")
        if closing or score is not None:
            return _within(score, "closing JSON" if closing else "opening JSON", low, high)
    lines = [plain(line) for line in own_lines(text)]
    if not lines:
        return RatingReading(None, "nothing of its own" if text.strip() else "empty")
    results = _results(lines)
    if results and results[-1]["end"] is not None:
        if len({(rated["score"], rated["of"] or rated["out"]) for rated in results}) > 1:
            return RatingReading(None, "result, contradictory")
        return _scaled(results[-1], "result", low, high)
    for rule, rated in _ratings(lines):
        return _scaled(rated, rule, low, high)
    return RatingReading(None, "no rating")


def _ratings(lines: list[str]) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the ratings in a reply, the one to believe first."""
    if rated := _LONE.fullmatch(lines[-1]):
        yield "last-line number", rated
    for line in reversed(lines):
        tail = unquoted(line)[-_LONGEST:]
        if rated := _LABELLED.fullmatch(tail):
            yield "label", rated
        said = [*_SAID.finditer(tail), *_BRACKETED.finditer(tail)]
        if said:
            yield "sentence", max(said, key=lambda found: found.start())
    if rated := _LONE.fullmatch(lines[0]):
        yield "first-line number", rated


def _results(lines: list[str]) -> list[re.Match[str]]:
    """The results that a reply states, if the last line states one; in order."""
    if "[result]" not in lines[-1].lower():
        return []
    tails = [unquoted(line)[-_LONGEST:] for line in lines]
    if not _RESULT.search(tails[-1]):
        return []
    return [found for tail in tails for found in _RESULT.finditer(tail)]


def _second_score(text: str) -> float | None:
    """The rating in JSON after the object that opens a reply."""
    text = text.strip()
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    after = find_json(text[end:])
    return None if after is None else json_score(after[0])


def _scaled(rated: re.Match[str], rule: str, low: float, high: float) -> RatingReading:
    scale = rated["of"] or rated["out"]
    if scale is not None and float(scale) != high:
        return RatingReading(None, f"{rule}, on another scale")
    return _within(float(rated["score"]), rule, low, high)


def _within(score: float | None, rule: str, low: float, high: float) -> RatingReading:
    if score is None:
        return RatingReading(None, f"{rule}, broken")
    if not low <= score <= high:
        return RatingReading(None, f"{rule}, out of range")
    return RatingReading(score, rule)
