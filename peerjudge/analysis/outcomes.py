"""Outcomes of discussing: agreement, the effect of leading, gains in accuracy, and common courses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

import numpy as np

from peerjudge.analysis.assembling import Vocabulary
from peerjudge.analysis.ballots import (
    NONE,
    ROLES,
    TIE,
    Ballots,
    Bools,
    Codes,
    Floats,
    Numbers,
    Stage,
)
from peerjudge.analysis.grouping import average_by_group, group_rows, list_distinct
from peerjudge.analysis.influence import CONTRADICTED, is_event
from peerjudge.data import EventKind, Measurement, Noun, Role
from peerjudge.statistics.interval import PairedDifference
from peerjudge.statistics.sampler import Sampler

_LEADER, _FOLLOWER = ROLES.index(Role.LEADER), ROLES.index(Role.FOLLOWER)

Stand: TypeAlias = Literal["gold", "other", "tie", "unreadable"]
"""Meaning of a verdict: gold, another answer, neither, or nothing readable (a refusal included)."""

_STANDS: tuple[Stand, ...] = ("gold", "other", "tie", "unreadable")
_MOST = 6
"""Courses listed per condition; the others are rare, and the list of transcripts has all."""


class Settling(Noun, frozen=True, kw_only=True):
    """Agreement among the seats of a condition over the turns.

    Of `discussions`, `from_start` began with one stance, `after` counts those that had one for the
    first time after so many public turns, and `never` did not within the turns they had (`turns` on
    average, so that a "never" of short discussions is not mistaken for one of long ones). `reached`
    is the share that came to agree among those that did not at the start, and `lasted` the share of
    these that still agreed at the end.
    """

    condition: str
    discussions: int
    from_start: int
    after: Mapping[int, int]
    never: int
    turns: float
    reached: Measurement
    lasted: Measurement


class Ordering(Noun, frozen=True, kw_only=True):
    """The effect of leading on a reviewer (`None`: on all), against following on the same comparisons.

    `altered` is the share of contradictions to which it altered, as leader minus as follower;
    `accuracy` the same of its final stances. Both pair discussions of one condition, comparison and
    shown order by the same reviewers at the same temperature, and are `None` without such pairs.
    `leader_prevails` is the share that ended with the stance of the leader, of the discussions in
    which it took part that began in disagreement and ended in agreement.
    """

    reviewer: str | None
    altered: PairedDifference | None
    accuracy: PairedDifference | None
    leader_prevails: Measurement


class Change(Noun, frozen=True, kw_only=True):
    """A reviewer's accuracy before and after discussing, where it had a readable stance both times."""

    condition: str
    reviewer: str
    before: Measurement
    after: Measurement
    gain: PairedDifference


class Holding(Noun, frozen=True, kw_only=True):
    """What a reviewer did in discussions of two that began in disagreement (PRD Figure 6).

    Counts discussions, not turns: it `altered` in one if it ever took the stance it had heard against
    its own, and else `held` if it ever kept its own. In the others of `apart`, the other one gave in
    before it was contradicted, or it took a third choice. `role` is `None` for leading and following
    together. The shares are of all `discussions` in which it took part.
    """

    reviewer: str
    role: str | None
    discussions: int
    apart: int
    held: int
    altered: int
    held_share: Measurement
    altered_share: Measurement


class Step(Noun, frozen=True, kw_only=True):
    """One verdict: the role of its seat, whether it was given in private, and what it names."""

    role: str
    private: bool
    stand: Stand


class Course(Noun, frozen=True, kw_only=True):
    """A sequence of verdicts, how many discussions of a condition took it, and their share."""

    condition: str
    steps: tuple[Step, ...]
    discussions: int
    share: Measurement


@dataclass(frozen=True, slots=True, eq=False)
class _Seats:
    """The complete discussions in which a seat spoke to another, as `[discussion, seat]` tables.

    `number` is the discussion; `reviewer`, `role` and `temperature` are codes, -1 where there is no
    seat.
    """

    number: Numbers
    question: Numbers
    gold: Codes
    reviewer: Numbers
    role: Numbers
    temperature: Numbers
    opening: Codes
    closing: Codes

    def where(self, rows: Bools) -> _Seats:
        return _Seats(*(getattr(self, field.name)[rows] for field in fields(self)))


