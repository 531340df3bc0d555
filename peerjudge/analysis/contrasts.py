"""Discussions against cheaper ways to judge: their seats alone, self-consistency, and the vote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from peerjudge.analysis.ballots import NONE, Ballots, Bools, Discussions, Floats, Numbers, Stage
from peerjudge.analysis.grouping import average_by_group, list_distinct
from peerjudge.data import Alternative, Measurement, Noun, Primary, replace
from peerjudge.statistics.clusters import sum_by_cluster
from peerjudge.statistics.interval import (
    DIFFERENCE,
    METHOD,
    PairedDifference,
    measure_least,
    measure_ratios,
)
from peerjudge.statistics.sampler import Sampler
from peerjudge.statistics.testing import adjust_holm

VOTE = "vote"
"""The protocol in which no seat hears another."""


class OverOne(Noun, frozen=True, kw_only=True):
    """The accuracy of a discussion minus that of one other way to judge, and the calls of that way."""

    name: str
    difference: PairedDifference
    turns: float


class Contrast(Noun, frozen=True, kw_only=True):
    """The accuracy of a discussion minus that of an alternative, on the comparisons that all judged.

    `rows` has one difference for each way of the alternative: each seat, each reviewer asked as often, or
    the one vote. Nothing is chosen: `difference` is over the better of them, the least of their values and
    bounds (`measure_least`), and that of the only row where there is one; `None` where a way is missing.
    `turns` are the mean calls per verdict of the discussion. `p_holm` is the p-value adjusted for the other
    conditions with the same alternative, and equal to it for the `primary` contrast of the experiment.
    `reason` says what is missing. `decider` is the reviewer who decides every even split of the vote, which
    is then no fair alternative. `left_out` are the seats that never judged alone, and are in no row.
    """

    alternative: Alternative
    rows: tuple[OverOne, ...] = ()
    comparisons: int = 0
    difference: PairedDifference | None = None
    p_holm: float = nan
    primary: bool = False
    turns: float = 0.0
    reason: str = ""
    decider: str = ""
    left_out: tuple[str, ...] = ()

    @property
    def against(self) -> tuple[str, ...]:
        """The reviewers or conditions that are the alternative."""
        return tuple(row.name for row in self.rows)


class ConditionContrasts(Noun, frozen=True, kw_only=True):
    """A discussion against each alternative.

    Mean and better seat are the private verdicts of its seats that judged alone. Self-consistency is the vote
    of one of their reviewers alone, the vote that of all its reviewers, with the nearest number of calls.
    """

    condition: str
    over_mean_seat: Contrast
    over_better_seat: Contrast
    over_self_consistency: Contrast
    over_vote: Contrast

    @property
    def by_name(self) -> Mapping[str, Contrast]:
        """The contrasts by the names of their fields, from the cheapest alternative to the dearest."""
        names = ("over_mean_seat", "over_better_seat", "over_self_consistency", "over_vote")
        return {name: getattr(self, name) for name in names}

    @property
    def all(self) -> tuple[Contrast, ...]:
        """The contrasts from the cheapest alternative to the dearest."""
        return tuple(self.by_name.values())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Way:
    """A way to judge: its accuracy by comparison (NaN where unknown) and its calls per verdict.

    `decider` is the reviewer who decides every even split of a vote, if one does.
    """

    name: str
    reviewers: frozenset[str]
    right: Floats
    turns: float
    decider: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Talk:
    """A discussion with the ways of each alternative, and why an alternative has none.

    `left_out` are its seats that never judged alone.
    """

    way: _Way
    others: Mapping[Alternative, tuple[_Way, ...]]
    missing: Mapping[Alternative, str]
    left_out: tuple[str, ...]


_NO_GOLD = "no comparison has a gold answer and readable verdicts of all"
_NOT_ALONE = "no seat judged alone"
_ALONE = ("mean seat", "better seat")


def build_contrasts(
    ballots: Ballots, *, sampler: Sampler, primary: Primary | None = None
) -> tuple[ConditionContrasts, ...]:
    """Return every condition in which seats heard each other against its alternatives.

    Controls are left out. Only readable conclusions and verdicts of complete discussions on comparisons
    with gold count. The p-values of one alternative are adjusted for the conditions of the run (Holm).

    Args:
        ballots: of a run.
        sampler: seed and level of tests and intervals.
        primary: the contrast that the experiment declared, which is not adjusted and adjusts no other.
    """
    question = ballots.question_of
    return _adjust([_contrast(talk, question, sampler, primary) for talk in list_talks(ballots)])


def collect_differences(ballots: Ballots, primary: Primary) -> tuple[Floats, Numbers]:
    """Return the primary contrast by comparison: `[comparison, way]`, and the questions."""
    for talk in list_talks(ballots):
        if talk.way.name == primary.condition:
            differences, rows = _subtract(talk.way, talk.others[primary.alternative])
            return differences, ballots.question_of[rows]
    return np.empty((0, 0)), np.empty(0, dtype=np.int32)


def measure_better(differences: Floats, questions: Numbers, *, level: float) -> PairedDifference:
    """Return the difference over the better of several ways, on the comparisons that all judged.

    Args:
        differences: Ours minus each way's, `[comparison, way]`.
        questions: The question of each comparison.
        level: Of the interval.
    """
    sums = sum_by_cluster(differences, questions)
    counts = sum_by_cluster(np.ones_like(differences), questions)
    ratios = measure_ratios(sums, counts, limits=DIFFERENCE)
    value, low, high, p = (float(one) for one in measure_least(ratios, level=level))
    measured = Measurement(
        value=value, low=low, high=high, n=len(differences), level=level, method=METHOD
    )
    return PairedDifference(difference=measured, p_value=p)


def list_talks(ballots: Ballots) -> Iterator[Talk]:
    """Yield each discussion that is no control with the alternatives that it can be held against."""
    facts = ballots.discussions
    ended = ballots.of_discussions(facts.complete & ~facts.controlled)
    concluded = ended.where(ended.stage == Stage.CONCLUDED)
    opening = ended.where(ended.opening)
    condition = facts.condition[concluded.discussion]
    discussed = list_distinct(condition[facts.discussed[concluded.discussion]])
    ways: dict[int, _Way] = {}
    votes: list[_Way] = []
    for code in list_distinct(condition):
        mine = concluded.where(condition == code)
        number = mine.discussion
        ways[code] = _Way(
            name=facts.conditions[code],
            reviewers=frozenset(reviewer for reviewer, _, _ in facts.list_seats(number)),
            right=_average(mine),
            turns=float(facts.turns[number].mean()),
            decider=_find_decider(facts, number),
        )
        if facts.protocols[int(facts.protocol[number[0]])] == VOTE:
            votes.append(ways[code])
    for code in discussed:
        if ways[code] in votes:
            continue
        own = opening.where(facts.condition[opening.discussion] == code)
        yield _find_others(ways[code], own, votes)


def _find_decider(facts: Discussions, number: Numbers) -> str:
    """Return the reviewer who has the first seat, which decides even splits, in all of these votes."""
    seatings = [facts.seatings[code] for code in list_distinct(facts.seating[number])]
    first = {seats[0][0] for seats in seatings}
    even = all(len(seats) % 2 == 0 and len({seat[0] for seat in seats}) > 1 for seats in seatings)
    settings = [facts.settings[code] for code in list_distinct(facts.setting[number])]
    if len(first) > 1 or not even or any("split=first" not in one.split() for one in settings):
        return ""
    return min(first)


def _average(ballots: Ballots) -> Floats:
    """Return the share of right verdicts among the readable ones by comparison; NaN without any."""
    known = ballots.where(ballots.readable & (ballots.gold != NONE))
    return average_by_group(known.comparison, known.correct, len(ballots.comparisons))


def _find_others(way: _Way, opening: Ballots, votes: Sequence[_Way]) -> Talk:
    """Return a discussion with its seats, from their private verdicts, and the votes that match it."""
    found = list(_split_seats(opening))
    seats = tuple(_build_seat(name, {reviewer}, own) for reviewer, name, own in found if len(own))
    left_out = tuple(name for _, name, own in found if not len(own))
    alone, alone_missing = _find_alone(way, seats, votes)
    vote, vote_missing = _match_vote(way, way.reviewers, votes)
    every = "the seats that judged alone" if left_out else "all seats"
    mean = (_build_seat(every, way.reviewers, opening),) if seats else ()
    return Talk(
        way=way,
        others={
            "mean seat": mean,
            "better seat": seats,
            "self-consistency": alone,
            "vote": vote,
        },
        missing={"self-consistency": alone_missing, "vote": vote_missing},
        left_out=left_out,
    )


def _build_seat(name: str, reviewers: Iterable[str], own: Ballots) -> _Way:
    calls = float(own.discussions.private_calls[own.discussion].mean())
    return _Way(name=name, reviewers=frozenset(reviewers), right=_average(own), turns=calls)


def _split_seats(opening: Ballots) -> Iterator[tuple[str, str, Ballots]]:
    """Yield reviewer, name and private verdicts (maybe none) of each reviewer and temperature."""
    facts = opening.discussions
    seats = facts.list_seats(opening.discussion)
    known = list(dict.fromkeys((reviewer, temperature) for reviewer, _, temperature in seats))
    codes = {key: code for code, key in enumerate(known)}
    by_seat = facts.by_seat(lambda seat: codes.get((seat[0], seat[2]), -1))
    code = by_seat[opening.discussion, opening.seat]
    for number, (reviewer, temperature) in enumerate(known):
        alike = sum(one[0] == reviewer for one in known)
        at = f" at temperature {temperature:g}" if alike > 1 and temperature is not None else ""
        yield reviewer, reviewer + at, opening.where(code == number)


def _find_alone(
    way: _Way, seats: Sequence[_Way], votes: Sequence[_Way]
) -> tuple[tuple[_Way, ...], str]:
    """Return the votes of each reviewer alone, and what is missing for those that have none."""
    matched = [
        _match_vote(way, reviewers, votes)
        for reviewers in dict.fromkeys(seat.reviewers for seat in seats)
    ]
    alone = tuple(dict.fromkeys(vote for found, _ in matched for vote in found))
    return alone, "; ".join(missing for _, missing in matched if missing)


def _match_vote(
    way: _Way, reviewers: frozenset[str], votes: Sequence[_Way]
) -> tuple[tuple[_Way, ...], str]:
    """Return the vote of these reviewers with the nearest number of calls, or what is missing."""
    own = [vote for vote in votes if vote.reviewers == reviewers]
    if own:
        return (min(own, key=lambda vote: abs(vote.turns - way.turns)),), ""
    names = sorted(reviewers)
    times = max(1, round(way.turns / len(names)))
    seats = ", ".join(f'"{name}"' for name in names) + ("," if len(names) == 1 else "")
    return (), (
        f"no vote of {' and '.join(names)}{' alone' if len(names) == 1 else ''} was played; add a "
        f'condition with protocol="vote", seats=({seats}){f" * {times}" if times > 1 else ""}'
    )


def _subtract(way: _Way, others: Sequence[_Way]) -> tuple[Floats, Bools]:
    """Return ours minus each other's, `[comparison, other]`, and the comparisons that all judged."""
    size = len(way.right)
    values = np.stack([other.right for other in others], axis=1) if others else np.empty((size, 0))
    differences = way.right[:, None] - values
    rows: Bools = np.asarray(~np.isnan(differences).any(axis=1)) & bool(others)
    return differences[rows], rows


