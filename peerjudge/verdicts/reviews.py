"""Turns what a seat wrote into a review: here, and only here, shown positions become answer ids."""

from __future__ import annotations

from peerjudge.data import (
    REFUSED,
    TIE,
    UNREADABLE,
    Comparison,
    Cue,
    Expects,
    Outcome,
    Review,
    Verdict,
)
from peerjudge.verdicts.ratings import read_rating
from peerjudge.verdicts.reader import read_verdict

__all__ = ["review"]

_WITHOUT_CHOICE = {Outcome.TIE: TIE, Outcome.REFUSED: REFUSED, Outcome.UNREADABLE: UNREADABLE}


def review(text: str, *, cue: Cue, comparison: Comparison) -> Review:
    """The review in a reply to this cue: what was asked for is read, and nothing else.

    Positions count in the order in which the cue showed the answers, `cue.sees`.

    Raises:
        DataError: The cue shows an answer that the comparison does not have.
    """
    shown = [comparison.answer(answer_id).id for answer_id in cue.sees]
    if cue.expects is Expects.TEXT:
        return Review()
    if cue.expects is Expects.RATING:
        rating = read_rating(text)
        return Review(score=rating.score, rule=rating.rule)
    reading = read_verdict(text, answers=len(shown), ties=cue.ties)
    if reading.position is not None:
        return Review(verdict=Verdict.of(shown[reading.position]), rule=reading.rule)
    return Review(verdict=_WITHOUT_CHOICE[reading.outcome], rule=reading.rule)
