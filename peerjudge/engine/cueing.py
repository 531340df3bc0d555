"""Asks a protocol for its next cue and its conclusion, and holds what it says to its contract."""

from __future__ import annotations

from peerjudge.data import Comparison, Cue, Seat, Turn, Verdict
from peerjudge.errors import PeerJudgeError, ProtocolError
from peerjudge.protocol import DiscussionProtocol

__all__ = ["MAX_TURNS", "concluded", "next_cue"]

MAX_TURNS = 1000
"""A protocol that asks for more turns than this in one discussion never ends."""


def next_cue(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
) -> Cue | None:
    """The next cue, or `None` at the end.

    Raises `ProtocolError` where the protocol breaks down, or cues what cannot be: an unknown seat,
    a turn that has not been spoken, an answer that is not there, a turn beyond `MAX_TURNS`.
    """
    try:
        cue = protocol.next_cue(seats, comparison, turns)
    except PeerJudgeError:
        raise
    except Exception as cause:
        msg = f"protocol {protocol.name!r} raised {cause!r} when asked for turn {len(turns)}"
        raise ProtocolError(msg) from cause
    if cue is not None and (fault := _fault(cue, seats, comparison, len(turns))):
        msg = f"protocol {protocol.name!r} {fault} in turn {len(turns)}"
        raise ProtocolError(msg)
    return cue


def concluded(
    protocol: DiscussionProtocol,
    seats: tuple[Seat, ...],
    comparison: Comparison,
    turns: tuple[Turn, ...],
) -> Verdict:
    """What the discussion came to; raises `ProtocolError` where the protocol breaks down."""
    try:
        return protocol.conclude(seats, comparison, turns)
    except PeerJudgeError:
        raise
    except Exception as cause:
        msg = f"protocol {protocol.name!r} raised {cause!r} when asked for its conclusion"
        raise ProtocolError(msg) from cause


def _fault(cue: Cue, seats: tuple[Seat, ...], comparison: Comparison, now: int) -> str | None:
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
    if now >= MAX_TURNS:
        return f"has no end after {MAX_TURNS} turns: it asks for one more"
    return None
