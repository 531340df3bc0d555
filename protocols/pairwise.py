"""One judge, asked once, gives its verdict without explaining it.

Source: the plain pairwise evaluator of LLMBar (Zeng et al., "Evaluating Large Language Models at
Evaluating Instruction Following", the Vanilla prompt) that PRePair measures itself against.
"""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, Seat, Turn
from peerjudge.protocol import Ask, private_cue

SEATS = (1, 1)

Options = Ask


def next_cue(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Ask
) -> Cue | None:
    """One cue, and that is all."""
    return None if turns else private_cue(seats[0], comparison, options, task="review")
