"""How seats discuss after their private reviews: in turns or rounds, until they may stop.

Seats are passed leader first, so who leads is decided before a protocol is asked. A turn is
*private* when its cue is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from peerjudge.data import Comparison, Control, Cue, Seat, Turn
from peerjudge.errors import ProtocolError
from peerjudge.protocol.controls import controlled, order_of
from peerjudge.protocol.methods import Opening, opening_cue
from peerjudge.protocol.settling import agreed

__all__ = ["Manner", "Rounds", "Talk", "discussion_cue", "talk_cue"]


@dataclass(frozen=True, kw_only=True)
class Manner(Opening):
    """How a discussion is held, apart from its length; how it is opened, see `Opening`.

    Attributes:
        stop: `fixed` runs to the full length; `agreement` ends after the first discussion turn at
            which every seat has a stance and all are the same.
        hears: whose private reviews a seat hears in the discussion: `all` or only its `own`.
        remind: repeats the speaker's role in each discussion cue (PRD, Table 9, "w/ role").
        only_if_disagreeing: skips the discussion when the private stances already agree.
        outcome: how it is settled, see `settle`.
        control: what is heard in place of the others' arguments, see `Control`: run a discussion
            with each to tell why opinions change in it.
    """

    stop: Literal["fixed", "agreement"] = "fixed"
    hears: Literal["all", "own"] = "all"
    remind: bool = False
    only_if_disagreeing: bool = False
    outcome: Literal["last", "leader", "majority"] = "last"
    control: Control = "none"


@dataclass(frozen=True, kw_only=True)
class Talk(Manner):
    """A discussion of at most `turns` turns after the private reviews (the leader's is the first)."""

    turns: int = 4

    def __post_init__(self) -> None:
        _require_count("turns", self.turns)


@dataclass(frozen=True, kw_only=True)
class Rounds(Manner):
    """A discussion of at most `rounds` rounds after the private reviews; each seat speaks once a round."""

    rounds: int = 2

    def __post_init__(self) -> None:
        _require_count("rounds", self.rounds)


def _require_count(name: str, value: int) -> None:
    if value < 0:
        msg = f"option {name!r} must be 0 or more, not {value}"
        raise ProtocolError(msg)


def discussion_cue(
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
    manner: Manner,
    *,
    length: int,
) -> Cue | None:
    """The next cue of the private reviews and then of the discussion, or `None` when it is over."""
    private = opening_cue(seats, comparison, turns, manner, control=manner.control)
    return private or talk_cue(seats, comparison, turns, manner, length=length)


def talk_cue(
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
    manner: Manner,
    *,
    length: int,
) -> Cue | None:
    """The next cue of a discussion of `length` turns in seat order, or `None` when it is over.

    A speaker sees all answers and hears the private reviews that `manner.hears` lets it, all
    discussion turns so far, and always what it said itself.
    """
    # This is asked for every turn of every discussion: lists, for they take half of a generator's time.
    spoken = sum([not turn.cue.private for turn in turns])
    may_stop = manner.stop == "agreement" if spoken else manner.only_if_disagreeing
    if spoken >= length or (may_stop and agreed(seats, turns)):
        return None
    place = spoken % len(seats)
    speaker = seats[place]
    hears = range(len(turns))
    if manner.hears == "own":
        hears = [
            index
            for index, turn in enumerate(turns)
            if not turn.cue.private or turn.cue.seat == speaker.id
        ]
    cue = Cue(
        seat=speaker.id,
        task="discuss",
        sees=order_of(place, comparison, manner.control).shown,
        hears=tuple(hears),
        ties=manner.ties,
        aspects=manner.aspects,
        remind=manner.remind,
    )
    return cue if manner.control == "none" else controlled(cue, turns, manner.control)
