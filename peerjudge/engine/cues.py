"""Cues and conclusions of a protocol, checked against its contract, and the requests from its cues."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

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


def next_cue(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
) -> Cue | None:
    """Return the next cue, or `None` at the end of the discussion.

    Raises `ProtocolError` for an exception in the protocol, a cue that names an unknown seat, answer
    or turn, and a discussion of more than `MAX_TURNS` turns.
    """
    now = len(turns)
    try:
        cue = protocol.next_cue(seats, comparison, turns)
    except PeerJudgeError:
        raise
    except Exception as cause:
        msg = f"protocol {protocol.name!r} raised {cause!r} when asked for turn {now}"
        raise ProtocolError(msg) from cause
    if cue is None:
        return None
    fault = find_cue_fault(cue, seats, comparison, now)
    if fault is None and now >= MAX_TURNS:
        fault = f"has no end after {MAX_TURNS} turns: it asks for one more"
    if fault is not None:
        msg = f"protocol {protocol.name!r} {fault} in turn {now}"
        raise ProtocolError(msg)
    return cue


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

    Turns come in order; a turn may come again.

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

    def build(self, cue: Cue, turns: tuple[Turn, ...]) -> Request:
        """Build the request for the cue after these turns; raises `PromptError` for missing words."""
        heard = collect_heard(turns, cue)
        shown = order_heard(heard, cue)
        form = find_form(cue, self._seats[cue.seat], self._pack)
        choices = list_choices(self._pack, cue)
        words = describe_form(form, cue, choices)
        in_prose = partial(self._prompter.render, cue, shown)
        return Request(
            discussion=self._transcript.id,
            turn=len(turns),
            seat=self._seats[cue.seat],
            cue=cue,
            comparison=self._transcript.comparison,
            heard=heard,
            messages=self._prompter.render(cue, shown, form=words),
            drawn=partial(self._draws.derive, cue, shown, turns),
            lay_out=partial(self._prompter.lay_out, cue, shown),
            form=form,
            choices=choices,
            keys=list_keys(cue),
            in_prose=in_prose if form == "schema" else None,
        )
