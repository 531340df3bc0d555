"""Two reviewers prepare in the manner of PRePair, each on its own, and then discuss in turns.

Each seat explains each answer alone, seeing only it, then decides hearing its own explanations; the
discussion follows as in `leader_follower`. What a seat wrote in private includes the explanations,
so with `hears="all"` the other seat reads them too.

Source: the private phase of PRePair (Jeong et al., "On the Adversarial Vulnerability of Pairwise
Evaluation Using Large Language Models", section 4) put before the discussion of PRD (Li, Patel and
Du, section 3.2). The combination is PeerJudge's own.
"""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.talk import Talk, explained_cues, settle, talk_cue

SEATS = (2, 2)

Options = Talk


def next_cue(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Talk
) -> Cue | None:
    """The explanations and the decision of each seat, then the discussion."""
    each = len(comparison.answers) + 1
    seat, step = divmod(len(turns), each)
    if seat < len(seats):
        return explained_cues(seats[seat], comparison, options, start=seat * each)[step]
    return talk_cue(seats, comparison, turns, options, length=options.turns)


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Talk
) -> Verdict:
    """The last verdict, or as `options.outcome` says."""
    return settle(seats, turns, options.outcome)
