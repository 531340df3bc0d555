"""Gold scores of comparisons, for measures that read recorded reviews."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from peerjudge.analysis.selecting import HUMAN
from peerjudge.data import Comparison, RecordedReview
from peerjudge.ranking import score

__all__ = ["HUMAN", "gold_scores"]


def gold_scores(
    comparisons: Mapping[str, Comparison], reviews: Iterable[RecordedReview], gold: str
) -> dict[str, int]:
    """By comparison the score of its gold, in the comparison's own order, where there is one.

    Where a reviewer that serves as gold gave several verdicts on a comparison, it is the sign of
    their mean.
    """
    votes: defaultdict[str, list[int | None]] = defaultdict(list)
    if gold == HUMAN:
        for name, one in comparisons.items():
            if one.gold is not None:
                votes[name].append(score(one.gold, (one.shown[0], one.shown[1])))
    for review in reviews if gold != HUMAN else ():
        if review.reviewer == gold and review.comparison in comparisons:
            shown = comparisons[review.comparison].shown
            votes[review.comparison].append(score(review.verdict, (shown[0], shown[1])))
    readable = {name: [vote for vote in given if vote is not None] for name, given in votes.items()}
    return {name: (sum(given) > 0) - (sum(given) < 0) for name, given in readable.items() if given}
