"""Ratings given in sentences: "I would give it a 4", "It gets a score of 4/5"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from peerjudge.verdicts.phrases import UNDECIDED

__all__ = ["ALTERNATIVE", "FIGURE", "Figure", "figure_of", "said_in"]

Figure = tuple[float, float | None]
"""A rating, and the maximum out of which it is given, if that is said."""

FIGURE = (
    r"(?P<score>-?[0-9]{1,4}(?:\.[0-9]{1,4})?)[\])]*"
    r"(?: ?/ ?(?P<of>[0-9]{1,4})| out of (?P<out>[0-9]{1,4}))?[\])]*"
)
"""A number as a rating is written: `4`, `4.5`, `4/5`, `4 out of 5`, `[[4]]`."""

ALTERNATIVE = (
    r",? ?(?:or|to|and|-|\u2013)"
    r"(?: (?:maybe|perhaps|possibly|even|rather|an?|at (?:most|best|least)))* ?[0-9]"
)
"""What turns a number into one of two: "or 5", "to 5", ", or maybe a 3"."""

_SAID = re.compile(
    r"(?:\b(?i:score|rating|grade|mark) (?:of|is|would be) (?:an? )?"
    r"|\b(?i:rate|give|score|grade) (?:it|this|the (?:answer|response|output))(?: as)? (?:an? )?"
    r"(?:(?i:score|rating|grade|mark) of )?|(?=\[\[))"
    rf"[\"'(\[]*{FIGURE}(?![\w/%]|\.[0-9])"
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
    rf"(?i)^[\"')\]]*(?:{ALTERNATIVE}| (?:that|which|would|needs?|requires?|cannot|seems"
    r"|is (?!appropriate|fair|warranted|justified|deserved|right|reasonable|fitting)))"
    r"|[, ](?:if|unless|had it|were it)\b"
)


def figure_of(found: re.Match[str]) -> Figure:
    """The figure in a match of a pattern that holds `FIGURE`."""
    scale = found["of"] or found["out"]
    return float(found["score"]), None if scale is None else float(scale)


def said_in(line: str) -> Iterator[Figure]:
    """Yield the ratings that the sentences of a line give, last one first.

    Passed over are those that the sentence denies, makes depend on something, or tells of another.
    """
    for sentence in reversed(_SPLIT.split(line)):
        if UNDECIDED.search(sentence):
            continue
        for found in reversed([*_SAID.finditer(sentence)]):
            if _given(sentence[: found.start()], sentence[found.end() :]):
                yield figure_of(found)


def _given(before: str, after: str) -> bool:
    """Whether a rating is one, by what its sentence says before and after it."""
    if _CONDITION.search(before) or _TAKEN_BACK.search(after):
        return False
    clause = re.split(r"[,;:] ", before)[-1]
    if _DENIED.search(clause):
        return False
    return bool(_MINE.search(clause)) or not _OTHERS.search(clause)
