"""The effects that a planned study could show, and how each simulated study measures them.

As in the analysis of a real study an effect is a mean over comparisons (or a difference of two ratios
of sums) with an interval that comes from the spread between comparisons; here by its normal
approximation instead of by resampling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.data import Role
from peerjudge.errors import ExperimentError
from peerjudge.power.simulated import Conditions, Floats, Measures
from peerjudge.runs import Part, Plan
from peerjudge.simulation.scripts import write_script

__all__ = [
    "GAIN",
    "LEADER",
    "METHOD",
    "NAMES",
    "VOTE",
    "VOTE_PROTOCOL",
    "Effect",
    "Estimates",
    "effects_of",
    "estimated",
]

GAIN = "discussion against private reviews"
VOTE = "discussion against vote"
LEADER = "leader alters less"
METHOD = "against pairwise"

NAMES: Mapping[str, str] = {"private": GAIN, "vote": VOTE, "leader": LEADER, "pairwise": METHOD}
"""The kinds of effects by the short names under which they are asked for."""

_ABSENT: Mapping[str, str] = {
    GAIN: "no condition of it discusses",
    VOTE: (
        "it has no vote to set a discussion against; add a condition with protocol='vote' and the seats "
        "of the discussion, as many times over as the discussion has turns"
    ),
    LEADER: "no condition of it is a discussion of two, one of whom leads",
    METHOD: (
        "it has no method beside a pairwise judgement; add conditions with protocol='pairwise' and "
        "with another method, both with the same reviewer"
    ),
}
VOTE_PROTOCOL = "vote"
_PAIRWISE = "pairwise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What is compared: a condition, and the one it is set `against` where there is one.

    `same_reviewers` says whether the same ones judge there.
    """

    kind: str
    condition: str
    against: str = ""
    same_reviewers: bool = True

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.condition}: {self.kind}" + (f" ({self.against})" if self.against else "")

    @property
    def group(self) -> str:
        """The discussion it is about, or the pairwise judgement that other methods are held against."""
        return self.condition if self.discussed else self.against

    @property
    def discussed(self) -> bool:
        """Whether it depends on what hearing others does."""
        return self.kind != METHOD


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """An effect in every study: its value and its standard error, NaN where it has none."""

    value: Floats
    error: Floats


def effects_of(plan: Plan, *, wanted: Sequence[str] = ()) -> tuple[Effect, ...]:
    """The effects that the conditions of this plan can show, or the wanted ones, by `NAMES`.

    Raises:
        ExperimentError: an effect is not known, or cannot be shown by these conditions.
    """
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        msg = f"there is no effect {unknown[0]!r}; known are {', '.join(NAMES)}"
        raise ExperimentError(msg)
    found = tuple(_effects(plan))
    kinds = [NAMES[name] for name in wanted] or list(dict.fromkeys(one.kind for one in found))
    named = f"experiment {plan.experiment.name!r} cannot show"
    for kind in kinds:
        if kind not in {one.kind for one in found}:
            msg = f"{named} {kind!r}: {_ABSENT[kind]}"
            raise ExperimentError(msg)
    if not found:
        msg = (
            f"{named} any effect: it has no discussion, and no method beside a pairwise judgement of "
            "the same reviewer; add such a condition"
        )
        raise ExperimentError(msg)
    return tuple(one for one in found if one.kind in kinds)


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
    votes = [part for part in plan.parts if part.protocol.name == VOTE_PROTOCOL]
    lone = [part for part in plan.parts if len(part.seats) == 1]
    for part in plan.parts:
        name = part.condition.name
        if part in lone:
            baseline = _baseline(part, lone)
            if baseline is not None:
                yield Effect(kind=METHOD, condition=name, against=baseline.condition.name)
        elif part.protocol.name != VOTE_PROTOCOL:
            yield Effect(kind=GAIN, condition=name)
            alike = [vote for vote in votes if _panel(vote) == _panel(part)]
            if alike or votes:
                vote = min(
                    alike or votes, key=lambda vote: abs(_turns(vote, plan) - _turns(part, plan))
                )
                yield Effect(
                    kind=VOTE,
                    condition=name,
                    against=vote.condition.name,
                    same_reviewers=bool(alike),
                )
            if len(part.seats) == len((Role.LEADER, Role.FOLLOWER)):
                yield Effect(kind=LEADER, condition=name)


def _panel(part: Part) -> frozenset[str]:
    return frozenset(seat.reviewer for seat in part.seats)


def _turns(part: Part, plan: Plan) -> int:
    return len(write_script(part.protocol, part.seats, plan.comparisons[0]).steps)


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
