"""Forks: the turns that a fork keeps, replayed through its protocol, and the identity of a fork."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from peerjudge.data import Cue, StopReason, Transcript, Turn, content_hash, replace, to_plain
from peerjudge.engine.cues import next_cues
from peerjudge.engine.identity import identify
from peerjudge.engine.reading import read_reply
from peerjudge.errors import ForkError, PeerJudgeError
from peerjudge.protocol import DiscussionProtocol

ORIGINAL = "{text}"
"""What the words of an edited turn have in place of its original words."""


def keep_turns(
    parent: Transcript,
    head: Transcript,
    *,
    protocol: DiscussionProtocol,
    at: int,
    edits: Mapping[int, str] | None = None,
    places: Mapping[str, str] | None = None,
) -> tuple[Turn, ...]:
    """Return the turns before `at` of a discussion as its fork keeps them.

    The protocol is asked for its sets again. Each cue must be that of a kept turn, with the same task,
    answers and heard turns; kept turns may come in another order. They count as cached, so that they
    are not paid again.

    Args:
        parent: The discussion that is forked.
        head: The fork before its first turn, with its own seats, comparison and options.
        protocol: The protocol of the fork, with its options.
        at: Number of turns to keep, which is the index of the first turn that is played.
        edits: Words by index of a turn, in place of its own; `{text}` stands for the original words. They
            are read again.
        places: Seat of the fork by seat of the parent, where they differ.

    Raises:
        ForkError: The discussion has not ended, or too early; the protocol cues otherwise; a kept turn
            heard an edited one; or there is nothing that the edit changes.
    """
    edits = edits or {}
    _require_turns(parent, at, edits)
    moved = places or {seat.id: seat.id for seat in parent.seats}
    remaining = list(parent.turns[:at])
    found: dict[int, int] = {}
    kept: tuple[Turn, ...] = ()
    ahead: list[Cue] = []
    while remaining:
        ahead = ahead or _cue_again(protocol, head, kept)
        cue = ahead.pop(0) if ahead else None
        wanted = (
            turn
            for turn in remaining
            if cue is not None and _translate(turn.cue, found, moved) == cue
        )
        turn = next(wanted, None)
        if turn is None or cue is None:
            raise ForkError(_describe_difference(cue, remaining[0], moved))
        remaining.remove(turn)
        found[turn.index] = len(kept)
        kept = (*kept, _inherit(turn, cue, parent, head, len(kept), edits.get(turn.index)))
    return kept


def identify_fork(changed: str, kept: Sequence[Turn], *, parent: str, at: int, draw: int) -> str:
    """Return the id of a fork.

    Args:
        changed: `identify` of the fork's head, with its change.
        kept: The turns that it keeps.
        parent: The id of the discussion that is forked.
        at: Number of these.
        draw: Number of the redraw, 0 for the draws of the parent.
    """
    return content_hash("fork", changed, [_digest(turn) for turn in kept], parent, at, draw)


def identify_played(played: Transcript, *, prompts: str, seed: int = 0, code: str = "") -> str:
    """Return the id that a discussion or fork has with this prompt pack and protocol; see `identify`."""
    changed = identify(played, prompts=prompts, seed=seed, code=code)
    fork = played.fork
    if fork is None:
        return changed
    kept = played.turns[: fork.at]
    return identify_fork(changed, kept, parent=fork.parent, at=fork.at, draw=fork.draw)


def _require_turns(parent: Transcript, at: int, edits: Mapping[int, str]) -> None:
    if parent.stop is not StopReason.COMPLETE:
        msg = "it has failed" if parent.stop is StopReason.FAILED else "it has not ended"
        raise ForkError(msg)
    if at > len(parent.turns):
        msg = f"it has only {len(parent.turns)} turns"
        raise ForkError(msg)
    for turn in parent.turns[:at]:
        heard = sorted({*turn.cue.hears} & edits.keys())
        if heard:
            msg = (
                f"turn {turn.index}, which is kept, heard the words of turn {heard[0]}; fork at "
                f"{turn.index} or before"
            )
            raise ForkError(msg)
    if edits and all(
        words.replace(ORIGINAL, parent.turns[index].utterance.text)
        == parent.turns[index].utterance.text
        for index, words in edits.items()
    ):
        msg = f"turn {min(edits)} has these words already"
        raise ForkError(msg)


def _cue_again(protocol: DiscussionProtocol, head: Transcript, kept: tuple[Turn, ...]) -> list[Cue]:
    try:
        return [*next_cues(protocol, head.seats, head.comparison, kept)]
    except PeerJudgeError as cause:
        raise ForkError(str(cause)) from cause


def _translate(cue: Cue, found: Mapping[int, int], places: Mapping[str, str]) -> Cue | None:
    """Return a stored cue with the seats and turn numbers of the fork; `None` if it heard other turns."""
    if not {*cue.hears, *cue.withheld} <= found.keys():
        return None
    return replace(
        cue,
        seat=places[cue.seat],
        hears=tuple(sorted(found[index] for index in cue.hears)),
        withheld=tuple(sorted(found[index] for index in cue.withheld)),
    )


def _inherit(
    turn: Turn, cue: Cue, parent: Transcript, head: Transcript, index: int, words: str | None
) -> Turn:
    spoke = parent.seat(turn.cue.seat).reviewer
    said = replace(turn.utterance, cached=True)
    kept = replace(
        turn,
        index=index,
        cue=cue,
        utterance=said,
        asked=None if turn.asked is None else replace(turn.asked, cached=True),
        reread=None if turn.reread is None else replace(turn.reread, cached=True),
        origin=turn.origin if turn.origin == "edited" else "inherited",
        speaker=turn.speaker or ("" if head.seat(cue.seat).reviewer == spoke else spoke),
    )
    if words is None:
        return kept
    text = words.replace(ORIGINAL, said.text)
    edited = replace(said, text=text, logprobs=None, thinking="", inner=(), finish_reason="stop")
    review = read_reply(edited, cue=cue, comparison=head.comparison)
    return replace(kept, utterance=edited, review=review, asked=None, reread=None, origin="edited")


def _describe_difference(cue: Cue | None, turn: Turn, places: Mapping[str, str]) -> str:
    """Return why the replay of the kept turns ended before this turn."""
    if cue is None:
        return f"the protocol then ends before turn {turn.index}, which is to be kept"
    stored = replace(turn.cue, seat=places.get(turn.cue.seat, turn.cue.seat))
    if {*stored.sees} == {*cue.sees} and stored.sees != cue.sees:
        return f"turn {turn.index}, which is kept, saw the answers in another order"
    differing = [
        f"{name}: {getattr(stored, name)!r} in turn {turn.index}, now {getattr(cue, name)!r}"
        for name in Cue.__struct_fields__
        if name != "sees" and getattr(stored, name) != getattr(cue, name)
    ]
    if stored.sees != cue.sees:
        differing.append(f"turn {turn.index} saw other answers")
    return f"the protocol then cues otherwise ({'; '.join(differing) or 'other turns are heard'})"


def _digest(turn: Turn) -> str:
    """Return the hash of what later turns can depend on: the cue, the words and the review."""
    return content_hash(
        to_plain(turn.cue), turn.utterance.text, to_plain(turn.review), turn.origin, turn.speaker
    )
