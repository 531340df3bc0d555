"""Sentences and figure of a ranking: reviews, weights and bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan

from peerjudge.data import Measurement, Ranking, Scoring
from peerjudge.reporting.contestants import MOST_ROWS
from peerjudge.reporting.figures import Figure, Row, Rows, build_mark
from peerjudge.reporting.formats import decimal, interval, percent, rating_tick, share_tick
from peerjudge.reporting.layout import Table, build_table

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
    scores = {
        contestant.score
        for contestant in ranking.contestants.values()
        if not isnan(contestant.score)
    }
    if len(scores) == 1 and ranking.reviews:
        bounds = f"{bounds}; the reviews do not tell the contestants apart: all have the same score"
    found = ranking.weights
    if found.scheme is None:
        return "; ".join(filter(None, [read, "equal weights", bounds]))
    weights = f"{found.scheme} scheme, {found.iterations} iterations"
    others = [name for name in found.weights if not ranking.is_contestant(name)]
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
        if ranking.weights.scheme is not None:
            said += ", each with its own weights"
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


def build_battles_table(battles: Sequence[int], means: Mapping[str, Sequence[float]]) -> Table:
    """Return the mean Elo rating of each contestant by number of battles."""

    def mean(values: Sequence[float]) -> Callable[[int], str]:
        return lambda place: decimal(values[place], 0)

    return build_table(
        "Elo rating by number of battles, mean over the orders",
        range(len(battles)),
        ("Battles", lambda place: f"{battles[place]:,}"),
        *((name, mean(values)) for name, values in means.items()),
    )


def draw_standings(ranking: Ranking) -> Figure | None:
    """Return the score of each contestant with its bounds, best first."""
    rated = ranking.scoring is not Scoring.WIN_RATE
    rows: list[Row] = []
    for name, one in ranking.contestants.items():
        if isnan(one.score):
            continue
        low, high = (nan if bound is None else bound for bound in (one.low, one.high))
        measurement = Measurement(value=one.score, low=low, high=high, n=ranking.questions)
        note = interval(measurement, 0) if rated else f"{percent(measurement)} %"
        rows.append(Row(name=name, note=note, marks=[build_mark(measurement)]))
    if not rows:
        return None
    return Figure(
        id="ranking",
        description="Score of each contestant.",
        chart=Rows(
            rows=rows[:MOST_ROWS],
            across="rating" if rated else "battles won; a tie is half a win",
            unit=rating_tick if rated else share_tick,
            limits=None if rated else (0.0, 1.0),
        ),
    )
