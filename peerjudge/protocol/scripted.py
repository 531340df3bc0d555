"""Whole discussions written in one line: for tests of analyses, and for printed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from peerjudge.data import (
    REFUSED,
    TIE,
    UNREADABLE,
    Answer,
    Comparison,
    Cue,
    Expects,
    Question,
    Review,
    Role,
    Seat,
    StopReason,
    Transcript,
    Turn,
    Utterance,
    Verdict,
    content_hash,
)
from peerjudge.errors import DataError
from peerjudge.protocol.conclusions import last_verdict

Hears = Literal["all", "own", "none"] | Callable[[int, int], bool]

_MARKS = {"=": TIE, "?": UNREADABLE, "!": REFUSED}
_TEXT_ONLY = "-"


def comparison_of(answers: int = 2, *, gold: int | None = None, name: str = "c1") -> Comparison:
    """Return a comparison of 1 to 4 short answers with ids `answer-1`, ... in this order.

    `gold` is the number of the better answer, counting from 1.
    """
    return Comparison(
        id=name,
        question=Question(id=f"q-{name}", text="Why is the sky blue?"),
        answers=tuple(
            Answer(id=f"answer-{n}", text=f"Because of reason {n}.", author=f"author-{n}")
            for n in range(1, answers + 1)
        ),
        gold=None if gold is None else Verdict.of(f"answer-{gold}"),
    )


def seats_of(count: int, roles: Sequence[str] = ()) -> tuple[Seat, ...]:
    """Return seats `seat-1`, ... of `reviewer-1`, ...: a judge; leader and follower; or a panel.

    `roles` are other ones, one for each seat.
    """
    return tuple(
        Seat(id=f"seat-{n}", reviewer=f"reviewer-{n}", role=role)
        for n, role in enumerate(roles or Role.of_seats(count), start=1)
    )


def verdict_of(mark: str, comparison: Comparison) -> Verdict | None:
    """Return the verdict for a mark of `transcript_of`; `None` for an explanation."""
    if mark == _TEXT_ONLY:
        return None
    if mark in _MARKS:
        return _MARKS[mark]
    if mark.isdigit() and 1 <= int(mark) <= len(comparison.answers):
        return Verdict.of(comparison.shown[int(mark) - 1])
    known = [str(n) for n, _ in enumerate(comparison.answers, start=1)] + [*_MARKS, _TEXT_ONLY]
    msg = f"{mark!r} is no mark of a verdict; write one of {' '.join(known)}"
    raise DataError(msg)


def transcript_of(
    moves: str,
    *,
    hears: Hears = "all",
    comparison: Comparison | None = None,
    seats: tuple[Seat, ...] | None = None,
    gold: int | None = None,
    condition: str = "scripted",
) -> Transcript:
    """Return the complete discussion written as a line like `2|1 2 1 1 1`.

    The first word holds one private review per seat, separated by `|` (`-|-` for none); each
    following word is a turn of the next seat, the first seat speaking first. A digit is the number
    of the chosen answer in the shown order, `=` a tie, `?` an unreadable reply, `!` a refusal, `-`
    an explanation without verdict (as a private review: no turn at all).

    Args:
        moves: The line.
        hears: The earlier turns that a public turn hears: `all` of them; every public turn and its
            `own` private review; `none`; or a function (turn, earlier turn) -> bool of indices.
        comparison: The comparison; by default `comparison_of` with as many answers as needed.
        seats: The seats; by default `seats_of` with one per private review.
        gold: The number of the gold answer of the default comparison.
        condition: The transcript's condition.

    Raises:
        DataError: For an unknown mark, or a number of seats that does not fit.
    """
    opening, *public = moves.split() or [""]
    private = opening.split("|")
    if comparison is None:
        numbers = [int(mark) for mark in (*private, *public) if mark.isdigit()]
        comparison = comparison_of(max([2, *numbers]), gold=gold)
    seats = seats_of(len(private)) if seats is None else seats
    if len(seats) != len(private):
        msg = f"{moves!r} has {len(private)} private reviews for {len(seats)} seats"
        raise DataError(msg)
    spoken = [(seat, mark, True) for seat, mark in zip(seats, private, strict=True)]
    spoken = [move for move in spoken if move[1] != _TEXT_ONLY]
    spoken += [(seats[n % len(seats)], mark, False) for n, mark in enumerate(public)]
    turns: list[Turn] = []
    for seat, mark, alone in spoken:
        heard = () if alone else _heard(turns, seat.id, hears)
        turns.append(_turn(len(turns), seat, mark, comparison, private=alone, heard=heard))
    return Transcript(
        id=content_hash(moves, comparison.id, [seat.id for seat in seats], condition),
        comparison=comparison,
        protocol="scripted",
        seats=seats,
        turns=tuple(turns),
        stop=StopReason.COMPLETE,
        verdict=last_verdict(seats, comparison, turns),
        condition=condition,
    )


def _heard(turns: list[Turn], seat: str, hears: Hears) -> tuple[int, ...]:
    if callable(hears):
        return tuple(turn.index for turn in turns if hears(len(turns), turn.index))
    if hears == "none":
        return ()
    return tuple(
        turn.index
        for turn in turns
        if hears == "all" or not turn.cue.private or turn.cue.seat == seat
    )


def _turn(
    index: int,
    seat: Seat,
    mark: str,
    comparison: Comparison,
    *,
    private: bool,
    heard: tuple[int, ...],
) -> Turn:
    verdict = verdict_of(mark, comparison)
    cue = Cue(
        seat=seat.id,
        task="review" if private else "discuss",
        sees=comparison.shown,
        hears=heard,
        expects=Expects.TEXT if verdict is None else Expects.VERDICT,
        private=private,
        ties=True,
    )
    text = f"{seat.id} speaks in turn {index}.\n{mark}"
    utterance = Utterance(text=text, model="scripted", simulated=True)
    return Turn(
        index=index, cue=cue, utterance=utterance, review=Review(verdict=verdict, rule="scripted")
    )
