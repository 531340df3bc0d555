"""Two reviewers review privately, then discuss in turns; the leader speaks first.

Source: "PRD: Peer Rank and Discussion Improve Large Language Model based Evaluations" (Li, Patel
and Du), section 3.2 and Tables 1 and 8: private reviews, then four turns, leader, follower,
leader, follower, each hearing both private reviews and all that was said. `aspects="private"` and
`remind` are the prompt variants of its Table 9.
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
    """Return a private review of each seat, then the discussion."""
    return next_discussion_cues(seats, comparison, turns, options, length=options.turns)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: TurnOptions
) -> Verdict:
    """Return the last verdict, or the verdict by `options.outcome`."""
    return settle(seats, turns, options.outcome)
