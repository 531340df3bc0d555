"""One judge compares three or four answers at once and gives one verdict on the best.

The verdict is the label of an answer or, if ties are allowed, a tie. With `orders = "both"` a
condition shows every rotation of the answers, with `orders = "all"` every order.

Source: the triadic and quadruple comparisons of MT-Bench-like answers in the study whose prompts
extend those of Zheng et al. ("Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena") from two
answers to three and four; a short explanation comes before the verdict there.
"""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.data import Comparison, Cue, Seat, Turn
from peerjudge.protocol import VerdictOptions, build_private_cue

SEATS = (1, 1)
ANSWERS = (3, 4)


@dataclass(frozen=True, kw_only=True)
class Options(VerdictOptions):
    """Options of the verdict; `explained` asks for an explanation before it."""

    explained: bool = True


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return the one cue."""
    task = "review_explained" if options.explained else "review"
    return () if turns else (build_private_cue(seats[0], comparison, options, task=task),)
