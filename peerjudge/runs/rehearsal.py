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
    Transcript,
    Turn,
    Utterance,
    Verdict,
)
from peerjudge.engine import Course, conclude, walk_sets
from peerjudge.errors import PromptError, ProtocolError
from peerjudge.prompts import render
from peerjudge.protocol import DiscussionProtocol

Choice = Callable[[int, Comparison], Verdict]
"""Returns the verdict of a seat, given its index and the comparison."""

Reply = Callable[[int, Cue], str]
"""Returns the text of a turn, given its number and its cue."""


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
            kind = (cue.task, cue.reply, cue.expects, cue.private, cue.ties, cue.remind)
            if pack is not None and (*kind, len(cue.sees)) not in rendered:
                rendered.add((*kind, len(cue.sees)))
                try:
                    render(pack, seats=seated, comparison=comparison, turns=turns, cue=cue)
                except PromptError as cause:
                    msg = f"protocol {protocol.name!r} cannot use this prompt pack: {cause}"
                    raise PromptError(msg) from cause
            turns = (*turns, turn)
        for start, cues in walk_sets(protocol, seated, comparison, turns):
            given = [turn.cue for turn in turns[start : start + len(cues)]]
            if [*cues] != given:
                msg = f"protocol {protocol.name!r} gives two different sets of cues after {start} turns"
                raise ProtocolError(msg)
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
    *,
    choose: Choice = choose_own_number,
    reply: Reply = lambda _, __: "So.",
) -> Iterator[Turn]:
    """Yield the turns of a discussion with these choices as verdicts and these texts as replies.

    Raises `ProtocolError` if the protocol breaks its contract, or does not end.
    """
    head = Transcript(
        id="-", comparison=comparison, protocol=protocol.name, seats=seats, condition="simulated"
    )
    for course, index in simulate_course(protocol, head, choose=choose, reply=reply):
        yield course.said[index]


def simulate_course(
    protocol: DiscussionProtocol,
    transcript: Transcript,
    *,
    choose: Choice = choose_own_number,
    reply: Reply = lambda _, __: "So.",
) -> Iterator[tuple[Course, int]]:
    """Yield the number of each turn that a discussion still makes, in order, with the course that holds it.

    Arguments as for `simulate_turns`.
    """
    course = Course(protocol, transcript)
    places = {seat.id: place for place, seat in enumerate(transcript.seats)}
    while speakable := course.list_speakable():
        index = speakable[0]
        cue = course.cues[index]
        verdict = choose(places[cue.seat], transcript.comparison)
        match cue.expects:
            case Expects.VERDICT:
                review = Review(verdict=verdict)
            case Expects.RATING:
                review = Review(score=float(cue.scale[1]) if verdict.readable else None)
            case Expects.TEXT:
                review = Review()
        utterance = Utterance(text=reply(index, cue), simulated=True)
        course.said[index] = Turn(index=index, cue=cue, utterance=utterance, review=review)
        yield course, index
