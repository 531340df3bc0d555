"""One judge rates each answer from 1 to 5, seeing only it; the higher rating wins.

A rating is the expectation over the numbers the judge could have given, where its client returns
log-probabilities, and else the number it gave; the rule of each review says which, and `peerjudge
score` how many there are of each. Equal ratings are a tie, which whole numbers often are and
expectations hardly ever.

Source: the pointwise evaluator of PRePair (Jeong et al., "On the Adversarial Vulnerability of
Pairwise Evaluation Using Large Language Models", Figures 4 and 9 and appendix A.3), with the
weighted score of G-Eval (Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human
Alignment").
"""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.protocol import best_rated, rating_cues

SEATS = (1, 1)
ANSWERS = (1, 4)


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a rating is asked for.

    `aspects` names the pack's criteria; without them the instruction is generic. `logprobs` asks the
    client for log-probabilities; without it they come only if the card asks for them.
    """

    aspects: bool = True
    logprobs: bool = True


def next_cue(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Cue | None:
    """A rating of each answer."""
    cues = rating_cues(seats[0], comparison, aspects=options.aspects, logprobs=options.logprobs)
    return cues[len(turns)] if len(turns) < len(cues) else None


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """The answer that was rated higher."""
    return best_rated(comparison, turns)
