"""Discussions after the private reviews: in turns or rounds, under a control, until they may stop.

The leader is the first seat. A control makes a change of opinion interpretable: a reviewer that alters
its opinion may have been convinced, or may have given way to contradiction, or may have wavered as it
would have alone. Against `placebo` one sees the effect of hearing anything, against `irrelevant` that of
reasons beyond the bare verdict, against `swapped` that of the side for which the reasons speak.
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
        hears: The private reviews that a seat hears in the discussion: `all` or its `own`.
        remind: Repeats the speaker's role in each discussion cue (PRD, Table 9, "w/ role").
        only_if_disagreeing: Skips the discussion when the private stances agree.
        outcome: The conclusion, see `settle`.
        control: What a seat hears in place of the others' arguments, see `Control`.
    """

    stop: Literal["fixed", "agreement"] = "fixed"
    hears: Literal["all", "own"] = "all"
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
) -> tuple[Cue, ...]:
    """Return all private reviews, then one at a time `length` turns in seat order; else nothing.

    The private reviews hear none of each other, so that all seats review at once.
    """
    if not turns:
        return build_opening_cues(seats, comparison, options, control=options.control)
    spoken = count_spoken(turns)
    if spoken >= length or may_end(seats, turns, options, spoken=spoken):
        return ()
    return (build_discussion_cue(spoken % len(seats), seats, comparison, turns, options),)


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

    The speaker sees all answers and hears all of its own words, the private reviews that `options.hears`
    allows, and the earlier turns in the open; of others' turns only those in `audible`, if it is given.
    A control of the options acts on the cue.
    """
    speaker = seats[place]
    hears: Iterable[int] = range(len(turns))
    if options.hears == "own" or audible is not None:
        own = options.hears == "own"
        hears = [
            index
            for index, turn in enumerate(turns)
            if turn.cue.seat == speaker.id
            or (not (own and turn.cue.private) and (audible is None or index in audible))
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
