"""Discussions against cheaper ways to judge: their seats alone, self-consistency, and the vote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal, TypeAlias

import numpy as np

from peerjudge.analysis.ballots import NONE, Ballots, Bools, Discussions, Floats, Numbers, Stage
from peerjudge.analysis.grouping import average_by_group, list_distinct
from peerjudge.analysis.inference import Sampler, adjust_holm
from peerjudge.analysis.signflips import (
    PairedDifference,
    choose_on_others,
    compute_over_best,
    measure_at_once,
)
from peerjudge.data import Alternative, Measurement, Noun, Primary, replace

VOTE = "vote"
"""The protocol in which no seat hears another."""
DECLARED: tuple[Alternative, ...] = ("best seat", "self-consistency", "vote")
"""Alternatives whose contrasts form the declared family of tests; the others are exploratory."""


class Contrast(Noun, frozen=True, kw_only=True):
    """The accuracy of a discussion minus that of an alternative, on the comparisons that both judged.

    `against` names the reviewers or the conditions that are the alternative, `turns` and `other_turns`
    are the mean calls per verdict. `difference` is a mean over comparisons, with the sign-flip test of
    questions; `p_holm` is its p-value adjusted within the family, and equal to it for the `primary`
    contrast of the experiment. Without a difference, `reason` says why. `decider` is the reviewer who
    decides every even split of the vote, which is then no fair alternative.
    """

    alternative: Alternative
    against: tuple[str, ...] = ()
    comparisons: int = 0
    difference: PairedDifference | None = None
    p_holm: float = nan
    primary: bool = False
    turns: float = 0.0
    other_turns: float = 0.0
    reason: str = ""
    decider: str = ""

    @property
    def family(self) -> Literal["primary", "declared", "exploratory"]:
        """The family of tests in which the p-value is adjusted."""
        if self.primary:
            return "primary"
        return "declared" if self.alternative in DECLARED else "exploratory"


class ConditionContrasts(Noun, frozen=True, kw_only=True):
    """A discussion against each alternative.

    The mean seat and the best seat are the private verdicts of its own seats; the best one is chosen
    for each question on all other questions. Self-consistency is the vote of that reviewer alone, the
    vote that of all its reviewers, with the nearest number of calls.

    `seat_at_once` and `best_at_once` are against the best seat, and against the best of its seats,
    self-consistency and the vote; their bounds hold for all conditions of the run at once.
    """

    condition: str
    over_mean_seat: Contrast
    over_best_seat: Contrast
    over_self_consistency: Contrast
    over_vote: Contrast
    seat_at_once: Measurement | None = None
    best_at_once: Measurement | None = None

    @property
    def by_name(self) -> Mapping[str, Contrast]:
        """The contrasts by the names of their fields, from the cheapest alternative to the dearest."""
        names = ("over_mean_seat", "over_best_seat", "over_self_consistency", "over_vote")
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
class _Talk:
    """A discussion with the ways of each alternative, and why an alternative has none.

    `alone` are the votes of each of its reviewers alone, also of those that are on no question the best.
    """

    way: _Way
    others: Mapping[Alternative, tuple[_Way, ...]]
    alone: tuple[_Way, ...]
    missing: Mapping[Alternative, str]


_Subtracted: TypeAlias = tuple[Floats, Floats, Bools]
"""Differences and accuracies of the others, `[comparison, other]`, and the comparisons with any."""

_NO_GOLD = "no comparison has a gold answer and readable verdicts of both"


def build_contrasts(
    ballots: Ballots, *, sampler: Sampler, primary: Primary | None = None
) -> tuple[ConditionContrasts, ...]:
    """Return every condition in which seats heard each other against its alternatives.

    Controls are left out. Only readable conclusions and verdicts of complete discussions on comparisons
    with gold count. P-values are adjusted (Holm) in two families: the contrasts of all conditions with
    the best seat, self-consistency and the vote, and those with the mean seat.

    Args:
        ballots: of a run.
        sampler: seed and level of tests and intervals.
        primary: the contrast that the experiment declared, which is not adjusted and adjusts no other.
    """
    talks = list(_list_talks(ballots))
    question = ballots.question_of
    rows = [_contrast(talk, question, sampler, primary) for talk in talks]
    return _adjust(_bound_at_once(rows, talks, question, sampler))


def collect_differences(ballots: Ballots, primary: Primary) -> tuple[Floats, Floats, Numbers]:
    """Return the primary contrast by comparison: differences, accuracies of the others, questions.

    The first two are `[comparison, alternative]`, NaN where missing, for comparisons with any. Unlike
    in `build_contrasts`, self-consistency is that of each seat, so that its alternatives do not depend
    on the results.
    """
    for talk in _list_talks(ballots):
        if talk.way.name == primary.condition:
            lone = primary.alternative == "self-consistency"
            others = talk.alone if lone else talk.others[primary.alternative]
            differences, values, rows = _subtract(talk.way, others)
            return differences, values, ballots.question_of[rows]
    return np.empty((0, 0)), np.empty((0, 0)), np.empty(0, dtype=np.int32)


def list_p_values(
    rows: Sequence[ConditionContrasts], *, family: str = "declared"
) -> dict[tuple[str, Alternative], float]:
    """Return the p-values of a family of tests by condition and alternative."""
    return {
        (row.condition, one.alternative): one.difference.p_value
        for row in rows
        for one in row.all
        if one.family == family and one.difference is not None
    }


def _list_talks(ballots: Ballots) -> Iterator[_Talk]:
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


def _find_others(way: _Way, opening: Ballots, votes: Sequence[_Way]) -> _Talk:
    """Return a discussion with its seats, from their private verdicts, and the votes that match it."""
    facts = opening.discussions
    private = (facts.turns - facts.spoken) / facts.seats
    calls = float(private[opening.discussion].mean()) if len(opening) else 0.0
    seats = tuple(
        _Way(name=name, reviewers=frozenset({reviewer}), right=_average(own), turns=calls)
        for reviewer, name, own in _split_seats(opening)
    )
    alone, alone_missing = _find_alone(way, seats, votes, opening.question_of)
    lone = dict.fromkeys(seat.reviewers for seat in seats)
    vote, vote_missing = _match_vote(way, way.reviewers, votes)
    mean = _Way(name="all seats", reviewers=way.reviewers, right=_average(opening), turns=calls)
    return _Talk(
        way=way,
        others={
            "mean seat": (mean,),
            "best seat": seats,
            "self-consistency": alone,
            "vote": vote,
        },
        alone=tuple(one for reviewers in lone for one in _match_vote(way, reviewers, votes)[0]),
        missing={"self-consistency": alone_missing, "vote": vote_missing},
    )


def _split_seats(opening: Ballots) -> Iterator[tuple[str, str, Ballots]]:
    """Yield reviewer, name and private verdicts of each reviewer, told apart by its temperature."""
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
    way: _Way, seats: Sequence[_Way], votes: Sequence[_Way], question: Numbers
) -> tuple[tuple[_Way, ...], str]:
    """Return the votes of each reviewer that is the best seat on any question, or what is missing."""
    _, values, rows = _subtract(way, seats)
    if not rows.any():
        return (), _NO_GOLD
    best: Bools = np.asarray(choose_on_others(values, question[rows]).any(axis=0))
    wanted = dict.fromkeys(
        seat.reviewers for seat, is_best in zip(seats, best, strict=True) if is_best
    )
    alone: list[_Way] = []
    for reviewers in wanted:
        vote, missing = _match_vote(way, reviewers, votes)
        if missing:
            return (), missing
        alone += vote
    return tuple(alone), ""


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


def _subtract(way: _Way, others: Sequence[_Way]) -> _Subtracted:
    size = len(way.right)
    values = np.stack([other.right for other in others], axis=1) if others else np.empty((size, 0))
    differences = way.right[:, None] - values
    rows: Bools = np.asarray((~np.isnan(differences)).any(axis=1))
    return differences[rows], values[rows], rows


def _contrast(
    talk: _Talk, question: Numbers, sampler: Sampler, primary: Primary | None
) -> ConditionContrasts:
    def measure(alternative: Alternative) -> Contrast:
        others = talk.others[alternative]
        differences, values, rows = _subtract(talk.way, others)
        reason = talk.missing.get(alternative, "")
        declared = primary == Primary(condition=talk.way.name, alternative=alternative)
        if reason or not len(differences) or np.isnan(differences).all(axis=0).any():
            return Contrast(alternative=alternative, primary=declared, reason=reason or _NO_GOLD)
        return Contrast(
            alternative=alternative,
            against=tuple(other.name for other in others),
            comparisons=int(rows.sum()),
            difference=sampler.over_best(differences, values, question[rows]),
            turns=talk.way.turns,
            other_turns=sum(one.turns for one in others) / len(others),
            primary=declared,
            decider=next((one.decider for one in others), "") if alternative == "vote" else "",
        )

    return ConditionContrasts(
        condition=talk.way.name,
        over_mean_seat=measure("mean seat"),
        over_best_seat=measure("best seat"),
        over_self_consistency=measure("self-consistency"),
        over_vote=measure("vote"),
    )


def _bound_at_once(
    rows: Sequence[ConditionContrasts],
    talks: Sequence[_Talk],
    question: Numbers,
    sampler: Sampler,
) -> list[ConditionContrasts]:
    """Return the rows with simultaneous bounds over the best seat and over all alternatives."""
    groups: list[Floats] = []
    values: list[float] = []
    bounded = [row.condition for row in rows if row.over_best_seat.difference]
    for row, talk in zip(rows, talks, strict=True):
        if row.condition not in bounded:
            continue
        kinds: list[Alternative] = [
            one.alternative for one in row.all if one.difference and one.alternative in DECLARED
        ]
        # A vote may also be the self-consistency of a lone reviewer.
        every = list(dict.fromkeys(way for kind in kinds for way in talk.others[kind]))
        for others in (talk.others["best seat"], every):
            own = np.stack([other.right for other in others], axis=1)
            differences = talk.way.right[:, None] - own
            groups.append(differences)
            values.append(compute_over_best(differences, own, question))
    if not groups:
        return list(rows)
    used: Bools = np.asarray((~np.isnan(np.hstack(groups))).any(axis=1))
    bounds = measure_at_once(
        [group[used] for group in groups],
        question[used],
        values,
        seed=sampler.seed,
        level=sampler.level,
    )
    seat, best = (dict(zip(bounded, part, strict=True)) for part in (bounds[::2], bounds[1::2]))
    return [
        replace(row, seat_at_once=seat.get(row.condition), best_at_once=best.get(row.condition))
        for row in rows
    ]


def _adjust(rows: Sequence[ConditionContrasts]) -> tuple[ConditionContrasts, ...]:
    adjusted: dict[tuple[str, Alternative], float] = {}
    for family in (list_p_values(rows), list_p_values(rows, family="exploratory")):
        adjusted |= dict(zip(family, adjust_holm([*family.values()]), strict=True))

    def fill(row: ConditionContrasts, one: Contrast) -> Contrast:
        own = one.difference.p_value if one.difference is not None else nan
        return replace(one, p_holm=adjusted.get((row.condition, one.alternative), own))

    return tuple(
        replace(row, **{name: fill(row, one) for name, one in row.by_name.items()}) for row in rows
    )
