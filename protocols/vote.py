"""Two or more reviewers review privately, and the majority decides: nobody hears anybody.

The baseline that every discussion must beat: give it as many seats as the discussion makes calls,
and the two cost the same. A vote that no verdict wins by more than half of the readable ones is a
tie.

Source: the reviewers of equal weight ("All" in section 4 of "PRD: Peer Rank and Discussion Improve
Large Language Model based Evaluations", Li, Patel and Du), reduced to one verdict per comparison.
"""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.talk import Ask, private_cue, settle

SEATS = (2, None)

Options = Ask


def next_cue(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Ask
) -> Cue | None:
    """A private review of each seat."""
    return private_cue(seats[len(turns)], comparison, options) if len(turns) < len(seats) else None


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Ask
) -> Verdict:
    """What most seats chose."""
    return settle(seats, turns, "majority")
