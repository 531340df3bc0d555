"""Level and scatter of the ratings of single answers, which need no gold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import nan, sqrt

import numpy as np

from peerjudge.analysis.ballots import Ballots, Floats, Numbers
from peerjudge.analysis.grouping import group_rows, list_distinct
from peerjudge.analysis.intervals import measure_mean
from peerjudge.data import Measurement, Noun, replace

_SCALE = re.compile(r"\bscale=(\d+)-(\d+)\b")


class RatingLevel(Noun, frozen=True, kw_only=True):
    """Ratings of answers by one condition or reviewer, on one aspect (`""`: none named).

    An item is an answer, and its trials are the discussions in which it was rated. `mean` is the mean of
    the items' mean ratings, with questions as the unit of its interval. `sd` is the standard deviation
    of all ratings, `sd_items` that of the items' means, `sd_trials` that of the trials of one item
    (pooled over the items; NaN where no item has two readable ratings). `unreadable` ratings are in
    none of these. `distribution` counts the ratings, to the nearest whole number, on each point of the scale
    from `scale[0]` to `scale[1]`: the scale that was asked for, or else the range of the ratings.
    """

    name: str
    aspect: str
    items: int
    ratings: int
    unreadable: int
    mean: Measurement
    sd: float
    sd_items: float
    sd_trials: float
    scale: tuple[int, int]
    distribution: Mapping[int, int]

    @property
    def trials(self) -> float:
        """The mean number of trials of an item, unreadable ones included."""
        return (self.ratings + self.unreadable) / self.items if self.items else nan


def measure_levels(
    name: str, ballots: Ballots, *, aspect: str = "", level: float = 0.95
) -> RatingLevel:
    """Return the level and the scatter of these ratings.

    Args:
        name: of the condition or reviewer.
        ballots: of its ratings of single answers on one aspect, NaN where a rating is unreadable.
        aspect: what was rated.
        level: of the interval.
    """
    known = ballots.where(~np.isnan(ballots.rating))
    ratings = known.rating
    item, first = group_rows(known.comparison)
    counts = np.bincount(item, minlength=len(first)).astype(np.float64)
    means: Floats = np.bincount(item, ratings, len(first)) / np.maximum(counts, 1.0)
    within = float(((ratings - means[item]) ** 2).sum())
    spare = len(ratings) - len(first)
    scale = _find_scale(ballots, ratings)
    whole = np.floor(ratings + 0.5).astype(np.int64)
    return RatingLevel(
        name=name,
        aspect=aspect,
        items=len(list_distinct(ballots.comparison)),
        ratings=len(known),
        unreadable=len(ballots) - len(known),
        mean=_measure_mean(means, known.question[first], scale, level),
        sd=_deviate(ratings),
        sd_items=_deviate(means),
        sd_trials=sqrt(within / spare) if spare else nan,
        scale=scale,
        distribution={
            point: int((whole == point).sum()) for point in range(scale[0], scale[1] + 1)
        },
    )


def _measure_mean(
    means: Floats, questions: Numbers, scale: tuple[int, int], level: float
) -> Measurement:
    """Return the mean; a single question gives no bounds, as it does not show how much they differ."""
    limits = (float(scale[0]), float(scale[1])) if scale[0] < scale[1] else None
    mean = measure_mean(means, questions, limits=limits, level=level)
    few = len(np.unique(questions)) < 2
    return replace(mean, low=nan, high=nan) if few else mean


def _deviate(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else nan


def _find_scale(ballots: Ballots, ratings: Floats) -> tuple[int, int]:
    """Return the scale that the settings of the discussions name, widened to hold all ratings."""
    facts = ballots.discussions
    codes = list_distinct(facts.setting[ballots.discussion]) if len(facts) else []
    named = [found for code in codes if (found := _SCALE.search(facts.settings[code]))]
    ends = [int(end) for found in named for end in found.groups()]
    ends += (
        [int(np.floor(end + 0.5)) for end in (ratings.min(), ratings.max())] if len(ratings) else []
    )
    return (min(ends), max(ends)) if ends else (0, 0)
