"""One reviewer in two seats, at two temperatures, discusses with itself.

Source: "PRD: Peer Rank and Discussion Improve Large Language Model based Evaluations" (Li, Patel
and Du), section 4.3, observation (3): two variants of one model, made by its temperature, discuss
like any two reviewers. The mechanics are those of `leader_follower`; the
seating makes it a self-discussion: the same card twice, at different temperatures. At equal
temperatures the private reviews are two draws of one reviewer, and at 0 usually the same.
"""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.protocol import TurnOptions, next_discussion_cues, settle

SEATS = (2, 2)
ANSWERS = (2, 4)

Options = TurnOptions


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: TurnOptions
) -> tuple[Cue, ...]:
    """Return a private review at each temperature, then the discussion."""
    return next_discussion_cues(seats, comparison, turns, options, length=options.turns)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: TurnOptions
) -> Verdict:
    """Return the last verdict, or the verdict by `options.outcome`."""
    return settle(seats, turns, options.outcome)
