"""Cues and conclusions of a protocol, checked against its contract, and the requests from its cues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

from peerjudge.data import Comparison, Cue, PromptPack, Request, Seat, Transcript, Turn, Verdict
from peerjudge.engine.identity import DrawKeys
from peerjudge.errors import PeerJudgeError, ProtocolError
from peerjudge.prompts import (
    Prompter,
    collect_heard,
    describe_form,
    find_form,
    list_choices,
    list_keys,
    order_heard,
)
from peerjudge.protocol import DiscussionProtocol

MAX_TURNS = 1000
"""The most turns of a discussion; a protocol that cues more never ends."""


def next_cues(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
) -> tuple[Cue, ...]:
    """Return the cues of the next set after these turns; none at the end of the discussion.

    Raises `ProtocolError` for an exception in the protocol, anything but a tuple of cues, a cue that names
    an unknown seat, answer or turn, and a discussion of more than `MAX_TURNS` turns.
    """
    now = len(turns)
    try:
        cues = protocol.next_cues(seats, comparison, turns)
    except PeerJudgeError:
        raise
    except Exception as cause:
        msg = f"protocol {protocol.name!r} raised {cause!r} when asked for turn {now}"
        raise ProtocolError(msg) from cause
    found = find_set_fault(cues, seats, comparison, now)
    if found is None and now + len(cues) > MAX_TURNS:
        found = MAX_TURNS, f"has no end after {MAX_TURNS} turns: it asks for one more"
    if found is not None:
        turn, fault = found
        msg = f"protocol {protocol.name!r} {fault} in turn {turn}"
        raise ProtocolError(msg)
    return cues


def conclude(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
) -> Verdict:
    """Return the conclusion of the discussion; raises `ProtocolError` for an exception."""
    try:
        return protocol.conclude(seats, comparison, turns)
    except PeerJudgeError:
        raise
    except Exception as cause:
        msg = f"protocol {protocol.name!r} raised {cause!r} when asked for its conclusion"
        raise ProtocolError(msg) from cause


def find_set_fault(
    cues: object, seats: tuple[Seat, ...], comparison: Comparison, start: int
) -> tuple[int, str] | None:
    """Return the first turn of a set with something wrong in its cue, and what; `None` for a legal set.

    `start` is the turn of the first cue. A cue may hear earlier turns of its set.
    """
    if not isinstance(cues, tuple):
        return start, f"returns {cues!r:.80}, which is no tuple of cues,"
    for now, cue in enumerate(cast("tuple[object, ...]", cues), start):
        if (fault := find_cue_fault(cue, seats, comparison, now)) is not None:
            return now, fault
    return None


def find_cue_fault(
    cue: object, seats: tuple[Seat, ...], comparison: Comparison, now: int
) -> str | None:
    """Return what is wrong with a cue for turn `now`, as a verb phrase; `None` for a legal cue."""
    if not isinstance(cue, Cue):
        return f"returns {cue!r:.80}, which is no Cue,"
    for seat in seats:
        if seat.id == cue.seat:
            break
    else:
        return f"cues seat {cue.seat!r}, which is none of {[seat.id for seat in seats]},"
    latest = -1
    for index in cue.hears:
        if not latest < index < now:
            return f"lets {cue.seat!r} hear turns {list(cue.hears)}, not earlier turns in order,"
        latest = index
    if cue.withheld and not 0 <= min(cue.withheld) <= max(cue.withheld) < now:
        return f"keeps turns {list(cue.withheld)} from {cue.seat!r}, not earlier ones,"
    shown = comparison.shown
    if cue.sees != shown and not (len(set(cue.sees)) == len(cue.sees) and {*cue.sees} <= {*shown}):
        return f"shows {list(cue.sees)}, not different answers of {list(shown)},"
    return None


class RequestBuilder:
    """Builder of the requests of one discussion; it keeps what later requests repeat.

    Turns may come in any order, and a turn may come again.

    Args:
        transcript: The discussion, with the turns it has so far.
        pack: The prompt pack.
        roles: The role prompts, by seat id.
    """

    def __init__(
        self, transcript: Transcript, *, pack: PromptPack, roles: Mapping[str, str]
    ) -> None:
        self._transcript = transcript
        self._pack = pack
        self._seats = {seat.id: seat for seat in transcript.seats}
        self._draws = DrawKeys(transcript)
        self._prompter = Prompter(
            pack, seats=transcript.seats, comparison=transcript.comparison, roles=roles
        )

    def build(
        self,
        index: int,
        cues: Mapping[int, Cue] | Sequence[Cue],
        said: Mapping[int, Turn] | Sequence[Turn],
        waves: Sequence[int] | None = None,
    ) -> Request:
        """Build the request for a turn; raises `PromptError` for missing words.

        Args:
            index: Number of the turn.
            cues: Cues of the discussion by turn, those of later turns included or not.
            said: Turns so far, by their numbers.
            waves: Waves of the turns, see `Course`; by default turns are spoken one by one.
        """
        cue = cues[index]
        heard = collect_heard(said, cue)
        shown = order_heard(heard, cue)
        form = find_form(cue, self._seats[cue.seat], self._pack)
        choices = list_choices(self._pack, cue)
        words = describe_form(form, cue, choices)
        in_prose = partial(self._prompter.render, cue, shown)
        return Request(
            discussion=self._transcript.id,
            turn=index,
            seat=self._seats[cue.seat],
            cue=cue,
            comparison=self._transcript.comparison,
            heard=heard,
            messages=self._prompter.render(cue, shown, form=words),
            drawn=partial(self._draws.derive, index, shown, cues, said, waves),
            lay_out=partial(self._prompter.lay_out, cue, shown),
            form=form,
            choices=choices,
            keys=list_keys(cue),
            in_prose=in_prose if form == "schema" else None,
        )
