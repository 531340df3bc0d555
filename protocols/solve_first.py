"""One judge first answers the question itself, then compares and gives its verdict, in one reply.

Source: the chain-of-thought comparison in which the judge solves the problem before it looks for
mistakes; MT-Bench (Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena") uses it
for mathematics and reasoning.
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
    return None if turns else private_cue(seats[0], comparison, options, task="solve_first")
