"""Two or more reviewers review privately, and the majority decides, without a discussion.

The baseline that every discussion must beat: with as many seats as the discussion makes calls, the two
cost the same. Without a strict majority, the first seat with a verdict decides (`split="first"`). With
each reviewer as leader in turn, this equals a fair coin on average, so that a vote is not charged with
ties that no seat cast. `split="tie"` leaves a tie.

Source: the reviewers of equal weight ("All" in section 4 of "PRD: Peer Rank and Discussion Improve
Large Language Model based Evaluations", Li, Patel and Du), reduced to one verdict per comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from peerjudge.data import TIE, Comparison, Cue, Seat, Turn, Verdict, strict_majority
from peerjudge.protocol import (
    LATER,
    OpeningOptions,
    Quorum,
    build_opening_cues,
    collect_stances,
    settle,
)

SEATS = (2, None)
ANSWERS = (2, 4)


@dataclass(frozen=True, kw_only=True)
class Options(OpeningOptions):
    """Options of the private reviews and of the vote.

    `split` decides without a majority: the verdict of the `first` seat that has one, or a `tie`. Where fewer
    seats than the `quorum` have a readable verdict (`one`, more than `half`, `all`), there is no verdict.
    """

    split: Literal["first", "tie"] = "first"
    quorum: Quorum = field(default="one", metadata=LATER)


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return a private review of each seat."""
    return () if turns else build_opening_cues(seats, comparison, options)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the majority verdict; without a majority, the verdict by `options.split`."""
    found = settle(seats, turns, "majority", options.quorum)
    held = [stance for stance in collect_stances(seats, turns).values() if stance is not None]
    splits = options.split == "first" and found == TIE and strict_majority(held) is None
    return held[0] if splits else found
