"""Battles between contestants, derived from reviews and transcripts."""

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
    Verdict,
)
from peerjudge.errors import DataError
from peerjudge.ranking.tournament import collect, select


def from_dataset(dataset: Dataset, *, reviewers: Collection[str] | None = None) -> Tournament:
    """Build the tournament of the recorded reviews of a dataset.

    Args:
        dataset: its `humans` count only if named; all their votes on one pair make one battle.
        reviewers: the reviewers to include; `None` includes all but the humans.

    Raises:
        DataError: a named reviewer has no review that makes a battle.
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
    """Yield one battle per review of two answers by two different authors; skip other reviews.

    Args:
        comparisons: the comparisons of the reviews.
        reviews: each with the answers in the order shown to its reviewer.
        panels: names that stand for several people. All votes under such a name on one
            comparison make one battle, scored by the sign of their mean, which reproduces PRD
            Table 2 from the human votes. These battles come last.

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


def score(verdict: Verdict, shown: tuple[str, str]) -> int | None:
    """Score a verdict on two shown answers as in PRD: -1 first, 0 tie, +1 second, else `None`."""
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
