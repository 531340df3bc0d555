"""Rehearsal of a protocol without reviewers: it ends, keeps its contract and has its prompts."""

from __future__ import annotations

from collections.abc import Callable

from peerjudge.data import (
    MAX_ANSWERS,
    UNREADABLE,
    Answer,
    Comparison,
    Cue,
    Expects,
    PromptPack,
    Question,
    Review,
    Seat,
    Turn,
    Utterance,
    Verdict,
)
from peerjudge.engine import conclude, next_cue
from peerjudge.errors import PromptError, ProtocolError
from peerjudge.prompts import render
from peerjudge.protocol import DiscussionProtocol

Choice = Callable[[int, Comparison], Verdict]
"""Returns the verdict of a seat, given its index and the comparison."""


def rehearse(protocol: DiscussionProtocol, pack: PromptPack | None = None, *, seats: int) -> None:
    """Simulate discussions of seats that never agree, always agree, and are never readable.

    Args:
        protocol: The protocol. Its contract: it ends, cues only seats, answers and turns that exist,
            is deterministic, and concludes.
        pack: Prompt pack in which each kind of cue is rendered, if given.
        seats: Number of seats.

    Raises:
        PromptError: The pack lacks a task or reply form that the protocol cues, or a template cannot
            be rendered.
        ProtocolError: The protocol breaks its contract.
    """
    comparison = _build_comparison(protocol)
    seated = tuple(Seat(id=f"seat_{n}", reviewer=f"reviewer_{n}") for n in range(1, seats + 1))
    for choice in (_choose_own_number, _choose_first, _be_unreadable):
        turns = _simulate(protocol, pack, seated, comparison, choice)
        verdict = conclude(protocol, seated, comparison, turns)
        if verdict.choice is not None and verdict.choice not in comparison.shown:
            msg = f"protocol {protocol.name!r} concludes {verdict}, which is not one of the answers"
            raise ProtocolError(msg)


def _simulate(
    protocol: DiscussionProtocol,
    pack: PromptPack | None,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    choice: Choice,
) -> tuple[Turn, ...]:
    turns: tuple[Turn, ...] = ()
    rendered: set[object] = set()
    while cue := next_cue(protocol, seats, comparison, turns):
        if next_cue(protocol, seats, comparison, turns) != cue:
            msg = f"protocol {protocol.name!r} gives two different cues for the same turn {len(turns)}"
            raise ProtocolError(msg)
        kind = (cue.task, cue.reply, cue.expects, cue.private, cue.ties, cue.remind, len(cue.sees))
        if pack is not None and kind not in rendered:
            rendered.add(kind)
            _render(protocol, pack, seats, comparison, turns, cue)
        place = next(at for at, seat in enumerate(seats) if seat.id == cue.seat)
        turns += (_reply(cue, len(turns), choice(place, comparison)),)
    return turns


def _build_comparison(protocol: DiscussionProtocol) -> Comparison:
    least, _ = protocol.answers
    return Comparison(
        id="rehearsal",
        question=Question(id="question", text="Why?"),
        answers=tuple(
            Answer(id=f"answer_{n}", text=f"Because of {n}.")
            for n in range(min(least, MAX_ANSWERS))
        ),
    )


def _choose_own_number(place: int, comparison: Comparison) -> Verdict:
    return Verdict.of(comparison.shown[place % len(comparison.shown)])


def _choose_first(place: int, comparison: Comparison) -> Verdict:
    return Verdict.of(comparison.shown[0])


def _be_unreadable(place: int, comparison: Comparison) -> Verdict:
    return UNREADABLE


def _render(
    protocol: DiscussionProtocol,
    pack: PromptPack,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
    cue: Cue,
) -> None:
    try:
        render(pack, seats=seats, comparison=comparison, turns=turns, cue=cue)
    except PromptError as cause:
        msg = f"protocol {protocol.name!r} cannot use this prompt pack: {cause}"
        raise PromptError(msg) from cause


def _reply(cue: Cue, index: int, said: Verdict) -> Turn:
    match cue.expects:
        case Expects.VERDICT:
            read = Review(verdict=said)
        case Expects.RATING:
            read = Review(score=float(cue.scale[1]) if said.readable else None)
        case Expects.TEXT:
            read = Review()
    return Turn(index=index, cue=cue, utterance=Utterance(text="So."), review=read)
