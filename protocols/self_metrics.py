"""One judge writes criteria for the question before it sees the answers, and then judges by them.

The criteria depend on the question alone, so that all pairs, orders and methods share them. Any other
method, `then`, follows, and every step of it hears them.

Source: the self-generated metrics of LLMBar (Zeng et al., "Evaluating Large Language Models at
Evaluating Instruction Following"), and PRePair with them (Jeong et al., "On the Adversarial
Vulnerability of Pairwise Evaluation Using Large Language Models", appendix B.2 and Table 5).
"""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.data import Comparison, Cue, Expects, Seat, Turn, Verdict
from peerjudge.protocol import (
    Method,
    VerdictOptions,
    build_method_cues,
    choose_best_rated,
    last_verdict,
)

SEATS = (1, 1)
ANSWERS = (2, 4)


@dataclass(frozen=True, kw_only=True)
class Options(VerdictOptions):
    """Options of the method after the criteria.

    `then` names the method. If it rates the answers one by one, the better rating decides.
    """

    then: Method = "pairwise"


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return the criteria, then the cues of the other method."""
    cues = _cues(seats[0], comparison, options)
    return () if turns else cues


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the verdict; of ratings, the answer with the better rating."""
    if _rates(_cues(seats[0], comparison, options)):
        return choose_best_rated(comparison, turns)
    return last_verdict(seats, comparison, turns)


def _cues(seat: Seat, comparison: Comparison, options: Options) -> tuple[Cue, ...]:
    cues = build_method_cues(options.then, seat, comparison, options, self_metrics=True)
    return cues[:-1] if _rates(cues) else cues


def _rates(cues: tuple[Cue, ...]) -> bool:
    return any(cue.expects is Expects.RATING for cue in cues)
