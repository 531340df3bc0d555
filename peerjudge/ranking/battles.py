"""Reviews of two answers by two contestants, as battles between these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from peerjudge.data import (
    Answer,
    Battle,
    Comparison,
    Dataset,
    Outcome,
    RecordedReview,
    Tournament,
    Transcript,
    Verdict,
)
from peerjudge.errors import DataError
from peerjudge.ranking.collecting import collect, select
from peerjudge.ranking.stances import Stance, reviews_from_transcripts

__all__ = ["battles_from_reviews", "battles_from_transcripts", "from_dataset", "score"]


def from_dataset(dataset: Dataset, *, reviewers: Collection[str] | None = None) -> Tournament:
    """The tournament of a dataset's recorded reviews.

    Args:
        dataset: its `humans` judge only when named, and each pair they voted on is one battle.
        reviewers: whose reviews count; `None` is everybody but the humans.

    Raises:
        DataError: a named reviewer gave no review that makes a battle.
    """
    humans = set(dataset.humans)
    wanted = (
        [review for review in dataset.reviews if review.reviewer not in humans]
        if reviewers is None
        else dataset.reviews
    )
    tournament = collect(battles_from_reviews(dataset.comparisons, wanted, panels=humans))
    return tournament if reviewers is None else select(tournament, reviewers=reviewers)


def battles_from_reviews(
    comparisons: Iterable[Comparison],
    reviews: Iterable[RecordedReview],
    *,
    panels: Collection[str] = (),
) -> Iterator[Battle]:
    """One battle per review of two answers by two different authors; other reviews are passed over.

    Args:
        comparisons: those that the reviews speak of.
        reviews: each in the order in which its reviewer saw the answers.
        panels: reviewers that stand for several people. All votes under such a name on one
            comparison make one battle, scored by the sign of their mean; that reading of the human
            votes is the one which reproduces PRD Table 2. These battles come last.

    Raises:
        DataError: a review of an unknown comparison, or of answers the comparison does not have.
    """
    known = {comparison.id: comparison for comparison in comparisons}
    votes: defaultdict[tuple[str, str], list[Battle]] = defaultdict(list)
    for review in reviews:
        pair = _contestants(known, review)
        if pair is None:
            continue
        battle = Battle(
            question=known[review.comparison].question.id,
            reviewer=review.reviewer,
            first=pair[0].author,
            second=pair[1].author,
            score=score(review.verdict, (pair[0].id, pair[1].id)),
        )
        if review.reviewer in panels:
            votes[review.comparison, review.reviewer].append(battle)
        else:
            yield battle
    yield from map(_settled, votes.values())


def battles_from_transcripts(
    transcripts: Iterable[Transcript], *, stance: Stance
) -> Iterator[Battle]:
    """One battle per seat that was asked for a verdict on two answers by two different authors.

    `stance` is `private` (what the seat thought before it heard anybody) or `final` (its last
    word). A seat that gave no readable verdict makes a battle with score `None`.
    """
    for transcript in transcripts:
        yield from battles_from_reviews(
            [transcript.comparison], reviews_from_transcripts([transcript], stance=stance)
        )


def score(verdict: Verdict, shown: tuple[str, str]) -> int | None:
    """A verdict on two shown answers as PRD scores it: -1 first, 0 tie, +1 second, else `None`."""
    if verdict.outcome is Outcome.TIE:
        return 0
    if verdict.outcome is not Outcome.CHOICE:
        return None
    if verdict.choice not in shown:
        msg = f"the verdict chooses {verdict.choice!r}, which is not among the answers {shown}"
        raise DataError(msg)
    return -1 if verdict.choice == shown[0] else 1


def _contestants(
    known: Mapping[str, Comparison], review: RecordedReview
) -> tuple[Answer, Answer] | None:
    comparison = known.get(review.comparison)
    if comparison is None:
        msg = f"a review by {review.reviewer!r} is of the unknown comparison {review.comparison!r}"
        raise DataError(msg)
    if len(review.shown) != 2:
        return None
    first, second = (comparison.answer(answer) for answer in review.shown)
    known_authors = first.author and second.author
    return (first, second) if known_authors and first.author != second.author else None


def _settled(votes: list[Battle]) -> Battle:
    lead = votes[0]
    scores = [
        vote.score if vote.first == lead.first else -vote.score
        for vote in votes
        if vote.score is not None
    ]
    total = sum(scores)
    settled = (total > 0) - (total < 0) if scores else None
    return Battle(
        question=lead.question,
        reviewer=lead.reviewer,
        first=lead.first,
        second=lead.second,
        score=settled,
    )
