"""Accuracy of discussions by the seat that leads them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from peerjudge.analysis.ballots import NONE, Ballots, Bools, Stage
from peerjudge.analysis.grouping import list_distinct
from peerjudge.data import Measurement, Noun, Role
from peerjudge.statistics.sampler import Sampler


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


def measure_by_leader(ballots: Ballots, *, sampler: Sampler) -> tuple[LedAccuracy, ...]:
    """Return a row for each leader of each condition with leaders, and one for all of them.

    Bounds resample questions.
    """
    facts = ballots.discussions
    leaders = [
        next((seat for seat in seating if seat[1] == Role.LEADER), None)
        for seating in facts.seatings
    ]
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


def find_led_pairs(ballots: Ballots) -> Bools:
    """Return the complete discussions of a leader and a follower that are no control."""
    facts = ballots.discussions
    roles = [{role for _, role, _ in seating} for seating in facts.seatings]
    led = np.array([one == {Role.LEADER, Role.FOLLOWER} for one in roles], dtype=np.bool_)
    return facts.complete & facts.discussed & ~facts.controlled & led[facts.seating]


def measure_pair(
    ballots: Ballots,
    pair: tuple[str, str],
    *,
    without: Collection[str] = (),
    sampler: Sampler,
) -> Mapping[str, Measurement]:
    """Return the accuracy in the first condition in which two reviewers discuss; empty without any.

    By column of PRD Table 4: of each seat in private (`R1`, `R2`), of the discussions that it leads
    (`R1 leads`, `R2 leads`), and of all where both lead (`random`). As PRD counts them, verdicts that are
    not readable are not right.

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
        return {}
    chosen &= facts.condition == facts.condition[chosen][0]
    talks = ballots.of_discussions(chosen)
    seats = {(reviewer, temperature) for reviewer, _, temperature in facts.list_seats(chosen)}
    if len(seats) != 2:
        return {}
    one, other = sorted(seats, key=lambda seat: (pair.index(seat[0]), seat[1] or -1.0))
    rows = {
        (row.reviewer, row.temperature): row.accuracy
        for row in measure_by_leader(talks, sampler=sampler)
    }
    led = {f"R{k} leads": rows[seat] for k, seat in ((1, one), (2, other)) if seat in rows}
    return {
        "R1": _measure_alone(talks, one, sampler),
        "R2": _measure_alone(talks, other, sampler),
        **led,
        **({"random": rows[None, None]} if len(led) == 2 else {}),
    }


def _measure_alone(
    ballots: Ballots, place: tuple[str, float | None], sampler: Sampler
) -> Measurement:
    """Return the private accuracy of a seat, given as reviewer and temperature."""
    private = ballots.where(ballots.opening & (ballots.seat >= 0) & (ballots.gold != NONE))
    facts = ballots.discussions
    own = facts.by_seat(lambda seat: int((seat[0], seat[2]) == place))
    here = own[private.discussion, private.seat] == 1
    return sampler.mean(private.correct[here], private.question[here])
