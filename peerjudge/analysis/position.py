"""Position bias: verdicts that depend on the place of an answer.

Reviewers who saw the answers in an order that is not known (`Ballots.unordered`) are left out.
"""

from __future__ import annotations

import numpy as np

from peerjudge.analysis.ballots import Ballots
from peerjudge.analysis.grouping import count_earlier, match_orders
from peerjudge.analysis.intervals import SHARE, measure_mean
from peerjudge.analysis.selecting import number_judges
from peerjudge.data import Measurement, Noun


class Position(Noun, frozen=True, kw_only=True):
    """Number of verdicts of a reviewer by the place of the chosen answer.

    `share` is the share of its choices (ties aside) that name the first-shown answer: one half for
    a reviewer that judges every pair in both orders and ignores the place.
    """

    reviewer: str
    first: int
    tie: int
    second: int
    unreadable: int
    share: Measurement


class OrderConsistency(Noun, frozen=True, kw_only=True):
    """Number of pairs judged in both orders, by how the two verdicts of a reviewer compare.

    `same` verdicts choose one answer (or tie) in both orders; `first` and `second` choose one
    place; `mixed` tie in one order only. `rate` is the share of `same`.
    """

    reviewer: str
    same: int
    first: int
    second: int
    mixed: int
    rate: Measurement


def measure_position(
    ballots: Ballots,
) -> tuple[Position, ...]:
    """Return the verdicts by place, one row per reviewer. Bounds resample questions.

    Args:
        ballots: on pairs, see `select_judges`.
    """
    rows: list[Position] = []
    score = ballots.score
    for name, code in number_judges(ballots):
        if name in ballots.unordered:
            continue
        here = ballots.reviewer == code
        first, tie, second = (here & (score == value) for value in (-1.0, 0.0, 1.0))
        chose = first | second
        rows.append(
            Position(
                reviewer=name,
                first=int(first.sum()),
                tie=int(tie.sum()),
                second=int(second.sum()),
                unreadable=int((here & ~ballots.readable).sum()),
                share=measure_mean(
                    first[chose].astype(np.float64),
                    ballots.question[chose],
                    limits=SHARE,
                ),
            )
        )
    return tuple(rows)


def measure_consistency(
    ballots: Ballots,
) -> tuple[OrderConsistency, ...]:
    """Return the order consistency, one row per reviewer. Bounds resample questions.

    Repeated judgements of a pair in one order are matched one by one with those in the other
    order. Only readable verdicts are matched.

    Args:
        ballots: on pairs, see `select_judges`.
    """
    readable = ballots.where(ballots.readable)
    judgement = (readable.reviewer, readable.comparison)
    orders = match_orders(readable, *judgement, count_earlier(*judgement, readable.order))
    reviewer, question = readable.reviewer[orders.row], readable.question[orders.row]
    rows: list[OrderConsistency] = []
    for name, code in number_judges(ballots):
        if name in ballots.unordered:
            continue
        here = reviewer == code
        same, first, second = (orders.same & here, orders.first & here, orders.second & here)
        rows.append(
            OrderConsistency(
                reviewer=name,
                same=int(same.sum()),
                first=int(first.sum()),
                second=int(second.sum()),
                mixed=int((here & ~(same | first | second)).sum()),
                rate=measure_mean(
                    same[here].astype(np.float64),
                    question[here],
                    limits=SHARE,
                ),
            )
        )
    return tuple(rows)
