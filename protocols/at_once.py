"""Two or more reviewers review privately, then speak in rounds in which all speak at once.

A seat hears all private reviews and all turns of earlier rounds, and nothing of its own round, so no seat is
the first or the last to speak. The majority decides unless `outcome` says otherwise. With
`stop="agreement"` the discussion ends after the first round at which all seats have the same stance.

Source: the rounds of "Improving Factuality and Reasoning in Language Models through Multiagent Debate"
(Du et al.), in which every agent updates its answer on the others' answers of the round before, after the
private reviews of PRD (Li, Patel and Du, "PRD: Peer Rank and Discussion Improve Large Language Model based
Evaluations", section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.protocol import LATER, Quorum, RoundOptions, next_round_cues, settle

SEATS = (2, None)
ANSWERS = (2, 4)
ROLES = ("reviewer", ...)


@dataclass(frozen=True, kw_only=True)
class Options(RoundOptions):
    """The options of a discussion in rounds."""

    outcome: Literal["last", "leader", "majority"] = "majority"
    quorum: Quorum = field(default="one", metadata=LATER)


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return all private reviews, then one round after the other."""
    return next_round_cues(seats, comparison, turns, options)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the majority verdict at the end, or the verdict by `options.outcome`, of a quorum."""
    return settle(seats, turns, options.outcome, options.quorum)