def measure_settling(ballots: Ballots, *, sampler: Sampler) -> tuple[Settling, ...]:
    """Return one row per condition with any discussion, in order of appearance."""
    seats, discussions = _seats(ballots), ballots.discussions
    condition = discussions.condition[seats.number]
    agreed, spoken = discussions.agreed[seats.number], discussions.spoken[seats.number]
    lasted = _unanimous(seats.closing, seats.reviewer >= 0)
    rows: list[Settling] = []
    for code in list_distinct(condition):
        here = condition == code
        apart = here & (agreed != 0)
        reached = apart & (agreed > 0)
        after, counts = np.unique(agreed[reached], return_counts=True)
        group = int(here.sum())
        rows.append(
            Settling(
                condition=discussions.conditions[code],
                discussions=group,
                from_start=group - int(apart.sum()),
                after={int(turn): int(count) for turn, count in zip(after, counts, strict=True)},
                never=int(apart.sum()) - int(reached.sum()),
                turns=float(spoken[here].sum()) / group,
                reached=sampler.mean(agreed[apart] > 0, seats.question[apart]),
                lasted=sampler.mean(lasted[reached], seats.question[reached]),
            )
        )
    return tuple(rows)


def measure_ordering(ballots: Ballots, *, sampler: Sampler) -> tuple[Ordering, ...]:
    """Return one row for all reviewers and one for each in a discussion of a leader and a follower.

    Bounds resample questions.
    """
    seats = _seats(ballots)
    roles = seats.role
    led = (roles == _LEADER).any(axis=1) & (roles == _FOLLOWER).any(axis=1)
    seats = seats.where(led & ((seats.reviewer >= 0).sum(axis=1) == 2))
    if not len(seats.number):
        return ()
    apart = (seats.opening[:, :2] >= TIE).all(axis=1) & (seats.opening[:, 0] != seats.opening[:, 1])
    opposed = apart & _unanimous(seats.closing, seats.reviewer >= 0)
    kept = ((seats.opening == seats.closing) & (seats.role == _LEADER)).any(axis=1)
    right = np.where(seats.closing >= TIE, seats.closing == seats.gold[:, None], np.nan)
    right[seats.gold == NONE] = np.nan
    altered = _altering(ballots)[seats.number]
    rows: list[Ordering] = []
    for code in (None, *list_distinct(seats.reviewer[:, :2].ravel())):
        own = (
            np.full(seats.reviewer.shape, fill_value=True)
            if code is None
            else seats.reviewer == code
        )
        chosen = opposed & own.any(axis=1)
        rows.append(
            Ordering(
                reviewer=None if code is None else ballots.reviewers[code],
                altered=_leading(ballots, seats, np.where(own, altered, np.nan), sampler),
                accuracy=_leading(ballots, seats, np.where(own, right, np.nan), sampler),
                leader_prevails=sampler.mean(kept[chosen], seats.question[chosen]),
            )
        )
    return tuple(rows)


def measure_changes(ballots: Ballots, *, sampler: Sampler) -> tuple[Change, ...]:
    """Return one row per condition and reviewer that discussed where gold is known."""
    seats, discussions = _seats(ballots), ballots.discussions
    known = (seats.opening >= TIE) & (seats.closing >= TIE) & (seats.gold != NONE)[:, None]
    at, place = np.nonzero(known)
    condition, reviewer = discussions.condition[seats.number[at]], seats.reviewer[at, place]
    gold, question = seats.gold[at], seats.question[at]
    before, after = seats.opening[at, place] == gold, seats.closing[at, place] == gold
    gain = after.astype(np.float64) - before
    group, first = group_rows(condition, reviewer)
    rows: list[Change] = []
    for number, row in enumerate(first):
        here = group == number
        rows.append(
            Change(
                condition=discussions.conditions[condition[row]],
                reviewer=ballots.reviewers[reviewer[row]],
                before=sampler.mean(before[here], question[here]),
                after=sampler.mean(after[here], question[here]),
                gain=sampler.difference(gain[here], question[here]),
            )
        )
    return tuple(rows)


def count_holdings(ballots: Ballots, *, sampler: Sampler) -> tuple[Holding, ...]:
    """Return rows for each reviewer of discussions of two: in all, as leader, and as follower.

    Bounds resample questions.
    """
    seats = _seats(ballots)
    seats = seats.where((seats.reviewer >= 0).sum(axis=1) == 2)
    if not len(seats.number):
        return ()
    opening = seats.opening[:, :2]
    apart = (opening >= TIE).all(axis=1) & (opening[:, 0] != opening[:, 1])
    altered = _has_event(ballots, EventKind.ALTERED)[seats.number, :2] & apart[:, None]
    held = _has_event(ballots, EventKind.HELD)[seats.number, :2] & apart[:, None] & ~altered
    rows: list[Holding] = []
    for code in list_distinct(seats.reviewer[:, :2].ravel()):
        for role in (None, Role.LEADER, Role.FOLLOWER):
            own = seats.reviewer[:, :2] == code
            if role is not None:
                own &= seats.role[:, :2] == ROLES.index(role)
            at, _ = np.nonzero(own)
            if not len(at):
                continue
            rows.append(
                Holding(
                    reviewer=ballots.reviewers[code],
                    role=role,
                    discussions=len(at),
                    apart=int(apart[at].sum()),
                    held=int(held[own].sum()),
                    altered=int(altered[own].sum()),
                    held_share=sampler.mean(held[own], seats.question[at]),
                    altered_share=sampler.mean(altered[own], seats.question[at]),
                )
            )
    return tuple(rows)


