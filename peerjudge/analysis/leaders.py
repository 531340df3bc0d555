"""Accuracy of discussions by the seat that leads them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from peerjudge.analysis.ballots import NONE, Ballots, Bools, SeatKey, Stage
from peerjudge.analysis.grouping import list_distinct
from peerjudge.analysis.inference import Sampler
from peerjudge.data import Measurement, Noun, Role


class LedAccuracy(Noun, frozen=True, kw_only=True):
    """Accuracy of the conclusions of a condition where this seat leads; `reviewer` is `None` for any.

    Where both seats lead as often, the latter is what a leader drawn at random gives on average. As PRD
    counts them, all conclusions on comparisons with gold count, and `unreadable` ones are not right.
    """

    condition: str
    reviewer: str | None
    temperature: float | None
    accuracy: Measurement
    unreadable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAccuracy:
    """Accuracy of two seats in private, and of their discussions led by either (PRD Table 4).

    `led` is `None` for a seat that never leads, and `either` unless both do. As PRD counts them, verdicts
    that are not readable are not right.
    """

    alone: tuple[Measurement, Measurement]
    led: tuple[Measurement | None, Measurement | None]
    either: Measurement | None


def measure_by_leader(ballots: Ballots, *, sampler: Sampler) -> tuple[LedAccuracy, ...]:
    """Return a row for each leader of each condition with leaders, and one for all of them.

    Bounds resample questions.
    """
    facts = ballots.discussions
    leaders = _find_leaders(facts.seatings)
    names = list(dict.fromkeys(filter(None, leaders)))
    codes = np.array([names.index(one) if one else -1 for one in leaders], dtype=np.int32)
    known = ballots.where((ballots.stage == Stage.CONCLUDED) & (ballots.gold != NONE))
    leader = codes[facts.seating[known.discussion]]
    known, leader = known.where(leader >= 0), leader[leader >= 0]
    condition = facts.condition[known.discussion]
    rows: list[LedAccuracy] = []
    for code in list_distinct(condition):
        here = condition == code
        for number in (*sorted(list_distinct(leader[here])), None):
            rows_of = here if number is None else here & (leader == number)
            own = known.where(rows_of)
            reviewer, _, temperature = (None, None, None) if number is None else names[number]
            rows.append(
                LedAccuracy(
                    condition=facts.conditions[code],
                    reviewer=reviewer,
                    temperature=temperature,
                    accuracy=sampler.mean(own.correct, own.question),
                    unreadable=int((~own.readable).sum()),
                )
            )
    return tuple(rows)


def _find_leaders(seatings: tuple[tuple[SeatKey, ...], ...]) -> list[SeatKey | None]:
    return [
        next((seat for seat in seating if seat[1] is Role.LEADER), None) for seating in seatings
    ]


def find_led_pairs(ballots: Ballots) -> Bools:
    """Return the complete discussions of a leader and a follower that are no control."""
    facts = ballots.discussions
    plain = np.array([control == "none" for control in facts.controls], dtype=np.bool_)
    roles = [{role for _, role, _ in seating} for seating in facts.seatings]
    led = np.array([one == {Role.LEADER, Role.FOLLOWER} for one in roles], dtype=np.bool_)
    return facts.complete & facts.discussed & plain[facts.control] & led[facts.seating]


def measure_pair(
    ballots: Ballots,
    pair: tuple[str, str],
    *,
    without: Collection[str] = (),
    sampler: Sampler,
) -> PairAccuracy | None:
    """Return the accuracy in the first condition in which two reviewers discuss; `None` without any.

    Args:
        ballots: of a run.
        pair: the reviewers; of one that discusses with itself, the first seat is the one with the lower
            temperature, or with that of its card.
        without: names of conditions to pass over.
        sampler: settings of the resampling.
    """
    facts = ballots.discussions
    seated = [
        sorted(reviewer for reviewer, _, _ in seating) == sorted(pair) for seating in facts.seatings
    ]
    passed = np.array([name in without for name in facts.conditions], dtype=np.bool_)
    chosen = find_led_pairs(ballots) & np.array(seated, dtype=np.bool_)[facts.seating]
    chosen &= ~passed[facts.condition] & np.isin(np.arange(len(facts)), ballots.discussion)
    if not chosen.any():
        return None
    chosen &= facts.condition == facts.condition[chosen][0]
    found = ballots.of_discussions(chosen)
    seats = {
        (reviewer, temperature)
        for number in list_distinct(facts.seating[chosen])
        for reviewer, _, temperature in facts.seatings[number]
    }
    if len(seats) != 2:
        return None
    one, other = sorted(seats, key=lambda seat: (pair.index(seat[0]), seat[1] or -1.0))
    rows = {
        (row.reviewer, row.temperature): row.accuracy
        for row in measure_by_leader(found, sampler=sampler)
    }
    led = rows.get(one), rows.get(other)
    return PairAccuracy(
        alone=(_measure_alone(found, one, sampler), _measure_alone(found, other, sampler)),
        led=led,
        either=None if None in led else rows.get((None, None)),
    )


def _measure_alone(
    ballots: Ballots, place: tuple[str, float | None], sampler: Sampler
) -> Measurement:
    """Return the private accuracy of a seat, given as reviewer and temperature."""
    private = ballots.where(ballots.opening & (ballots.seat >= 0) & (ballots.gold != NONE))
    facts = ballots.discussions
    seats = {seat for seating in facts.seatings for seat in seating}
    own = facts.by_seat({seat: int((seat[0], seat[2]) == place) for seat in seats})
    here = own[private.discussion, private.seat] == 1
    return sampler.mean(private.correct[here], private.question[here])
