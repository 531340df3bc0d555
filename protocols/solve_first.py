"""One judge first answers the question itself, then compares and gives its verdict, in one reply.

Source: the chain-of-thought comparison in which the judge solves the problem before it looks for
mistakes; MT-Bench (Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena") uses it
for mathematics and reasoning.
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
    return () if turns else (build_private_cue(seats[0], comparison, options, task="solve_first"),)
