"""The effects that a planned study could show, and how each simulated study measures them.

As in the analysis of a real study an effect is a mean over comparisons (or a difference of two ratios
of sums) with an interval that comes from the spread between comparisons; here by its normal
approximation instead of by resampling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from peerjudge.data import Role
from peerjudge.experiment import Part, Plan
from peerjudge.plan.simulated import Conditions, Floats, Measures

__all__ = ["Effect", "Estimates", "effects_of", "estimated"]

GAIN = "discussion against private reviews"
VOTE = "discussion against vote"
LEADER = "leader alters less"
METHOD = "against pairwise"

_VOTE = "vote"
_PAIRWISE = "pairwise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What is compared: a condition, and the one it is set `against` where there is one."""

    kind: str
    condition: str
    against: str = ""

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.condition}: {self.kind}" + (f" ({self.against})" if self.against else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """An effect in every study: its value and its standard error, NaN where it has none."""

    value: Floats
    error: Floats


def effects_of(plan: Plan) -> tuple[Effect, ...]:
    """The effects that the conditions of this plan can show."""
    return tuple(_effects(plan))


def estimated(effect: Effect, conditions: Conditions) -> Estimates:
    """What the studies find of an effect."""
    measured = conditions[effect.condition]
    if effect.kind == LEADER:
        return _of_ratios(measured)
    other = conditions[effect.against].after if effect.against else measured.before
    if other is None:
        msg = f"{effect.condition!r} has no private reviews to be compared with"
        raise AssertionError(msg)
    return _of_means(measured.after - other)


def _effects(plan: Plan) -> Iterator[Effect]:
    votes = [part for part in plan.parts if part.protocol.name == _VOTE]
    lone = [part for part in plan.parts if len(part.seats) == 1]
    for part in plan.parts:
        name = part.condition.name
        if part in lone:
            baseline = _baseline(part, lone)
            if baseline is not None:
                yield Effect(kind=METHOD, condition=name, against=baseline.condition.name)
        elif part.protocol.name != _VOTE:
            yield Effect(kind=GAIN, condition=name)
            alike = [vote for vote in votes if _panel(vote) == _panel(part)]
            if alike or votes:
                vote = (alike or votes)[0].condition.name
                yield Effect(kind=VOTE, condition=name, against=vote)
            if len(part.seats) == len((Role.LEADER, Role.FOLLOWER)):
                yield Effect(kind=LEADER, condition=name)


def _panel(part: Part) -> frozenset[str]:
    return frozenset(seat.reviewer for seat in part.seats)


def _baseline(part: Part, lone: list[Part]) -> Part | None:
    """The pairwise judgement of the same reviewer, if it is another condition."""
    if part.protocol.name == _PAIRWISE:
        return None
    same = [one for one in lone if _panel(one) == _panel(part)]
    return next((one for one in same if one.protocol.name == _PAIRWISE), None)


def _of_means(values: Floats) -> Estimates:
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    some = np.where(count > 1, count, 2)
    total = np.where(known, values, 0.0)
    mean = total.sum(axis=1) / some
    variance = (np.where(known, values - mean[:, None], 0.0) ** 2).sum(axis=1) / (some - 1)
    return Estimates(
        value=np.where(count > 1, mean, np.nan),
        error=np.where(count > 1, np.sqrt(variance / some), np.nan),
    )


def _of_ratios(measured: Measures) -> Estimates:
    """How much more often the follower alters than the leader, of the turns that contradict it."""
    value: Floats = np.zeros(())
    parts: Floats = np.zeros(())
    signs: Mapping[Role, float] = {Role.FOLLOWER: 1.0, Role.LEADER: -1.0}
    for role, sign in signs.items():
        asked, altered = measured.contradicted[role], measured.altered[role]
        total: Floats = np.asarray(asked.sum(axis=1))
        there = total > 0
        share = np.where(there, altered.sum(axis=1) / np.where(there, total, 1.0), np.nan)
        value = value + sign * share
        # The influence of a comparison on its ratio, so that the two ratios' errors may go together.
        rest = altered - share[:, None] * asked
        parts = parts + sign * rest / np.where(there, total, 1.0)[:, None]
    return Estimates(value=value, error=np.sqrt((parts**2).sum(axis=1)))
