"""One judge rates each answer from 1 to 5, seeing only it; the higher rating wins.

If the client returns log-probabilities, a rating is the expectation over the possible numbers, else the
number given; the rule of each review names the case, and `peerjudge score` counts both. Equal ratings are
a tie: frequent with whole numbers, rare with expectations.

Source: the pointwise evaluator of PRePair (Jeong et al., "On the Adversarial Vulnerability of
Pairwise Evaluation Using Large Language Models", Figures 4 and 9 and appendix A.3), with the
weighted score of G-Eval (Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human
Alignment").
"""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.protocol import build_rating_cues, choose_best_rated

SEATS = (1, 1)
ANSWERS = (1, 4)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a rating.

    `aspects` names the pack's criteria; without it the instruction is generic. `logprobs` requests
    log-probabilities; without it they come only if the card requests them.
    """

    aspects: bool = True
    logprobs: bool = True


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return a rating of each answer."""
    cues = build_rating_cues(
        seats[0], comparison, aspects=options.aspects, logprobs=options.logprobs
    )
    return () if turns else cues


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the answer with the higher rating."""
    return choose_best_rated(comparison, turns)
