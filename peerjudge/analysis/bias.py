"""Biases of reviewers: the register of all measures, and their values for a source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.position import measure_consistency, measure_position, measure_preferences
from peerjudge.analysis.selecting import HUMAN, select_judges
from peerjudge.analysis.self_enhancement import measure_self_enhancement
from peerjudge.analysis.verbosity import measure_verbosity
from peerjudge.data import Noun

Rows = tuple[Noun, ...]
"""The values of a measure, one row per reviewer; the first field of a row is its name."""

Measure = Callable[[Ballots, Mapping[str, str], int], Rows]
"""A measure: from ballots on pairs, the families of reviewers and authors by name, and a seed."""

MEASURES: dict[str, Measure] = {
    "position": lambda ballots, _families, _seed: measure_position(ballots),
    "consistency": lambda ballots, _families, _seed: measure_consistency(ballots),
    "self_enhancement": lambda ballots, families, _: measure_self_enhancement(
        ballots, families=families
    ),
    "verbosity": lambda ballots, _, seed: measure_verbosity(ballots, seed=seed),
}
"""All measures by name. A new one needs an entry here only; the command prints its rows."""

DISCUSSED = ("position", "consistency")
"""Measures that are compared before and after a discussion."""


class Bias(Noun, frozen=True, kw_only=True):
    """The biases of reviewers, as rows by name of the measure.

    `discussed` has the measures of `DISCUSSED` for complete discussions in which several seats
    spoke, and the preferences for authors, by name with `_before` and `_after`; `None` without such
    discussions. `simulated` is true if the reviews are of simulated reviewers.
    """

    gold: str
    simulated: bool
    measures: Mapping[str, Rows]
    discussed: Mapping[str, Rows] | None = None


def measure_bias(
    ballots: Ballots,
    *,
    reviewers: Collection[str] | None = None,
    gold: str = HUMAN,
    families: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Bias:
    """Return the biases of the stances that reviewers had before they heard another one.

    Args:
        ballots: of a dataset or a run.
        reviewers: whose ballots to measure; `None` measures all but the humans and `gold`.
        gold: `human` for the gold of the comparisons, else a reviewer whose verdicts serve as gold.
        families: the family of reviewers and authors by name, for self-enhancement.
        seed: of the resampling.

    Raises:
        DataError: there are no ballots on pairs by these reviewers.
    """
    judged = select_judges(ballots.where(ballots.opening), reviewers=reviewers, gold=gold)
    return Bias(
        gold=gold,
        simulated=ballots.simulated,
        measures={
            name: measure(judged, families or {}, seed) for name, measure in MEASURES.items()
        },
        discussed=_measure_discussed(ballots, reviewers, seed),
    )


def _measure_discussed(
    ballots: Ballots, reviewers: Collection[str] | None, seed: int
) -> dict[str, Rows] | None:
    discussions = ballots.discussions
    several = np.flatnonzero(discussions.complete & (discussions.speakers > 1))
    talked = np.isin(ballots.discussion, several)
    if not (talked & ballots.opening).any():
        return None
    before, after = (
        select_judges(ballots.where(talked & stances), reviewers=reviewers)
        for stances in (ballots.opening, ballots.closing)
    )
    measures: dict[str, Callable[[Ballots], Rows]] = {
        name: lambda part, measure=MEASURES[name]: measure(part, {}, seed) for name in DISCUSSED
    }
    measures["preferences"] = measure_preferences
    return {
        f"{name}_{when}": measure(part)
        for name, measure in measures.items()
        for when, part in (("before", before), ("after", after))
    }
