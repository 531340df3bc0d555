"""One judge explains its assessment and then gives its verdict, in one reply.

Source: the pairwise evaluator with chain of thought of PRePair (Jeong et al., "On the Adversarial
Vulnerability of Pairwise Evaluation Using Large Language Models", Figures 6 and 11), and the
private review of PRD (Table 8).
"""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, Seat, Turn
from peerjudge.protocol import VerdictOptions, build_private_cue

SEATS = (1, 1)

Options = VerdictOptions


def next_cues(
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
    options: VerdictOptions,
) -> tuple[Cue, ...]:
    """Return the one cue."""
    if turns:
        return ()
    return (build_private_cue(seats[0], comparison, options, task="review_explained"),)
