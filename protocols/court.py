"""Debaters review privately and debate in rounds; then a judge hears all of it and decides.

The debaters of a round speak at once. The judge is the last seat, and they never hear it. Its first verdict
is the one after the debate; with `judge_alone` it reviews the answers privately too, so that one sees whether
the debate moved it. Its last verdict is the conclusion, readable or not: no other seat decides in its place.
`hears`, `stop` and `only_if_disagreeing` are of the debaters.

Source: the judge of "Debating with More Persuasive LLMs Leads to More Truthful Answers" (Khan et al.), who
is none of the debaters. Here the debaters hold their own opinions and are assigned no answer.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

from peerjudge.data import UNREADABLE, Comparison, Cue, Seat, Turn, Verdict, replace
from peerjudge.protocol import (
    RoundOptions,
    build_discussion_cue,
    build_opening_cues,
    count_spoken,
    may_end,
)

SEATS = (3, None)
ANSWERS = (2, 4)
ROLES = ("debater", ..., "judge")


@dataclass(frozen=True, kw_only=True)
class Options(RoundOptions):
    """Options of the debate; with `judge_alone` the judge reviews privately as well."""

    judge_alone: bool = False
    outcome: Literal["last"] = "last"


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return the private reviews, then the rounds of the debaters, then the judge's turn."""
    debaters, judge = seats[:-1], seats[-1]
    if not turns:
        reviewing = seats if options.judge_alone else debaters
        return build_opening_cues(reviewing, comparison, options, control=options.control)
    if turns[-1].cue.seat == judge.id and not turns[-1].cue.private:
        return ()
    spoken = count_spoken(turns)
    if spoken < options.rounds * len(debaters) and not may_end(
        debaters, turns, options, spoken=spoken
    ):
        return tuple(
            build_discussion_cue(
                place, debaters, comparison, turns, options, audible=range(len(turns))
            )
            for place, _ in enumerate(debaters)
        )
    whole = dataclasses.replace(options, hears="all")
    heard = build_discussion_cue(len(debaters), seats, comparison, turns, whole)
    return (replace(heard, task="review_explained"),)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the judge's verdict after the debate; `UNREADABLE` before it."""
    last = turns[-1] if turns else None
    if last is None or last.cue.private or last.cue.seat != seats[-1].id:
        return UNREADABLE
    return last.review.verdict or UNREADABLE
