"""Recorded reviews of a dataset as discussions of one turn, so that exports of runs take them too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from peerjudge.data import (
    Comparison,
    Cue,
    Dataset,
    Expects,
    RecordedReview,
    Review,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Utterance,
    content_hash,
)

RECORDED = "recorded"
"""Name of the protocol and the task of a recorded review."""


def list_recorded(dataset: Dataset) -> Iterator[Transcript]:
    """Yield each review as the discussion of a lone judge, by comparison.

    The answers are in the order shown. A reviewer's further reviews in one order are repetitions.
    """
    reviews: defaultdict[str, list[RecordedReview]] = defaultdict(list)
    for review in dataset.reviews:
        reviews[review.comparison].append(review)
    for comparison in dataset.comparisons:
        repeated = Counter[tuple[str, tuple[str, ...]]]()
        for review in reviews[comparison.id]:
            key = (review.reviewer, review.shown)
            yield _convert(review, comparison, repeated[key], simulated=dataset.simulated)
            repeated[key] += 1


def _convert(
    review: RecordedReview, comparison: Comparison, repetition: int, *, simulated: bool
) -> Transcript:
    shown = comparison.reordered(review.shown)
    rated = len(review.shown) == 1
    cue = Cue(
        seat=review.reviewer,
        task=RECORDED,
        sees=review.shown,
        expects=Expects.RATING if rated else Expects.VERDICT,
        private=True,
        ties=True,
    )
    score = review.scores[0] if rated and review.scores else None
    turn = Turn(
        index=0,
        cue=cue,
        utterance=Utterance(text=review.text, simulated=simulated),
        review=Review(verdict=None if rated else review.verdict, score=score, rule=RECORDED),
    )
    return Transcript(
        id=content_hash(comparison.id, review.reviewer, list(review.shown), repetition),
        comparison=shown,
        protocol=RECORDED,
        seats=(Seat(id=review.reviewer, reviewer=review.reviewer),),
        turns=(turn,),
        stop=StopReason.COMPLETE,
        verdict=review.verdict,
        condition=RECORDED,
        repetition=repetition,
    )
