"""Measures of each wording and the effect of each factor, from the ballots of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from peerjudge.analysis.ballots import Ballots, Stage
from studies.wording.factors import FACTORS, Cell, build_signs, list_cells

Floats = npt.NDArray[np.float64]

MEASURES = ("margin", "accuracy", "consistency", "first", "bias")
"""Measures of a pair that was judged in both orders.

* `margin`: the probability of the gold answer, from log-odds averaged over the orders.
* `accuracy`: 1 where the margin is above one half.
* `consistency`: 1 where both orders prefer the same answer.
* `first`: the share of orders that prefer the answer shown first.
* `bias`: the mean log-odds of the answer shown first; 0 without preference for a place.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """Measures as `[measure, wording, pair]`, NaN where a pair lacks an order or log-probabilities."""

    wordings: tuple[str, ...]
    pairs: tuple[str, ...]
    values: Floats

    def of(self, wording: str) -> Floats:
        """Return `[measure, pair]` of one wording."""
        return self.values[:, self.wordings.index(wording)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Mean difference between the new and the former level of a factor, with its standard error."""

    factor: str
    measure: str
    estimate: float
    error: float
    pairs: int


def measure_wordings(ballots: Ballots) -> Measured:
    """Measure all wordings (conditions) on all pairs of a run with log-probabilities."""
    facts = ballots.discussions
    share = ballots.probabilities.astype(np.float64)
    of_two = (~np.isnan(share)).sum(axis=1) == 2
    said = ballots.where((ballots.stage != Stage.CONCLUDED) & of_two)
    wordings, pairs = facts.conditions, tuple(one.id for one in ballots.comparisons)
    odds = np.full((2, len(wordings), len(pairs)), np.nan)
    if len(said):
        swapped = said.swapped.astype(np.int64)
        condition = facts.condition[said.discussion]
        odds[swapped, condition, said.comparison] = np.log(
            said.probabilities[:, 0] / said.probabilities[:, 1]
        )
    gold = np.where(ballots.gold_of >= 0, 1.0 - 2.0 * ballots.gold_of, np.nan)
    mean = odds.mean(axis=0)
    prefers = np.where(np.isnan(odds), np.nan, np.sign(odds))
    values = np.stack(
        [
            1 / (1 + np.exp(-mean * gold)),
            np.where(np.isnan(mean * gold), np.nan, mean * gold > 0),
            np.where(np.isnan(mean), np.nan, prefers[0] == prefers[1]),
            (1 + (prefers[0] - prefers[1]) / 2) / 2,
            (odds[0] - odds[1]) / 2,
        ]
    )
    return Measured(wordings=wordings, pairs=pairs, values=values)


def measure_effects(measured: Measured, *, folded: bool = False) -> tuple[Effect, ...]:
    """Return the effect of every factor on every measure, over the pairs that all cells judged.

    Per pair, an effect is the mean of the cells at the new level less the mean of those at the former
    one; its standard error is that of the mean over pairs.
    """
    cells: tuple[Cell, ...] = list_cells(folded=folded)
    places = [measured.wordings.index(cell.name) for cell in cells]
    values = measured.values[:, places]
    whole = ~np.isnan(values).any(axis=(0, 1))
    by_pair = build_signs(cells) @ values[:, :, whole] / (len(cells) / 2)
    count = int(whole.sum())
    spread = (
        by_pair.std(axis=2, ddof=1) / np.sqrt(count) if count > 1 else by_pair[:, :, 0] * np.nan
    )
    return tuple(
        Effect(
            factor=factor,
            measure=name,
            estimate=float(by_pair[row, place].mean()),
            error=float(spread[row, place]),
            pairs=count,
        )
        for place, factor in enumerate(FACTORS)
        for row, name in enumerate(MEASURES)
    )


def compare_wordings(one: Floats, other: Floats) -> tuple[float, float, int]:
    """Return the mean paired difference of two rows of values, its standard error, and the pairs."""
    difference = (one - other)[~np.isnan(one - other)]
    count = len(difference)
    error = float(difference.std(ddof=1) / np.sqrt(count)) if count > 1 else float("nan")
    return float(difference.mean()) if count else float("nan"), error, count
