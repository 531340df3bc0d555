"""Plays one discussion: cue, prompt, reply, review, turn kept, and again until no cue is left."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextvars import ContextVar

import structlog
from structlog.contextvars import bind_contextvars, reset_contextvars

from peerjudge.data import (
    Failure,
    PromptPack,
    Request,
    StopReason,
    Transcript,
    Turn,
    Utterance,
    replace,
)
from peerjudge.engine.asking import Asking
from peerjudge.engine.cueing import concluded, next_cue
from peerjudge.engine.interfaces import Journal, Reviewer, Staging
from peerjudge.errors import ProtocolError, StoreError
from peerjudge.protocol import DiscussionProtocol
from peerjudge.verdicts import read_review

__all__ = ["discuss", "perform"]

_LONGEST_MESSAGE = 1000

_log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


async def discuss(
    transcript: Transcript,
    *,
    protocol: DiscussionProtocol,
    reviewers: Mapping[str, Reviewer],
    pack: PromptPack,
    roles: Mapping[str, str],
    journal: Journal | None = None,
) -> Transcript:
    """Play a discussion on from wherever it stands until the protocol has no further cue.

    A completed discussion is returned as it is; a failed one is taken up at the turn that failed.
    Cancelling this leaves every turn that was kept, and nothing half-kept.

    Args:
        transcript: The discussion, with the turns it has so far.
        protocol: Who speaks when.
        reviewers: Who speaks, by seat id.
        pack: The words in which they are asked.
        roles: The role prompts, by seat id.
        journal: Where each turn is kept before the next is asked for.

    Returns:
        The ended transcript. Where a reviewer raised, it has stopped as `FAILED` and its `failure`
        names the exception's type; that is data, not an error.

    Raises:
        ProtocolError: The protocol breaks its contract, or seats and reviewers do not match.
        StoreError: A turn could not be kept.
    """
    staging = Staging(
        transcript=transcript, protocol=protocol, reviewers=reviewers, pack=pack, roles=roles
    )
    return await perform(staging, journal)


async def perform(staging: Staging, journal: Journal | None) -> Transcript:
    """`discuss`, with everything but the journal in one hand."""
    if staging.transcript.stop is StopReason.COMPLETE:
        return staging.transcript
    _require_reviewers(staging)
    opened = staging.transcript
    if opened.stop is not None:
        opened = replace(opened, stop=None, failure=None)
    bound = bind_contextvars(discussion=opened.id, turn=len(opened.turns))
    try:
        turns, failure = await _play(staging, opened, journal, now=bound["turn"].var)
        if failure is None:
            verdict = concluded(staging.protocol, opened.seats, opened.comparison, turns)
            ended = replace(opened, turns=turns, stop=StopReason.COMPLETE, verdict=verdict)
        else:
            ended = replace(opened, turns=turns, stop=StopReason.FAILED, failure=failure)
        if journal is not None:
            await journal.end(ended)
    finally:
        reset_contextvars(**bound)
    return ended


async def _play(
    staging: Staging, opened: Transcript, journal: Journal | None, *, now: ContextVar[int]
) -> tuple[tuple[Turn, ...], Failure | None]:
    """The turns until no cue is left, or one has failed; `now` holds the turn for the log."""
    comparison, turns = opened.comparison, opened.turns
    asking = Asking(opened, pack=staging.pack, roles=staging.roles)
    while (cue := next_cue(staging.protocol, opened.seats, comparison, turns)) is not None:
        now.set(len(turns))
        request = asking.request(cue, turns)
        said = await _spoken(staging.reviewers[cue.seat], request)
        if isinstance(said, Failure):
            return turns, said
        read = read_review(said.text, cue=cue, comparison=comparison, logprobs=said.logprobs)
        turn = Turn(index=len(turns), cue=cue, utterance=said, review=read)
        if journal is not None:
            await journal.turn(opened, turn)
        turns = (*turns, turn)
    return turns, None


async def _spoken(reviewer: Reviewer, request: Request) -> Utterance | Failure:
    try:
        said = await reviewer.speak(request)
        return said if said.text.isascii() else _storable(said)
    except StoreError:
        raise
    except asyncio.CancelledError as cause:
        # Some libraries raise this on their own when a connection dies; nobody cancelled us then.
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise
        return _failure(cause, request)
    except Exception as cause:  # noqa: BLE001  reviewers are anybody's code: what they raise is data
        return _failure(cause, request)


def _storable(said: Utterance) -> Utterance:
    """The utterance without halves of surrogate pairs, which no file and no request can hold."""
    try:
        said.text.encode()
    except UnicodeEncodeError:
        whole = said.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return replace(said, text=whole)
    return said


def _failure(cause: BaseException, request: Request) -> Failure:
    kind = type(cause).__name__
    message = str(cause)[:_LONGEST_MESSAGE]
    _log.warning("turn failed", reviewer=request.seat.reviewer, kind=kind, message=message)
    return Failure(kind=kind, message=message, seat=request.seat.id, turn=request.turn)


def _require_reviewers(staging: Staging) -> None:
    transcript = staging.transcript
    staging.protocol.require(
        seats=len(transcript.seats), answers=len(transcript.comparison.answers)
    )
    seated = [seat.id for seat in transcript.seats]
    if sorted(seated) != sorted(staging.reviewers):
        msg = f"seats {seated} need one reviewer each; there are reviewers for {list(staging.reviewers)}"
        raise ProtocolError(msg)
