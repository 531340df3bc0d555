"""Verdicts by the place and by the author of an answer: position bias, and preferences for authors.

Reviewers who saw the answers in an order that is not known (`Ballots.unordered`) are left out.
"""

from __future__ import annotations

import numpy as np

from peerjudge.analysis.ballots import TIE, Ballots
from peerjudge.analysis.grouping import count_earlier, match_orders
from peerjudge.analysis.selecting import number_authors, number_judges
from peerjudge.data import Measurement, Noun
from peerjudge.statistics.interval import SHARE, measure_mean


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


class Preference(Noun, frozen=True, kw_only=True):
    """The win rate that a reviewer gives an author against others; a tie is half a win.

    `first` is of the verdicts for which the author's answer was shown first, `second` of the others.
    """

    reviewer: str
    author: str
    share: Measurement
    first: Measurement
    second: Measurement


def measure_position(ballots: Ballots) -> tuple[Position, ...]:
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
                    first[chose].astype(np.float64), ballots.question[chose], limits=SHARE
                ),
            )
        )
    return tuple(rows)


def measure_consistency(ballots: Ballots) -> tuple[OrderConsistency, ...]:
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
                rate=measure_mean(same[here].astype(np.float64), question[here], limits=SHARE),
            )
        )
    return tuple(rows)


def measure_preferences(ballots: Ballots) -> tuple[Preference, ...]:
    """Return a row for each reviewer and author whose answers it judged against another author's.

    Only readable verdicts count. Bounds have questions as the unit.

    Args:
        ballots: on pairs, see `select_judges`; of a discussion the opening or the closing ones.
    """
    names, authors = number_authors(ballots)
    pair = authors[ballots.comparison]
    counts = ballots.readable & (pair >= 0).all(axis=1) & (pair[:, 0] != pair[:, 1])
    judged, pair = ballots.where(counts), pair[counts]
    rows: list[Preference] = []
    for reviewer, code in number_judges(judged):
        for number, author in enumerate(names):
            here = (judged.reviewer == code) & (pair == number).any(axis=1)
            if here.any():
                own = judged.where(here)
                place = np.where(pair[here, 0] == number, 0, 1)
                won = np.where(own.verdict == TIE, 0.5, (own.verdict == place).astype(np.float64))
                first = own.first == place
                share, led, followed = (
                    measure_mean(won[part], own.question[part], limits=SHARE)
                    for part in (np.ones_like(first), first, ~first)
                )
                rows.append(
                    Preference(
                        reviewer=reviewer, author=author, share=share, first=led, second=followed
                    )
                )
    return tuple(rows)


def measure_gold_preference(
    ballots: Ballots, author: str
) -> tuple[Measurement, Measurement, Measurement]:
    """Return how often gold prefers an author: in all, where its answer comes first, and where second.

    The place is that in the data, which is the order of the ids of the answers: a run may show both orders.
    """
    names, authors = number_authors(ballots)
    judged = np.unique(ballots.comparison)
    pair, gold = authors[judged], ballots.gold_of[judged]
    wrote = pair == names.index(author)
    counts = (pair >= 0).all(axis=1) & (wrote[:, 0] != wrote[:, 1]) & (gold >= TIE)
    place = np.where(wrote[:, 0], 0, 1)
    won = np.where(gold == TIE, 0.5, (gold == place).astype(np.float64))
    codes: list[int] = judged.tolist()
    ids = [ballots.comparisons[code].shown for code in codes]
    places: list[int] = place.tolist()
    first = np.array(
        [len(one) == 2 and one[at] == min(one) for one, at in zip(ids, places, strict=True)]
    )
    question = ballots.question_of[judged]
    everything, ahead, behind = (
        measure_mean(won[counts & part], question[counts & part], limits=SHARE)
        for part in (np.ones_like(first), first, ~first)
    )
    return everything, ahead, behind
