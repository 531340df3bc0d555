"""Results of one condition: accuracy, gain, order consistency, agreement, and each seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from peerjudge.analysis.accuracy import Accuracy, Consistency, measure_accuracy, measure_consistency
from peerjudge.analysis.ballots import (
    DIRECTIONS,
    EVENTS,
    NONE,
    OUTCOME_CODES,
    ROLES,
    TIE,
    Ballots,
    Codes,
    Floats,
    Stage,
)
from peerjudge.analysis.effort import Effort
from peerjudge.analysis.grouping import list_distinct
from peerjudge.analysis.influence import CONTRADICTED, count_kinds, has_gold_choice, is_event
from peerjudge.data import Direction, EventKind, Measurement, Noun, Outcome
from peerjudge.statistics.sampler import Sampler
from peerjudge.tracker import NoEventReason


class GroupFindings(Noun, frozen=True, kw_only=True):
    """Accuracy within one subset or category, before and after discussing."""

    name: str
    comparisons: int
    before: Accuracy | None
    after: Accuracy | None


class Agreement(Noun, frozen=True, kw_only=True):
    """The share of discussions in which all readable stances (two or more) are the same."""

    before: Measurement | None
    after: Measurement | None


class SeatFindings(Noun, frozen=True, kw_only=True):
    """One reviewer in one role (`None`: in all of them), before, during and after discussing.

    `first_before` and `first_after` are the shares of its choices that name the first-shown answer.
    `altered` is the share of `ALTERED` among the events in which it was contradicted;
    `towards_gold` and `away_from_gold` count its moves by direction, of all kinds; they are `None` where
    no gold is known.
    """

    reviewer: str
    role: str | None
    discussions: int
    before: Accuracy | None
    after: Accuracy | None
    first_before: Measurement | None
    first_after: Measurement | None
    events: Mapping[EventKind, int]
    no_events: Mapping[NoEventReason, int]
    altered: Measurement | None
    towards_gold: int | None
    away_from_gold: int | None

    @property
    def contradicted(self) -> int:
        """Number of verdicts it gave after hearing one that disagreed with it."""
        return sum(self.events[kind] for kind in CONTRADICTED)


class ConditionFindings(Noun, frozen=True, kw_only=True):
    """One condition of the experiment.

    `before` is the accuracy of the private stances, one per seat and discussion; `after` that of
    the concluded verdicts; `gain` the mean difference within discussions where both are readable.
    A lone judge has no before; neither it nor a vote, where no seat hears another, has a gain.
    `outcomes` counts the concluded verdicts.
    """

    name: str
    protocol: str
    seats: int
    reviewers: tuple[str, ...]
    effort: Effort
    outcomes: Mapping[Outcome, int]
    before: Accuracy | None
    after: Accuracy | None
    gain: Measurement | None
    subsets: tuple[GroupFindings, ...]
    categories: tuple[GroupFindings, ...]
    first_before: Measurement | None
    first_after: Measurement | None
    consistency_before: Consistency
    consistency_after: Consistency
    agreement: Agreement
    by_seat: tuple[SeatFindings, ...]

    @property
    def discusses(self) -> bool:
        """True if a seat of this condition gave a verdict after it heard another one."""
        return any(sum(s.events.values()) + sum(s.no_events.values()) for s in self.by_seat)


def build_condition(
    ballots: Ballots, condition: int, effort: Effort, *, sampler: Sampler
) -> ConditionFindings:
    """Return the results of one condition. Only complete discussions enter shares and counts.

    Args:
        ballots: of a run.
        condition: the code of the condition in `ballots.discussions`.
        effort: of the condition.
        sampler: settings of the resampling.
    """
    discussions = ballots.discussions
    mine = discussions.condition == condition
    begun = int(np.argmax(mine))
    done = ballots.of_discussions(mine & discussions.complete)
    several = (discussions.seats > 1)[done.discussion]
    before = done.where(done.opening & several)
    after = done.where(done.stage == Stage.CONCLUDED)
    return ConditionFindings(
        name=discussions.conditions[condition],
        protocol=discussions.protocols[int(discussions.protocol[begun])],
        seats=int(discussions.seats[begun]),
        reviewers=tuple(dict.fromkeys(seat[0] for seat in discussions.list_seats(mine))),
        effort=effort,
        outcomes={
            outcome: int((after.verdict == OUTCOME_CODES[outcome]).sum())
            if outcome in OUTCOME_CODES
            else int((after.verdict >= 0).sum())
            for outcome in Outcome
        },
        before=measure_accuracy(before, sampler=sampler),
        after=measure_accuracy(after, sampler=sampler),
        gain=_gain(before, after, sampler) if (done.event >= 0).any() else None,
        subsets=_groups(
            before, after, [comparison.subset for comparison in done.comparisons], sampler
        ),
        categories=_groups(
            before, after, [one.question.category for one in done.comparisons], sampler
        ),
        first_before=_choose_first(before, sampler),
        first_after=_choose_first(after, sampler),
        consistency_before=_consistency(before, sampler),
        consistency_after=_consistency(after, sampler),
        agreement=Agreement(
            before=_agreement(after, ballots.stances("opening"), sampler),
            after=_agreement(after, ballots.stances("closing"), sampler),
        ),
        by_seat=build_seats(done, sampler=sampler),
    )


def build_seats(
    done: Ballots, *, sampler: Sampler, by_role: bool = True
) -> tuple[SeatFindings, ...]:
    """Return one row per reviewer (and role), reviewers in order of appearance.

    Args:
        done: ballots of complete discussions.
        sampler: settings of the resampling.
        by_role: tell the roles of a reviewer apart.
    """
    discussions = done.discussions
    numbers = np.array(list_distinct(done.discussion), dtype=np.intp)
    seated: dict[tuple[str, str | None], int] = {}
    seatings: list[int] = discussions.seating[numbers].tolist()
    for seating in seatings:
        for reviewer, role, _ in discussions.seatings[seating]:
            key = (reviewer, role if by_role else None)
            seated[key] = seated.get(key, 0) + 1
    order = list(dict.fromkeys(reviewer for reviewer, _ in seated))
    roles_of = done.role
    rows: list[SeatFindings] = []
    for reviewer, role in sorted(
        seated, key=lambda k: (order.index(k[0]), -1 if k[1] is None else ROLES.index(k[1]))
    ):
        own = done.reviewer == done.reviewers.index(reviewer)
        if role is not None:
            own &= roles_of == ROLES.index(role)
        rows.append(_seat(reviewer, role, seated[reviewer, role], done.where(own), sampler))
    return tuple(rows)


def _seat(
    reviewer: str, role: str | None, discussions: int, own: Ballots, sampler: Sampler
) -> SeatFindings:
    several = (own.discussions.seats > 1)[own.discussion]
    before, after = own.where(own.opening & several), own.where(own.closing)
    contradicted = own.where(is_event(own.event, *CONTRADICTED))
    altered = is_event(contradicted.event, EventKind.ALTERED)
    moves = own.gold_move if has_gold_choice(own) else None
    return SeatFindings(
        reviewer=reviewer,
        role=role,
        discussions=discussions,
        before=measure_accuracy(before, sampler=sampler),
        after=measure_accuracy(after, sampler=sampler),
        first_before=_choose_first(before, sampler),
        first_after=_choose_first(after, sampler),
        events=count_kinds(own.event),
        no_events={
            reason: int((own.event == EVENTS.index(reason)).sum()) for reason in NoEventReason
        },
        altered=sampler.known_mean(altered.astype(np.float64), contradicted.question),
        towards_gold=_count_direction(moves, Direction.TOWARDS),
        away_from_gold=_count_direction(moves, Direction.AWAY),
    )


def _count_direction(moves: Codes | None, direction: Direction) -> int | None:
    return None if moves is None else int((moves == DIRECTIONS.index(direction)).sum())


def _gain(before: Ballots, after: Ballots, sampler: Sampler) -> Measurement | None:
    """Return the mean of conclusion minus mean private stance, over discussions with both and gold."""
    size = len(before.discussions)
    private = before.where(before.readable)
    count = np.bincount(private.discussion, minlength=size)
    right = np.bincount(private.discussion, private.correct, size)
    known = after.where(after.readable & (after.gold != NONE) & (count[after.discussion] > 0))
    share = right[known.discussion] / count[known.discussion]
    gain = sampler.difference(known.correct - share, known.question).difference
    return gain if gain.n else None


def _groups(
    before: Ballots, after: Ballots, names: Sequence[str], sampler: Sampler
) -> tuple[GroupFindings, ...]:
    """Return the accuracies by the name of the comparison's group; an empty name is no group."""
    codes = {name: code for code, name in enumerate(sorted({*names} - {""}))}
    group_of = np.array([codes.get(name, -1) for name in names], dtype=np.int32)
    rows: list[GroupFindings] = []
    for name, code in codes.items():
        inside = group_of == code
        own = after.where(inside[after.comparison])
        if len(own):
            rows.append(
                GroupFindings(
                    name=name,
                    comparisons=len(list_distinct(own.comparison)),
                    before=measure_accuracy(
                        before.where(inside[before.comparison]), sampler=sampler
                    ),
                    after=measure_accuracy(own, sampler=sampler),
                )
            )
    return tuple(rows)


