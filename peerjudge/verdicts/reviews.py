"""Turns what a seat wrote into a review: here, and only here, shown positions become answer ids."""

from __future__ import annotations

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
from peerjudge.verdicts.expectation import expected_rating
from peerjudge.verdicts.quoting import own_lines, plain, unquoted
from peerjudge.verdicts.ratings import read_rating
from peerjudge.verdicts.reader import read_verdict
from peerjudge.verdicts.refusals import refuses

__all__ = ["review"]

_WITHOUT_CHOICE = {Outcome.TIE: TIE, Outcome.REFUSED: REFUSED, Outcome.UNREADABLE: UNREADABLE}


def review(
    text: str,
    *,
    cue: Cue,
    comparison: Comparison,
    logprobs: Sequence[TokenLogprob] | None = None,
) -> Review:
    """The review in a reply to this cue: what was asked for is read, and nothing else.

    Positions count in the order in which the cue showed the answers, `cue.sees`. A rating is
    weighted by the log-probabilities of the reply's tokens where there are any, and `rule` ends in
    "weighted"; else it is the stated number, and `rule` ends in "as stated".

    Raises:
        DataError: The cue shows an answer that the comparison does not have.
    """
    if cue.sees != comparison.shown:
        for answer_id in cue.sees:
            comparison.answer(answer_id)
    if cue.expects is not Expects.VERDICT:
        if cue.expects is Expects.TEXT:
            return Review()
        return _rated(text, logprobs or (), low=min(cue.scale), high=max(cue.scale))
    reading = read_verdict(text, answers=len(cue.sees), ties=cue.ties)
    if reading.position is not None:
        return _choosing(cue.sees[reading.position], reading.rule)
    return Review(verdict=_WITHOUT_CHOICE[reading.outcome], rule=reading.rule)


@lru_cache(maxsize=1024)
def _choosing(answer_id: str, rule: str) -> Review:
    """One review for all turns that say the same: answers' names recur, and so do rules."""
    return Review(verdict=Verdict.of(answer_id), rule=rule)


def _rated(text: str, logprobs: Sequence[TokenLogprob], *, low: int, high: int) -> Review:
    rating = read_rating(text, low=low, high=high)
    if rating.score is None:
        opening = unquoted(" ".join(map(plain, own_lines(text)[:3])))
        return (
            Review(verdict=REFUSED, rule="refusal")
            if refuses(opening)
            else Review(rule=rating.rule)
        )
    expected = expected_rating(
        logprobs,
        rating.score,
        read=lambda reply: read_rating(reply, low=low, high=high).score,
        low=low,
        high=high,
    )
    if expected is None:
        return Review(score=rating.score, rule=f"{rating.rule}, as stated")
    return Review(score=expected, rule=f"{rating.rule}, weighted")
