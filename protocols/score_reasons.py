"""One judge rates each answer as JSON, with its reasons before or after the score, or none.

A model can take into account what it has already written, so the score depends on whether it comes
before or after its reasons. `order` and `form` make the six forms of the study, `rules` adds the special
rules of the prompt pack. An answer may be any rated text: a set of dialogues, a summary.

Source: "A Better LLM Evaluator for Text Generation: The Impact of Prompt Output Sequencing and
Optimization" (Chu, Chen and Nakayama), Table 1 (the six forms), Figure 2 (the prompt) and Table 5
(the special rules). Its dialogues are rated for how bad they are, from 1 to 10: `scale="10-1"`; its
summaries for how good they are, from 1 to 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.protocol import Scale, build_rating_cues, choose_best_rated

SEATS = (1, 1)
ANSWERS = (1, 4)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a score.

    Attributes:
        order: The score alone, before its reasons, or after them.
        form: Whether the JSON is shown as an `example` or described as a `schema`.
        rules: Adds the pack's special rules to the instruction.
        scale: The scale, from the worst to the best.
        aspects: Names the pack's criteria; without it the instruction is generic.
        logprobs: Requests log-probabilities to weight the score, as in `pointwise`; the study uses
            the stated number.
    """

    order: Literal["score_only", "score_reasons", "reasons_score"] = "reasons_score"
    form: Literal["example", "schema"] = "schema"
    rules: bool = False
    scale: Scale = "1-5"
    aspects: bool = True
    logprobs: bool = False


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return a rating of each answer."""
    cues = build_rating_cues(
        seats[0],
        comparison,
        aspects=options.aspects,
        task="score_by_rules" if options.rules else "score",
        reply=f"{options.form}_{options.order}",
        scale=options.scale,
        logprobs=options.logprobs,
    )
    return () if turns else cues


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the answer with the better rating."""
    return choose_best_rated(comparison, turns)
