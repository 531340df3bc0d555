"""Rereading: a second model is asked for the verdict of a reply in which no rule finds one."""

from __future__ import annotations

from collections.abc import Mapping

from peerjudge.data import (
    UNREADABLE,
    Cue,
    Expects,
    Failure,
    PromptPack,
    Request,
    Seat,
    Transcript,
    Turn,
    content_hash,
    replace,
)
from peerjudge.data.cleaning import is_blank
from peerjudge.engine.interfaces import Journal, Reviewer
from peerjudge.engine.reading import read_second
from peerjudge.engine.speaking import speak
from peerjudge.prompts import render_rereading
from peerjudge.verdicts import CUT_OFF, REREAD_FAILED

_TASK = "reread"


def has_failed_rereading(transcript: Transcript) -> bool:
    """Return whether a call to reread a reply of the discussion failed, so that it can be repeated."""
    return transcript.reread is not None and any(map(_has_failed, transcript.turns))


def _has_failed(turn: Turn) -> bool:
    return turn.review.rule.startswith(REREAD_FAILED)


async def repeat_rereadings(
    transcript: Transcript,
    *,
    reviewers: Mapping[str, Reviewer],
    pack: PromptPack,
    journal: Journal | None,
) -> Transcript:
    """Return the discussion with its failed rereadings repeated; the turns after them stay.

    Args:
        transcript: The discussion, with the turns it has so far.
        reviewers: The reviewers, by seat id; the second model is one of them.
        pack: The prompt pack of the discussion.
        journal: Saves each turn that was read now.

    Raises:
        StoreError: A call could not be booked, or a turn could not be saved.
    """
    second = transcript.reread
    if second is None or not has_failed_rereading(transcript):
        return transcript
    turns = list(transcript.turns)
    for turn in filter(_has_failed, transcript.turns):
        turns[turn.index] = again = await reread(
            turn, transcript, second, reviewer=reviewers[second.id], pack=pack
        )
        if journal is not None:
            await journal.reread(transcript, again)
    return replace(transcript, turns=tuple(turns))


def needs_rereading(turn: Turn) -> bool:
    """Return whether a second model may find a verdict that no rule found.

    A reply that was cut off before its verdict states none. Simulated words are not worth a call.
    """
    said, read = turn.utterance, turn.review
    return (
        turn.cue.expects is Expects.VERDICT
        and read.verdict == UNREADABLE
        and read.rule != CUT_OFF
        and not said.simulated
        and not is_blank(said.text)
    )


def request_rereading(
    turn: Turn, transcript: Transcript, second: Seat, *, pack: PromptPack
) -> Request:
    """Return the request for the verdict of a turn, which shows its reply alone."""
    cue, text = turn.cue, turn.utterance.text
    asked = Cue(
        seat=second.id, task=_TASK, sees=cue.sees, hears=(turn.index,), ties=cue.ties, blind=True
    )
    return Request(
        discussion=transcript.id,
        turn=turn.index,
        seat=second,
        cue=asked,
        comparison=transcript.comparison,
        heard=(turn,),
        messages=render_rereading(text, cue=cue, pack=pack),
        drawn=lambda: content_hash(_TASK, text, len(cue.sees), cue.ties),
    )


async def reread(
    turn: Turn, transcript: Transcript, second: Seat, *, reviewer: Reviewer, pack: PromptPack
) -> Turn:
    """Return the turn with the verdict that the second model reads in it, and that model's reply.

    The second model is shown the reply alone. Equal replies are the same random draw. If the call
    fails, the turn stays unreadable and its rule says so.

    Args:
        turn: The turn.
        transcript: The discussion.
        second: The second model, with its sampling.
        reviewer: Speaks for it.
        pack: The prompt pack of the discussion, for the names of the answers.

    Raises:
        StoreError: The call could not be booked.
    """
    cue = turn.cue
    request = request_rereading(turn, transcript, second, pack=pack)
    said = await speak(reviewer, request, failed="rereading failed, the reply stays unreadable")
    if isinstance(said, Failure):
        rule = f"{REREAD_FAILED}: {said.kind}"
        return replace(turn, review=replace(turn.review, rule=rule))
    found = read_second(said, cue=cue, reviewer=second.reviewer)
    return replace(turn, review=found, reread=said)
