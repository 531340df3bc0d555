"""A reviewer that repeats what somebody said before: it can review, but not discuss."""

from __future__ import annotations

from collections.abc import Iterable

from peerjudge.data import Expects, Outcome, RecordedReview, Request, Utterance
from peerjudge.reviewers.failures import MissingReviewError

__all__ = ["RecordedReviewer"]


class RecordedReviewer:
    """Replays recorded reviews, each for its comparison in the order in which it was shown.

    A review on record without its text (people often leave none) is repeated as the number of its
    verdict. The first of several reviews of the same is used.
    """

    def __init__(self, name: str, reviews: Iterable[RecordedReview]) -> None:
        self.name = name
        self._reviews: dict[tuple[str, tuple[str, ...]], RecordedReview] = {}
        for review in reviews:
            self._reviews.setdefault((review.comparison, review.shown), review)

    async def speak(self, request: Request) -> Utterance:
        """What is on record for this comparison in this order.

        Raises:
            MissingReviewError: Nothing is, or the cue asks for more than a review of all answers
                by somebody who has heard nobody.
        """
        cue, comparison = request.cue, request.comparison
        whole = sorted(cue.sees) == sorted(comparison.shown)
        if request.heard or cue.expects is not Expects.VERDICT or not whole:
            msg = (
                f"{self.name!r} has reviews on record only, and cannot answer task {cue.task!r}: "
                "use a protocol of private reviews such as 'vote'"
            )
            raise MissingReviewError(msg)
        review = self._reviews.get((comparison.id, cue.sees))
        if review is None:
            msg = (
                f"{self.name!r} has no review on record of {comparison.id!r} shown as "
                f"{list(cue.sees)}"
            )
            raise MissingReviewError(msg)
        text = review.text or _number(review)
        return Utterance(text=text, model=review.reviewer, attempts=0, cached=True)

    async def close(self) -> None:
        """Nothing is held open."""


def _number(review: RecordedReview) -> str:
    """The verdict as a reply says it: the place of the chosen answer, one more for a tie."""
    verdict = review.verdict
    if verdict.choice is not None:
        return str(review.shown.index(verdict.choice) + 1)
    return str(len(review.shown) + 1) if verdict.outcome is Outcome.TIE else ""
