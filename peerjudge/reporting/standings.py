"""Sentences about a ranking: reviews, weights and bounds."""

from __future__ import annotations

from peerjudge.data import Ranking, Scoring

_LIGHT = 3
"""Pairs of little weight named in the sentence; the document has all."""


def describe_ranking(ranking: Ranking, *, orders: int, bootstrap: int) -> str:
    """Return the number of reviews, the origin of the weights, and the meaning of the bounds.

    Args:
        ranking: the ranking.
        orders: number of orders of the battles, for Elo.
        bootstrap: number of resamples that were wanted.
    """
    bounds = _describe_bounds(ranking, orders=orders, bootstrap=bootstrap)
    read = f"{ranking.reviews:,} reviews, {ranking.unreadable:,} more without a readable verdict"
    read += _schedule(ranking)
    found = ranking.weights
    if found.scheme is None:
        return "; ".join(filter(None, [read, "equal weights", bounds]))
    weights = f"{found.scheme} scheme, {found.iterations} iterations"
    others = [name for name in found.weights if name not in ranking.contestants]
    mean = (
        f"mean weight for reviewers that are no contestants: {', '.join(others)}" if others else ""
    )
    return "; ".join(filter(None, [read, weights, mean, bounds]))


def _describe_bounds(ranking: Ranking, *, orders: int, bootstrap: int) -> str:
    """Return what the bounds of the scores are, or why there are none."""
    if ranking.resamples:
        asked = ranking.questions
        lost = [
            f"{count:,} of them {what}"
            for count, what in (
                (
                    ranking.unsettled,
                    "have peer weights that did not settle; their last weights are used",
                ),
                (
                    ranking.propped,
                    "have no finite estimate; one tied battle was added to every pair",
                ),
            )
            if count
        ]
        said = f"bounds are 95 %, from {ranking.resamples:,} resamples of the {asked:,} questions"
        return "; ".join([said, *lost])
    why = "all reviews are of one question, so no resampling" if bootstrap else ""
    if ranking.scoring is Scoring.ELO:
        return f"bounds are 95 % of {orders:,} random orders of the battles{why and '; '}{why}"
    return f"no bounds: {why}" if why else ""


def _schedule(ranking: Ranking) -> str:
    """Return how pairs that only some reviewers judged were counted, and which have little weight."""
    if not ranking.by_opponent:
        return ""
    rule = "; reviewers judged different pairs, so each pair is weighted by its own judges"
    light = [
        f"{pair.one} and {pair.other} by {', '.join(pair.reviewers)} ({pair.weight:.3f} of the weight)"
        for pair in ranking.light_pairs[:_LIGHT]
    ]
    more = len(ranking.light_pairs) - len(light)
    rest = f", and {more} pairs more" if more else ""
    return f"{rule}; decided by little weight: {', '.join(light)}{rest}" if light else rule
