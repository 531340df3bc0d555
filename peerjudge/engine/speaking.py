"""A reviewer's reply to one request, cleaned, or the failure of the call as data."""

from __future__ import annotations

import asyncio

from peerjudge.data import Failure, Request, Utterance, replace
from peerjudge.data.cleaning import clean_text, clean_utterance, is_blank
from peerjudge.engine.interfaces import Reviewer
from peerjudge.errors import AwaitingPersonError, EmptyReplyError, NotBegunError, StoreError
from peerjudge.logs import get_logger
from peerjudge.verdicts import split_thinking

_LONGEST_MESSAGE = 1000

_log = get_logger()


async def speak(
    reviewer: Reviewer, request: Request, *, failed: str = "turn failed"
) -> Utterance | Failure:
    """Return the reply to a request with its thinking apart, or the failure; `failed` is logged for it.

    Raises:
        AwaitingPersonError: The reviewer is a person who has not answered yet.
        NotBegunError: The discussion failed while the call waited for its turn.
        StoreError: The call could not be booked.
        asyncio.CancelledError: The task was cancelled.
    """
    try:
        said = await reviewer.speak(request)
        said = said if _is_simulated(said) else clean_reply(said, request)
        thinking, text = split_thinking(said.text)
        said = replace(said, text=text, thinking=thinking) if thinking else said
        return _require_words(said, request)
    except (AwaitingPersonError, NotBegunError, StoreError):
        raise
    except asyncio.CancelledError as cause:
        # Some libraries raise this when a connection dies, although nothing cancelled the task.
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise
        return _describe_failure(cause, request, failed)
    except Exception as cause:  # noqa: BLE001  a reviewer is user code: its errors are data
        return _describe_failure(cause, request, failed)


def _is_simulated(said: Utterance) -> bool:
    """Return whether a reply was made here; a check of every field would cost a twentieth of a call."""
    made = isinstance(said, Utterance) and said.simulated  # pyright: ignore[reportUnnecessaryIsInstance]
    return made and isinstance(said.text, str) and said.text.isascii()  # pyright: ignore[reportUnnecessaryIsInstance]


def clean_reply(said: Utterance, request: Request) -> Utterance:
    """Return the utterance with values that can be stored and read again, and log what is replaced.

    Raises:
        DataError: There is no text.
    """
    cleaned, replaced = clean_utterance(said)
    if replaced:
        _log.warning(
            "a reply contained values that cannot be stored; they are replaced",
            reviewer=request.seat.reviewer,
            values=", ".join(replaced),
        )
    return cleaned


class SetAsideError(Exception):
    """A call that was not made, as a reviewer of its discussion failed before and would fail again.

    Attributes:
        kind: Type of the first failure, whose message this one has: both have one cause.
        seat: The seat of that reviewer.
    """

    def __init__(self, message: str, *, kind: str, seat: str) -> None:
        super().__init__(message)
        self.kind, self.seat = kind, seat


def _require_words(said: Utterance, request: Request) -> Utterance:
    """Return the reply; raise `EmptyReplyError` if it has no words and is not from a record."""
    if is_blank(said.text) and not said.cached:
        msg = f"{request.seat.reviewer!r} sent an empty reply ({said.finish_reason})"
        raise EmptyReplyError(msg)
    return said


def _describe_failure(cause: BaseException, request: Request, failed: str) -> Failure:
    message = clean_text(str(cause))[:_LONGEST_MESSAGE]
    if isinstance(cause, SetAsideError):
        # Its cause is logged, and it is the failure of the seat that has the reviewer.
        return Failure(kind=cause.kind, message=message, seat=cause.seat, turn=request.turn)
    kind = type(cause).__name__
    _log.warning(failed, reviewer=request.seat.reviewer, kind=kind, message=message)
    return Failure(kind=kind, message=message, seat=request.seat.id, turn=request.turn)