def count_courses(ballots: Ballots, *, sampler: Sampler) -> tuple[Course, ...]:
    """Return the commonest courses of each condition, most frequent first.

    Votes, unfinished discussions and those without gold have no course.
    """
    discussions = ballots.discussions
    given = ballots.of_discussions(discussions.complete & discussions.discussed)
    given = given.where((given.stage != Stage.CONCLUDED) & (given.gold != NONE))
    stand = np.select(
        [~given.readable, given.correct, given.verdict == TIE],
        [_STANDS.index("unreadable"), _STANDS.index("gold"), _STANDS.index("tie")],
        _STANDS.index("other"),
    )
    private = given.stage == Stage.PRIVATE
    codes: list[int] = ((given.role * 2 + private) * len(_STANDS) + stand).tolist()
    number, first, count = np.unique(given.discussion, return_index=True, return_counts=True)
    condition = discussions.condition[number]
    question = given.question[first]
    spans = zip(first.tolist(), count.tolist(), strict=True)
    taken = [tuple(codes[start : start + length]) for start, length in spans]
    rows: list[Course] = []
    for code, name in enumerate(discussions.conditions):
        here = np.flatnonzero(condition == code)
        own = [taken[place] for place in here.tolist()]
        for steps, times in Counter(own).most_common(_MOST):
            share = sampler.mean(np.array([one == steps for one in own]), question[here])
            decoded = tuple(map(_step, steps))
            rows.append(Course(condition=name, steps=decoded, discussions=times, share=share))
    return tuple(rows)


def _has_event(ballots: Ballots, kind: EventKind) -> Bools:
    """Return whether each seat has an event of this kind, as `[discussion, seat]`."""
    moves = ballots.where(is_event(ballots.event, kind))
    has_event = np.zeros((len(ballots.discussions), ballots.stances("opening").shape[1]), np.bool_)
    has_event[moves.discussion, moves.seat] = True
    return has_event


def _seats(ballots: Ballots) -> _Seats:
    discussions = ballots.discussions
    concluded = ballots.where(ballots.stage == Stage.CONCLUDED)
    concluded = concluded.where(discussions.discussed[concluded.discussion])
    number = concluded.discussion
    temperatures = Vocabulary[float | None]()
    return _Seats(
        number=number,
        question=concluded.question,
        gold=concluded.gold,
        reviewer=discussions.by_seat(lambda seat: ballots.reviewers.index(seat[0]))[number],
        role=discussions.by_seat(lambda seat: ROLES.index(seat[1]))[number],
        temperature=discussions.by_seat(lambda seat: temperatures[seat[2]])[number],
        opening=ballots.stances("opening")[number],
        closing=ballots.stances("closing")[number],
    )


def _unanimous(stances: Codes, seated: Bools) -> Bools:
    """Return where all seats have a readable stance, and the same one."""
    same = (stances >= TIE) & (stances == stances[:, :1])
    return (same | ~seated).all(axis=1)


def _altering(ballots: Ballots) -> Floats:
    """Return the share of contradictions to which each seat altered, as `[discussion, seat]`."""
    moves = ballots.where(is_event(ballots.event, *CONTRADICTED))
    shape = (len(ballots.discussions), ballots.stances("opening").shape[1])
    cell = moves.discussion.astype(np.int64) * shape[1] + moves.seat
    altered = is_event(moves.event, EventKind.ALTERED)
    return average_by_group(cell, altered, shape[0] * shape[1]).reshape(shape)


def _leading(
    ballots: Ballots, seats: _Seats, values: Floats, sampler: Sampler
) -> PairedDifference | None:
    """Return the mean of the values as leader minus as follower, in pairs of like discussions."""
    discussions = ballots.discussions
    at, place = np.nonzero(~np.isnan(values))
    number, panel = seats.number[at], np.sort(seats.reviewer[:, :2], axis=1)[at]
    group, first = group_rows(
        discussions.condition[number],
        discussions.comparison[number],
        discussions.order[number],
        discussions.repetition[number],
        panel[:, 0],
        panel[:, 1],
        seats.reviewer[at, place],
        seats.temperature[at, place],
    )
    value, role = values[at, place], seats.role[at, place]

    def mean(wanted: int) -> Floats:
        rows = role == wanted
        return average_by_group(group[rows], value[rows], len(first))

    difference = mean(_LEADER) - mean(_FOLLOWER)
    paired = ~np.isnan(difference)
    if not paired.any():
        return None
    return sampler.difference(difference[paired], seats.question[at][first][paired])


def _step(code: int) -> Step:
    rest, stand = divmod(code, len(_STANDS))
    role, private = divmod(rest, 2)
    return Step(role=ROLES[role], private=bool(private), stand=_STANDS[stand])
