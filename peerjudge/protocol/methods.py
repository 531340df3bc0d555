"""Methods of judging in private, as cues: protocols of one seat, or the opening of a discussion.

All indices are those of a discussion's turns, from 0. A cue that shows one answer or none is the same in
every pair, order and protocol, so that its reply can be shared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from peerjudge.data import Comparison, Control, Cue, Expects, Seat, replace

Comparative = Literal[
    "pairwise", "pairwise_cot", "pros_cons", "solve_first", "prepair", "prepair_star"
]
"""The methods that end in a verdict on all answers, by the names of their protocols."""

Method = Literal[Comparative, "pointwise", "score_reasons"]
"""All methods that can open a discussion, with those that rate answers one by one."""

Scale = Literal["1-5", "1-10", "5-1", "10-1"]
"""Rating scales, from the worst to the best: on `10-1`, one is the best."""

_IN_ONE_REPLY = {
    "pairwise": "review",
    "pairwise_cot": "review_explained",
    "pros_cons": "pros_cons",
    "solve_first": "solve_first",
}


@dataclass(frozen=True, kw_only=True)
class VerdictOptions:
    """Options of a request for a verdict.

    `aspects` names the pack's criteria; without it the instruction is generic. With `private`, only the
    instructions of private turns name them, so that the discussion after them is generic (PRD, Table
    9). `ties` allows a tie as verdict.
    """

    aspects: bool | Literal["private"] = True
    ties: bool = False


@dataclass(frozen=True, kw_only=True)
class ExplanationOptions(VerdictOptions):
    """Options of a verdict after explanations.

    `blind` rests it on the explanations alone: question and answers are not shown again.
    """

    blind: bool = False


@dataclass(frozen=True, kw_only=True)
class OpeningOptions(VerdictOptions):
    """Options of the private reviews that open a discussion.

    Attributes:
        opening: The method, by the name of its protocol. After rating the answers one by one, a seat
            decides hearing its ratings, so that it has a stance to hold or to alter.
        self_metrics: The seat first writes its own criteria for the question, before it sees an
            answer, and hears them throughout (PRePair, appendix B.2).
    """

    opening: Method = "pairwise_cot"
    self_metrics: bool = False


def build_private_cue(
    seat: Seat,
    comparison: Comparison,
    options: VerdictOptions,
    *,
    task: str = "review_explained",
    hears: tuple[int, ...] = (),
    blind: bool = False,
) -> Cue:
    """Return the cue for a seat's private review of all answers; `hears` may name its own turns."""
    return Cue(
        seat=seat.id,
        task=task,
        sees=comparison.shown,
        hears=hears,
        private=True,
        ties=options.ties,
        aspects=bool(options.aspects),
        blind=blind,
    )


def build_rating_cues(
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
    """Return one cue per answer for its rating, which shows that answer only.

    `logprobs` requests log-probabilities to weight the rating.
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


def build_method_cues(
    method: Method,
    seat: Seat,
    comparison: Comparison,
    options: VerdictOptions,
    *,
    self_metrics: bool = False,
    blind: bool | None = None,
    start: int = 0,
) -> tuple[Cue, ...]:
    """Return the seat's private cues for this method; the first is turn `start`.

    The last cue asks for a verdict on all answers and hears the others. Before it, `pointwise` and
    `score_reasons` rate each answer alone, `prepair` explains each alone (PRePair, section 4 and
    Figure 7), and `prepair_star` explains all together (Figure 8). A `blind` verdict sees nothing else;
    without a choice, that of `prepair_star` is blind, as these figures print it.
    """
    metrics = (_text_cue("write_criteria", seat, options, sees=()),) if self_metrics else ()
    heard = tuple(range(start, start + len(metrics)))
    first = (*metrics, *_preparation(method, seat, comparison, options, hears=heard))
    task = _IN_ONE_REPLY.get(method, "decide")
    hears = tuple(range(start, start + len(first)))
    alone = method == "prepair_star" if blind is None else blind
    last = build_private_cue(seat, comparison, options, task=task, hears=hears, blind=alone)
    return (*first, last)


def build_opening_cues(
    seats: tuple[Seat, ...],
    comparison: Comparison,
    options: OpeningOptions,
    *,
    control: Control = "none",
) -> tuple[Cue, ...]:
    """Return the private cues of these seats, in seat order: the set that opens a discussion."""
    cues: tuple[Cue, ...] = ()
    for place, seat in enumerate(seats):
        cues += build_method_cues(
            options.opening,
            seat,
            reorder_for_seat(place, comparison, control),
            options,
            self_metrics=options.self_metrics,
            start=len(cues),
        )
    return cues


def merge_orders(shown: Iterable[Cue], swapped: Iterable[Cue]) -> tuple[Cue, ...]:
    """Return the cues of one seat asked in two orders; both lists count turns from 0.

    A cue that is the same in both orders comes once and is heard in both.
    """
    cues = list(shown)
    moved: list[int] = []
    for cue in swapped:
        again = replace(cue, hears=tuple(sorted(moved[index] for index in cue.hears)))
        if again not in cues:
            cues.append(again)
        moved.append(cues.index(again))
    return tuple(cues)


def reorder_for_seat(place: int, comparison: Comparison, control: Control) -> Comparison:
    """Return the comparison as it is shown to the seat in this place, from 0.

    With swapped labels, every seat sees the answers rotated by one place against the seat before it,
    and is not told: a neighbour's words then speak of other answers than the listener believes.
    """
    shift = place % len(comparison.answers)
    if control != "swapped" or not shift:
        return comparison
    shown = comparison.shown
    return comparison.reordered(shown[shift:] + shown[:shift])


def _preparation(
    method: Method,
    seat: Seat,
    comparison: Comparison,
    options: VerdictOptions,
    *,
    hears: tuple[int, ...],
) -> tuple[Cue, ...]:
    """The cues before the verdict, each hearing these turns."""
    match method:
        case "prepair":
            return tuple(
                _text_cue("explain_one", seat, options, sees=(answer_id,), hears=hears)
                for answer_id in comparison.shown
            )
        case "prepair_star":
            return (_text_cue("explain_both", seat, options, sees=comparison.shown, hears=hears),)
        case "pointwise":
            return build_rating_cues(
                seat, comparison, aspects=bool(options.aspects), hears=hears, logprobs=True
            )
        case "score_reasons":
            return build_rating_cues(
                seat,
                comparison,
                aspects=bool(options.aspects),
                task="score",
                reply="schema_reasons_score",
                hears=hears,
            )
        case _:
            return ()


def _text_cue(
    task: str,
    seat: Seat,
    options: VerdictOptions,
    *,
    sees: tuple[str, ...],
    hears: tuple[int, ...] = (),
) -> Cue:
    return Cue(
        seat=seat.id,
        task=task,
        sees=sees,
        hears=hears,
        expects=Expects.TEXT,
        private=True,
        aspects=bool(options.aspects),
    )
