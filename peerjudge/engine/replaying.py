"""Replay of stored discussions: replies are read, cued and concluded again, without a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isclose

from peerjudge.data import UNREADABLE, Review, StopReason, Transcript, Turn, replace, split_turns
from peerjudge.engine.course import find_other, unread
from peerjudge.engine.cues import conclude, next_cues
from peerjudge.engine.reading import read_reply, read_second
from peerjudge.engine.rereading import read_asked
from peerjudge.errors import PeerJudgeError
from peerjudge.protocol import DiscussionProtocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Replay of one discussion; `differences` has one sentence for each value that does not come out again.

    `read` counts the replies that were read again, and `recorded` those whose verdict is recorded data.
    """

    read: int
    recorded: int
    differences: tuple[str, ...]


def replay(
    transcript: Transcript,
    protocol: DiscussionProtocol | None,
    *,
    is_recorded: Callable[[Turn], bool],
) -> Replay:
    """Return what differs when a discussion is read and played again from its stored replies.

    Args:
        transcript: The discussion, ended or not.
        protocol: Its protocol with its options; `None` compares neither cues nor the conclusion.
        is_recorded: Returns true for a turn whose verdict was recorded without being read from its reply.
    """
    stored = (*transcript.turns, *transcript.ahead)
    again = tuple(
        turn if is_recorded(turn) else replace(turn, review=_read(turn, transcript))
        for turn in stored
    )
    differences = [
        f"turn {now.index} says {_state(now.review)}, and the bundle {_state(then.review)}"
        for then, now in zip(stored, again, strict=True)
        if not _is_same(then.review, now.review)
    ]
    if protocol is not None:
        dense, ahead = split_turns(again)
        differences += _play_again(replace(transcript, turns=dense, ahead=ahead), protocol)
    recorded = sum(map(is_recorded, stored))
    return Replay(read=len(again) - recorded, recorded=recorded, differences=tuple(differences))


def _read(turn: Turn, transcript: Transcript) -> Review:
    """Return the review in the stored replies of a turn; unreadable for a cue of other answers."""
    try:
        own = read_reply(turn.utterance, cue=turn.cue, comparison=transcript.comparison)
    except PeerJudgeError:
        return Review(verdict=UNREADABLE)
    if turn.asked is not None:
        own = read_asked(replace(turn, review=own), turn.asked, transcript.comparison)
    if turn.reread is None or own.verdict != UNREADABLE:
        return own
    second = "" if transcript.reread is None else transcript.reread.reviewer
    return read_second(turn.reread, cue=turn.cue, reviewer=second)


def _is_same(then: Review, now: Review) -> bool:
    """Return whether two reviews say the same; the rule that found it may have another name."""
    if then.score is None or now.score is None:
        return (then.verdict, then.score) == (now.verdict, now.score)
    return then.verdict == now.verdict and isclose(then.score, now.score, rel_tol=1e-9)


def _state(review: Review) -> str:
    return f"{review.verdict if review.score is None else review.score}"


def _play_again(transcript: Transcript, protocol: DiscussionProtocol) -> Iterator[str]:
    """Yield what differs in the cues and the conclusion; nothing more after the first other cue."""
    seats, comparison, turns = transcript.seats, transcript.comparison, transcript.turns
    # A reply may have been reread after later turns were played, which then heard it unread.
    before = unread(turns)
    stored = {turn.index: turn for turn in (*turns, *transcript.ahead)}
    start = 0
    try:
        while start <= len(turns) and any(index >= start for index in stored):
            sets = [next_cues(protocol, seats, comparison, one[:start]) for one in (turns, before)]
            differing = [find_other(cues, stored, start) for cues in sets]
            if None not in differing:
                yield f"turn {differing[0]} has another cue than protocol {protocol.name!r} gives"
                return
            start += len(sets[differing.index(None)])
        if transcript.stop is not StopReason.COMPLETE:
            found = UNREADABLE
        elif start > len(turns) or next_cues(protocol, seats, comparison, turns):
            yield f"it ends before protocol {protocol.name!r} does"
            return
        else:
            found = conclude(protocol, seats, comparison, turns)
    except PeerJudgeError as cause:
        yield f"it cannot be played again: {cause}"
        return
    if found != transcript.verdict:
        yield f"its turns conclude {found}, and the bundle {transcript.verdict}"
