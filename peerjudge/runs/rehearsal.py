"""Rehearsal of a protocol without reviewers: it ends, keeps its contract and has its prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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


def choose_own_number(place: int, comparison: Comparison) -> Verdict:
    """Choose the answer with the number of the seat, so that neighbours disagree."""
    return Verdict.of(comparison.shown[place % len(comparison.shown)])


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
    least, _ = protocol.answers
    comparison = Comparison(
        id="rehearsal",
        question=Question(id="question", text="Why?"),
        answers=tuple(
            Answer(id=f"answer_{n}", text=f"Because of {n}.")
            for n in range(min(least, MAX_ANSWERS))
        ),
    )
    seated = tuple(Seat(id=f"seat_{n}", reviewer=f"reviewer_{n}") for n in range(1, seats + 1))
    for choose in (choose_own_number, _choose_first, _be_unreadable):
        turns: tuple[Turn, ...] = ()
        rendered: set[object] = set()
        for turn in simulate_turns(protocol, seated, comparison, choose=choose):
            cue = turn.cue
            if next_cue(protocol, seated, comparison, turns) != cue:
                msg = f"protocol {protocol.name!r} gives two different cues for turn {turn.index}"
                raise ProtocolError(msg)
            kind = (cue.task, cue.reply, cue.expects, cue.private, cue.ties, cue.remind)
            if pack is not None and (*kind, len(cue.sees)) not in rendered:
                rendered.add((*kind, len(cue.sees)))
                try:
                    render(pack, seats=seated, comparison=comparison, turns=turns, cue=cue)
                except PromptError as cause:
                    msg = f"protocol {protocol.name!r} cannot use this prompt pack: {cause}"
                    raise PromptError(msg) from cause
            turns = (*turns, turn)
        verdict = conclude(protocol, seated, comparison, turns)
        if verdict.choice is not None and verdict.choice not in comparison.shown:
            msg = f"protocol {protocol.name!r} concludes {verdict}, which is not one of the answers"
            raise ProtocolError(msg)


def _choose_first(place: int, comparison: Comparison) -> Verdict:
    return Verdict.of(comparison.shown[0])


def _be_unreadable(place: int, comparison: Comparison) -> Verdict:
    return UNREADABLE


def simulate_turns(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...] = (),
    *,
    choose: Choice = choose_own_number,
    reply: Callable[[Cue], str] = lambda _: "So.",
) -> Iterator[Turn]:
    """Yield the turns that follow, with these choices as verdicts and these texts as replies.

    Raises `ProtocolError` if the protocol breaks its contract, or does not end.
    """
    places = {seat.id: place for place, seat in enumerate(seats)}
    while cue := next_cue(protocol, seats, comparison, turns):
        verdict = choose(places[cue.seat], comparison)
        match cue.expects:
            case Expects.VERDICT:
                review = Review(verdict=verdict)
            case Expects.RATING:
                review = Review(score=float(cue.scale[1]) if verdict.readable else None)
            case Expects.TEXT:
                review = Review()
        utterance = Utterance(text=reply(cue), simulated=True)
        turn = Turn(index=len(turns), cue=cue, utterance=utterance, review=review)
        yield turn
        turns = (*turns, turn)
