"""One judge, asked once, gives its verdict without explaining it.

Source: the plain pairwise evaluator of LLMBar (Zeng et al., "Evaluating Large Language Models at
Evaluating Instruction Following", the Vanilla prompt) that PRePair measures itself against.
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
    return () if turns else (build_private_cue(seats[0], comparison, options, task="review"),)