def _choose_first(ballots: Ballots, sampler: Sampler) -> Measurement | None:
    """Return the share of choices of the first-shown answer, where one order was shown throughout."""
    one_order = ballots.discussions.one_order[ballots.discussion]
    chose = ballots.where(one_order & (ballots.verdict >= 0) & (ballots.answers > 1))
    return sampler.known_mean((chose.verdict == chose.first).astype(np.float64), chose.question)


def _agreement(after: Ballots, stances: Codes, sampler: Sampler) -> Measurement | None:
    """Return the share of discussions in which all readable stances, of several, are the same."""
    table = stances[after.discussion]
    readable = table >= TIE
    least = np.where(readable, table, np.int8(127)).min(axis=1, initial=127)
    greatest = np.where(readable, table, np.int8(-128)).max(axis=1, initial=-128)
    same: Floats = np.where(readable.sum(axis=1) > 1, least == greatest, np.nan)
    return sampler.known_mean(same, after.question)


def _consistency(ballots: Ballots, sampler: Sampler) -> Consistency:
    """Return the consistency of each seat, in the same seating and repetition, over shown orders."""
    facts, at = ballots.discussions, ballots.discussion
    key = (ballots.comparison, facts.repetition[at], facts.seating[at], ballots.seat)
    return measure_consistency(ballots, key, sampler=sampler)
