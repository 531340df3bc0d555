"""Comparisons and cards as the fast path takes them: arrays of what sways a simulated reviewer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from peerjudge.data import Card, Comparison, Outcome
from peerjudge.errors import DataError
from peerjudge.simulation.fast import Items, Speaker
from peerjudge.simulation.judgement import is_machine, is_own, log_length
from peerjudge.simulation.subsets import subset_of
from peerjudge.simulation.traits import read_traits

__all__ = ["items_of", "speaker_of"]

_PAIR = 2


def items_of(comparisons: Sequence[Comparison]) -> Items:
    """What the comparisons are like; raises `DataError` if any has more or fewer than two answers."""
    for comparison in comparisons:
        if len(comparison.answers) != _PAIR:
            msg = (
                f"comparison {comparison.id!r} has {len(comparison.answers)} answers; only pairs can be "
                "simulated fast"
            )
            raise DataError(msg)
    subsets = [subset_of(comparison) for comparison in comparisons]
    machines = [[is_machine(answer) for answer in pair.answers] for pair in comparisons]
    return Items(
        gold=np.array([_gold(comparison) for comparison in comparisons], dtype=np.int8),
        known=np.array([_known(comparison) for comparison in comparisons], dtype=np.bool_),
        clarity=np.array([subset.clarity for subset in subsets]),
        lure=np.array([subset.lure for subset in subsets]),
        length=np.array(
            [log_length(pair.answers[0]) - log_length(pair.answers[1]) for pair in comparisons]
        ),
        machine=np.array([int(one) - int(other) for one, other in machines], dtype=np.int8),
        machines=np.array([int(one) + int(other) for one, other in machines], dtype=np.int8),
    )


def speaker_of(card: Card, comparisons: Sequence[Comparison]) -> Speaker:
    """A simulated reviewer, and which of the answers are its own; raises `CardError` as `read_traits`."""
    own = [[is_own(answer, card) for answer in pair.answers] for pair in comparisons]
    return Speaker(
        name=card.name,
        traits=read_traits(card),
        own=np.array([int(one) - int(other) for one, other in own], dtype=np.int8),
    )


def _known(comparison: Comparison) -> bool:
    gold = comparison.gold
    return gold is not None and gold.readable


def _gold(comparison: Comparison) -> int:
    gold = comparison.gold
    if gold is None or gold.outcome is Outcome.TIE or gold.choice is None:
        return 0
    return 1 if gold.choice == comparison.shown[0] else -1
