"""One judge judges in both orders, and its verdict is the one that both orders share.

It never hears its words from the other order. A judge that contradicts itself is inconsistent, an outcome
of its own and not a tie. Cues about an answer alone come once for both orders. One discussion covers both
orders, so a run with answers in both orders plays it once per comparison.

Source: the position-swapped judging of MT-Bench (Zheng et al., "Judging LLM-as-a-Judge with MT-Bench
and Chatbot Arena", section 3.4), in which only a verdict that survives the swap counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from peerjudge.data import UNREADABLE, Comparison, Cue, Expects, Seat, Turn, Verdict, reconcile
from peerjudge.protocol import Comparative, VerdictOptions, build_method_cues, merge_orders

SEATS = (1, 1)
ANSWERS = (2, 4)
REVERSES = True


@dataclass(frozen=True, kw_only=True)
class Options(VerdictOptions):
    """Options of the request in both orders.

    `method` names the method; with `self_metrics` the judge first writes its own criteria.
    """

    method: Comparative = "pairwise"
    self_metrics: bool = False


def next_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> tuple[Cue, ...]:
    """Return the cues of the method in the shown order, then in the reverse order."""
    shown, swapped = (
        build_method_cues(
            options.method, seats[0], order, options, self_metrics=options.self_metrics
        )
        for order in (comparison, comparison.swapped())
    )
    cues = merge_orders(shown, swapped)
    return () if turns else cues


def conclude(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: Options
) -> Verdict:
    """Return the common verdict of both orders; `INCONSISTENT` where they differ."""
    given = [turn.review.verdict for turn in turns if turn.cue.expects is Expects.VERDICT]
    match given:
        case [Verdict() as one, Verdict() as other]:
            return reconcile(one, other)
        case _:
            return UNREADABLE
