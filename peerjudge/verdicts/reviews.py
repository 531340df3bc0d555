"""Review of a reply; the only place where shown positions become answer ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from peerjudge.data import (
    REFUSED,
    TIE,
    UNREADABLE,
    Comparison,
    Cue,
    Expects,
    Outcome,
    Review,
    TokenLogprob,
    Verdict,
)
from peerjudge.verdicts.own_words import own_lines, refuses
from peerjudge.verdicts.probabilities import expected_rating
from peerjudge.verdicts.ratings import read_rating
from peerjudge.verdicts.reader import read_verdict

CUT_OFF = "cut off at max_tokens"
"""Rule of the review of a reply that ended at its limit before its verdict or rating."""

REREAD_FAILED = "reread failed"
"""Beginning of the rule of a review that a second model was to read, where its call failed."""

ASKED = "asked"
"""Beginning of the rule of a review that a reviewer gave when it was asked for its choice."""

ASKING_FAILED = "asking failed"
"""Beginning of the rule of a review whose reviewer was to be asked, where the call failed."""

_FIRST, _LAST = 2_000, 18_000
"""Characters at the beginning and at the end of a longer reply that are read."""

_NONE = re.compile(r"\W*0\b")
_WITHOUT_CHOICE = {Outcome.TIE: TIE, Outcome.REFUSED: REFUSED, Outcome.UNREADABLE: UNREADABLE}
_CUT_VERDICT, _CUT_RATING = Review(verdict=UNREADABLE, rule=CUT_OFF), Review(rule=CUT_OFF)


def read_review(
    text: str,
    *,
    cue: Cue,
    comparison: Comparison,
    logprobs: Sequence[TokenLogprob] | None = None,
    cut: bool = False,
) -> Review:
    """Read the review that a cue expects from a reply; `cut` marks one that reached `max_tokens`.

    Positions refer to the order in which the cue showed the answers, `cue.sees`. A rating is
    weighted by the log-probabilities of its token if there are any (`rule` ends in "weighted");
    otherwise it is the stated number (`rule` ends in "as stated"). Of a reply of more than 20,000
    characters, only the first 2,000 and the last 18,000 are read.

    Raises:
        DataError: The cue shows an answer that the comparison does not have.
    """
    if cue.sees != comparison.shown:
        for answer_id in cue.sees:
            comparison.answer(answer_id)
    if cue.expects is not Expects.VERDICT:
        if cue.expects is Expects.TEXT:
            return Review()
        text = _shorten(text)
        rated = _rated(text, logprobs or (), low=min(cue.scale), high=max(cue.scale))
        return _CUT_RATING if cut and rated.score is None and rated.verdict is None else rated
    reading = read_verdict(_shorten(text), answers=len(cue.sees), ties=cue.ties)
    if reading.position is not None:
        return _choosing(cue.sees[reading.position], reading.rule)
    if cut and reading.outcome is Outcome.UNREADABLE:
        return _CUT_VERDICT
    return Review(verdict=_WITHOUT_CHOICE[reading.outcome], rule=reading.rule)


def read_rereading(text: str, *, cue: Cue, reviewer: str) -> Review:
    """Read which verdict a second model (`reviewer`) found in the reply to a cue.

    The rule names the second model. The verdict is `UNREADABLE` unless it names one answer, or a tie
    where the cue allows one.
    """
    reading = read_verdict(_shorten(text), answers=len(cue.sees), ties=cue.ties)
    found = UNREADABLE
    if reading.position is not None:
        found = Verdict.of(cue.sees[reading.position])
    elif reading.outcome is Outcome.TIE:
        found = TIE
    if _NONE.match(text) or not found.readable:
        return Review(verdict=UNREADABLE, rule=f"reread by {reviewer}: no verdict")
    return Review(verdict=found, rule=f"reread by {reviewer}: {reading.rule}")


def _shorten(text: str) -> str:
    """Return the first and the last part of a long reply, each of whole lines or sentences if it has any.

    A verdict stands at the end, or opens the reply. The time to read a reply is thus bounded.
    """
    if len(text) <= _FIRST + _LAST:
        return text
    first, last = text[:_FIRST], text[-_LAST:]
    for stop in ("\n", ". "):
        if stop in first and stop in last:
            return f"{first.rpartition(stop)[0]}{stop}\n{last.partition(stop)[2]}"
    return f"{first}\n{last}"


@lru_cache(maxsize=1024)
def _choosing(answer_id: str, rule: str) -> Review:
    """Return a shared review for each answer and rule."""
    return Review(verdict=Verdict.of(answer_id), rule=rule)


def _rated(text: str, logprobs: Sequence[TokenLogprob], *, low: int, high: int) -> Review:
    rating = read_rating(text, low=low, high=high)
    if rating.score is None:
        if refuses(own_lines(text)):
            return Review(verdict=REFUSED, rule="refusal")
        return Review(rule=rating.rule)
    expected = expected_rating(
        logprobs,
        rating.score,
        read=lambda reply: read_rating(_shorten(reply), low=low, high=high).score,
        low=low,
        high=high,
    )
    if expected is None:
        return Review(score=rating.score, rule=f"{rating.rule}, as stated")
    return Review(score=expected, rule=f"{rating.rule}, weighted")
