"""Discussions after the private reviews: in turns or rounds, under a control, until they may stop.

The leader is the first seat. A control makes a change of opinion interpretable: a reviewer that alters
its opinion may have been convinced, or may have given way to contradiction, or may have wavered as it
would have alone. Against `placebo` one sees the effect of hearing anything, against `stance` and `irrelevant`
that of reasons beyond the bare verdict, against `swapped` that of the side for which the reasons speak, and
against `unnamed` that of knowing whose words are one's own.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from peerjudge.data import Comparison, Control, Cue, Seat, Turn, replace
from peerjudge.errors import ProtocolError
from peerjudge.protocol.conclusions import is_unanimous
from peerjudge.protocol.methods import OpeningOptions, build_opening_cues, reorder_for_seat


@dataclass(frozen=True, kw_only=True)
class DiscussionOptions(OpeningOptions):
    """Options of a discussion and of its opening, without its length.

    Attributes:
        stop: `fixed` runs to the full length; `agreement` ends after the first discussion turn at
            which all seats have the same stance.
        hears: Whom a seat hears in the discussion: `all`; with `own`, others' turns in the open only and
            not their private reviews; in a `ring`, the seats beside it; in a `star`, the first seat, which
            hears all; with `own_role`, the seats of its role. Its own words it always hears.
        remind: Repeats the speaker's role in each discussion cue (PRD, Table 9, "w/ role").
        only_if_disagreeing: Skips the discussion when the private stances agree.
        outcome: The conclusion, see `settle`.
        control: What a seat hears in place of the others' arguments, see `Control`.
    """

    stop: Literal["fixed", "agreement"] = "fixed"
    hears: Literal["all", "own", "ring", "star", "own_role"] = "all"
    remind: bool = False
    only_if_disagreeing: bool = False
    outcome: Literal["last", "leader", "majority"] = "last"
    control: Control = "none"


@dataclass(frozen=True, kw_only=True)
class TurnOptions(DiscussionOptions):
    """Options of a discussion of at most `turns` turns; the leader speaks first."""

    turns: int = 4

    def __post_init__(self) -> None:
        _require_count("turns", self.turns)


@dataclass(frozen=True, kw_only=True)
class RoundOptions(DiscussionOptions):
    """Options of a discussion of at most `rounds` rounds; each seat speaks once in a round."""

    rounds: int = 2

    def __post_init__(self) -> None:
        _require_count("rounds", self.rounds)


def _require_count(name: str, value: int) -> None:
    if value < 0:
        msg = f"option {name!r} must be 0 or more, not {value}"
        raise ProtocolError(msg)


def next_discussion_cues(
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
    options: DiscussionOptions,
    *,
    length: int,
    relay: bool = False,
) -> tuple[Cue, ...]:
    """Return all private reviews, then one at a time `length` turns in seat order; else nothing.

    The private reviews hear none of each other, so that all seats review at once. In a `relay` a turn hears
    the last turn of the seat before it, and of others' turns nothing else.
    """
    if not turns:
        return build_opening_cues(seats, comparison, options, control=options.control)
    spoken = count_spoken(turns)
    if spoken >= length or may_end(seats, turns, options, spoken=spoken):
        return ()
    place, audible = spoken % len(seats), None
    if relay:
        before = seats[place - 1].id
        audible = {max(turn.index for turn in turns if turn.cue.seat == before)}
    return (build_discussion_cue(place, seats, comparison, turns, options, audible=audible),)


def next_round_cues(
    seats: tuple[Seat, ...], comparison: Comparison, turns: tuple[Turn, ...], options: RoundOptions
) -> tuple[Cue, ...]:
    """Return all private reviews, then one round after the other, in which all seats speak at once."""
    if not turns:
        return build_opening_cues(seats, comparison, options, control=options.control)
    spoken = count_spoken(turns)
    if spoken >= options.rounds * len(seats) or may_end(seats, turns, options, spoken=spoken):
        return ()
    return tuple(
        build_discussion_cue(place, seats, comparison, turns, options)
        for place, _ in enumerate(seats)
    )


def count_spoken(turns: Sequence[Turn]) -> int:
    """Return the number of turns in the open."""
    # Every turn of every discussion comes here: a list takes half the time of a generator.
    return sum([not turn.cue.private for turn in turns])


def may_end(
    seats: tuple[Seat, ...], turns: tuple[Turn, ...], options: DiscussionOptions, *, spoken: int
) -> bool:
    """Return whether the options end a discussion after these turns, of which `spoken` are in the open."""
    ends_early = options.stop == "agreement" if spoken else options.only_if_disagreeing
    return ends_early and is_unanimous(seats, turns)


def build_discussion_cue(
    place: int,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
    options: DiscussionOptions,
    *,
    audible: Container[int] | None = None,
) -> Cue:
    """Return the cue for a turn in the open of the seat in this place, after these turns.

    The speaker sees all answers and hears all of its own words, and of others' turns those that
    `options.hears` allows, of these only the ones in `audible`, if it is given. A control of the options acts
    on the cue.
    """
    speaker = seats[place]
    hears: Iterable[int] = range(len(turns))
    if options.hears != "all" or audible is not None:
        heard = _find_heard(place, seats, options)
        hears = [
            index
            for index, turn in enumerate(turns)
            if turn.cue.seat == speaker.id
            or (
                turn.cue.seat in heard
                and not (options.hears == "own" and turn.cue.private)
                and (audible is None or index in audible)
            )
        ]
    cue = Cue(
        seat=speaker.id,
        task="discuss",
        sees=reorder_for_seat(place, comparison, options.control).shown,
        hears=tuple(hears),
        ties=options.ties,
        aspects=options.aspects is True,
        remind=options.remind,
    )
    return cue if options.control == "none" else _apply_control(cue, turns, options.control)


def _find_heard(place: int, seats: tuple[Seat, ...], options: DiscussionOptions) -> frozenset[str]:
    """Return the ids of the seats that the seat in this place may hear."""
    match options.hears:
        case "ring":
            heard = [seats[place - 1], seats[(place + 1) % len(seats)]]
        case "star" if place:
            heard = [seats[0]]
        case "own_role":
            heard = [seat for seat in seats if seat.role == seats[place].role]
        case _:
            heard = [*seats]
    return frozenset(seat.id for seat in heard)


def _apply_control(cue: Cue, turns: tuple[Turn, ...], control: Control) -> Cue:
    """The cue under this control; a placebo hears its own words only and is asked to reconsider."""
    if control != "placebo":
        return replace(cue, control=control)
    own = tuple(index for index in cue.hears if turns[index].cue.seat == cue.seat)
    return replace(
        cue,
        task="reconsider",
        hears=own,
        control=control,
        withheld=tuple(index for index in cue.hears if index not in own),
    )
