"""One reviewer in two seats, at two temperatures, discusses with itself.

Source: "PRD: Peer Rank and Discussion Improve Large Language Model based Evaluations" (Li, Patel
and Du), section 4.3, observation (3): two variants of one model, made by its temperature, discuss
like any two reviewers. The mechanics are those of `leader_follower`; what makes it a
self-discussion is the seating: the same card twice, with different temperatures. At equal
temperatures the two private reviews are two draws of one reviewer, and at 0 usually the same.
"""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.protocol import Talk, discussion_cue, settle

SEATS = (2, 2)
ANSWERS = (2, 4)

Options = Talk


def next_cue(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Talk
) -> Cue | None:
    """A private review at each temperature, then the discussion."""
    return discussion_cue(seats, comparison, turns, options, length=options.turns)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Talk
) -> Verdict:
    """The last verdict, or as `options.outcome` says."""
    return settle(seats, turns, options.outcome)
