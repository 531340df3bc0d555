"""The methods of judging in private, as cues: alone they are protocols, before others an opening.

All indices are those of a discussion's turns, from 0. A cue is *alone* when it shows one answer or
none: such a cue is the same in every pair, order and protocol, so that its reply can be shared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from peerjudge.data import Comparison, Control, Cue, Expects, Seat, Turn, replace
from peerjudge.protocol.controls import order_of

__all__ = [
    "Ask",
    "Comparative",
    "Method",
    "Opening",
    "Prepared",
    "Scale",
    "in_both_orders",
    "method_cues",
    "opening_cue",
    "private_cue",
    "rating_cues",
]

Comparative = Literal[
    "pairwise", "pairwise_cot", "pros_cons", "solve_first", "prepair", "prepair_star"
]
"""The methods that end in a verdict on all answers, by the names of their protocols."""

Method = Literal[Comparative, "pointwise", "score_reasons"]
"""All methods that can open a discussion, those that rate answers one by one included."""

Scale = Literal["1-5", "1-10", "5-1", "10-1"]
"""A scale of ratings, from the worst to the best: on `10-1`, one is the best."""

_IN_ONE_REPLY = {
    "pairwise": "review",
    "pairwise_cot": "review_explained",
    "pros_cons": "pros_cons",
    "solve_first": "solve_first",
}


@dataclass(frozen=True, kw_only=True)
class Ask:
    """How a verdict is asked for.

    `aspects` names the pack's criteria; without them the instruction is generic (PRD, Table 9).
    `ties` allows a tie as verdict.
    """

    aspects: bool = True
    ties: bool = False


@dataclass(frozen=True, kw_only=True)
class Prepared(Ask):
    """How a verdict is asked for that explanations prepare.

    `blind` lets it rest on the explanations alone: question and answers are not shown again.
    """

    blind: bool = False


@dataclass(frozen=True, kw_only=True)
class Opening(Ask):
    """How every seat reviews in private.

    Attributes:
        opening: The method, by the name of its protocol. Where it rates the answers one by one, the
            seat then decides hearing its ratings, so that it has a stance to hold or to alter.
        self_metrics: First of all the seat writes criteria of its own for the question, having seen
            no answer, and hears them throughout (PRePair, appendix B.2).
    """

    opening: Method = "pairwise_cot"
    self_metrics: bool = False


def private_cue(
    seat: Seat,
    comparison: Comparison,
    ask: Ask,
    *,
    task: str = "review_explained",
    hears: tuple[int, ...] = (),
    blind: bool = False,
) -> Cue:
    """The seat's review of all answers before it has heard anybody; `hears` may name its own turns."""
    return Cue(
        seat=seat.id,
        task=task,
        sees=comparison.shown,
        hears=hears,
        private=True,
        ties=ask.ties,
        aspects=ask.aspects,
        blind=blind,
    )


def rating_cues(
    seat: Seat,
    comparison: Comparison,
    *,
    aspects: bool = True,
    task: str = "rate",
    reply: str = "",
    scale: Scale = "1-5",
    hears: tuple[int, ...] = (),
    logprobs: bool = False,
) -> tuple[Cue, ...]:
    """One cue for a rating of each answer, which shows that answer alone.

    `logprobs` asks for log-probabilities to weigh the rating by.
    """
    worst, best = scale.split("-")
    return tuple(
        Cue(
            seat=seat.id,
            task=task,
            sees=(answer_id,),
            hears=hears,
            expects=Expects.RATING,
            private=True,
            aspects=aspects,
            scale=(int(worst), int(best)),
            reply=reply,
            logprobs=logprobs,
        )
        for answer_id in comparison.shown
    )


def method_cues(
    method: Method,
    seat: Seat,
    comparison: Comparison,
    ask: Ask,
    *,
    self_metrics: bool = False,
    blind: bool = False,
    start: int = 0,
) -> tuple[Cue, ...]:
    """The seat's private cues when it judges by this method; the first of them is turn `start`.

    They end with one for a verdict on all answers. `pointwise` and `score_reasons` rate each answer
    alone before it, `prepair` explains each alone (PRePair, section 4 and Figure 7), `prepair_star`
    explains all together (Figure 8); that last cue hears all of it, and sees nothing besides where it
    is `blind`.
    """
    metrics = (_text_cue("write_criteria", seat, ask, sees=()),) if self_metrics else ()
    heard = tuple(range(start, start + len(metrics)))
    first = (*metrics, *_preparation(method, seat, comparison, ask, hears=heard))
    task = _IN_ONE_REPLY.get(method, "decide")
    hears = tuple(range(start, start + len(first)))
    last = private_cue(seat, comparison, ask, task=task, hears=hears, blind=blind)
    return (*first, last)


def opening_cue(
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
    opening: Opening,
    *,
    control: Control = "none",
) -> Cue | None:
    """The next private cue of an opening in which one seat after the other reviews, or `None`."""
    if turns and not turns[-1].cue.private:
        return None
    # What a seat says in private ends with its verdict.
    ends = [turn.index + 1 for turn in turns if turn.cue.expects is Expects.VERDICT]
    place, start = len(ends), ends[-1] if ends else 0
    if place == len(seats):
        return None
    cues = method_cues(
        opening.opening,
        seats[place],
        order_of(place, comparison, control),
        opening,
        self_metrics=opening.self_metrics,
        start=start,
    )
    return cues[len(turns) - start]


def in_both_orders(shown: Iterable[Cue], swapped: Iterable[Cue]) -> tuple[Cue, ...]:
    """The cues of one seat asked in two orders, both given as if they began with turn 0.

    What is alone is said once and heard in both orders.
    """
    cues = list(shown)
    moved: list[int] = []
    for cue in swapped:
        again = replace(cue, hears=tuple(sorted(moved[index] for index in cue.hears)))
        if again not in cues:
            cues.append(again)
        moved.append(cues.index(again))
    return tuple(cues)


def _preparation(
    method: Method, seat: Seat, comparison: Comparison, ask: Ask, *, hears: tuple[int, ...]
) -> tuple[Cue, ...]:
    """What a seat says, before its verdict, hearing these turns."""
    match method:
        case "prepair":
            return tuple(
                _text_cue("explain_one", seat, ask, sees=(answer_id,), hears=hears)
                for answer_id in comparison.shown
            )
        case "prepair_star":
            return (_text_cue("explain_both", seat, ask, sees=comparison.shown, hears=hears),)
        case "pointwise":
            return rating_cues(seat, comparison, aspects=ask.aspects, hears=hears, logprobs=True)
        case "score_reasons":
            return rating_cues(
                seat,
                comparison,
                aspects=ask.aspects,
                task="score",
                reply="schema_reasons_score",
                hears=hears,
            )
        case _:
            return ()


def _text_cue(
    task: str, seat: Seat, ask: Ask, *, sees: tuple[str, ...], hears: tuple[int, ...] = ()
) -> Cue:
    return Cue(
        seat=seat.id,
        task=task,
        sees=sees,
        hears=hears,
        expects=Expects.TEXT,
        private=True,
        aspects=ask.aspects,
    )
