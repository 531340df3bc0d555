"""One judge is asked in both orders, and what it says in both is its verdict.

Neither time it hears what it said in the other order; a judge that contradicts itself is
inconsistent, which is an outcome of its own and not a tie. What a method says about an answer alone
is said once for both orders. One discussion has both orders in it, so that a run whose conditions
show answers in both orders plays this once per comparison.

Source: the position-swapped judging of MT-Bench (Zheng et al., "Judging LLM-as-a-Judge with MT-Bench
and Chatbot Arena", section 3.4), in which only a verdict that survives the swap counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.data import UNREADABLE, Comparison, Cue, Expects, Seat, Turn, Verdict, reconcile
from peerjudge.protocol import Ask, Comparative, in_both_orders, method_cues

SEATS = (1, 1)
ANSWERS = (2, 4)
REVERSES = True


@dataclass(frozen=True, kw_only=True)
class Options(Ask):
    """What is asked in both orders.

    `method` names the method; with `self_metrics` the judge writes criteria of its own first.
    """

    method: Comparative = "pairwise"
    self_metrics: bool = False


def next_cue(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Cue | None:
    """The method in the shown order, then in the reverse one."""
    shown, swapped = (
        method_cues(options.method, seats[0], order, options, self_metrics=options.self_metrics)
        for order in (comparison, comparison.swapped())
    )
    cues = in_both_orders(shown, swapped)
    return cues[len(turns)] if len(turns) < len(cues) else None


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """What was said in both orders; `INCONSISTENT` where that differs."""
    given = [turn.review.verdict for turn in turns if turn.cue.expects is Expects.VERDICT]
    match given:
        case [Verdict() as one, Verdict() as other]:
            return reconcile(one, other)
        case _:
            return UNREADABLE
