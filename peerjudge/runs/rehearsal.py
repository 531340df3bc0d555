"""Plays a protocol through on paper, to find out before a run whether it ends and has its words."""

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
from peerjudge.engine import concluded, next_cue
from peerjudge.errors import PromptError, ProtocolError
from peerjudge.prompts import render
from peerjudge.protocol import DiscussionProtocol

__all__ = ["rehearse"]

Choice = Callable[[int, Comparison], Verdict]
"""From the place of the speaker's seat and the comparison to what it says."""


def rehearse(protocol: DiscussionProtocol, pack: PromptPack | None = None, *, seats: int) -> None:
    """Play the discussions of seats that never agree, always agree, and are never understood.

    Args:
        protocol: It is held to its contract: it ends, cues seats and answers that are there, lets
            nobody hear what has not been said, does the same for the same input, and concludes.
        pack: Where given, every kind of cue is put into its words.
        seats: How many seats take part.

    Raises:
        PromptError: The pack lacks a task or a reply form that the protocol cues, or one of its
            templates cannot be filled.
        ProtocolError: The protocol breaks its contract.
    """
    comparison = _comparison(protocol)
    seated = tuple(Seat(id=f"seat_{n}", reviewer=f"reviewer_{n}") for n in range(1, seats + 1))
    for choice in (_own_number, _first, _nothing):
        turns = _played(protocol, pack, seated, comparison, choice)
        verdict = concluded(protocol, seated, comparison, turns)
        if verdict.choice is not None and verdict.choice not in comparison.shown:
            msg = f"protocol {protocol.name!r} concludes {verdict}, which was not among the answers"
            raise ProtocolError(msg)


def _played(
    protocol: DiscussionProtocol,
    pack: PromptPack | None,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    choice: Choice,
) -> tuple[Turn, ...]:
    turns: tuple[Turn, ...] = ()
    worded: set[object] = set()
    while cue := next_cue(protocol, seats, comparison, turns):
        if next_cue(protocol, seats, comparison, turns) != cue:
            msg = f"protocol {protocol.name!r} cues differently when asked twice for turn {len(turns)}"
            raise ProtocolError(msg)
        kind = (cue.task, cue.reply, cue.expects, cue.private, cue.ties, cue.remind, len(cue.sees))
        if pack is not None and kind not in worded:
            worded.add(kind)
            _put_into_words(protocol, pack, seats, comparison, turns, cue)
        place = next(at for at, seat in enumerate(seats) if seat.id == cue.seat)
        turns += (_reply(cue, len(turns), choice(place, comparison)),)
    return turns


def _comparison(protocol: DiscussionProtocol) -> Comparison:
    least, _ = protocol.answers
    return Comparison(
        id="rehearsal",
        question=Question(id="question", text="Why?"),
        answers=tuple(
            Answer(id=f"answer_{n}", text=f"Because of {n}.")
            for n in range(min(least, MAX_ANSWERS))
        ),
    )


def _own_number(place: int, comparison: Comparison) -> Verdict:
    return Verdict.of(comparison.shown[place % len(comparison.shown)])


def _first(place: int, comparison: Comparison) -> Verdict:
    return Verdict.of(comparison.shown[0])


def _nothing(place: int, comparison: Comparison) -> Verdict:
    return UNREADABLE


def _put_into_words(
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
        msg = f"protocol {protocol.name!r} cannot be played in these words: {cause}"
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
