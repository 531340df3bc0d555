"""Two or more reviewers review privately, and the majority decides: nobody hears anybody.

The baseline that every discussion must beat: give it as many seats as the discussion makes calls,
and the two cost the same. Where no verdict is held by more than half of the seats that have one,
the first seat that has one decides (`split="first"`); led by either reviewer in turn, that is on average what
a fair coin would decide, so that a vote is not charged with ties that nobody cast. `split="tie"`
leaves it a tie.

Source: the reviewers of equal weight ("All" in section 4 of "PRD: Peer Rank and Discussion Improve
Large Language Model based Evaluations", Li, Patel and Du), reduced to one verdict per comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict, strict_majority
from peerjudge.protocol import Opening, opening_cue, settle, stances

SEATS = (2, None)
ANSWERS = (2, 4)


@dataclass(frozen=True, kw_only=True)
class Options(Opening):
    """How a vote is opened and settled.

    `split` says what decides where there is no majority: the `first` seat that has a verdict, or
    that it is a `tie`.
    """

    split: Literal["first", "tie"] = "first"


def next_cue(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Cue | None:
    """A private review of each seat."""
    return opening_cue(seats, comparison, turns, options)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """What most seats chose; without a majority, as `options.split` says."""
    held = [stance for stance in stances(seats, turns).values() if stance is not None]
    if options.split == "first" and held and strict_majority(held) is None:
        return held[0]
    return settle(seats, turns, "majority")
