"""One judge lists what speaks for and against each answer and then gives its verdict, in one reply.

Source: the strengths-and-weaknesses evaluator of PRePair (Jeong et al., "On the Adversarial
Vulnerability of Pairwise Evaluation Using Large Language Models", section 3 and Figure 3).
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
    return () if turns else (build_private_cue(seats[0], comparison, options, task="pros_cons"),)
