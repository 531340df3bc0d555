"""Three or more reviewers review privately, then discuss in rounds; each speaks once a round.

Source: the discussion of PRD (Li, Patel and Du, "PRD: Peer Rank and Discussion Improve Large
Language Model based Evaluations", section 3.2) with more than two reviewers, in the one-by-one
order of ChatEval (Chan et al., "ChatEval: Towards Better LLM-based Evaluators through Multi-Agent
Debate"). Settled by majority unless `outcome` says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.protocol import Rounds, discussion_cue, settle

SEATS = (3, None)
ANSWERS = (2, 4)


@dataclass(frozen=True, kw_only=True)
class Options(Rounds):
    """The options of a discussion in rounds."""

    outcome: Literal["last", "leader", "majority"] = "majority"


def next_cue(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Cue | None:
    """A private review of each seat, then the rounds."""
    length = options.rounds * len(seats)
    return discussion_cue(seats, comparison, turns, options, length=length)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """What most seats hold at the end, or as `options.outcome` says."""
    return settle(seats, turns, options.outcome)
