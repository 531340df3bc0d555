"""Verdict codes, the ways in which a reply names an answer, and the results of reading."""

from __future__ import annotations

import re
from dataclasses import dataclass

from peerjudge.data import Outcome

# A rule returns a code: k for the k-th shown answer, the number of answers + 1 for a tie, or one of
# these.

TIE_CODE = 0
"""Tie stated in words."""

CONTRADICTION = -1
"""Several different verdicts."""

BROKEN = -2
"""Structured reply that is cut off, malformed or lacks the verdict."""

REFUSAL = -3
"""Refusal to judge."""

ABSTENTION = -4
"""Explicit statement that no answer is chosen."""

_WHY = {CONTRADICTION: "contradictory", BROKEN: "broken", ABSTENTION: "none chosen"}


@dataclass(frozen=True, slots=True)
class Form:
    """Requested form of a verdict: the number of answers, and `True` if ties are allowed."""

    answers: int
    ties: bool

    def allows(self, code: int) -> bool:
        """Return `True` for the code of an answer or of a tie."""
        return TIE_CODE <= code <= self.answers + 1


@dataclass(frozen=True, slots=True)
class Reading:
    """Verdict read from a reply.

    `position` is the 0-based shown position of the chosen answer, set only if `outcome` is
    `CHOICE`. `rule` names the rule that decided, for `UNREADABLE` too.
    """

    outcome: Outcome
    position: int | None
    rule: str


@dataclass(frozen=True, slots=True)
class RatingReading:
    """Rating read from a reply; `score` is `None` if there is none within the scale."""

    score: float | None
    rule: str


def resolve(code: int, form: Form, rule: str) -> Reading:
    """Convert a verdict code to a reading."""
    if 1 <= code <= form.answers:
        return Reading(Outcome.CHOICE, code - 1, rule)
    if code == REFUSAL:
        return Reading(Outcome.REFUSED, None, rule)
    if code in (TIE_CODE, form.answers + 1):
        if form.ties:
            return Reading(Outcome.TIE, None, rule)
        return Reading(Outcome.UNREADABLE, None, f"{rule}, tie not allowed")
    return Reading(Outcome.UNREADABLE, None, f"{rule}, {_WHY.get(code, 'out of range')}")


NOUN = (
    r"(?:answer|assistant|candidate|choice|completion|model|output|option|response|reply|summary"
    r"|solution|submission|system|story|text|translation|version)"
)
_LABEL = r"(?:\(?#?[1-9](?![\w/%])(?!\.\d)\)?|\[?\[[1-9A-E]\]\]?|\([A-Ea-e]\)|[A-E](?![\w/+]))"
_OWNED = rf"(?:'s?(?i: {NOUN}\b| work\b)?)?"
NAME = (
    rf"(?:(?i:(?:the )?\b{NOUN}(?: number| no\.| option)? ?){_LABEL}{_OWNED}"
    rf"|(?i:\b(?:the )?(?:first|second|third|fourth)(?: AI)? (?:{NOUN}|one)\b){_OWNED})"
)
"""Answer given by name: "Assistant 1's answer", "Output (b)", "the second response"."""

CODE = r"(?:\[\[[A-E1-9]\]\]|\[[A-E1-9]\]|\([A-Ea-e1-9]\)|(?:[1-9]|[A-E])(?![\w/%'])(?!\.\d))"
"""Answer given by its bare code: `2`, `B`, `(b)`, `[[B]]`."""

TIE_WORDS = r"(?:(?:it is |it's |this is )?(?:a |an )?(?:tie|tied|draw|equal|equally good))"

_TIE = re.compile(rf"(?i)\W{{0,3}}{TIE_WORDS}\W{{0,9}}")
_MARK = re.compile(
    r"([1-9])|\(([A-Ea-e])\)|(?<![A-Za-z0-9_])([A-E])(?![A-Za-z0-9_])"
    r"|\b(?i:(first|second|third|fourth))\b"
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}


def code_of(name: str) -> int | None:
    """Return the code in a `NAME` or `CODE` (1 for the first shown answer), `TIE_CODE` for a tie word."""
    found = _MARK.search(name)
    if found is None:
        return TIE_CODE if _TIE.fullmatch(name) else None
    digit, bracketed, letter, ordinal = found.groups()
    if digit:
        return int(digit)
    if ordinal:
        return _ORDINALS[ordinal.lower()]
    return ord((bracketed or letter).upper()) - ord("A") + 1
