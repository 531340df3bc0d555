"""Two reviewers each explain every answer alone, decide (PRePair), and then discuss in turns.

Each seat decides hearing its own explanations; then the discussion follows as in `leader_follower`, of
which this is `opening="prepair"`. The private reviews include the explanations, so with `hears="all"` the
other seat reads them too.

Source: the private phase of PRePair (Jeong et al., "On the Adversarial Vulnerability of Pairwise
Evaluation Using Large Language Models", section 4) put before the discussion of PRD (Li, Patel and
Du, section 3.2). The combination is PeerJudge's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.protocol import Method, TurnOptions, next_discussion_cues, settle

SEATS = (2, 2)
ANSWERS = (2, 4)


@dataclass(frozen=True, kw_only=True)
class Options(TurnOptions):
    """The options of a discussion in turns."""

    opening: Method = "prepair"


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return the explanations and the decision of each seat, then the discussion."""
    return next_discussion_cues(seats, comparison, turns, options, length=options.turns)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the last verdict, or the verdict by `options.outcome`."""
    return settle(seats, turns, options.outcome)
