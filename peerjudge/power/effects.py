"""Effects that a planned study can show, and their estimates in simulated studies.

As in the analysis of a real study, an effect is a mean over comparisons or a difference of two ratios
of sums. Its interval comes from the spread between comparisons, here by the normal approximation
instead of resampling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from peerjudge.data import Role
from peerjudge.errors import ExperimentError
from peerjudge.power.studies import Floats, Measures
from peerjudge.runs import Part, Plan
from peerjudge.simulation.scripts import write_script

GAIN = "discussion against private reviews"
BEST = "discussion against best seat"
VOTE = "discussion against vote"
LEADER = "leader alters less"
METHOD = "against pairwise"

EFFECT_KINDS: Mapping[str, str] = {
    "private": GAIN,
    "best-seat": BEST,
    "vote": VOTE,
    "leader": LEADER,
    "pairwise": METHOD,
}
"""Kinds of effects by the names that `--effect` takes."""

NORMAL = 1.959964
"""Standard errors between a value and the bounds of its 95 % interval."""

VOTE_PROTOCOL = "vote"
_EQUAL = 1e-9
_PAIRWISE = "pairwise"
_MISSING: Mapping[str, str] = {
    GAIN: "no condition is a discussion",
    BEST: "no condition is a discussion",
    VOTE: (
        "no condition is a vote; add a condition with protocol='vote' and the seats of the discussion, "
        "repeated until it has as many calls as the discussion"
    ),
    LEADER: "no condition is a discussion of two seats with a leader",
    METHOD: (
        "no condition compares a method with pairwise judgement; add conditions with "
        "protocol='pairwise' and with another method, both with the same reviewer"
    ),
}

Estimates = tuple[Floats, Floats]
"""Value and standard error of an effect in every study, NaN where undefined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A condition, and the condition `against` which it is compared, if any.

    `same_reviewers` is true if both conditions have the same reviewers.
    """

    kind: str
    condition: str
    against: str = ""
    same_reviewers: bool = True

    @property
    def group(self) -> str:
        """The discussion, or the pairwise judgement that other methods are compared with."""
        return self.condition if self.discussed else self.against

    @property
    def discussed(self) -> bool:
        """True if the effect depends on hearing other reviewers."""
        return self.kind != METHOD


def list_effects(plan: Plan, *, wanted: Sequence[str] = ()) -> tuple[Effect, ...]:
    """List the effects that the conditions can show, or the wanted ones by `EFFECT_KINDS`.

    Raises:
        ExperimentError: An effect is unknown, or the conditions cannot show it.
    """
    unknown = [name for name in wanted if name not in EFFECT_KINDS]
    if unknown:
        msg = f"unknown effect {unknown[0]!r}; choose one of {', '.join(EFFECT_KINDS)}"
        raise ExperimentError(msg)
    found = tuple(_find_effects(plan))
    kinds = [EFFECT_KINDS[name] for name in wanted] or list(
        dict.fromkeys(one.kind for one in found)
    )
    prefix = f"experiment {plan.experiment.name!r} cannot show"
    for kind in kinds:
        if kind not in {one.kind for one in found}:
            msg = f"{prefix} {kind!r}: {_MISSING[kind]}"
            raise ExperimentError(msg)
    if not found:
        msg = (
            f"{prefix} any effect: it has no discussion, and no method to compare with pairwise "
            "judgement by the same reviewer; add such a condition"
        )
        raise ExperimentError(msg)
    return tuple(one for one in found if one.kind in kinds)


def estimate_effect(effect: Effect, conditions: Mapping[str, Measures]) -> Estimates:
    """Estimate an effect in each simulated study."""
    measured = conditions[effect.condition]
    if effect.kind == LEADER:
        return _compare_ratios(measured)
    if effect.kind == BEST:
        return _compare_best(measured)
    other = conditions[effect.against].after if effect.against else measured.before
    if other is None:
        msg = f"{effect.condition!r} has no private reviews to be compared with"
        raise AssertionError(msg)
    return _average(measured.after - other)


def list_differences(effect: Effect, conditions: Mapping[str, Measures]) -> Floats | None:
    """Return the differences that a primary contrast compares, `[study, alternative, comparison]`.

    `None` for an effect that is no contrast of a discussion with an alternative.
    """
    after = conditions[effect.condition].after
    if effect.kind == BEST:
        return np.stack(
            [after - seat for seat in conditions[effect.condition].seats.values()], axis=1
        )
    before = conditions[effect.condition].before
    other = {
        GAIN: before,
        VOTE: conditions[effect.against].after if effect.kind == VOTE else None,
    }.get(effect.kind)
    return None if other is None else (after - other)[:, None]


def _find_effects(plan: Plan) -> Iterator[Effect]:
    votes = [part for part in plan.parts if part.protocol.name == VOTE_PROTOCOL]
    lone = [part for part in plan.parts if len(part.seats) == 1]
    for part in plan.parts:
        name = part.condition.name
        if part in lone:
            baseline = _find_baseline(part, lone)
            if baseline is not None:
                yield Effect(kind=METHOD, condition=name, against=baseline.condition.name)
        elif part.protocol.name != VOTE_PROTOCOL:
            yield Effect(kind=GAIN, condition=name)
            yield Effect(kind=BEST, condition=name)
            if votes:
                alike = [vote for vote in votes if _reviewers(vote) == _reviewers(part)]
                turns = _count_turns(part, plan)
                vote = min(alike or votes, key=lambda vote: abs(_count_turns(vote, plan) - turns))
                yield Effect(
                    kind=VOTE,
                    condition=name,
                    against=vote.condition.name,
                    same_reviewers=bool(alike),
                )
            if len(part.seats) == len((Role.LEADER, Role.FOLLOWER)):
                yield Effect(kind=LEADER, condition=name)


def _reviewers(part: Part) -> frozenset[str]:
    return frozenset(seat.reviewer for seat in part.seats)


def _count_turns(part: Part, plan: Plan) -> int:
    return len(write_script(part.protocol, part.seats, plan.comparisons[0]).steps)


def _find_baseline(part: Part, lone: list[Part]) -> Part | None:
    """Return the pairwise condition of the same reviewer, unless this is it."""
    if part.protocol.name == _PAIRWISE:
        return None
    same = [one for one in lone if _reviewers(one) == _reviewers(part)]
    return next((one for one in same if one.protocol.name == _PAIRWISE), None)


def _average(values: Floats) -> Estimates:
    """Return mean and standard error over the comparisons of each study, ignoring NaN."""
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    some = np.where(count > 1, count, 2)
    total = np.where(known, values, 0.0)
    mean = total.sum(axis=1) / some
    variance = (np.where(known, values - mean[:, None], 0.0) ** 2).sum(axis=1) / (some - 1)
    error = np.sqrt(variance / some)
    return np.where(count > 1, mean, np.nan), np.where(count > 1, error, np.nan)


def _compare_best(measured: Measures) -> Estimates:
    """Return the mean over the better seat, and the error that gives its lower bound.

    The discussion beats the better seat where it beats each one, so the lower bound is the least of
    those over the seats; as in the analysis of a real study, the seat is chosen for each comparison on
    all others.
    """
    seats = np.stack([*measured.seats.values()])
    known = ~np.isnan(seats)
    right = np.where(known, seats, 0.0)
    others = right.sum(axis=-1, keepdims=True) - right
    number = known.sum(axis=-1, keepdims=True) - known
    means = others / np.maximum(number, 1)
    best = means >= means.max(axis=0) - _EQUAL
    chosen = np.where(best, right, 0.0).sum(axis=0) / best.sum(axis=0)
    value, _ = _average(measured.after - chosen)
    each = [_average(measured.after - seat) for seat in seats]
    low = np.min([mean - NORMAL * error for mean, error in each], axis=0)
    return value, (value - low) / NORMAL


def _compare_ratios(measured: Measures) -> Estimates:
    """Return the follower's altering rate minus the leader's, with its standard error.

    A rate counts the contradicted turns of a role. The error adds the influence of each comparison on
    both ratios, so it includes their correlation.
    """
    value: Floats = np.zeros(())
    influence: Floats = np.zeros(())
    signs: Mapping[Role, float] = {Role.FOLLOWER: 1.0, Role.LEADER: -1.0}
    for role, sign in signs.items():
        contradicted, altered = measured.contradicted[role], measured.altered[role]
        total: Floats = np.asarray(contradicted.sum(axis=1))
        some = np.where(total > 0, total, 1.0)
        rate = np.where(total > 0, altered.sum(axis=1) / some, np.nan)
        value = value + sign * rate
        influence = influence + sign * (altered - rate[:, None] * contradicted) / some[:, None]
    return value, np.sqrt((influence**2).sum(axis=1))
