"""Two or more reviewers review privately, talk in rounds one by one, and then each casts a secret ballot.

A ballot hears the talk and no other ballot; all are cast at once and ask for a verdict without reasons. The
ballots alone decide, by majority, a tie without one: what a seat said in the talk does not count where it
votes otherwise.

Source: the secret ballots of "Voting or Consensus? Decision-Making in Multi-Agent Debate" (Kaesberg et al.),
after the talk in the one-by-one order of ChatEval (Chan et al., "ChatEval: Towards Better LLM-based
Evaluators through Multi-Agent Debate").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict, replace
from peerjudge.protocol import (
    LATER,
    Quorum,
    RoundOptions,
    build_discussion_cue,
    next_discussion_cues,
    settle,
)

SEATS = (2, None)
ANSWERS = (2, 4)
ROLES = ("reviewer", ...)
_BALLOT = "review"


@dataclass(frozen=True, kw_only=True)
class Options(RoundOptions):
    """Options of the talk before the ballots; a control acts on both."""

    rounds: int = 1
    outcome: Literal["majority"] = "majority"
    quorum: Quorum = field(default="one", metadata=LATER)


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return all private reviews, the turns of the talk one by one, and then all ballots."""
    if _list_ballots(turns):
        return ()
    length = options.rounds * len(seats)
    if talk := next_discussion_cues(seats, comparison, turns, options, length=length):
        return talk
    return tuple(
        replace(build_discussion_cue(place, seats, comparison, turns, options), task=_BALLOT)
        for place, _ in enumerate(seats)
    )


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the majority of a quorum of ballots, `TIE` without one; `UNREADABLE` before they are cast."""
    return settle(seats, _list_ballots(turns), "majority", options.quorum)


def _list_ballots(turns: Sequence[Turn]) -> list[Turn]:
    """Return the ballots; the opening may use their task in private."""
    return [turn for turn in turns if turn.cue.task == _BALLOT and not turn.cue.private]