def _contrast(
    talk: Talk, question: Numbers, sampler: Sampler, primary: Primary | None
) -> ConditionContrasts:
    def measure(alternative: Alternative) -> Contrast:
        others = talk.others[alternative]
        differences, rows = _subtract(talk.way, others)
        missing = talk.missing.get(alternative, "")
        declared = primary == Primary(condition=talk.way.name, alternative=alternative)
        if not len(differences):
            reason = _NO_GOLD if others else missing or _NOT_ALONE
            return Contrast(alternative=alternative, primary=declared, reason=reason)
        asked = question[rows]
        return Contrast(
            alternative=alternative,
            rows=tuple(
                OverOne(
                    name=other.name, difference=sampler.difference(own, asked), turns=other.turns
                )
                for other, own in zip(others, differences.T, strict=True)
            ),
            comparisons=len(differences),
            # Over the better reviewer asked as often, only where each was.
            difference=None if missing else measure_better(differences, asked, level=sampler.level),
            turns=talk.way.turns,
            primary=declared,
            reason=missing,
            left_out=talk.left_out if alternative in _ALONE else (),
            decider=next((one.decider for one in others), "") if alternative == "vote" else "",
        )

    return ConditionContrasts(
        condition=talk.way.name,
        over_mean_seat=measure("mean seat"),
        over_better_seat=measure("better seat"),
        over_self_consistency=measure("self-consistency"),
        over_vote=measure("vote"),
    )


def _adjust(rows: Sequence[ConditionContrasts]) -> tuple[ConditionContrasts, ...]:
    """Return the contrasts with p-values adjusted for the conditions with the same alternative."""
    adjusted: dict[tuple[str, str], float] = {}
    for name in rows[0].by_name if rows else ():
        own = {(row.condition, name): row.by_name[name] for row in rows}
        family = {
            key: one.difference.p_value
            for key, one in own.items()
            if one.difference is not None and not one.primary
        }
        adjusted |= dict(zip(family, adjust_holm([*family.values()]), strict=True))

    def fill(row: ConditionContrasts, name: str, one: Contrast) -> Contrast:
        own = one.difference.p_value if one.difference is not None else nan
        return replace(one, p_holm=adjusted.get((row.condition, name), own))

    return tuple(
        replace(row, **{name: fill(row, name, one) for name, one in row.by_name.items()})
        for row in rows
    )
