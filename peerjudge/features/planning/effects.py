"""Effects that a planned study can show, and their estimates in simulated studies.

As in the analysis of a real study, an effect is a mean over comparisons or a difference of two ratios
of sums. Means are tested as in `compare` (`measure_least`); the interval of a difference of ratios comes from
the spread between comparisons, here by the normal approximation instead of resampling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from peerjudge.analysis.collecting import collect_transcripts
from peerjudge.analysis.contrasts import VOTE as VOTE_PROTOCOL, list_talks
from peerjudge.data import Role, StopReason, Transcript
from peerjudge.errors import ExperimentError
from peerjudge.features.planning.studies import Floats, Measures, list_scripts
from peerjudge.runs import Part, Plan
from peerjudge.simulation.scripts import write_script
from peerjudge.statistics.interval import DIFFERENCE, measure_least, measure_ratios

GAIN = "discussion against private reviews"
BETTER = "discussion against better seat"
VOTE = "discussion against vote"
LEADER = "leader alters less"
METHOD = "against pairwise"
JUDGE = "judge against judge"

EFFECT_KINDS: Mapping[str, str] = {
    "private": GAIN,
    "better-seat": BETTER,
    "vote": VOTE,
    "leader": LEADER,
    "pairwise": METHOD,
    "judge": JUDGE,
}
"""Kinds of effects by the names that `--effect` takes."""

NORMAL = 1.959964
"""Standard errors between a value and the bounds of its 95 % interval."""

_PAIRWISE = "pairwise"
_MISSING: Mapping[str, str] = {
    GAIN: "no condition is a discussion after private reviews (controls are left out)",
    BETTER: (
        "no condition is a discussion in which a seat has a private review (controls are left out)"
    ),
    VOTE: (
        "no condition is a vote; add a condition with protocol='vote' and the seats of the discussion, "
        "repeated until it has as many calls as the discussion"
    ),
    LEADER: "no condition is a discussion of two seats with a leader",
    METHOD: (
        "no condition compares a method with pairwise judgement; add conditions with "
        "protocol='pairwise' and with another method, both with the same reviewer"
    ),
    JUDGE: (
        "no two conditions are judges that discuss nothing; add conditions of one seat each, with "
        "different reviewers or protocols"
    ),
}

Estimates = tuple[Floats, Floats, Floats]
"""Value and standard error of an effect in every study, NaN where undefined; 1 where it is claimed."""

_ERROR_RATE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A condition, and the condition `against` which it is compared, if any.

    `same_reviewers` is true if both conditions have the same reviewers. With a `gain` the discussion is
    assumed to be right that much more often than its better seat, whatever its cards say; `left_out` are
    seats that never judge alone, and are none of these. Of two lone judges, `condition` is the more accurate
    one in simulated studies.
    """

    kind: str
    condition: str
    against: str = ""
    same_reviewers: bool = True
    gain: float | None = None
    left_out: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The heading of effects shown together: a discussion, the best judge, or pairwise judgement."""
        if self.kind == JUDGE:
            return f"{self.condition}, the most accurate judge"
        return self.condition if self.discussed else f"against {self.against}"

    @property
    def primary(self) -> bool:
        """True if an experiment can declare it as its primary contrast."""
        return self.kind in (GAIN, BETTER, VOTE) and self.same_reviewers and self.gain is None

    @property
    def discussed(self) -> bool:
        """True if the effect depends on hearing other reviewers."""
        return self.kind not in (METHOD, JUDGE)


def list_effects(
    plan: Plan,
    *,
    wanted: Sequence[str] = (),
    gain: float | None = None,
    best: str = "",
) -> tuple[Effect, ...]:
    """List the effects that the conditions can show, or the wanted ones by `EFFECT_KINDS`.

    With a `gain`, each comparison with a better seat is listed again with that true gain. `best` is the
    most accurate of the lone judges, with which each other one is compared.

    Raises:
        ExperimentError: An effect is unknown, or the conditions cannot show it.
    """
    unknown = [name for name in wanted if name not in EFFECT_KINDS]
    if unknown:
        msg = f"unknown effect {unknown[0]!r}; choose one of {', '.join(EFFECT_KINDS)}"
        raise ExperimentError(msg)
    found = (*_find_effects(plan), *_find_judges(plan, best))
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
            f"{prefix} any effect: it has no discussion after private reviews (controls are left out), and "
            "no two judges to compare; add such a condition"
        )
        raise ExperimentError(msg)
    return tuple(
        each
        for one in found
        if one.kind in kinds
        for each in (one, *([replace(one, gain=gain)] if one.kind == BETTER and gain else []))
    )


def list_judges(plan: Plan) -> tuple[str, ...]:
    """List the conditions in which one reviewer judges alone."""
    return tuple(part.condition.name for part in _list_lone(plan))


def estimate_effect(effect: Effect, conditions: Mapping[str, Measures]) -> Estimates:
    """Estimate an effect in each simulated study."""
    if effect.kind == LEADER:
        value, error = _compare_ratios(conditions[effect.condition])
        return value, error, (value > NORMAL * error).astype(np.float64)
    differences = list_differences(effect, conditions)
    if differences is None:
        msg = f"{effect.condition!r} has no private reviews to be compared with"
        raise AssertionError(msg)
    # Only comparisons that all ways judged count, as in `build_contrasts`; each is a question.
    known = ~np.isnan(differences).any(axis=1, keepdims=True)
    counts = np.broadcast_to(known, differences.shape).astype(np.float64)
    sums = np.where(known, differences, 0.0)
    ratios = measure_ratios(np.moveaxis(sums, -1, 0), np.moveaxis(counts, -1, 0), limits=DIFFERENCE)
    value, _, _, p_value = measure_least(ratios)
    measured = counts[:, 0].sum(axis=-1) > 1
    value = np.where(measured, value, np.nan)
    claimed = (measured & (p_value <= _ERROR_RATE) & (value > 0.0)).astype(np.float64)
    # The error that gives the least lower bound over the seats.
    each = [_average(differences[:, one]) for one in range(differences.shape[1])]
    low = np.min([mean - NORMAL * error for mean, error in each], axis=0)
    return value, (value - low) / NORMAL, claimed


def list_differences(effect: Effect, conditions: Mapping[str, Measures]) -> Floats | None:
    """Return ours minus each alternative's, `[study, alternative, comparison]`.

    `None` for the leader effect, which is no mean of differences.
    """
    measured = conditions[effect.condition]
    after = measured.after
    if effect.kind == BETTER:
        seats = np.stack([*measured.seats.values()], axis=1)
        if effect.gain is not None:
            after = _gain_on(after, np.nanmean(seats, axis=(0, 2)).max() + effect.gain)
        return after[:, None] - seats
    other = conditions[effect.against].after if effect.against else measured.before
    return None if effect.kind == LEADER or other is None else (after - other)[:, None]


def _find_effects(plan: Plan) -> Iterator[Effect]:
    turns = {part.condition.name: _count_turns(part, plan) for part in plan.parts}
    votes = [part.condition.name for part in plan.parts if part.protocol.name == VOTE_PROTOCOL]
    lone = _list_lone(plan)
    scripted = collect_transcripts(one for part in plan.parts for one in _follow(part, plan))
    talks = {talk.way.name: talk for talk in list_talks(scripted)}
    for part in plan.parts:
        name = part.condition.name
        baseline = _find_baseline(part, lone) if part in lone else None
        if baseline is not None:
            yield Effect(kind=METHOD, condition=name, against=baseline.condition.name)
        if name not in talks:
            continue
        others = talks[name].others
        if others["mean seat"]:
            yield Effect(kind=GAIN, condition=name)
        if others["better seat"]:
            yield Effect(kind=BETTER, condition=name, left_out=talks[name].left_out)
        alike = [vote.name for vote in others["vote"]]
        if votes:
            vote = min(alike or votes, key=lambda vote: abs(turns[vote] - turns[name]))
            yield Effect(kind=VOTE, condition=name, against=vote, same_reviewers=bool(alike))
        if Role.LEADER in part.protocol.list_roles(len(part.seats)):
            yield Effect(kind=LEADER, condition=name)


def _follow(part: Part, plan: Plan) -> Iterator[Transcript]:
    """Yield the discussions of a condition on one comparison, each in its longest course."""
    for number, script in enumerate(list_scripts(part, plan)):
        yield Transcript(
            id=f"{part.condition.name} {number}",
            comparison=script.comparison,
            protocol=part.protocol.name,
            condition=part.condition.name,
            seats=script.seats,
            turns=script.turns,
            stop=StopReason.COMPLETE,
        )


def _find_judges(plan: Plan, best: str) -> Iterator[Effect]:
    """Yield the most accurate lone judge against each other one that judges some of its comparisons."""
    lone = _list_lone(plan)
    for first in (part for part in lone if part.condition.name == best):
        for part in lone:
            baseline = _find_baseline(first, lone)
            if (
                part is first
                or part is baseline
                or not any(first.judges(one) and part.judges(one) for one in plan.comparisons)
            ):
                continue
            yield Effect(
                kind=JUDGE,
                condition=best,
                against=part.condition.name,
                same_reviewers=_reviewers(part) == _reviewers(first),
            )


def _list_lone(plan: Plan) -> list[Part]:
    return [part for part in plan.parts if len(part.seats) == 1]


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


def _gain_on(after: Floats, wanted: float) -> Floats:
    """Return accuracies with this mean: some comparisons chosen at random become all right, or all wrong.

    A mean that is no share, as above 1, is that of the nearest share.
    """
    mean = float(np.nanmean(after))
    wanted = min(max(wanted, 0.0), 1.0)
    if wanted == mean:
        return after
    right = wanted > mean
    share = (wanted - mean) / (1.0 - mean) if right else (mean - wanted) / mean
    turned = np.random.default_rng(after.size).random(after.shape) < share
    return np.where(turned & ~np.isnan(after), float(right), after)


def _average(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard error over the comparisons of each study, ignoring NaN."""
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    some = np.where(count > 1, count, 2)
    total = np.where(known, values, 0.0)
    mean = total.sum(axis=1) / some
    variance = (np.where(known, values - mean[:, None], 0.0) ** 2).sum(axis=1) / (some - 1)
    error = np.sqrt(variance / some)
    return np.where(count > 1, mean, np.nan), np.where(count > 1, error, np.nan)


def _compare_ratios(measured: Measures) -> tuple[Floats, Floats]:
    """Return the follower's altering rate minus the leader's, with its standard error.

    A rate counts the contradicted turns of a role. The error adds the influence of each comparison on
    both ratios, so it includes their correlation.
    """
    value: Floats = np.zeros(())
    influence: Floats = np.zeros(())
    signs: Mapping[str, float] = {Role.FOLLOWER: 1.0, Role.LEADER: -1.0}
    for role, sign in signs.items():
        contradicted, altered = measured.contradicted[role], measured.altered[role]
        total: Floats = np.asarray(contradicted.sum(axis=1))
        some = np.where(total > 0, total, 1.0)
        rate = np.where(total > 0, altered.sum(axis=1) / some, np.nan)
        value = value + sign * rate
        influence = influence + sign * (altered - rate[:, None] * contradicted) / some[:, None]
    return value, np.sqrt((influence**2).sum(axis=1))
