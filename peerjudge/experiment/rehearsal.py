"""Plays a protocol through on paper, to find out before a run whether a pack has words for it."""

from __future__ import annotations

from peerjudge.data import (
    MAX_ANSWERS,
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
from peerjudge.errors import PeerJudgeError, PromptError, ProtocolError
from peerjudge.prompts import render
from peerjudge.protocol import DiscussionProtocol

__all__ = ["rehearse"]

_LONGEST = 60
"""A rehearsal that has not ended by this turn has seen what there is to see."""


def rehearse(protocol: DiscussionProtocol, pack: PromptPack, *, seats: int) -> None:
    """Put every cue into words that a discussion of seats that never agree would take.

    Raises:
        PromptError: The pack lacks a task or a reply form that the protocol cues, or one of its
            templates cannot be filled.
        ProtocolError: The protocol breaks down.
    """
    comparison = _comparison(protocol)
    seated = tuple(Seat(id=f"seat_{n}", reviewer=f"reviewer_{n}") for n in range(1, seats + 1))
    turns: tuple[Turn, ...] = ()
    worded: set[object] = set()
    while len(turns) < _LONGEST and (cue := _next_cue(protocol, seated, comparison, turns)):
        kind = (cue.task, cue.reply, cue.expects, cue.private, cue.ties, cue.remind, len(cue.sees))
        if kind not in worded:
            worded.add(kind)
            _put_into_words(protocol, pack, seated, comparison, turns, cue)
        turns += (_reply(cue, len(turns), seated, comparison),)


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


def _next_cue(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
) -> Cue | None:
    try:
        return protocol.next_cue(seats, comparison, turns)
    except PeerJudgeError:
        raise
    except Exception as cause:
        msg = f"protocol {protocol.name!r} raised {cause!r} when asked for turn {len(turns)}"
        raise ProtocolError(msg) from cause


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


def _reply(cue: Cue, index: int, seats: tuple[Seat, ...], comparison: Comparison) -> Turn:
    """A seat always chooses the answer of its own number, so that no two neighbours agree."""
    place = next((at for at, seat in enumerate(seats) if seat.id == cue.seat), 0)
    chosen = Verdict.of(comparison.shown[place % len(comparison.shown)])
    match cue.expects:
        case Expects.VERDICT:
            read = Review(verdict=chosen)
        case Expects.RATING:
            read = Review(score=float(cue.scale[1]))
        case Expects.TEXT:
            read = Review()
    return Turn(index=index, cue=cue, utterance=Utterance(text="So."), review=read)
